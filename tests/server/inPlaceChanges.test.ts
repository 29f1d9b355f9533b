import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createInPlaceHousekeeping } from '../../server/domain/inPlace/indexer.ts'
import { createInPlaceService, type InPlaceService } from '../../server/domain/inPlace/service.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { moved } from '../fakes/memory/entries.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

/** Changes of entries in an account by their user, against a service in memory. */
let world: TransfersWorld
let drive: string
let feed: AccountFeed
let inPlace: InPlaceService
let files: ReturnType<typeof createFilesService>
let changeInPlace: ReturnType<typeof createChangeInPlace>

const ROOT = 'root' as EntryRef
const FORBIDDEN = { read: true, write: false, rename: false, move: false, delete: false, share: true }

beforeEach(async () => {
  world = await startTransfersWorld()
  drive = await world.account('drive')
  const { pool, events, enqueue, report, contents } = world
  const openDriver = async (id: string) => world.drivers.get(id) as Driver
  const deps = { pool, events, enqueue, openDriver, report }
  const onError = (error: unknown) => void world.errors.push(error)
  feed = createAccountFeed({ ...deps, leases: pool, onError, everyMs: 0 })
  inPlace = createInPlaceService(deps)
  changeInPlace = createChangeInPlace({ ...deps, rootFolders: createRootFolders(pool) })
  files = createFilesService({ pool, events, enqueue, contents, changeInPlace })
})
afterEach(async () => {
  await feed.close()
  await world.report.whenIdle()
  expect(world.errors).toEqual([])
  await world.close()
})

const tree = () => world.cloud.tree('drive')
const object = (ref: EntryRef) => world.cloud.accounts.get('drive')?.objects.get(ref)

function add(name: string, parent: EntryRef = ROOT, kind: 'file' | 'folder' = 'file'): EntryRef {
  return tree().add({ parent, name, kind, bytes: Buffer.from(kind === 'file' ? name : ''), mimeType: null }).ref
}

async function showEverything(): Promise<void> {
  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  for (let polls = 0; polls < 4; polls += 1) await read()
}

async function read(): Promise<void> {
  await world.pool.query("update account_feeds set next_at = now() - interval '1 second' where account_id = $1", [
    drive,
  ])
  await feed.tick()
}

async function idOf(ref: EntryRef): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>('select file_id as id from account_entries where ref = $1', [
    ref,
  ])
  return rows[0]?.id ?? ''
}

const get = async (ref: EntryRef) => files.get(world.viewer, await idOf(ref))
const outside = (ref: EntryRef, to: { parent?: EntryRef; name?: string }) =>
  moved(tree(), ref, to, () => new Error('It is refused.') as never)

describe('what was changed at the provider in the meantime', () => {
  it('is shown, and not changed: renamed, moved, deleted', async () => {
    const [renamed, other, gone, folder] = [add('a'), add('b'), add('c'), add('Folder', ROOT, 'folder')]
    await showEverything()
    outside(renamed, { name: 'theirs' })
    outside(other, { parent: folder })
    const goneId = await idOf(gone)
    tree().remove(gone)

    const id = await idOf(renamed)
    await expect(files.rename(world.viewer, id, 'mine')).rejects.toThrow('“a” was renamed to “theirs” in “drive”')
    expect([object(renamed)?.name, (await get(renamed)).name]).toEqual(['theirs', 'theirs'])
    await expect(files.trash(world.viewer, [await idOf(other)])).rejects.toThrow('“b” was moved in “drive”')
    expect([object(other)?.trashed, (await get(other)).parentId]).toEqual([false, await idOf(folder)])
    await expect(files.rename(world.viewer, goneId, 'mine')).rejects.toThrow('“c” is not in “drive” any more.')
    await expect(files.get(world.viewer, goneId)).rejects.toThrow('does not exist')
  })

  it('is not deleted when it was taken out of the trash there', async () => {
    const ref = add('a')
    await showEverything()
    const id = await idOf(ref)
    await files.trash(world.viewer, [id])
    tree().setTrashed(ref, false)
    await expect(files.remove(world.viewer, [id])).rejects.toThrow('“a” was restored in “drive” in the meantime')
    expect(object(ref)?.trashed).toBe(false)
    expect((await files.get(world.viewer, id)).trashedAt).toBeNull()
  })

  it('is not found in the trash any more when it was deleted there', async () => {
    const ref = add('a')
    await showEverything()
    const id = await idOf(ref)
    await files.trash(world.viewer, [id])
    tree().remove(ref)
    await expect(files.restore(world.viewer, [id])).rejects.toThrow('“a” was deleted permanently in “drive”.')
    await expect(files.get(world.viewer, id)).rejects.toThrow('does not exist')
  })
})

