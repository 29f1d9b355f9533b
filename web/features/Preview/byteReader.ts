import { messages } from './messages.ts'
import { PreviewError, refusedPreview } from './previewError.ts'

export type Bytes = Uint8Array<ArrayBuffer>

/** Bytes of a file that is read in parts. */
export type ByteReader = {
  readonly size: number
  /** The bytes from `start` up to, not including, `end`; fewer at the end of the file. @throws PreviewError, TypeError */
  read(start: number, end: number): Promise<Bytes>
}

/** Reads a file from its address, by ranges. `size` in bytes, as the server says. */
export function remoteBytes(url: string, size: number, signal: AbortSignal): ByteReader {
  return {
    size,
    async read(start, end) {
      const last = Math.min(end, size) - 1
      if (last < start) return new Uint8Array()
      const response = await fetch(url, { signal, headers: { Range: `bytes=${start}-${last}` } })
      if (!response.ok) throw refusedPreview(response.status)
      if (!response.body) throw new PreviewError(messages.unavailable)
      // A whole answer to a request for a part: what is before the part is dropped, and what is after it is not read.
      const skipped = response.status === 206 ? 0 : start
      return collect(response.body, skipped, last - start + 1)
    },
  }
}

/** All of a file. @throws PreviewError when it has more than `most` bytes or cannot be loaded */
export async function allBytes({ size, read }: ByteReader, most: number): Promise<Bytes> {
  if (size > most) throw new PreviewError(messages.tooLarge(most))
  const bytes = await read(0, size)
  if (bytes.length !== size) throw new PreviewError(messages.notLoaded)
  return bytes
}

/** `length` bytes after the first `skipped`; the rest is not read. */
async function collect(body: ReadableStream<Bytes>, skipped: number, length: number): Promise<Bytes> {
  const bytes = new Uint8Array(length)
  let at = -skipped
  for await (const chunk of chunksOf(body)) {
    const from = Math.max(0, -at)
    const part = chunk.subarray(from, Math.max(from, length - at))
    bytes.set(part, at + from)
    at += chunk.length
    if (at >= length) break
  }
  return bytes.subarray(0, Math.max(0, Math.min(at, length)))
}

/** The chunks of a stream; what is not read is cancelled. Not every browser can iterate over a stream. */
export async function* chunksOf(body: ReadableStream<Bytes>): AsyncGenerator<Bytes> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
