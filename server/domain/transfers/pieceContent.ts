import { Readable } from 'node:stream'
import { createContentHash } from '../../lib/contentHash.ts'
import type { Content, HashAlgorithm } from '../../providers/driver.ts'
import type { ByteSource } from '../../storage/byteSource.ts'

/** A range of a file as a driver reads it. */
export type PieceContent = Content & {
  /** What stopped the source when it was read last, where it did: the provider is innocent then. */
  readonly failure: unknown
  /** The hash of all its bytes, lower-case hex; what was computed while they were sent is used. Rejects with what stops the source. */
  digest(): Promise<string>
}

type Range = { readonly offset: number; readonly size: number }

/** Bytes `offset` to `offset + size` of `source`, hashed as they pass. */
export function createPieceContent(source: ByteSource, range: Range, algorithm: HashAlgorithm): PieceContent {
  let failure: unknown
  let digest: string | undefined

  async function* read(start: number): AsyncGenerator<Buffer> {
    failure = undefined
    const hash = start === 0 ? createContentHash(algorithm) : null
    let left = range.size - start
    try {
      if (left > 0) {
        const bytes = source.read(range.offset + start, range.offset + range.size - 1)
        for await (const chunk of bytes as AsyncIterable<Buffer>) {
          hash?.update(chunk)
          left -= chunk.length
          // Known before the last bytes go out: a driver need not read to the end of the stream.
          if (left === 0) digest ??= hash?.digest()
          yield chunk
        }
      }
      if (left !== 0) throw new Error('The content of a file is not as long as its row says.')
      digest ??= hash?.digest()
    } catch (error) {
      failure = error
      throw error
    }
  }

  return {
    size: range.size,
    get failure() {
      return failure
    },
    open: (start) => Readable.from(read(start), { objectMode: false }),
    async digest() {
      if (digest === undefined) for await (const chunk of read(0)) void chunk
      if (digest === undefined) throw new Error('A content ended without its hash.')
      return digest
    },
  }
}