describe('a move that replaces', () => {
  it('never moves the folder to the trash that the entry is in', async () => {
    const outer = add('Album', ROOT, 'folder')
    const inner = add('Album', outer, 'folder')
    const picture = add('picture', inner)
    await showEverything()
    const rootId = (await get(outer)).parentId
    await expect(files.move(world.viewer, [await idOf(inner)], rootId, 'REPLACE')).rejects.toThrow(
      '“Album” cannot replace a folder that it is in.',
    )
    expect([object(outer)?.trashed, object(inner)?.trashed, object(picture)?.trashed]).toEqual([false, false, false])
    expect((await get(picture)).trashedAt).toBeNull()
  })

  it('leaves both where they are when the account refuses it', async () => {
    const moving = add('a')
    const folder = add('Folder', ROOT, 'folder')
    const theirs = add('a', folder)
    await showEverything()
    world.cloud.fault = (operation, ref) =>
      operation === 'move' && ref === moving ? { kind: 'refused', code: 'Forbidden' } : null
    await expect(files.move(world.viewer, [await idOf(moving)], await idOf(folder), 'REPLACE')).rejects.toThrow()
    world.cloud.fault = null
    expect([object(moving)?.trashed, object(theirs)?.trashed]).toEqual([false, false])
    expect([(await get(moving)).parentId, (await get(theirs)).parentId]).toEqual([
      (await get(folder)).parentId,
      await idOf(folder),
    ])
    expect((await get(theirs)).trashedAt).toBeNull()
    await files.move(world.viewer, [await idOf(moving)], await idOf(folder), 'REPLACE')
    expect([object(moving)?.parent, object(theirs)?.trashed]).toEqual([folder, true])
  })
})

describe('a move that replaces, interrupted', () => {
  /** The other entry, what is moved, and the folder that has both then. */
  async function plant() {
    const moving = add('a.txt')
    const folder = add('Folder', ROOT, 'folder')
    const theirs = add('a.txt', folder)
    await showEverything()
    return { moving, folder, theirs }
  }

  it('keeps both until the earlier one can be moved to the trash, and completes it then', async () => {
    const { moving, folder, theirs } = await plant()
    world.cloud.fault = (operation) => (operation === 'trash' ? { kind: 'refused', code: 'Transient' } : null)
    await files.move(world.viewer, [await idOf(moving)], await idOf(folder), 'REPLACE')
    expect([object(moving)?.parent, object(theirs)?.trashed]).toEqual([folder, false])
    expect([(await get(moving)).name, (await get(theirs)).name]).toEqual(['a (2).txt', 'a.txt'])
    world.cloud.fault = null
    await world.runLaterJobs()
    expect([object(moving)?.name, object(theirs)?.trashed]).toEqual(['a.txt', true])
    expect((await get(moving)).name).toBe('a.txt')
  })

  it('completes it when it ended between the two changes', async () => {
    const { moving, folder, theirs } = await plant()
    let moves = 0
    world.cloud.fault = (operation) => {
      if (operation === 'move') moves += 1
      return operation === 'move' && moves > 1 ? { kind: 'refused', code: 'Transient' } : null
    }
    await files.move(world.viewer, [await idOf(moving)], await idOf(folder), 'REPLACE')
    expect([object(moving)?.name, object(theirs)?.trashed]).toEqual(['a (2).txt', true])
    world.cloud.fault = null
    await world.runLaterJobs()
    expect([object(moving)?.name, (await get(moving)).name]).toEqual(['a.txt', 'a.txt'])
  })

  it('leaves both as they are when the user has renamed it in the meantime', async () => {
    const { moving, folder, theirs } = await plant()
    world.cloud.fault = (operation) => (operation === 'trash' ? { kind: 'refused', code: 'Transient' } : null)
    await files.move(world.viewer, [await idOf(moving)], await idOf(folder), 'REPLACE')
    world.cloud.fault = null
    await files.rename(world.viewer, await idOf(moving), 'mine.txt')
    await world.runLaterJobs()
    expect([object(moving)?.name, object(theirs)?.name, object(theirs)?.trashed]).toEqual(['mine.txt', 'a.txt', false])
  })

  it('does not begin when the earlier one may not be deleted', async () => {
    const { moving, folder, theirs } = await plant()
    world.cloud.setRights('drive', theirs, { delete: false })
    await read()
    await expect(files.move(world.viewer, [await idOf(moving)], await idOf(folder), 'REPLACE')).rejects.toThrow(
      '“a.txt” cannot be replaced: “drive” does not allow it.',
    )
    expect(object(moving)?.parent).toBe(ROOT)
  })
})

