import { createContentHash } from '../../lib/contentHash.ts'
import type { Call, Driver, Entry } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Clock } from './clock.ts'
import type { PieceContent } from './pieceContent.ts'

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
