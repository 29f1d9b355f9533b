import { expect } from 'vitest'
import type { Driver, Entry, EntryRef } from '../../../server/providers/driver.ts'
import { nothingWhen } from '../../../server/providers/errors.ts'
import { type Case, type Harness, needsHook, needsMethod, needsNames } from '../harness.ts'
import { bytesOf, call, changesSince, everythingPage, listEverything, put, rejection } from '../kit.ts'

const refsOf = (entries: readonly Entry[]): EntryRef[] => entries.map(({ ref }) => ref).toSorted()

async function putMany(driver: Driver, count: number, parent: EntryRef = driver.root): Promise<Entry[]> {
  const entries: Entry[] = []
  const names = Array.from({ length: count }, (_, index) => `entry ${index}.txt`)
  while (names.length > 0) {
    const batch = names.splice(0, 8).map((name) => put(driver, name, Buffer.from(name), { parent }))
    entries.push(...(await Promise.all(batch)))
  }
  return entries
}

/** Files in the root and in nested folders. */
async function listsAll({ driver, manyEntries }: Harness): Promise<void> {
  const outer = await driver.ensureFolder(call(), driver.root, 'Outer')
  const inner = await driver.ensureFolder(call(), outer, 'Inner')
  const half = Math.ceil((manyEntries ?? 0) / 2)
  const files = [...(await putMany(driver, half)), ...(await putMany(driver, half, inner))]
  const first = await everythingPage(driver, null)
  expect(first.cursor).not.toBeNull()
  expect(refsOf(await listEverything(driver))).toEqual([outer, inner, ...files.map(({ ref }) => ref)].toSorted())
}

/** The id that entries in the root name as their parent; null where the root cannot be seen. */
async function rootOf(driver: Driver): Promise<EntryRef | null> {
  const root = await driver.stat(call(), driver.root).catch(nothingWhen('NotFound'))
  return root?.ref ?? null
}

/** Names from the root to the entry, by paths or by the links to parents. */
function placeOf(entry: Entry, all: ReadonlyMap<EntryRef, Entry>): string {
  if (entry.path !== undefined) return entry.path.toLowerCase()
  const parent = entry.details?.parent ?? null
  const above = parent === null ? undefined : all.get(parent)
  return `${above ? placeOf(above, all) : ''}/${entry.name}`.toLowerCase()
}

async function leadsToRoot({ driver }: Harness): Promise<void> {
  const outer = await driver.ensureFolder(call(), driver.root, 'Outer')
  const inner = await driver.ensureFolder(call(), outer, 'Inner')
  await put(driver, 'deep.txt', bytesOf(5), { parent: inner })
  await put(driver, 'top.txt', bytesOf(6))
  const all = new Map((await listEverything(driver)).map((entry) => [entry.ref, entry]))
  const places = [...all.values()].map((entry) => placeOf(entry, all)).toSorted()
  expect(places).toEqual(['/outer', '/outer/inner', '/outer/inner/deep.txt', '/top.txt'])
  const [root, byPath] = [await rootOf(driver), [...all.values()].every(({ path }) => path !== undefined)]
  const tops = [...all.values()].filter((entry) => placeOf(entry, all).lastIndexOf('/') === 0)
  const parents = new Set(tops.map(({ details }) => details?.parent))
  if (byPath) expect(parents).toEqual(new Set([null]))
  else if (root === null) expect(parents.size).toBe(1)
  else expect(parents).toEqual(new Set([root]))
  expect([...all.keys()]).not.toContain(root ?? driver.root)
}

async function leavesOutTrash({ driver, trash }: Harness): Promise<void> {
  const kept = await put(driver, 'kept.txt', bytesOf(5))
  const deleted = await put(driver, 'deleted.txt', bytesOf(6))
  const trashed = await put(driver, 'trashed.txt', bytesOf(7))
  const begin = (await driver.changes?.(call(), null))?.cursor
  await driver.delete(call(), deleted.ref)
  await trash?.(trashed.ref)
  expect(refsOf(await listEverything(driver))).toEqual([kept.ref])
  await rejection(driver.stat(call(), trashed.ref), 'NotFound')
  if (begin === undefined) return
  const { last } = await changesSince(driver, begin)
  expect(last.get(trashed.path ?? trashed.ref)).toMatchObject({ entry: null })
}

const RIGHTS = ['read', 'write', 'rename', 'move', 'delete', 'share'] as const

function expectDetails({ kind, details, size }: Entry): void {
  if (!details) throw new Error('The entry has no details.')
  expect(Object.keys(details.rights).toSorted()).toEqual(RIGHTS.toSorted())
  for (const right of RIGHTS) expect(details.rights[right]).toBe(true)
  if (details.webUrl !== null) expect(details.webUrl).toMatch(/^https:\/\/[^/]+\/./)
  if (details.createdAt !== null) expect(Math.abs(details.createdAt.getTime() - Date.now())).toBeLessThan(3_600_000)
  if (kind === 'folder') expect(details.revision).toBeNull()
  else expect(details.revision).toMatch(/./)
  expect([details.nativeKind, details.target, size]).toEqual([null, null, kind === 'file' ? 5 : null])
}

