import { abortable } from '../../lib/concurrency.ts'
import { createContentHash } from '../../lib/contentHash.ts'
import type { Call, Content, HashAlgorithm } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'

/** The hash of a content, computed while it is sent; parts may be sent more than once. */
export type RunningHash = {
  /** The bytes at `offset`; bytes that were passed before are ignored. */
  update(offset: number, bytes: Uint8Array): void
  /** Lower-case hex, after all bytes from the first on; null before, and for an upload that did not start at 0. */
  digest(): string | null
}

export function createRunningHash(algorithm: HashAlgorithm, size: number): RunningHash {
  const hash = createContentHash(algorithm)
  let seen = 0
  let digest: string | null = null
  return {
    update(offset, bytes) {
      if (offset > seen || offset + bytes.length <= seen) return
      hash.update(bytes.subarray(seen - offset))
      seen = offset + bytes.length
    },
    digest() {
      if (seen === size) digest ??= hash.digest()
      return digest
    },
  }
}

/** A content that is read once, in parts of any length. */
export type Source = {
  /** The next `length` bytes. Rejects with Corrupt when the content ends early or is longer than its size. */
  take(length: number): AsyncGenerator<Uint8Array>
  close(): void
}

/** Reads `content` from `start`, and passes all bytes to `hash`. */
export function openSource(content: Content, start: number, hash: RunningHash, where: ProviderErrorWhere): Source {
  const stream = content.open(start)
  stream.on('error', () => undefined)
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let rest: Uint8Array = new Uint8Array(0)
  let offset = start
  const wrong = (message: string): ProviderError => new ProviderError('Corrupt', where, { message })
  /** False at the end of the content. */
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        throw unreadable(error, where)
      })
      if (done) return false
      rest = value
    }
    return true
  }
  async function* take(length: number): AsyncGenerator<Uint8Array> {
    const end = offset + length
    while (offset < end) {
      if (!(await fill())) throw wrong(`The content ended after ${offset} of ${content.size} bytes.`)
      const part = rest.subarray(0, end - offset)
      rest = rest.subarray(part.length)
      hash.update(offset, part)
      offset += part.length
      // Before the last bytes are sent: a service that has received all of them would store the object.
      if (offset === content.size && (await fill())) throw wrong(`The content has more than ${content.size} bytes.`)
      yield part
    }
    if (length === 0 && offset === content.size && (await fill()))
      throw wrong('The content has bytes although its size is 0.')
  }
  return { take, close: () => void stream.destroy() }
}

/**
 * Reads the first `size` bytes of a content for their hash, in lower-case hex. Ends with the call.
 * @throws Corrupt, Transient
 */
export async function hashOfStart(
  { content, call }: { readonly content: Content; readonly call: Call },
  algorithm: HashAlgorithm,
  size: number,
  where: ProviderErrorWhere,
): Promise<string | null> {
  call.signal.throwIfAborted()
  const hash = createRunningHash(algorithm, size)
  const source = openSource(content, 0, hash, where)
  const read = async (): Promise<void> => {
    for await (const _ of source.take(size)) call.signal.throwIfAborted()
  }
  try {
    // A source that hangs does not end by being closed.
    await abortable(call.signal, read())
    return hash.digest()
  } finally {
    source.close()
  }
}

function unreadable(error: unknown, where: ProviderErrorWhere): ProviderError {
  if (error instanceof ProviderError) return error
  return new ProviderError('Transient', where, { message: 'The content could not be read.', cause: error })
}
