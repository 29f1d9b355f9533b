import sharp from 'sharp'
import { expect } from 'vitest'
import { EXPORT_TYPES } from '../../../server/providers/exportTypes.ts'
import { picture } from '../../factories/pictures.ts'
import { type Case, type Harness, needsHook, needsMethod, needsNames } from '../harness.ts'
import {
  bytesOf,
  call,
  changesSince,
  collect,
  contentOf,
  copy,
  expectSame,
  listAll,
  progressFrom,
  put,
  read,
  rejection,
} from '../kit.ts'

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
async function tellsMoves({ driver, keepsHash }: Harness): Promise<void> {
  const file = await put(driver, 'here.bin', bytesOf(5))
  const folder = await driver.ensureFolder(call(), driver.root, 'Elsewhere')
  const begin = await driver.changes?.(call(), null)
  const moved = await driver.move?.(call(), file.ref, { parent: folder, name: 'there.bin' })
  expect(moved?.ref).toBe(file.ref)
  const { last } = await changesSince(driver, begin?.cursor ?? '')
  expect(last.get(file.ref)?.entry).toMatchObject({
    name: 'there.bin',
    size: 5,
    ...(keepsHash && { hash: file.hash }),
  })
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
  const copied = await copy(driver, original.ref, bytes, { parent: folder, name: 'copy.bin' })
  expect(copied).toMatchObject({ name: 'copy.bin', kind: 'file', size: 1000, hash: original.hash })
  await driver.delete(call(), original.ref)
  expect((await listAll(driver, folder)).map(({ name }) => name)).toEqual(['copy.bin'])
  expectSame(await read(driver, copied.ref), bytes)
  await rejection(copy(driver, original.ref, bytes, { parent: folder, name: 'other.bin' }), 'NotFound')
}

/** Whoever asked for the copy dies before the answer: the next one has the session alone. */
async function findsCopies({ driver, reopen, chunkBytes, receivedBytes }: Harness): Promise<void> {
  for (const [index, bytes] of [bytesOf(20), bytesOf(2 * chunkBytes + 1, 2)].entries()) {
    const original = await put(driver, `original ${index}.bin`, bytes)
    const progress = progressFrom()
    const [name, before] = [`copy ${index}.bin`, (await receivedBytes?.()) ?? 0]
    const { ref } = await copy(driver, original.ref, bytes, { name, progress })
    const content = contentOf(bytes)
    const found = await put(reopen(), name, bytes, { content, progress: progressFrom(progress.saved) })
    expect(found.ref).toBe(ref)
    if (receivedBytes) expect(await receivedBytes()).toBe(before)
    await driver.abandon(call(), progress.saved ?? '')
    await driver.abandon(call(), progress.saved ?? '')
    await rejection(driver.stat(call(), ref), 'NotFound')
    expectSame(await read(driver, original.ref), bytes)
  }
}

