import { type ByteReader, type Bytes, chunksOf } from '../byteReader.ts'
import { messages } from '../messages.ts'
import { PreviewError, refusedPreview } from '../previewError.ts'

const BLOCK = 512
const WINDOW_BYTES = 64 * 1024
const MOST_REQUESTS = 500
const LONGEST_NAME = 64 * 1024
/** Of a compressed archive, which has to be unpacked up to the entry that is looked for. */
const MOST_UNPACKED_BYTES = 1024 * 1024 * 1024
const MOST_PACKED_BYTES = 256 * 1024 * 1024

export type TarEntry = {
  readonly name: string
  readonly isFolder: boolean
  readonly size: number
  /** A link or device has no content here. */
  readonly hasContent: boolean
  /** Where its content begins in the unpacked archive. */
  readonly offset: number
}

/** An archive that is read from the beginning; what is skipped may be cheap. */
export type TarSource = {
  /** `null`: a limit was reached. Fewer bytes at the end. */
  take(length: number): Promise<Bytes | null>
  /** False: a limit was reached. */
  skip(length: number): Promise<boolean>
  close(): Promise<void>
}

/** An archive that is not compressed: what is skipped is not loaded. */
export function plainTar(file: ByteReader): TarSource {
  let at = 0
  let requests = 0
  let buffered = { start: 0, bytes: new Uint8Array() as Bytes }
  return {
    async take(length) {
      const end = Math.min(at + length, file.size)
      const isBuffered = at >= buffered.start && end <= buffered.start + buffered.bytes.length
      if (!isBuffered) {
        if (++requests > MOST_REQUESTS) return null
        buffered = { start: at, bytes: await file.read(at, Math.max(end, at + WINDOW_BYTES)) }
      }
      const bytes = buffered.bytes.subarray(at - buffered.start, end - buffered.start)
      at = end
      return bytes
    },
    async skip(length) {
      at += length
      return true
    },
    close: async () => undefined,
  }
}

/** A gzipped archive, unpacked while it is loaded. @throws PreviewError */
export async function gzippedTar(url: string, signal: AbortSignal): Promise<TarSource> {
  const response = await fetch(url, { signal, headers: { Range: `bytes=0-${MOST_PACKED_BYTES - 1}` } })
  if (!response.ok) throw refusedPreview(response.status)
  if (!response.body) throw new PreviewError(messages.unavailable)
  const chunks = chunksOf(response.body.pipeThrough(new DecompressionStream('gzip')))
  let rest: Bytes = new Uint8Array()
  let unpacked = 0
  /** The next bytes, at most `most` of them; null at the end. */
  const next = async (most: number): Promise<Bytes | null> => {
    if (rest.length === 0) {
      const { done, value } = await chunks.next().catch(() => {
        throw new PreviewError(messages.damaged)
      })
      if (done) return null
      rest = value
      unpacked += value.length
    }
    const part = rest.subarray(0, most)
    rest = rest.subarray(part.length)
    return part
  }
  return {
    async take(length) {
      const whole = new Uint8Array(length)
      let at = 0
      while (at < length && unpacked <= MOST_UNPACKED_BYTES) {
        const part = await next(length - at)
        if (!part) return whole.subarray(0, at)
        whole.set(part, at)
        at += part.length
      }
      return at < length ? null : whole
    },
    async skip(length) {
      let left = length
      while (left > 0 && unpacked <= MOST_UNPACKED_BYTES) {
        const part = await next(left)
        if (!part) return true
        left -= part.length
      }
      return left === 0
    },
    close: async () => void (await chunks.return(undefined)),
  }
}

/** The first `most` entries. `isCut`: there are more, or a limit was reached. @throws PreviewError when it is not a tar archive */
export async function readTar(source: TarSource, most: number): Promise<{ entries: TarEntry[]; isCut: boolean }> {
  const entries: TarEntry[] = []
  let offset = 0
  let longName: string | null = null
  let isFirst = true
  for (;;) {
    const block = await source.take(BLOCK)
    if (!block) return { entries, isCut: true }
    if (block.length < BLOCK || block.every((byte) => byte === 0)) break
    if (!hasChecksum(block)) {
      if (isFirst) throw new PreviewError(messages.damaged)
      return { entries, isCut: true }
    }
    isFirst = false
    offset += BLOCK
    const size = sizeOf(block)
    const type = String.fromCharCode(block[156] ?? 0)
    const padded = Math.ceil(size / BLOCK) * BLOCK
    if ((type === 'L' || type === 'x') && size <= LONGEST_NAME) {
      const content = await source.take(padded)
      if (!content) return { entries, isCut: true }
      longName = (type === 'L' ? textOf(content.subarray(0, size)) : paxPath(content.subarray(0, size))) ?? longName
    } else {
      if (!'gLxKV'.includes(type)) {
        if (entries.length === most) return { entries, isCut: true }
        entries.push(entryOf({ name: longName ?? nameOf(block), type, size, offset }))
        longName = null
      }
      if (!(await source.skip(padded))) return { entries, isCut: true }
    }
    offset += padded
  }
  return { entries, isCut: false }
}

type Header = { readonly name: string; readonly type: string; readonly size: number; readonly offset: number }

function entryOf({ name, type, size, offset }: Header): TarEntry {
  const isFolder = type === '5' || name.endsWith('/')
  return { name, isFolder, size, offset, hasContent: !isFolder && ['0', '\0', '7'].includes(type) }
}

/** The content of an entry that `readTar` has found. @throws PreviewError */
export async function readTarEntry(source: TarSource, { offset, size }: TarEntry): Promise<Bytes> {
  const isThere = await source.skip(offset)
  const bytes = isThere ? await source.take(size) : null
  await source.close()
  if (!bytes) throw new PreviewError(messages.tooLargeInside)
  if (bytes.length < size) throw new PreviewError(messages.damaged)
  return bytes
}

function hasChecksum(block: Bytes): boolean {
  const stated = Number.parseInt(textOf(block.subarray(148, 156)).trim(), 8)
  let sum = 0
  // The checksum counts as spaces.
  block.forEach((byte, at) => {
    sum += at >= 148 && at < 156 ? 32 : byte
  })
  return sum === stated
}

/** Octal; larger sizes are binary, which the first bit says. */
function sizeOf(block: Bytes): number {
  const field = block.subarray(124, 136)
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(textOf(field).trim() || '0', 8) || 0
  return field.subarray(4).reduce((size, byte) => size * 256 + byte, 0)
}

function nameOf(block: Bytes): string {
  const name = textOf(block.subarray(0, 100))
  const isUstar = textOf(block.subarray(257, 262)) === 'ustar'
  const prefix = isUstar ? textOf(block.subarray(345, 500)) : ''
  return prefix ? `${prefix}/${name}` : name
}

/** Records of the form "length key=value\n". */
function paxPath(content: Bytes): string | null {
  return /(?:^|\n)\d+ path=([^\n]*)/.exec(new TextDecoder().decode(content))?.[1] ?? null
}

/** Up to the first zero byte. */
function textOf(bytes: Bytes): string {
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
}
