import { expect } from 'vitest'
import type { Driver, Entry } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { type Case, type Harness, needsFault, needsHook } from '../harness.ts'
import {
  bytesOf,
  call,
  contentOf,
  expectSame,
  failure,
  hashOf,
  listAll,
  progressFrom,
  put,
  read,
  rejection,
} from '../kit.ts'

function needsSessions(harness: Harness): string | null {
  return harness.driver.capabilities.resumable ? needsFault('cutUp')(harness) : 'Uploads are not resumable.'
}

/** An upload of three chunks and a bit, cut after `chunks` of them. */
async function cut({ driver, plan, chunkBytes }: Harness, chunks = 1.5) {
  const bytes = bytesOf(3 * chunkBytes + 17)
  const progress = progressFrom()
  await plan({ kind: 'cutUp', afterBytes: Math.floor(chunks * chunkBytes) })
  await rejection(put(driver, 'long.bin', bytes, { progress }), 'Transient')
  expect(progress.saved).not.toBeNull()
  expect(await listAll(driver)).toEqual([])
  return { bytes, session: progress.saved, confirmed: progress.confirmed.at(-1) ?? 0 }
}

async function continues(harness: Harness): Promise<void> {
  const { bytes, session, confirmed } = await cut(harness)
  const { chunkBytes, receivedBytes } = harness
  expect(confirmed).toBeGreaterThan(0)
  const before = (await receivedBytes?.()) ?? 0
  const later = harness.reopen()
  const content = contentOf(bytes)
  const entry = await put(later, 'long.bin', bytes, { content, progress: progressFrom(session) })
  expect(entry).toMatchObject({ name: expect.any(String), size: bytes.length, hash: hashOf(later, bytes) })
  expect(Math.min(...content.opened)).toBeGreaterThanOrEqual(confirmed)
  if (receivedBytes) expect((await receivedBytes()) - before).toBeLessThanOrEqual(bytes.length - chunkBytes)
  expectSame(await read(later, entry.ref), bytes)
  expect((await listAll(later)).map(({ ref }) => ref)).toEqual([entry.ref])
}

/** The caller tries again with what it saved, like the retry layer does. */
async function adoptsLost({ driver, plan, reopen, chunkBytes }: Harness): Promise<void> {
  const contents = [bytesOf(0), bytesOf(20, 2), bytesOf(2 * chunkBytes + 1, 3)]
  for (const [index, bytes] of contents.entries()) {
    const name = `lost ${index}.bin`
    const progress = progressFrom()
    await plan({ kind: 'lostReply' })
    const first = await put(driver, name, bytes, { progress }).catch((error: unknown) => error)
    if (first instanceof Error) expect((first as ProviderError).code).toBe('Transient')
    const entry = await put(reopen(), name, bytes, { progress: progressFrom(progress.saved) })
    expectSame(await read(driver, entry.ref), bytes)
    expect(await listAll(driver)).toHaveLength(index + 1)
  }
}

/** What the domain does: stores, then looks. */
async function isSeenAfter({ driver }: Harness, name: string, bytes: Buffer): Promise<boolean> {
  try {
    const { ref } = await put(driver, name, bytes)
    return (await driver.stat(call(), ref)).size === bytes.length
  } catch (error) {
    if (error instanceof ProviderError && ['Corrupt', 'NotFound'].includes(error.code)) return false
    throw error
  }
}

async function noticesShort(harness: Harness): Promise<void> {
  for (const kept of [0, 500]) {
    await harness.plan({ kind: 'truncate', bytes: kept })
    await rejection(put(harness.driver, `truncated ${kept}.bin`, bytesOf(1000)), 'Corrupt')
  }
  expect(await listAll(harness.driver)).toEqual([])
}

/** Of a content of this size nothing is kept but its name. */
const MISSING = 7
const AFTER_A_PART = ['LOST_ANSWER', 'FAILED_DELETION'] as const

/** As the domain does: continues with what was saved, and starts over after Corrupt. */
async function putUntilStored({ driver, reopen }: Harness, name: string, bytes: Buffer): Promise<Entry> {
  let session: string | null = null
  for (let [attempt, at] = [1, driver]; ; attempt += 1, at = reopen()) {
    const progress = progressFrom(session)
    try {
      return await put(at, name, bytes, { progress })
    } catch (error) {
      const code = error instanceof ProviderError ? error.code : null
      if (attempt === 4 || (code !== 'Corrupt' && code !== 'Transient')) throw error
      session = progress.saved ?? session
      if (code === 'Corrupt' && session !== null) await abandonAtLast(reopen(), session)
      if (code === 'Corrupt') session = null
    }
  }
}

/** What is planned may concern the first attempt. */
async function abandonAtLast(driver: Driver, session: string): Promise<void> {
  await driver.abandon(call(), session).catch(() => undefined)
  await driver.abandon(call(), session)
}

async function leavesNoPart(harness: Harness): Promise<void> {
  const { driver, chunkBytes, keepPart } = harness
  for (const then of AFTER_A_PART) {
    for (const size of [MISSING, 1000, 2 * chunkBytes + 1]) {
      const bytes = bytesOf(size)
      keepPart?.(MISSING, then)
      const { ref } = await putUntilStored(harness, `${then} ${size}.bin`, bytes)
      expectSame(await read(driver, ref), bytes)
      expect((await listAll(driver)).map((entry) => entry.ref)).toEqual([ref])
      await driver.delete(call(), ref).catch(() => undefined)
      await driver.delete(call(), ref)
    }
  }
}

