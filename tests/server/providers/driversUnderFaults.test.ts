import { describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import type { Fault, FaultKind } from '../../fakes/core/faults.ts'
import { startDropbox } from './dropboxStage.ts'
import { startGithub } from './githubStage.ts'
import { startGoogle } from './googleStage.ts'
import { startMega } from './megaStage.ts'
import { startOneDrive } from './oneDriveStage.ts'
import { bytesOf, call, contentOf, newEntry, progressOf, readAll } from './providerHarness.ts'

const CHUNK = 256 * 1024
const LIMITS = { chunkBytes: CHUNK, smallBytes: 1000 }
const KINDS: readonly FaultKind[] = [
  'reset',
  'cutUp',
  'cutDown',
  'rateLimit',
  'serverError',
  'expired',
  'full',
  'truncate',
  'lostReply',
  'html',
  'redirect',
]
const MENDED_BY_TRYING = ['Transient', 'RateLimited', 'AuthExpired', 'QuotaExceeded', 'Corrupt', 'Conflict']

type Stage = { open(): Driver; plan(fault: Fault): void; clearFaults(): void; bugs(): string[]; close(): Promise<void> }

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/**
 * As the domain does it: each try in a new driver from what was saved; Corrupt begins anew, and a Conflict takes another name:
 * what was stored wrong without an answer cannot be told from what is another's, and stays.
 */
async function persist(stage: Stage, wanted: string, bytes: Buffer, remnants: Set<string>): Promise<Entry> {
  let session: string | null = null
  let name = wanted
  for (let tries = 0; tries < 20; tries += 1) {
    const progress = progressOf(session)
    const driver = stage.open()
    try {
      return await driver.put(call(), newEntry(driver.root, name, bytes.length), contentOf(bytes), progress)
    } catch (error) {
      const code = error instanceof ProviderError ? error.code : String(error)
      if (!MENDED_BY_TRYING.includes(code)) throw error
      if (code === 'Conflict') remnants.add(name)
      if (code === 'Conflict') name += ' again'
      session = code === 'Corrupt' ? null : (progress.saved.at(-1) ?? session)
    }
  }
  throw new Error(`${wanted} was never stored.`)
}

async function keepsAll(stage: Stage, seed: number): Promise<void> {
  const roll = dice(seed)
  const stored: { readonly entry: Entry; readonly bytes: Buffer }[] = []
  const remnants = new Set<string>()
  for (let index = 0; index < 12; index += 1) {
    const size = [0, 1 + roll(1000), CHUNK - 1 + roll(3), CHUNK + roll(3 * CHUNK)][roll(4)] ?? 0
    for (let planned = roll(4); planned > 0; planned -= 1) {
      stage.plan({ kind: KINDS[roll(KINDS.length)] ?? 'reset', after: roll(6), bytes: roll(2 * CHUNK) })
    }
    const [name, bytes] = [`file ${index}`, bytesOf(size, `${seed} ${index}`)]
    stored.push({ entry: await persist(stage, name, bytes, remnants), bytes })
    stage.clearFaults()
  }
  const driver = stage.open()
  const { items } = await driver.list(call(), driver.root, null)
  const names = items.map(({ name }) => name).filter((name) => !remnants.has(name))
  expect(names.toSorted()).toEqual(stored.map(({ entry }) => entry.name).toSorted())
  for (const { entry, bytes } of stored) {
    expect((await readAll(driver.get(call(), entry.ref))).equals(bytes)).toBe(true)
  }
  expect(stage.bugs()).toEqual([])
}

describe('contents that are sent again until they are stored', () => {
  const services = {
    'Google Drive': () => startGoogle(LIMITS),
    Dropbox: () => startDropbox(LIMITS),
    OneDrive: () => startOneDrive({ ...LIMITS, chunkBytes: 320 * 1024 }),
    MEGA: () => startMega(),
    GitHub: () => startGithub(),
  }
  for (const [name, start] of Object.entries(services)) {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      it(`are in ${name} once, whatever fails on the way (seed ${seed})`, async () => {
        const stage = await start()
        await keepsAll(stage, seed).finally(stage.close)
      })
    }
  }
})
