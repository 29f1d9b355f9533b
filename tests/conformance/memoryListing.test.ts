import { describe, expect, it } from 'vitest'
import { type Entry, type EntryRef, type Page, SHARED_WITH_ME } from '../../server/providers/driver.ts'
import { bytesOf, call, changesSince, everythingPage, listAll, listEverything, put, read, rejection } from './kit.ts'
import { setUp } from './memorySetup.ts'

/** A folder that was made after its content, and seven files. */
async function filled() {
  const world = setUp()
  const { driver, cloud } = world
  const files: Entry[] = []
  for (let index = 0; index < 7; index += 1) files.push(await put(driver, `file ${index}`, bytesOf(5)))
  const folder = await driver.ensureFolder(call(), driver.root, 'Folder')
  for (const { ref } of files) await driver.move?.(call(), ref, { parent: folder })
  return { ...world, tree: cloud.tree('alice'), files, folder }
}

const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name)

/** A document, or a shortcut to `target`; `parent` null: shared by others. */
const nativeOf = (name: string, parent: EntryRef | null, target: EntryRef | null = null) => ({
  parent,
  name,
  kind: 'file' as const,
  bytes: Buffer.alloc(0),
  mimeType: 'application/x-document',
  nativeKind: target === null ? ('DOCUMENT' as const) : ('SHORTCUT' as const),
  target,
})

describe('listings of everything in the service in memory', () => {
  it('come in the order that the test wants', async () => {
    const { driver, cloud, files } = await filled()
    const inOrder = namesOf(files)
    expect(namesOf(await listEverything(driver))).toEqual(['Folder', ...inOrder])
    cloud.listing = { order: 'CREATION', repeated: 0 }
    expect(namesOf(await listEverything(driver))).toEqual([...inOrder, 'Folder'])
    cloud.listing = { order: 'REVERSED', repeated: 0 }
    expect(namesOf(await listEverything(driver))).toEqual(['Folder', ...inOrder.toReversed()])
    cloud.listing = { order: 'SHUFFLED', repeated: 0 }
    const shuffled = namesOf(await listEverything(driver))
    expect(shuffled).not.toEqual(['Folder', ...inOrder])
    expect(shuffled.toSorted()).toEqual(['Folder', ...inOrder].toSorted())
    expect(namesOf(await listEverything(driver))).toEqual(shuffled)
  })

  it('repeat entries at the beginning of a page', async () => {
    const { driver, cloud } = await filled()
    cloud.listing = { order: 'FOLDERS_FIRST', repeated: 2 }
    const first = await everythingPage(driver, null)
    const second = await everythingPage(driver, first.cursor)
    expect(namesOf(second.items)).toEqual([...namesOf(first.items).slice(-2), 'file 2', 'file 3', 'file 4'])
    expect(await listEverything(driver)).toHaveLength(8 + 2 * 2)
  })

  it('show entries as they are now, without what is gone and what came later', async () => {
    const { driver, cloud, files, tree } = await filled()
    const { cursor } = await everythingPage(driver, null)
    await put(driver, 'later', bytesOf(1))
    tree.remove(files[3]?.ref as EntryRef)
    await driver.move?.(call(), files[4]?.ref as EntryRef, { name: 'renamed' })
    expect(namesOf(await listEverything(driver, cursor))).toEqual(['file 2', 'renamed', 'file 5', 'file 6'])
    cloud.resetListings('alice')
    await rejection(everythingPage(driver, cursor), 'CursorReset')
  })

  it('break like other calls', async () => {
    const { driver, next } = await filled()
    next('listAll', { kind: 'refused', code: 'Transient' })
    await rejection(everythingPage(driver, null), 'Transient')
    next('listAll', { kind: 'lostReply' })
    await rejection(everythingPage(driver, null), 'Transient')
  })
})

