import { Readable } from 'node:stream'
import { createContentHash } from '../../lib/contentHash.ts'
import type { Call, Content, Driver, Entry, HashAlgorithm } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { Clock } from './deps.ts'

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

/** How long what was just stored may stay unseen, for services that are slow to show it. */
const LOOKS_AFTER_MS = [0, 1_000, 3_000] as const

/**
 * Looks at what the provider has, whatever its answer to the upload said: size and hash, or all bytes where it reports no hash.
 * @returns `<algorithm>:<digest>` as the provider reported it, or null where it reports none
 * @throws ProviderError Corrupt when something else is there, or nothing
 */
export async function verifyStored(
  { driver, clock }: { driver: Driver; clock: Clock },
  call: Call,
  stored: Entry,
  content: PieceContent,
): Promise<string | null> {
  const seen = await look(driver, clock, call, stored)
  if (seen === null) throw corrupt(driver, 'What was stored is not there.')
  if (seen.size !== content.size) throw corrupt(driver, `${seen.size} of ${content.size} bytes are there.`)
  const expected = await content.digest()
  const { hash: algorithm } = driver.capabilities
  if (algorithm !== null && seen.hash !== null) {
    if (seen.hash !== expected) throw corrupt(driver, 'The bytes that are there have another hash.')
    return `${algorithm}:${seen.hash}`
  }
  if ((await readBack(driver, call, stored, content.size, algorithm)) !== expected) {
    throw corrupt(driver, 'Other bytes were read back than were sent.')
  }
  return null
}

async function look(driver: Driver, clock: Clock, call: Call, { ref }: Entry): Promise<Entry | null> {
  for (const pause of LOOKS_AFTER_MS) {
    if (pause > 0) await clock.sleep(pause, call.signal)
    const seen = await driver.stat(call, ref).catch((error: unknown) => {
      if (error instanceof ProviderError && error.code === 'NotFound') return null
      throw error
    })
    if (seen !== null) return seen
  }
  return null
}

async function readBack(
  driver: Driver,
  call: Call,
  { ref }: Entry,
  size: number,
  algorithm: Driver['capabilities']['hash'],
): Promise<string> {
  const hash = createContentHash(algorithm ?? 'sha256')
  if (size === 0) return hash.digest()
  const { body } = await driver.get(call, ref)
  for await (const chunk of body as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest()
}

function corrupt(driver: Driver, message: string): ProviderError {
  return new ProviderError('Corrupt', { provider: driver.kind, operation: 'verify' }, { message })
}
