import { createContentHash } from '../../lib/contentHash.ts'
import type { Content, HashAlgorithm } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'

/** The hash of a content while it is sent, whatever parts of it are sent again. */
export type RunningHash = {
  /** The bytes from `offset`; those that were seen before do not count again. */
  update(offset: number, bytes: Uint8Array): void
  /** Lower-case hex, once all bytes were seen from the first on; null before, and for an upload that did not begin at 0. */
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

/** A content read once, in pieces of any length. */
export type Source = {
  /** The next `length` bytes. Breaks with Corrupt when the content ends before. */
  take(length: number): AsyncGenerator<Uint8Array>
  close(): void
}

/** Reads `content` from `start` on, and shows all bytes to `hash`. */
export function openSource(content: Content, start: number, hash: RunningHash, where: ProviderErrorWhere): Source {
  const stream = content.open(start)
  stream.on('error', () => undefined)
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let rest: Uint8Array = new Uint8Array(0)
  let offset = start
  const next = async (): Promise<Uint8Array> => {
    if (rest.length > 0) return rest
    const { done, value } = await chunks.next().catch((error: unknown) => {
      throw unreadable(error, where)
    })
    if (!done) return value
    throw new ProviderError('Corrupt', where, {
      message: `The content ended after ${offset} of ${content.size} bytes.`,
    })
  }
  return {
    async *take(length) {
      for (let left = length; left > 0; ) {
        const chunk = await next()
        const part = chunk.subarray(0, left)
        rest = chunk.subarray(part.length)
        hash.update(offset, part)
        offset += part.length
        left -= part.length
        if (part.length > 0) yield part
      }
    },
    close: () => void stream.destroy(),
  }
}

function unreadable(error: unknown, where: ProviderErrorWhere): ProviderError {
  if (error instanceof ProviderError) return error
  return new ProviderError('Permanent', where, { message: 'The content could not be read.', cause: error })
}