/** What is saved before stands for nothing where nothing was copied: neither a put nor an abandon may take another object for it. */
async function copiesNothing({ driver }: Harness): Promise<void> {
  const bytes = bytesOf(1000)
  const { ref } = await put(driver, 'gone.bin', bytes)
  await driver.delete(call(), ref)
  const progress = progressFrom()
  await rejection(copy(driver, ref, bytes, { name: 'copy.bin', progress }), 'NotFound')
  expect(progress.saved).not.toBeNull()
  const sent = await put(driver, 'copy.bin', bytes, { progress: progressFrom(progress.saved) })
  expectSame(await read(driver, sent.ref), bytes)
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

async function trashesAndRestores({ driver }: Harness): Promise<void> {
  const bytes = bytesOf(1000)
  const home = await driver.ensureFolder(call(), driver.root, 'Home')
  const folder = await driver.ensureFolder(call(), home, 'Folder')
  const { ref } = await put(driver, 'inside.bin', bytes, { parent: folder })
  const cursor = (await driver.changes?.(call(), null))?.cursor ?? ''
  await driver.trash?.(call(), folder)
  await driver.trash?.(call(), folder)
  for (const gone of [folder, ref]) await rejection(driver.stat(call(), gone), 'NotFound')
  expect(await listAll(driver, home)).toEqual([])
  if (driver.changes) expect((await changesSince(driver, cursor)).last.get(folder)).toMatchObject({ entry: null })
  const back = await driver.restore?.(call(), folder, home)
  expect(back).toMatchObject({ ref: folder, name: 'Folder', kind: 'folder' })
  expectSame(await read(driver, ref), bytes)

  await driver.trash?.(call(), ref)
  await driver.trash?.(call(), folder)
  const other = await driver.ensureFolder(call(), home, 'Other')
  const alone = await driver.restore?.(call(), ref, other)
  expect(alone).toMatchObject({ ref, name: 'inside.bin', size: 1000 })
  expect((await listAll(driver, other)).map((entry) => entry.ref)).toEqual([ref])
  await driver.delete(call(), folder)
  expectSame(await read(driver, ref), bytes)
  await rejection(Promise.resolve(driver.trash?.(call(), folder)), 'NotFound')
  await rejection(Promise.resolve(driver.restore?.(call(), folder, home)), 'NotFound')
}

async function exports({ driver, plantDocument }: Harness): Promise<void> {
  const ref = (await plantDocument?.()) ?? driver.root
  const { size, hash, details } = await driver.stat(call(), ref)
  expect([size, hash, details?.nativeKind, details?.rights.read]).toEqual([null, null, 'DOCUMENT', true])
  const types = details?.exportTypes ?? []
  expect(types).toEqual(expect.arrayContaining(['docx', 'pdf', 'md']))
  for (const type of types) {
    const body = (await driver.export?.(call(), ref, type))?.body
    if (!body) throw new Error('It exports nothing.')
    expect((await collect(body)).toString()).toContain('Plan')
  }
  await rejection(driver.get(call(), ref), 'Forbidden')
  const other = EXPORT_TYPES.find((type) => !types.includes(type)) ?? 'xlsx'
  await rejection(Promise.resolve(driver.export?.(call(), ref, other)), 'Permanent')
  const file = await put(driver, 'file.txt', bytesOf(5))
  expect(file.details?.exportTypes ?? []).toEqual([])
  await rejection(Promise.resolve(driver.export?.(call(), file.ref, 'pdf')), 'Permanent')
  await driver.delete(call(), ref)
  await rejection(Promise.resolve(driver.export?.(call(), ref, 'pdf')), 'NotFound')
}

/** Formats that the worker draws from. */
const PICTURES = ['jpeg', 'png', 'webp', 'gif']

async function showsPictures({ driver }: Harness): Promise<void> {
  const bytes = await picture(800, 400).jpeg().toBuffer()
  const { ref } = await put(driver, 'Photo.jpg', bytes, { mimeType: 'image/jpeg' })
  const small = await driver.thumbnail?.(call(), ref, 320)
  if (!small) throw new Error('It has no picture of a photo.')
  const { format, width, height } = await sharp(small).metadata()
  expect(PICTURES).toContain(format)
  expect((width ?? 0) / (height ?? 1)).toBeCloseTo(2, 1)
  expect(width).toBeGreaterThanOrEqual(256)
  const text = await put(driver, 'notes.txt', bytesOf(5), { mimeType: 'text/plain' })
  expect(await driver.thumbnail?.(call(), text.ref, 320)).toBeNull()
  const broken = await put(driver, 'Broken.jpg', bytesOf(500), { mimeType: 'image/jpeg' })
  expect(await driver.thumbnail?.(call(), broken.ref, 320)).toBeNull()
  await driver.delete(call(), ref)
  await rejection(Promise.resolve(driver.thumbnail?.(call(), ref, 320)), 'NotFound')
}

export const EXTRAS: readonly Case[] = [
  {
    name: 'has small pictures of photos, and of nothing else',
    lacks: needsMethod('thumbnail'),
    run: showsPictures,
  },
  {
    name: 'exports a document in the types that it names, and in no other',
    lacks: (harness) => needsMethod('export')(harness) ?? needsHook('plantDocument')(harness),
    run: exports,
  },
  {
    name: 'moves to the trash and restores, also without the folder',
    lacks: needsMethod('trash', 'restore'),
    run: trashesAndRestores,
  },
  { name: 'shares by a link, and ends it', lacks: needsMethod('share', 'unshare'), run: shares },
  { name: 'copies without the bytes', lacks: needsMethod('copy'), run: copies },
  { name: 'finds a copy by its session, and removes it', lacks: needsMethod('copy'), run: findsCopies },
  { name: 'sends what could not be copied', lacks: needsMethod('copy'), run: copiesNothing },
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
      const progress = progressFrom()
      await rejection(copy(driver, ref, bytesOf(6), { name: 'taken.bin', progress }), 'Conflict')
      await rejection(copy(driver, taken.ref, bytesOf(5), { name: 'taken.bin', progress }), 'Conflict')
      await driver.abandon(call(), progress.saved ?? '')
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