describe('the trash', () => {
  it('does not hide again what is restored while older changes are being read', async () => {
    const ref = add('a')
    await showEverything()
    const id = await idOf(ref)
    await files.trash(world.viewer, [id])
    const driver = world.drivers.get(drive) as Driver
    const { changes } = driver
    const restoring: Driver = {
      ...driver,
      async changes(...given) {
        const page = await changes?.apply(driver, given)
        await files.restore(world.viewer, [id])
        if (!page) throw new Error('There is no feed.')
        return page
      },
    }
    world.drivers.set(drive, restoring)
    await read()
    world.drivers.set(drive, driver)
    expect((await files.get(world.viewer, id)).trashedAt).toBeNull()
    expect(object(ref)?.trashed).toBe(false)
    await read()
    expect((await files.get(world.viewer, id)).trashedAt).toBeNull()
  })

  it('keeps what is moved there while older changes are being read, and while they are being stored', async () => {
    const [first, second] = [add('a'), add('b')]
    await showEverything()
    const ids = await Promise.all([first, second].map(idOf))
    const [firstId = '', secondId = ''] = ids
    await files.rename(world.viewer, firstId, 'c')
    await files.rename(world.viewer, secondId, 'd')
    const trashTimes = async () =>
      (await Promise.all(ids.map((id) => files.get(world.viewer, id)))).map((file) => file.trashedAt)
    const driver = world.drivers.get(drive) as Driver
    const { changes, stat } = driver
    world.drivers.set(drive, {
      ...driver,
      async changes(...given) {
        const page = await changes?.apply(driver, given)
        await files.trash(world.viewer, [firstId])
        if (!page) throw new Error('There is no feed.')
        return page
      },
      // The account is asked about the first one before the changes are stored.
      async stat(...given) {
        if (given[1] === first && object(first)?.trashed) await files.trash(world.viewer, [secondId])
        return stat.apply(driver, given)
      },
    })
    await read()
    world.drivers.set(drive, driver)
    expect(await trashTimes()).toEqual([expect.any(Date), expect.any(Date)])
    await read()
    expect(await trashTimes()).toEqual([expect.any(Date), expect.any(Date)])
    await files.restore(world.viewer, ids)
    expect([object(first)?.trashed, object(second)?.trashed, ...(await trashTimes())]).toEqual([
      false,
      false,
      null,
      null,
    ])
  })

  it('gives back at the provider what is restored together with another change', async () => {
    const ref = add('a')
    await showEverything()
    const id = await idOf(ref)
    await files.trash(world.viewer, [id])
    const restored = await files.update(world.viewer, id, { trashed: false, starred: true })
    expect([object(ref)?.trashed, restored.trashedAt, restored.starred]).toEqual([false, null, true])
  })

  it('gives back what is restored at the provider, with everything', async () => {
    const folder = add('Folder', ROOT, 'folder')
    const inner = add('Inner', folder, 'folder')
    const file = add('a', inner)
    await showEverything()
    const ids = await Promise.all([folder, inner, file].map(idOf))
    await files.star(world.viewer, [ids[2] ?? ''], true)
    await files.trash(world.viewer, [ids[0] ?? ''])
    await read()
    expect((await files.get(world.viewer, ids[2] ?? '')).trashedAt).toBeNull()
    const starred = async () => (await files.list(world.viewer, { view: 'STARRED', limit: 10 } as never)).items.length
    expect(await starred()).toBe(0)
    tree().setTrashed(folder, false)
    await read()
    expect(await Promise.all([folder, inner, file].map(idOf))).toEqual(ids)
    expect(await starred()).toBe(1)
    expect((await get(folder)).trashedAt).toBeNull()
    expect((await inPlace.indexes(world.viewer, [drive])).get(drive)?.entries).toBe(3)
  })

  it('gives back what was trashed before its folder, into the folder above', async () => {
    const folder = add('Folder', ROOT, 'folder')
    const file = add('a', folder)
    await showEverything()
    const [folderId, fileId] = await Promise.all([folder, file].map(idOf))
    await files.trash(world.viewer, [fileId ?? ''])
    await files.trash(world.viewer, [folderId ?? ''])
    const [back] = await files.restore(world.viewer, [fileId ?? ''])
    const { rootFileId } = (await inPlace.indexes(world.viewer, [drive])).get(drive) ?? {}
    expect([back?.parentId, object(file)?.parent]).toEqual([rootFileId, ROOT])
    expect(object(folder)?.trashed).toBe(true)
  })

  it('is left to the provider after 30 days', async () => {
    const ref = add('a')
    await showEverything()
    const id = await idOf(ref)
    await files.trash(world.viewer, [id])
    const { pool, enqueue } = world
    const openDriver = async (accountId: string) => world.drivers.get(accountId) as Driver
    const housekeeping = createInPlaceHousekeeping({ pool, enqueue, openDriver, changeInPlace })
    await housekeeping.expireTrash(new AbortController().signal)
    expect((await files.get(world.viewer, id)).trashedAt).not.toBeNull()
    await pool.query("update files set trashed_at = trashed_at - interval '31 days' where id = $1", [id])
    await housekeeping.expireTrash(new AbortController().signal)
    await expect(files.get(world.viewer, id)).rejects.toThrow('does not exist')
    expect(object(ref)?.trashed).toBe(true)
  })
})