async function givesDetails({ driver }: Harness): Promise<void> {
  const folder = await driver.ensureFolder(call(), driver.root, 'Folder')
  await put(driver, 'file.txt', bytesOf(5), { parent: folder })
  const all = await listEverything(driver)
  expect(all).toHaveLength(2)
  for (const entry of all) {
    expectDetails(entry)
    expect(await driver.stat(call(), entry.ref)).toEqual(entry)
  }
  const { items } = await driver.list(call(), folder, null)
  expect(items).toEqual(all.filter(({ kind }) => kind === 'file'))
}

async function changesRevision({ driver, overwrite }: Harness): Promise<void> {
  const { ref } = await put(driver, 'changing.txt', bytesOf(5))
  const revision = async () => (await listEverything(driver)).find((entry) => entry.ref === ref)?.details?.revision
  const before = await revision()
  expect(await revision()).toBe(before)
  await overwrite?.(ref, 'other')
  const after = await revision()
  expect(after).toMatch(/./)
  expect(after).not.toBe(before)
}

async function continues({ driver, reopen, manyEntries }: Harness): Promise<void> {
  const files = await putMany(driver, manyEntries ?? 0)
  const seen: Entry[] = []
  let cursor: string | null = null
  do {
    const page = await everythingPage(reopen(), cursor)
    seen.push(...page.items)
    cursor = page.cursor
  } while (cursor !== null)
  expect(refsOf(seen)).toEqual(refsOf(files))
}

/** What changes during the listing, and is in the changes since a cursor from before it. */
async function catchesUp({ driver, manyEntries }: Harness): Promise<void> {
  const [gone, ...files] = await putMany(driver, manyEntries ?? 0)
  const begin = await driver.changes?.(call(), null)
  const first = await everythingPage(driver, null)
  const added = await put(driver, 'added.txt', bytesOf(5))
  if (gone) await driver.delete(call(), gone.ref)
  const rest = await listEverything(driver, first.cursor)
  const { last } = await changesSince(driver, begin?.cursor ?? '')
  const known = new Map([...first.items, ...rest].map((entry) => [entry.path ?? entry.ref, entry]))
  for (const [key, { entry }] of last) {
    if (entry === null) known.delete(key)
    else known.set(entry.path ?? entry.ref, entry)
  }
  expect(refsOf([...known.values()])).toEqual(refsOf([...files, added]))
  expect(last.get(added.ref)?.entry).toEqual(await driver.stat(call(), added.ref))
  expect(last.get(gone?.path ?? gone?.ref ?? '')).toMatchObject({ entry: null })
}

const needsPages = ({ manyEntries }: Harness): string | null =>
  manyEntries === null ? 'Its lists have one page.' : null

export const LISTING: readonly Case[] = [
  {
    name: 'lists everything in the account once, over several pages',
    lacks: (harness) => needsMethod('listAll')(harness) ?? needsNames(harness) ?? needsPages(harness),
    run: listsAll,
  },
  {
    name: 'says of everything where it is, up to the root, and does not list the root',
    lacks: (harness) => needsMethod('listAll')(harness) ?? needsNames(harness),
    run: leadsToRoot,
  },
  {
    name: 'lists nothing that was deleted or is in the trash',
    lacks: (harness) => needsMethod('listAll')(harness) ?? needsHook('trash')(harness),
    run: leavesOutTrash,
  },
  {
    name: 'gives the same complete details of an entry in every list',
    lacks: (harness) => needsMethod('listAll')(harness) ?? needsNames(harness),
    run: givesDetails,
  },
  {
    name: 'gives a file another revision when its content changes',
    lacks: (harness) => needsMethod('listAll')(harness) ?? needsHook('overwrite')(harness),
    run: changesRevision,
  },
  {
    name: 'continues a listing of everything in another process',
    lacks: (harness) => needsMethod('listAll')(harness) ?? needsPages(harness),
    run: continues,
  },
  {
    name: 'says CursorReset of a place in a listing of everything that it does not know',
    lacks: needsMethod('listAll'),
    async run({ driver }) {
      await rejection(everythingPage(driver, 'no-such-place'), 'CursorReset')
      await rejection(everythingPage(driver, 'files:no-such-place'), 'CursorReset')
    },
  },
  {
    name: 'reports as changes what changed during a listing of everything',
    lacks: (harness) => needsMethod('listAll', 'changes')(harness) ?? needsPages(harness),
    run: catchesUp,
  },
]