describe('what only some entries of the service in memory are', () => {
  it('in the trash with their folder: not found, not listed, deleted in the changes, until restored', async () => {
    const { driver, tree, files, folder } = await filled()
    const ref = files[0]?.ref as EntryRef
    const begin = (await driver.changes?.(call(), null))?.cursor ?? ''
    tree.setTrashed(folder, true)
    expect(await listEverything(driver)).toEqual([])
    expect(await listAll(driver)).toEqual([])
    await rejection(driver.stat(call(), ref), 'NotFound')
    await rejection(read(driver, ref), 'NotFound')
    await rejection(put(driver, 'new', bytesOf(1), { parent: folder }), 'NotFound')
    const gone = await changesSince(driver, begin)
    expect([...gone.last.values()]).toEqual([{ ref: folder, entry: null, kind: 'folder' }])
    tree.setTrashed(folder, false)
    expect((await changesSince(driver, gone.cursor)).last.get(folder)?.entry).toMatchObject({ name: 'Folder' })
    expect(await listEverything(driver)).toHaveLength(8)
    await driver.delete(call(), folder)
    expect(await listEverything(driver)).toEqual([])
  })

  it('documents and shortcuts, which have no size and no bytes', async () => {
    const { driver, tree, files, folder } = await filled()
    const document = tree.add(nativeOf('Document', folder))
    const shortcut = tree.add(nativeOf('Shortcut', folder, files[0]?.ref))
    const entry = await driver.stat(call(), document.ref)
    expect(entry).toMatchObject({ kind: 'file', size: null, hash: null, details: { nativeKind: 'DOCUMENT' } })
    const details = { nativeKind: 'SHORTCUT', target: files[0]?.ref }
    expect(await driver.stat(call(), shortcut.ref)).toMatchObject({ size: null, details })
    await rejection(driver.get(call(), document.ref), 'Forbidden')
    expect(await listEverything(driver)).toHaveLength(10)
  })

  it('shared by others: in a tree of its own, outside the folders of the account', async () => {
    const { driver, tree } = await filled()
    const shared = tree.add({ parent: null, name: 'Shared', kind: 'folder', bytes: Buffer.alloc(0), mimeType: null })
    const inside = await put(driver, 'inside', bytesOf(5), { parent: shared.ref })
    const all = await listEverything(driver)
    expect(all.find(({ ref }) => ref === shared.ref)?.details?.parent).toBe(SHARED_WITH_ME)
    expect(all.find(({ ref }) => ref === inside.ref)?.details?.parent).toBe(shared.ref)
    expect(namesOf(await listAll(driver))).toEqual(['Folder'])
    expect((await driver.move?.(call(), shared.ref, { name: 'Renamed' }))?.name).toBe('Renamed')
  })

  it('in shared drives: only in listings and changes that ask for the drive', async () => {
    const { driver, cloud, tree } = await filled()
    const begin = (await driver.changes?.(call(), null))?.cursor ?? ''
    const drive = cloud.addDrive('alice', 'Team')
    const inside = await put(driver, 'inside', bytesOf(5), { parent: drive })
    const shared = tree.add({ parent: null, name: 'Shared', kind: 'folder', bytes: Buffer.alloc(0), mimeType: null })
    expect(await driver.roots?.(call())).toEqual([
      { ref: SHARED_WITH_ME, name: 'Shared with me' },
      { ref: drive, name: 'Team' },
    ])
    const has = (entries: readonly { ref: EntryRef }[]) => entries.some(({ ref }) => ref === inside.ref)
    expect(has(await listEverything(driver))).toBe(false)
    const asked: Entry[] = []
    for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
      const listed: Page<Entry> | undefined = await driver.listAll?.(call(), cursor, [drive])
      asked.push(...(listed?.items ?? []))
      cursor = listed?.cursor ?? undefined
    }
    expect(has(asked)).toBe(true)
    const roots = [drive, SHARED_WITH_ME]
    const page = await driver.changes?.(call(), begin, roots)
    const parents = new Map(page?.changes.map(({ ref, entry }) => [ref, entry?.details?.parent]))
    expect([drive, SHARED_WITH_ME, inside.ref].map((ref) => parents.get(ref))).toEqual([
      driver.root,
      driver.root,
      drive,
    ])
    expect((await driver.changes?.(call(), page?.cursor ?? null, roots))?.changes).toEqual([])
    const without = await driver.changes?.(call(), begin)
    expect(without?.changes.some(({ ref }) => ref === inside.ref || ref === drive)).toBe(false)
    expect((await driver.list(call(), SHARED_WITH_ME, null)).items.map(({ ref }) => ref)).toEqual([shared.ref])
  })

  it('restricted: what the user may not do is Forbidden, and said in the details', async () => {
    const { driver, cloud, files, folder } = await filled()
    const ref = files[0]?.ref as EntryRef
    const none = { read: false, write: false, rename: false, move: false, delete: false, share: false }
    const begin = (await driver.changes?.(call(), null))?.cursor ?? ''
    cloud.setRights('alice', ref, none)
    cloud.setRights('alice', folder, { write: false })
    const { last } = await changesSince(driver, begin)
    expect(last.get(ref)?.entry?.details?.rights).toEqual(none)
    expect(last.get(folder)?.entry?.details?.rights).toMatchObject({ read: true, write: false, delete: true })
    const forbidden = [
      () => read(driver, ref),
      () => driver.move?.(call(), ref, { name: 'other' }),
      () => driver.move?.(call(), ref, { parent: driver.root }),
      () => driver.delete(call(), ref),
      () => driver.share?.(call(), ref, null),
      () => put(driver, 'new', bytesOf(1), { parent: folder }),
      () => driver.ensureFolder(call(), folder, 'New'),
      () => driver.move?.(call(), driver.root, { name: 'Root' }),
    ]
    for (const act of forbidden) await rejection(Promise.resolve(act()), 'Forbidden')
    cloud.setRights('alice', ref, { read: true })
    expect(await read(driver, ref)).toEqual(bytesOf(5))
  })
})