describe('where the service has no trash', () => {
  beforeEach(() => {
    const { trash: _trash, restore: _restore, ...driver } = world.drivers.get(drive) as Driver
    world.drivers.set(drive, driver)
  })

  it('uses a folder of Skypool there, and restores from it', async () => {
    const folder = add('Folder', ROOT, 'folder')
    const ref = add('report.txt', folder)
    await showEverything()
    const id = await idOf(ref)
    await files.trash(world.viewer, [id])
    const own = object(object(ref)?.parent as EntryRef)
    expect([own?.name, object(own?.parent as EntryRef)?.name]).toEqual(['Trash', 'Skypool'])
    expect(object(ref)?.name).toMatch(/^report \([0-9a-f]{12}\)\.txt$/)
    await read()
    expect((await files.get(world.viewer, id)).name).toBe('report.txt')
    await files.restore(world.viewer, [id])
    expect([object(ref)?.name, object(ref)?.parent]).toEqual(['report.txt', folder])
    expect((await files.get(world.viewer, id)).trashedAt).toBeNull()
  })

  it('deletes it there after 30 days', async () => {
    const ref = add('a')
    await showEverything()
    const id = await idOf(ref)
    await files.trash(world.viewer, [id])
    const { pool, enqueue } = world
    const openDriver = async (accountId: string) => world.drivers.get(accountId) as Driver
    const housekeeping = createInPlaceHousekeeping({ pool, enqueue, openDriver, changeInPlace })
    await pool.query("update files set trashed_at = trashed_at - interval '31 days' where id = $1", [id])
    await housekeeping.expireTrash(new AbortController().signal)
    expect(object(ref)).toBeUndefined()
  })
})

