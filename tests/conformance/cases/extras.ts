import { expect } from 'vitest'
import type { Change, Driver } from '../../../server/providers/driver.ts'
import { type Case, type Harness, needsMethod, needsNames } from '../harness.ts'
import { bytesOf, call, expectSame, listAll, put, read, rejection } from '../kit.ts'

/** All changes since the cursor, the last one of each entry; of what is gone by its path under that. */
async function changesSince(driver: Driver, cursor: string): Promise<{ last: Map<string, Change>; cursor: string }> {
  const last = new Map<string, Change>()
  let at = cursor
  for (let pages = 0; pages < 100; pages += 1) {
    const page = await driver.changes?.(call(), at)
    if (!page) throw new Error('There are no changes.')
    for (const change of page.changes) last.set(change.ref ?? change.path, change)
    at = page.cursor
    if (!page.hasMore) return { last, cursor: at }
  }
  throw new Error('The changes have no end.')
}

async function tellsChanges({ driver }: Harness): Promise<void> {
  const old = await put(driver, 'old.bin', bytesOf(5))
  const begin = await driver.changes?.(call(), null)
  expect(begin?.changes).toEqual([])
  expect((await changesSince(driver, begin?.cursor ?? '')).last.size).toBe(0)
  const added = await put(driver, 'added.bin', bytesOf(6))
  const first = await changesSince(driver, begin?.cursor ?? '')
  expect(first.last.get(added.ref)?.entry).toMatchObject({ ref: added.ref, name: 'added.bin', size: 6 })
  expect(first.last.has(old.ref)).toBe(false)
  await driver.delete(call(), old.ref)
  const second = await changesSince(driver, first.cursor)
  expect(second.last.has(added.ref)).toBe(false)
  const gone = second.last.get(old.path ?? old.ref)
  expect(gone).toEqual(
    old.path === undefined ? { ref: old.ref, entry: null } : { ref: null, path: old.path, entry: null },
  )
}

/** Whatever else changes, one entry keeps its ref, and its path says where it is now. */
async function tellsMoves({ driver }: Harness): Promise<void> {
  const file = await put(driver, 'here.bin', bytesOf(5))
  const folder = await driver.ensureFolder(call(), driver.root, 'Elsewhere')
  const begin = await driver.changes?.(call(), null)
  const moved = await driver.move?.(call(), file.ref, { parent: folder, name: 'there.bin' })
  expect(moved?.ref).toBe(file.ref)
  const { last } = await changesSince(driver, begin?.cursor ?? '')
  expect(last.get(file.ref)?.entry).toMatchObject({ name: 'there.bin', size: 5, hash: file.hash })
  expect(last.get(file.ref)?.entry?.path).toBe(moved?.path)
  if (file.path !== undefined) expect(last.get(file.path)).toEqual({ ref: null, path: file.path, entry: null })
}

async function shares({ driver }: Harness): Promise<void> {
  const { ref } = await put(driver, 'shared.txt', bytesOf(5))
  const link = await driver.share?.(call(), ref, null)
  expect(link?.url).toMatch(/^https:\/\//)
  expect((await driver.share?.(call(), ref, null))?.url).toBe(link?.url)
  await driver.unshare?.(call(), ref)
  await driver.unshare?.(call(), ref)
  await driver.delete(call(), ref)
  await driver.unshare?.(call(), ref)
  await rejection(Promise.resolve(driver.share?.(call(), ref, null)), 'NotFound')
}

async function copies({ driver }: Harness): Promise<void> {
  const bytes = bytesOf(1000)
  const original = await put(driver, 'original.bin', bytes)
  const folder = await driver.ensureFolder(call(), driver.root, 'Copies')
  const copy = await driver.copy?.(call(), original.ref, { parent: folder, name: 'copy.bin' })
  expect(copy).toMatchObject({ name: 'copy.bin', kind: 'file', size: 1000, hash: original.hash })
  await driver.delete(call(), original.ref)
  expect((await listAll(driver, folder)).map(({ name }) => name)).toEqual(['copy.bin'])
  if (copy) expectSame(await read(driver, copy.ref), bytes)
  const again = driver.copy?.(call(), original.ref, { parent: folder, name: 'other.bin' })
  await rejection(Promise.resolve(again), 'NotFound')
}

async function moves({ driver }: Harness): Promise<void> {
  const bytes = bytesOf(1000)
  const { ref } = await put(driver, 'here.bin', bytes)
  const folder = await driver.ensureFolder(call(), driver.root, 'There')
  const moved = await driver.move?.(call(), ref, { parent: folder, name: 'there.bin' })
  expect(moved).toMatchObject({ name: 'there.bin', size: 1000 })
  expect((await listAll(driver)).map(({ name }) => name)).toEqual(['There'])
  const renamed = await driver.move?.(call(), moved?.ref ?? ref, { name: 'renamed.bin' })
  expect((await listAll(driver, folder)).map(({ name }) => name)).toEqual(['renamed.bin'])
  expectSame(await read(driver, renamed?.ref ?? ref), bytes)
  await driver.delete(call(), renamed?.ref ?? ref)
  await rejection(Promise.resolve(driver.move?.(call(), renamed?.ref ?? ref, { name: 'again.bin' })), 'NotFound')
}

export const EXTRAS: readonly Case[] = [
  { name: 'shares by a link, and ends it', lacks: needsMethod('share', 'unshare'), run: shares },
  { name: 'copies without the bytes', lacks: needsMethod('copy'), run: copies },
  { name: 'moves and renames', lacks: needsMethod('move'), run: moves },
  {
    name: 'replaces nothing by a move or a copy',
    lacks: (harness) =>
      needsMethod('move', 'copy')(harness) ??
      needsNames(harness) ??
      (harness.driver.capabilities.duplicateNames ? 'Names may be equal.' : null),
    async run({ driver }) {
      const taken = await put(driver, 'taken.bin', bytesOf(5))
      const { ref } = await put(driver, 'other.bin', bytesOf(6))
      await rejection(Promise.resolve(driver.move?.(call(), ref, { name: 'taken.bin' })), 'Conflict')
      const copy = driver.copy?.(call(), ref, { parent: driver.root, name: 'taken.bin' })
      await rejection(Promise.resolve(copy), 'Conflict')
      expectSame(await read(driver, taken.ref), bytesOf(5))
    },
  },
  { name: 'tells what changed since a cursor', lacks: needsMethod('changes'), run: tellsChanges },
  { name: 'tells where an entry went', lacks: needsMethod('changes'), run: tellsMoves },
  {
    name: 'says CursorReset of a cursor that it does not know',
    lacks: needsMethod('changes'),
    async run({ driver }) {
      await rejection(Promise.resolve(driver.changes?.(call(), 'no-such-cursor')), 'CursorReset')
    },
  },
]