async function abandonsPart({ driver, chunkBytes, keepPart, reopen }: Harness): Promise<void> {
  for (const size of [MISSING, 1000, 2 * chunkBytes + 1]) {
    const progress = progressFrom()
    keepPart?.(MISSING, 'FAILED_DELETION')
    await failure(put(driver, `${size}.bin`, bytesOf(size), { progress }))
    await abandonAtLast(reopen(), progress.saved ?? '')
    expect(await listAll(driver)).toEqual([])
  }
}

async function startsOver(harness: Harness): Promise<void> {
  const { bytes, session } = await cut(harness)
  const { driver } = harness
  await driver.abandon(call(), session ?? '')
  await driver.abandon(call(), session ?? '')
  expect(await listAll(driver)).toEqual([])
  const progress = progressFrom(session)
  const entry = await put(driver, 'long.bin', bytes, { progress })
  expect(progress.saved).not.toBeNull()
  expectSame(await read(driver, entry.ref), bytes)
}

async function keepsNeeded({ driver, chunkBytes, reopen }: Harness): Promise<void> {
  for (const size of [1000, 2 * chunkBytes + 1]) {
    const progress = progressFrom()
    const { ref } = await put(driver, `needed ${size}.bin`, bytesOf(size), { progress })
    await reopen().abandon(call(), progress.saved ?? '', async (one) => one === ref)
    expectSame(await read(reopen(), ref), bytesOf(size))
  }
}

/** As the domain does: the upload is continued under its name, and under another one when that belongs to another file. */
async function givesUpTakenName(harness: Harness): Promise<void> {
  const { driver, plan, reopen, unfinished } = harness
  const { bytes, session } = await cut(harness, driver.capabilities.resumable ? 1.5 : 0.5)
  const other = await put(driver, 'long.bin', bytesOf(5))
  const refused = progressFrom(session)
  const again = put(reopen(), 'long.bin', bytes, { progress: refused })
  if (driver.capabilities.duplicateNames) {
    const { ref } = await again
    return expect(new Set((await listAll(driver)).map((entry) => entry.ref))).toEqual(new Set([other.ref, ref]))
  }
  await rejection(again, 'Conflict')
  const renamed = progressFrom(refused.saved ?? session)
  // The first request is the one that ends what was sent under the name.
  await plan({ kind: 'serverError' })
  await put(reopen(), 'long (2).bin', bytes, { progress: renamed }).catch((error: unknown) => error)
  const { ref } = await put(reopen(), 'long (2).bin', bytes, {
    progress: progressFrom(renamed.saved ?? renamed.session),
  })
  expectSame(await read(driver, ref), bytes)
  expect(new Set((await listAll(driver)).map((entry) => entry.ref))).toEqual(new Set([other.ref, ref]))
  if (unfinished) expect(await unfinished()).toBe(0)
}

export const RESUME: readonly Case[] = [
  { name: 'continues an upload in another process, from what was confirmed', lacks: needsSessions, run: continues },
  { name: 'starts over when its session was abandoned', lacks: needsSessions, run: startsOver },
  {
    name: 'keeps a session that a second cut interrupts',
    lacks: needsSessions,
    async run(harness) {
      const { bytes, session } = await cut(harness)
      await harness.plan({ kind: 'cutUp', afterBytes: harness.chunkBytes })
      const progress = progressFrom(session)
      await rejection(put(harness.driver, 'long.bin', bytes, { progress }), 'Transient')
      const entry = await put(harness.reopen(), 'long.bin', bytes, {
        progress: progressFrom(progress.saved ?? session),
      })
      expectSame(await read(harness.driver, entry.ref), bytes)
    },
  },
  {
    name: 'leaves nothing of an upload that was interrupted, and whose name another file got',
    lacks: needsFault('cutUp'),
    run: givesUpTakenName,
  },
  { name: 'keeps what it has stored when that is needed, although the upload is given up', run: keepsNeeded },
  { name: 'finds an upload again whose answer was lost', lacks: needsFault('lostReply'), run: adoptsLost },
  {
    name: 'saves its session before it sends',
    lacks: ({ driver }) => (driver.capabilities.resumable ? null : 'Uploads are not resumable.'),
    async run({ driver, chunkBytes, receivedBytes }) {
      const bytes = bytesOf(2 * chunkBytes)
      const content = contentOf(bytes)
      const full = new Error('The database is gone.')
      const progress = { ...progressFrom(), save: async () => Promise.reject(full) }
      const before = (await receivedBytes?.()) ?? 0
      await failure(put(driver, 'unsaved.bin', bytes, { content, progress }))
      if (receivedBytes) expect(await receivedBytes()).toBe(before)
      expect(await listAll(driver)).toEqual([])
    },
  },
  { name: 'notices that the service kept less than was sent', lacks: needsFault('truncate'), run: noticesShort },
  {
    name: 'leaves nothing of what the service kept in part, also when an answer was lost or a deletion failed',
    lacks: needsHook('keepPart'),
    run: leavesNoPart,
  },
  {
    name: 'deletes what the service kept in part when the upload is given up',
    lacks: needsHook('keepPart'),
    run: abandonsPart,
  },
  {
    name: 'does not claim to see what vanished',
    lacks: needsFault('vanish'),
    async run(harness) {
      for (const size of [0, 1000]) {
        await harness.plan({ kind: 'vanish' })
        expect(await isSeenAfter(harness, `vanished ${size}.bin`, bytesOf(size))).toBe(false)
      }
    },
  },
  {
    name: 'starts over from what is no session of its own',
    async run({ driver }) {
      const bytes = bytesOf(1000)
      for (const [index, session] of ['', 'nonsense', '{"upload":"unknown"}', '[]', 'null'].entries()) {
        const entry = await put(driver, `content ${index}.bin`, bytes, { progress: progressFrom(session) })
        expectSame(await read(driver, entry.ref), bytes)
      }
      await driver.abandon(call(), 'nonsense')
    },
  },
]