describe('what the provider does not allow', () => {
  it('is refused with the name of the account, without a call', async () => {
    const ref = add('a')
    const folder = add('Folder', ROOT, 'folder')
    for (const one of [ref, folder]) Object.assign(object(one) ?? {}, { rights: FORBIDDEN })
    const free = add('b')
    await showEverything()
    const [id, folderId, freeId] = await Promise.all([ref, folder, free].map(idOf))
    const refused = [
      () => files.rename(world.viewer, id ?? '', 'c'),
      () => files.trash(world.viewer, [id ?? '']),
      () => files.remove(world.viewer, [id ?? '']),
      () => files.move(world.viewer, [freeId ?? ''], folderId ?? ''),
      () => files.createFolder(world.viewer, { name: 'New', parentId: folderId ?? '' }),
    ]
    for (const each of refused) await expect(each()).rejects.toThrow('“drive” does not allow')
    expect([object(ref)?.name, object(ref)?.trashed, object(free)?.parent]).toEqual(['a', false, ROOT])
  })
})

it('many at once are changed one by one, and the error counts those that were not', async () => {
  const [one, other] = [add('a'), add('b')]
  await showEverything()
  const own = await files.createFolder(world.viewer, { name: 'Own', parentId: null })
  const ids = await Promise.all([one, other].map(idOf))
  tree().remove(other)
  await expect(files.trash(world.viewer, [...ids, own.id])).rejects.toThrow(
    /^1 of 3 could not be changed, 2 were\. “b” is not in/,
  )
  expect(object(one)?.trashed).toBe(true)
  expect((await files.get(world.viewer, own.id)).trashedAt).not.toBeNull()
  await expect(files.emptyTrash(world.viewer)).resolves.toBe(2)
  expect(object(one)).toBeUndefined()
})

it('a folder is created once for one Idempotency-Key', async () => {
  await showEverything()
  const { rootFileId = '' } = (await inPlace.indexes(world.viewer, [drive])).get(drive) ?? {}
  const create = () => files.createFolder(world.viewer, { name: 'New', parentId: rootFileId }, 'key-1')
  const first = await create()
  expect((await create()).id).toBe(first.id)
  expect(
    tree()
      .children(ROOT)
      .map(({ name }) => name),
  ).toEqual(['New'])
  await expect(files.createFolder(world.viewer, { name: 'New', parentId: rootFileId })).rejects.toThrow(
    'already something named',
  )
})

it('what goes to the trash while its folder does is by itself there, and not counted in the folder any more', async () => {
  const folder = add('Folder', ROOT, 'folder')
  const trip = add('Trip', folder, 'folder')
  add('a.jpg', trip)
  add('b.jpg', folder)
  await showEverything()
  const [folderId, tripId] = [await idOf(folder), await idOf(trip)]
  const driver = world.drivers.get(drive) as Driver
  let isFirst = true
  world.drivers.set(drive, {
    ...driver,
    async trash(call, ref) {
      await driver.trash?.(call, ref)
      if (!isFirst) return
      isFirst = false
      await changeInPlace(world.viewer, { kind: 'TRASH', id: folderId })
    },
  })
  await changeInPlace(world.viewer, { kind: 'TRASH', id: tripId })
  await changeInPlace(world.viewer, { kind: 'RESTORE', id: folderId })
  await read()
  const { rows } = await world.pool.query<{ name: string; count: number }>(
    `select f.name, f.child_count as count from files f where f.account_id = $1 and f.trash_root_id is null and f.purged_at is null
       and f.parent_id is not null order by name`,
    [drive],
  )
  expect(rows).toEqual([
    { name: 'Folder', count: 1 },
    { name: 'b.jpg', count: 0 },
  ])
  await changeInPlace(world.viewer, { kind: 'RESTORE', id: tripId })
  await read()
  expect((await files.get(world.viewer, folderId))?.childCount).toBe(2)
  expect((await files.get(world.viewer, tripId))?.childCount).toBe(1)
})
