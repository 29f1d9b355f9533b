import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import { getFiles } from '../../server/domain/files/tree/entries.ts'
import type { Step } from '../../server/domain/files/tree/step.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createFolderLooks, type FolderLooks } from '../../server/domain/inPlace/indexer.ts'
import { lastNight } from '../../server/domain/inPlace/pass.ts'
import { createInPlaceService, type InPlaceService } from '../../server/domain/inPlace/service.ts'
import { newId } from '../../server/lib/ids.ts'
import type { Driver, Entry, EntryRef } from '../../server/providers/driver.ts'
import { ROOT } from '../fakes/memory/cloud.ts'
import { moved } from '../fakes/memory/entries.ts'
import { failing } from '../fakes/memory/errors.ts'
import { pathDriver } from '../fakes/memory/paths.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

// Everything in an account of a service that reports no changes and names entries by their paths.

let world: TransfersWorld
let drive: string
let feed: AccountFeed
let inPlace: InPlaceService
let looks: FolderLooks
/** Calls of the service by operation. */
let calls: Map<string, number>

beforeEach(async () => {
  world = await startTransfersWorld({ pageSize: 3, capabilities: { duplicateNames: false } })
  drive = await world.account('drive')
  calls = new Map()
  world.cloud.fault = (operation) => {
    calls.set(operation, (calls.get(operation) ?? 0) + 1)
    return null
  }
  const { pool, events, enqueue, drivers, report } = world
  drivers.set(drive, pathDriver(drivers.get(drive) as Driver, world.cloud, 'drive'))
  const openDriver = async (id: string) => drivers.get(id) as Driver
  const onError = (error: unknown) => void world.errors.push(error)
  feed = createAccountFeed({ pool, events, enqueue, leases: pool, openDriver, report, onError, everyMs: 0 })
  inPlace = createInPlaceService({ pool, events, enqueue, openDriver })
  looks = createFolderLooks({ pool, events, enqueue, openDriver, report, onError })
})
afterEach(async () => {
  await looks.close()
  await feed.close()
  expect(world.errors).toEqual([])
  await world.close()
})

const tree = () => world.cloud.tree('drive')
function add(name: string, parent: EntryRef = ROOT, kind: 'file' | 'folder' = 'file'): EntryRef {
  return tree().add({ parent, name, kind, bytes: Buffer.from(kind === 'file' ? name : ''), mimeType: null }).ref
}
const addFolder = (name: string, parent?: EntryRef) => add(name, parent, 'folder')
const move = (ref: EntryRef, to: { parent?: EntryRef; name?: string }) =>
  moved(tree(), ref, to, failing(world.cloud.service, 'move'))

/** Ids by the paths of what is shown. */
async function shown(): Promise<Map<string, string>> {
  const { rows } = await world.pool.query<{ id: string; path: string }>(
    `with recursive tree as (
       select id, '' as path from files where id = (select root_file_id from account_indexes where account_id = $1)
       union all select f.id, tree.path || '/' || f.name from tree join files f on f.parent_id = tree.id
         and f.purged_at is null and f.trash_root_id is null)
     select id, path from tree where path <> ''`,
    [drive],
  )
  return new Map(rows.map(({ path, id }) => [path, id]))
}
const paths = async () => [...(await shown()).keys()].sort()
const index = async () => (await inPlace.indexes(world.viewer, [drive])).get(drive)

async function showEverything(): Promise<void> {
  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  await listOn()
}

/** Until the whole account has been listed. */
async function listOn(): Promise<void> {
  const listing = 'select from account_indexes where passed_at is null or pass_started_at is not null'
  do await feed.tick()
  while ((await world.pool.query(listing)).rowCount)
}

/** What the account was found to hold is older than last night. */
async function nextNight(): Promise<void> {
  await world.pool.query("update account_indexes set passed_at = passed_at - interval '2 days'")
  await feed.tick()
}

it('is due once a night, at a time of its own', () => {
  const at = (text: string) => lastNight('01985c1c-0000-7000-8000-0000000000ff', new Date(text)).getTime()
  const [early, noon, next] = ['2026-03-05T00:30:00', '2026-03-05T12:00:00', '2026-03-06T04:59:59'].map(at)
  expect(new Date(noon ?? 0).getDate()).toBe(5)
  expect([1, 2, 3, 4]).toContain(new Date(noon ?? 0).getHours())
  expect(new Date(early ?? 0).getDate()).toBe(4)
  expect(at('2026-03-05T23:59:59')).toBe(noon)
  expect((next ?? 0) - (noon ?? 0)).toBe(86_400_000)
  const other = lastNight('01985c1c-0000-7000-8000-000000000010', new Date('2026-03-05T12:00:00')).getTime()
  expect(other).not.toBe(noon)
})

describe('listing', () => {
  it('shows everything, and says that it is listed again instead of followed', async () => {
    const photos = addFolder('Photos')
    for (let number = 0; number < 8; number += 1) add(`img${number}.jpg`, addFolder(`Trip ${number}`, photos))
    await showEverything()
    expect(await paths()).toHaveLength(17)
    expect(await index()).toMatchObject({ phase: 'WALK', entries: 17, problem: null })
    expect((await index())?.asOf).toBeInstanceOf(Date)
  })

  it('calls nothing while nothing is due', async () => {
    add('a.txt')
    await showEverything()
    calls.clear()
    for (let times = 0; times < 3; times += 1) await feed.tick()
    expect([...calls]).toEqual([])
  })

  it('finds each night what was changed, and when it is asked to look again', async () => {
    const photos = addFolder('Photos')
    const image = add('a.jpg', photos)
    const note = add('note.txt')
    await showEverything()
    const before = await shown()
    move(image, { name: 'b.jpg' })
    tree().remove(note)
    add('new.txt')
    await feed.tick()
    expect(await paths()).toEqual(['/Photos', '/Photos/a.jpg', '/note.txt'])
    await nextNight()
    expect(await paths()).toEqual(['/Photos', '/Photos/b.jpg', '/new.txt'])
    expect((await shown()).get('/Photos')).toBe(before.get('/Photos'))
    add('later.txt', photos)
    await inPlace.refresh(world.viewer, drive)
    await feed.tick()
    expect(await paths()).toEqual(['/Photos', '/Photos/b.jpg', '/Photos/later.txt', '/new.txt'])
    expect((await index())?.entries).toBe(4)
  })

  it("does not show Skypool's own folder, and keeps no rows of what it contains", async () => {
    const own = addFolder('Skypool')
    for (let number = 0; number < 10; number += 1) add(`part ${number}`, addFolder(`Parts ${number}`, own))
    add('a.txt')
    await world.pool.query("update accounts set home_ref = 'Skypool' where id = $1", [drive])
    await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
    const { listAll, ...driver } = world.drivers.get(drive) as Driver
    let most = 0
    world.drivers.set(drive, {
      ...driver,
      async listAll(...args) {
        const { rows } = await world.pool.query('select count(*)::int as count from unplaced_entries')
        most = Math.max(most, rows[0].count)
        return (listAll as NonNullable<typeof listAll>)(...args)
      },
    })
    await feed.tick()
    expect(await paths()).toEqual(['/a.txt'])
    expect(most).toBe(0)
  })
})

/** As a list of the folder does. */
async function open(path: string): Promise<void> {
  const { rows } = await world.pool.query('select root_file_id as id from account_indexes')
  await world.pool.query('update account_entries set looked_at = null')
  await world.pool.query('update account_indexes set looked_at = null')
  looks.opened({ userId: world.viewer.userId, folderId: (await shown()).get(path) ?? rows[0].id })
  await looks.whenIdle()
}

/** The account's driver with other methods, until the end of the test. */
function replace(methods: (driver: Driver) => Partial<Driver>): void {
  const driver = world.drivers.get(drive) as Driver
  world.drivers.set(drive, { ...driver, ...methods(driver) })
}

async function wrongCounts(): Promise<unknown[]> {
  const { rows } = await world.pool.query(
    `select f.name from files f where f.account_id = $1 and f.kind = 'FOLDER' and f.purged_at is null
       and f.child_count <> (select count(*) from files c where c.parent_id = f.id and c.purged_at is null and c.trashed_at is null)`,
    [drive],
  )
  return rows
}

it("hides Skypool's own folder that was listed before it was known to be that", async () => {
  const own = addFolder('Skypool')
  for (let number = 0; number < 150; number += 1) add(`part ${number}`, own)
  add('a.txt')
  await showEverything()
  expect(await paths()).toHaveLength(152)
  await world.pool.query("update accounts set home_ref = 'Skypool' where id = $1", [drive])
  await nextNight()
  await listOn()
  expect(await paths()).toEqual(['/a.txt'])
  expect(await index()).toMatchObject({ entries: 1, heldDeletions: 0 })
})

it("refuses changes of Skypool's own folder that is still shown, and hides it with the next list", async () => {
  const own = addFolder('Skypool')
  add('part 0', own)
  add('a.txt')
  await showEverything()
  const ids = await shown()
  const idOf = (path: string) => ids.get(path) as string
  await world.pool.query("update accounts set home_ref = 'Skypool' where id = $1", [drive])
  const onConflict = 'RENAME'
  const steps: readonly Step[] = [
    { kind: 'TRASH', id: idOf('/Skypool') },
    { kind: 'TRASH', id: idOf('/Skypool/part 0') },
    { kind: 'RENAME', id: idOf('/Skypool'), name: 'Other' },
    { kind: 'MOVE', id: idOf('/a.txt'), parentId: idOf('/Skypool'), onConflict },
  ]
  for (const step of steps) await expect(change(step)).rejects.toThrow('Skypool stores files in this folder of “drive”')
  expect([...tree().children(own)].map(({ name }) => name)).toEqual(['part 0'])
  await open('/')
  expect(await paths()).toEqual(['/a.txt'])
})

describe('a folder that is opened', () => {
  it('is listed alone, and says what has changed', async () => {
    const photos = addFolder('Photos')
    const image = add('a.jpg', photos)
    add('b.jpg', photos)
    addFolder('Other')
    await showEverything()
    const before = await shown()
    tree().remove(image)
    world.cloud.overwrite('drive', [...tree().children(photos)][0]?.ref as EntryRef, Buffer.from('other'))
    add('inside.txt', addFolder('New', photos))
    add('unseen.txt')
    calls.clear()
    world.told.length = 0
    await open('/Photos')
    expect(await paths()).toEqual(['/Other', '/Photos', '/Photos/New', '/Photos/b.jpg'])
    // The list, and a question about what it does not contain.
    expect(Object.fromEntries(calls)).toEqual({ list: 1, stat: 1 })
    expect((await shown()).get('/Photos/b.jpg')).toBe(before.get('/Photos/b.jpg'))
    expect(world.told.map(({ topic }) => topic)).toContain('filesChanged')
    const entries = await getFiles(world.pool, world.viewer, [...(await shown()).values()])
    const asOf = (path: string) =>
      entries.find((entry) => entry?.id === before.get(path))?.inPlace?.asOf?.getTime() ?? 0
    expect(asOf('/Photos')).toBeGreaterThan(asOf('/Other'))
    expect(asOf('/Photos/b.jpg')).toBe(0)
    // A folder that has appeared is listed with the next poll.
    await feed.tick()
    expect(await paths()).toContain('/Photos/New/inside.txt')
    expect(await wrongCounts()).toEqual([])
  })

  it('is listed once in a while, however often it is opened', async () => {
    addFolder('Photos')
    await showEverything()
    await open('/Photos')
    calls.clear()
    const folderId = (await shown()).get('/Photos') ?? ''
    for (let times = 0; times < 5; times += 1) looks.opened({ userId: world.viewer.userId, folderId })
    await looks.whenIdle()
    expect([...calls]).toEqual([])
  })

  it('shows the account as it was when it cannot be listed', async () => {
    add('a.jpg', addFolder('Photos'))
    await showEverything()
    world.cloud.fault = () => ({ kind: 'refused', code: 'Transient', status: 503 })
    await open('/Photos')
    await open('')
    expect(await paths()).toEqual(['/Photos', '/Photos/a.jpg'])
  })

  it('disappears when the account no longer has it', async () => {
    const photos = addFolder('Photos')
    add('a.jpg', photos)
    await showEverything()
    tree().remove(photos)
    await open('/Photos')
    expect(await paths()).toEqual([])
    expect((await index())?.entries).toBe(0)
  })

  it('holds back what is gone at once, if it is more than half of the account', async () => {
    const photos = addFolder('Photos')
    const refs = Array.from({ length: 130 }, (_, number) => add(`${number}.jpg`, photos))
    await showEverything()
    for (const ref of refs) tree().remove(ref)
    await open('/Photos')
    expect(await index()).toMatchObject({ phase: 'HELD' })
    expect(await paths()).toHaveLength(131)
  })

  it('keeps what the user changes while it is being listed', async () => {
    const photos = addFolder('Photos')
    add('a.jpg', photos)
    await showEverything()
    const id = (await shown()).get('/Photos/a.jpg') ?? ''
    let isFirst = true
    replace((driver) => ({
      async list(...args) {
        const page = await driver.list(...args)
        if (isFirst) {
          isFirst = false
          await change({ kind: 'RENAME', id, name: 'b.jpg' })
        }
        return page
      },
    }))
    await open('/Photos')
    expect(await paths()).toEqual(['/Photos', '/Photos/b.jpg'])
    expect((await shown()).get('/Photos/b.jpg')).toBe(id)
  })
})

function change(step: Step) {
  const { pool, events, enqueue, drivers, report } = world
  const openDriver = async (id: string) => drivers.get(id) as Driver
  const deps = { pool, events, enqueue, openDriver, report, rootFolders: createRootFolders(pool) }
  return createChangeInPlace(deps)(world.viewer, step)
}

/** Paths of what the account holds. */
function held(): string[] {
  const objects = new Map(world.cloud.objects('drive').map((object) => [object.ref, object]))
  const pathOf = (ref: EntryRef): string => {
    const object = objects.get(ref)
    return object ? `${pathOf(object.parent ?? ROOT)}/${object.name}` : ''
  }
  return [...objects.keys()].map(pathOf).sort()
}

describe('changes', () => {
  let photos = ''
  let image = ''

  beforeEach(async () => {
    const folder = addFolder('Photos')
    const trip = addFolder('Trip', folder)
    add('a.jpg', trip)
    add('b.jpg', folder)
    addFolder('Other')
    await showEverything()
    const all = await shown()
    photos = all.get('/Photos') ?? ''
    image = all.get('/Photos/Trip/a.jpg') ?? ''
    await world.pool.query('update files set starred = true where id = $1', [image])
  })

  /** The account and the index say the same, and a complete listing changes nothing. */
  async function expectTrue(all: readonly string[]): Promise<void> {
    const own = (path: string) => path === '/Skypool' || path.startsWith('/Skypool/')
    expect(held().filter((path) => !own(path))).toEqual(all)
    const before = await shown()
    expect([...before.keys()].sort()).toEqual(all)
    await inPlace.refresh(world.viewer, drive)
    await feed.tick()
    expect(await shown()).toEqual(before)
    expect(await wrongCounts()).toEqual([])
    expect((await index())?.entries).toBe(all.length)
  }

  it('rename and move folders with everything in them, which stays the same', async () => {
    await change({ kind: 'RENAME', id: photos, name: 'Pictures' })
    await expectTrue(['/Other', '/Pictures', '/Pictures/Trip', '/Pictures/Trip/a.jpg', '/Pictures/b.jpg'])
    expect((await shown()).get('/Pictures/Trip/a.jpg')).toBe(image)
    const other = (await shown()).get('/Other') ?? ''
    await change({ kind: 'MOVE', id: photos, parentId: other, onConflict: 'FAIL' })
    const all = ['/Other', '/Other/Pictures', '/Other/Pictures/Trip', '/Other/Pictures/Trip/a.jpg']
    await expectTrue([...all, '/Other/Pictures/b.jpg'])
    const renamed = await change({ kind: 'RENAME', id: image, name: 'c.jpg' })
    expect(renamed).toMatchObject({ id: image, name: 'c.jpg', starred: true })
  })

  it('move to the trash, restore and delete', async () => {
    await change({ kind: 'TRASH', id: photos })
    await expectTrue(['/Other'])
    expect(held().filter((path) => path.startsWith('/Skypool/Trash/Photos'))).toHaveLength(4)
    const restored = await change({ kind: 'RESTORE', id: photos })
    expect(restored).toMatchObject({ id: photos, trashedAt: null })
    const all = ['/Other', '/Photos', '/Photos/Trip', '/Photos/Trip/a.jpg', '/Photos/b.jpg']
    await feed.tick()
    await expectTrue(all)
    expect((await shown()).get('/Photos/Trip/a.jpg')).toBe(image)
    await change({ kind: 'REMOVE', id: photos })
    await expectTrue(['/Other'])
    await change({ kind: 'CREATE', id: '01985c1c-0000-7000-8000-000000000001', name: 'New', parentId: await root() })
    await expectTrue(['/New', '/Other'])
  })

  async function root(): Promise<string> {
    const { rows } = await world.pool.query('select root_file_id as id from account_indexes')
    return rows[0].id
  }

  it('ask where an entry is now when the response is lost', async () => {
    let isLost = true
    world.cloud.fault = (operation) => (operation === 'move' && isLost ? { kind: 'lostReply' } : null)
    await change({ kind: 'RENAME', id: photos, name: 'Pictures' })
    await change({ kind: 'TRASH', id: photos })
    isLost = false
    await expectTrue(['/Other'])
    await change({ kind: 'RESTORE', id: photos })
    await feed.tick()
    await expectTrue(['/Other', '/Pictures', '/Pictures/Trip', '/Pictures/Trip/a.jpg', '/Pictures/b.jpg'])
  })

  it('never delete a file that has taken the place of another one in the meantime', async () => {
    const file = world.cloud.objects('drive').find(({ name }) => name === 'b.jpg')
    const id = (await shown()).get('/Photos/b.jpg') ?? ''
    for (const kind of ['REMOVE', 'TRASH'] as const) {
      world.cloud.overwrite('drive', file?.ref as EntryRef, Buffer.from(`content of ${kind}`))
      await expect(change({ kind, id })).rejects.toThrow('changed or replaced')
      expect(held()).toContain('/Photos/b.jpg')
    }
    // The user sees it now, and can decide again.
    await change({ kind: 'TRASH', id })
    expect(held()).not.toContain('/Photos/b.jpg')
  })

  /** Done once, by the next call of `move`, before the service is asked. */
  function beforeMove(work: () => Promise<unknown>): void {
    let isFirst = true
    replace((driver) => ({
      move: async (...args) => {
        const isNow = isFirst
        isFirst = false
        if (isNow) await work()
        return (driver.move as NonNullable<Driver['move']>)(...args)
      },
    }))
  }

  it('of two requests to restore the same, the later one finds it restored', async () => {
    await change({ kind: 'TRASH', id: photos })
    beforeMove(() => change({ kind: 'RESTORE', id: photos }))
    expect(await change({ kind: 'RESTORE', id: photos })).toMatchObject({ id: photos, trashedAt: null })
    await feed.tick()
    await expectTrue(['/Other', '/Photos', '/Photos/Trip', '/Photos/Trip/a.jpg', '/Photos/b.jpg'])
  })

  it('what is restored while it is being deleted permanently stays', async () => {
    await change({ kind: 'TRASH', id: photos })
    replace((driver) => ({
      delete: async (call, ref) => {
        await change({ kind: 'RESTORE', id: photos })
        return driver.delete(call, ref)
      },
    }))
    await expect(change({ kind: 'REMOVE', id: photos })).rejects.toThrow('was restored')
    await feed.tick()
    await expectTrue(['/Other', '/Photos', '/Photos/Trip', '/Photos/Trip/a.jpg', '/Photos/b.jpg'])
  })

  it('a deletion whose answer was lost is not repeated', async () => {
    await change({ kind: 'TRASH', id: photos })
    world.cloud.fault = (operation) => (operation === 'delete' ? { kind: 'lostReply' } : null)
    await change({ kind: 'REMOVE', id: photos }).catch(() => null)
    const deletions: string[] = []
    replace((driver) => ({
      delete: async (call, ref) => {
        deletions.push(ref)
        return driver.delete(call, ref)
      },
    }))
    world.cloud.fault = () => null
    await change({ kind: 'REMOVE', id: photos }).catch(() => null)
    expect(deletions).toEqual([])
    await expectTrue(['/Other'])
  })

  it('never concern a folder that has taken the place of a file in the meantime', async () => {
    const file = world.cloud.objects('drive').find(({ name }) => name === 'b.jpg')
    const id = (await shown()).get('/Photos/b.jpg') ?? ''
    tree().remove(file?.ref as EntryRef)
    add('kept.txt', addFolder('b.jpg', file?.parent as EntryRef))
    for (const kind of ['REMOVE', 'TRASH'] as const) {
      await expect(change({ kind, id })).rejects.toThrow('replaced by a folder')
      // As the index knew it until now.
      await world.pool.query("update files set kind = 'FILE' where id = $1", [id])
    }
    await expect(change({ kind: 'RENAME', id, name: 'c.jpg' })).rejects.toThrow('replaced by a folder')
    expect(held()).toContain('/Photos/b.jpg/kept.txt')
  })

  it('do not come back with a page of a listing that was read before', async () => {
    replace((driver) => ({
      async listAll(call, cursor) {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        if (page.items.some(({ name }) => name === 'Photos')) {
          await change({ kind: 'RENAME', id: photos, name: 'Pictures' })
        }
        return page
      },
    }))
    await inPlace.refresh(world.viewer, drive)
    await feed.tick()
    expect(await paths()).toEqual(['/Other', '/Pictures', '/Pictures/Trip', '/Pictures/Trip/a.jpg', '/Pictures/b.jpg'])
    expect((await shown()).get('/Pictures/Trip/a.jpg')).toBe(image)
    expect(await wrongCounts()).toEqual([])
  })

  it('are one entry with what a listing has found at the new place already', async () => {
    replace((driver) => ({
      async move(call, ref, to) {
        const made = await (driver.move as NonNullable<Driver['move']>)(call, ref, to)
        add('new.txt', world.cloud.objects('drive').find(({ name }) => name === 'Trip')?.ref as EntryRef)
        await inPlace.refresh(world.viewer, drive)
        await feed.tick()
        return made
      },
    }))
    await change({ kind: 'RENAME', id: photos, name: 'Pictures' })
    const all = ['/Other', '/Pictures', '/Pictures/Trip', '/Pictures/Trip/a.jpg', '/Pictures/Trip/new.txt']
    expect(await paths()).toEqual([...all, '/Pictures/b.jpg'])
    expect((await shown()).get('/Pictures')).toBe(photos)
    expect((await shown()).get('/Pictures/Trip/a.jpg')).toBe(image)
    await expectTrue([...all, '/Pictures/b.jpg'])
  })
})

describe('nothing vanishes by mistake', () => {
  it('keeps everything while listings fail, and asks before anything is gone', async () => {
    const photos = addFolder('Photos')
    for (let number = 0; number < 8; number += 1) add(`${number}.jpg`, photos)
    await showEverything()
    const before = await shown()
    world.cloud.fault = (operation) =>
      operation === 'listAll' ? { kind: 'refused', code: 'Transient', status: 503 } : null
    await nextNight()
    await feed.tick()
    expect(await shown()).toEqual(before)
    world.cloud.fault = null
    replace((driver) => ({
      // It ends after the first page, without an error.
      listAll: async (call) => ({
        items: (await (driver.listAll as NonNullable<Driver['listAll']>)(call, null)).items,
        cursor: null,
      }),
    }))
    await world.pool.query('update accounts set unreachable_since = null, paused_until = null')
    await feed.tick()
    expect(await shown()).toEqual(before)
  })

  it('keeps what the server does not let the user see any more, without asking about each entry', async () => {
    const closed = addFolder('Closed')
    const inside = new Set([closed, ...Array.from({ length: 30 }, (_, number) => add(`${number}.txt`, closed))])
    const gone = add('gone.txt')
    await showEverything()
    tree().remove(gone)
    replace((driver) => ({
      listAll: async (call, cursor) => {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        return { ...page, items: page.items.filter(({ ref }) => !ref.startsWith('Closed')) }
      },
    }))
    world.cloud.fault = (operation, ref) => {
      calls.set(operation, (calls.get(operation) ?? 0) + 1)
      return operation === 'stat' && inside.has(ref as EntryRef)
        ? { kind: 'refused', code: 'Forbidden', status: 403 }
        : null
    }
    calls.clear()
    await nextNight()
    expect(await paths()).toHaveLength(31)
    expect(await index()).toMatchObject({ phase: 'WALK', entries: 31, heldDeletions: 0 })
    expect(calls.get('stat')).toBeLessThan(5)
  })

  it('asks once about a folder that is gone with everything in it', async () => {
    const photos = addFolder('Photos')
    for (let number = 0; number < 40; number += 1) add(`${number}.jpg`, addFolder(`Trip ${number}`, photos))
    for (let number = 0; number < 90; number += 1) add(`${number}.txt`)
    await showEverything()
    tree().remove(photos)
    calls.clear()
    await nextNight()
    await listOn()
    expect(await paths()).toHaveLength(90)
    expect(calls.get('stat')).toBe(1)
  })
})

describe('what was renamed or moved outside', () => {
  /** What hangs on an id: a star and a link. */
  async function attach(id: string): Promise<void> {
    await world.pool.query('update files set starred = true where id = $1', [id])
    await world.pool.query(
      'insert into shares (id, user_id, file_id) select $1, user_id, id from files where id = $2',
      [newId(), id],
    )
  }
  async function attached(): Promise<string[]> {
    const { rows } = await world.pool.query<{ name: string }>(
      `select f.name from files f where starred and purged_at is null and exists (select from shares s where s.file_id = f.id) order by name`,
    )
    return rows.map(({ name }) => name)
  }
  const content = (name: string, parent: EntryRef, text: string) =>
    tree().add({ parent, name, kind: 'file', bytes: Buffer.from(text), mimeType: null }).ref
  async function listAgain(): Promise<void> {
    await nextNight()
    await listOn()
    expect(await wrongCounts()).toEqual([])
    expect((await index())?.entries).toBe((await shown()).size)
  }
  /** As servers with files do it: the time of a file stays when it moves. */
  function carry(ref: EntryRef, to: { parent?: EntryRef; name?: string }): void {
    const object = world.cloud.objects('drive').find((one) => one.ref === ref)
    const modifiedAt = object?.modifiedAt
    move(ref, to)
    if (object && modifiedAt !== undefined) object.modifiedAt = modifiedAt
  }
  /** The hash is not reported: size, revision and time have to do. */
  function withoutHash(revisionOf: (entry: Entry) => string): void {
    const of = (entry: Entry): Entry => ({
      ...entry,
      hash: null,
      ...(entry.details && entry.kind === 'file' && { details: { ...entry.details, revision: revisionOf(entry) } }),
    })
    replace((driver) => ({
      capabilities: { ...driver.capabilities, hash: null },
      stat: async (...args) => of(await driver.stat(...args)),
      list: async (...args) => {
        const page = await driver.list(...args)
        return { ...page, items: page.items.map(of) }
      },
      listAll: async (...args) => {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(...args)
        return { ...page, items: page.items.map(of) }
      },
    }))
  }

  it('keeps its id, star and links', async () => {
    const [photos, other] = [addFolder('Photos'), addFolder('Other')]
    const [renamed, carried] = [add('a.jpg', photos), add('b.jpg', photos)]
    add('c.jpg', photos)
    await showEverything()
    const before = await shown()
    for (const path of ['/Photos/a.jpg', '/Photos/b.jpg']) await attach(before.get(path) ?? '')
    move(renamed, { name: 'first.jpg' })
    move(carried, { parent: other, name: 'second.jpg' })
    await listAgain()
    const after = await shown()
    expect([...after.keys()].sort()).toEqual([
      '/Other',
      '/Other/second.jpg',
      '/Photos',
      '/Photos/c.jpg',
      '/Photos/first.jpg',
    ])
    expect(after.get('/Photos/first.jpg')).toBe(before.get('/Photos/a.jpg'))
    expect(after.get('/Other/second.jpg')).toBe(before.get('/Photos/b.jpg'))
    expect(await attached()).toEqual(['first.jpg', 'second.jpg'])
    // What is at the old name afterwards is another file.
    add('a.jpg', photos)
    await listAgain()
    expect((await shown()).get('/Photos/a.jpg')).not.toBe(before.get('/Photos/a.jpg'))
    expect(await attached()).toEqual(['first.jpg', 'second.jpg'])
  })

  it('is followed when a folder is opened, whichever of both is opened first', async () => {
    const [photos, other] = [addFolder('Photos'), addFolder('Other')]
    const refs = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => add(name, photos))
    await showEverything()
    const before = await shown()
    for (const id of before.values()) await attach(id)
    move(refs[0] as EntryRef, { name: 'renamed.jpg' })
    await open('/Photos')
    move(refs[1] as EntryRef, { parent: other })
    await open('/Photos')
    await open('/Other')
    move(refs[2] as EntryRef, { parent: other })
    await open('/Other')
    await open('/Photos')
    const after = await shown()
    expect([...after.keys()].sort()).toEqual([
      '/Other',
      '/Other/b.jpg',
      '/Other/c.jpg',
      '/Photos',
      '/Photos/renamed.jpg',
    ])
    const id = (path: string) => before.get(path)
    expect(after.get('/Photos/renamed.jpg')).toBe(id('/Photos/a.jpg'))
    expect(after.get('/Other/b.jpg')).toBe(id('/Photos/b.jpg'))
    expect(after.get('/Other/c.jpg')).toBe(id('/Photos/c.jpg'))
    expect(await attached()).toHaveLength(5)
    // What was new a moment ago is gone again, or has yet another name.
    tree().remove(add('new.jpg', photos))
    const again = add('again.jpg', photos)
    await open('/Photos')
    tree().remove(again)
    move(refs[0] as EntryRef, { name: 'renamed again.jpg' })
    await open('/Photos')
    expect((await shown()).get('/Photos/renamed again.jpg')).toBe(id('/Photos/a.jpg'))
    expect((await shown()).size).toBe(after.size)
    await listAgain()
    expect((await shown()).size).toBe(after.size)
  })

  it('is not taken for another file with the same content, nor for an empty one', async () => {
    const [one, two] = [addFolder('One'), addFolder('Two')]
    const twins = [content('a.txt', one, 'twin'), content('b.txt', one, 'twin')]
    const single = content('c.txt', one, 'single')
    const empty = content('d.txt', one, '')
    const copied = content('e.txt', one, 'copied')
    await showEverything()
    const before = await shown()
    for (const id of before.values()) await attach(id)
    // Two were there, one is here; one was there, two are here; nothing to compare; and only a copy was made.
    for (const ref of twins) tree().remove(ref)
    content('x.txt', two, 'twin')
    tree().remove(single)
    content('y.txt', two, 'single')
    content('z.txt', two, 'single')
    move(empty, { parent: two, name: 'empty.txt' })
    content('copy.txt', two, 'copied')
    await listAgain()
    const after = await shown()
    const known = new Set(before.values())
    for (const name of ['x.txt', 'y.txt', 'z.txt', 'empty.txt', 'copy.txt']) {
      expect(known.has(after.get(`/Two/${name}`) ?? ''), name).toBe(false)
    }
    expect(after.get('/One/e.txt')).toBe(before.get('/One/e.txt'))
    expect(await attached()).toEqual(['One', 'Two', 'e.txt'])
    expect(world.cloud.objects('drive').some(({ ref }) => ref === copied)).toBe(true)
  })

  it('is a copy as long as the account has the original, whatever a listing says', async () => {
    const photos = addFolder('Photos')
    content('a.txt', photos, 'the same')
    await showEverything()
    const before = await shown()
    content('b.txt', photos, 'the same')
    replace((driver) => ({
      listAll: async (call, cursor) => {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        return { ...page, items: page.items.filter(({ name }) => name !== 'a.txt') }
      },
    }))
    await listAgain()
    expect((await shown()).get('/Photos/a.txt')).toBe(before.get('/Photos/a.txt'))
    expect(await paths()).toEqual(['/Photos', '/Photos/a.txt', '/Photos/b.txt'])
  })

  it('includes a folder with everything in it, also what cannot be told apart alone', async () => {
    const photos = addFolder('Photos')
    const trip = addFolder('Trip', photos)
    for (const name of ['a.txt', 'b.txt']) content(name, trip, 'twin')
    content('empty.txt', trip, '')
    for (let number = 0; number < 130; number += 1) add(`${number}.jpg`, photos)
    add('alone.txt')
    await showEverything()
    const before = await shown()
    await attach(before.get('/Photos') ?? '')
    calls.clear()
    move(photos, { name: 'Pictures' })
    await listAgain()
    // More than half of the account has other names; nothing of it is gone.
    expect(await index()).toMatchObject({ phase: 'WALK', heldDeletions: 0 })
    expect(calls.get('stat')).toBe(1)
    const renamed = (path: string) => path.replace('/Photos', '/Pictures')
    expect(await shown()).toEqual(new Map([...before].map(([path, id]) => [renamed(path), id])))
    expect(await attached()).toEqual(['Pictures'])
  })

  it('includes the files of a folder that was changed when it was renamed', async () => {
    const photos = addFolder('Photos')
    const refs = Array.from({ length: 5 }, (_, number) => add(`${number}.jpg`, addFolder(`Trip ${number}`, photos)))
    await showEverything()
    const before = await shown()
    tree().remove(refs[0] as EntryRef)
    add('new.jpg', photos)
    move(photos, { name: 'Pictures' })
    await listAgain()
    const after = await shown()
    for (const number of [1, 2, 3, 4]) {
      const path = `Trip ${number}/${number}.jpg`
      expect(after.get(`/Pictures/${path}`)).toBe(before.get(`/Photos/${path}`))
    }
    expect(after.get('/Pictures')).not.toBe(before.get('/Photos'))
    expect(after.has('/Pictures/new.jpg')).toBe(true)
    expect(after.size).toBe(11)
  })

  it('is recognised without a hash by size, etag and time', async () => {
    withoutHash(
      ({ details, size, name }) => `"${details?.createdAt?.getTime()}-${size}-${name.length > 3 ? 'long' : 'x'}"`,
    )
    const photos = addFolder('Photos')
    const renamed = add('a.jpg', photos)
    await showEverything()
    const before = await shown()
    carry(renamed, { name: 'renamed.jpg' })
    await listAgain()
    expect((await shown()).get('/Photos/renamed.jpg')).toBe(before.get('/Photos/a.jpg'))
    // The same etag, but changed later: another file, by all that is known.
    const object = world.cloud.objects('drive').find(({ ref }) => ref === renamed)
    if (object) object.modifiedAt += 60_000
    carry(renamed, { name: 'other.jpg' })
    await listAgain()
    expect((await shown()).get('/Photos/other.jpg')).not.toBe(before.get('/Photos/a.jpg'))
  })

  it('is recognised by size, time and name where a server knows nothing else', async () => {
    const time = ({ modifiedAt }: Entry) => Math.floor((modifiedAt?.getTime() ?? 0) / 1000)
    withoutHash((entry) => `${entry.size}-${time(entry)}`)
    const [photos, other] = [addFolder('Photos'), addFolder('Other')]
    const [carried, renamed, twin] = ['a.jpg', 'longer.jpg', 'twin one.jpg'].map((name) => add(name, photos))
    add('twin two.jpg', photos)
    await showEverything()
    const before = await shown()
    carry(carried as EntryRef, { parent: other })
    carry(renamed as EntryRef, { name: 'longest.jpg' })
    carry(twin as EntryRef, { parent: other })
    await listAgain()
    const after = await shown()
    expect(after.get('/Other/a.jpg')).toBe(before.get('/Photos/a.jpg'))
    // The name is another one, or another file looks the same: they could be any files that were made in that second.
    expect(after.get('/Photos/longest.jpg')).not.toBe(before.get('/Photos/longer.jpg'))
    expect(after.get('/Other/twin one.jpg')).not.toBe(before.get('/Photos/twin one.jpg'))
    carry(photos, { name: 'Pictures' })
    await listAgain()
    expect((await shown()).get('/Pictures/twin two.jpg')).toBe(before.get('/Photos/twin two.jpg'))
  })

  it('is not what the user has deleted here', async () => {
    content('a.txt', ROOT, 'the same')
    add('b.txt')
    await showEverything()
    const id = (await shown()).get('/a.txt') ?? ''
    await attach(id)
    await change({ kind: 'REMOVE', id })
    content('c.txt', ROOT, 'the same')
    await listAgain()
    expect((await shown()).get('/c.txt')).not.toBe(id)
    expect(await attached()).toEqual([])
  })

  it('keeps its id when a listing that has read its old place already goes on', async () => {
    const photos = addFolder('Photos')
    const refs = Array.from({ length: 7 }, (_, number) => add(`${number}.jpg`, photos))
    await showEverything()
    const before = await shown()
    let pages = 0
    replace((driver) => ({
      async listAll(call, cursor) {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        pages += 1
        if (pages === 2) {
          move(refs[6] as EntryRef, { name: 'renamed.jpg' })
          await open('/Photos')
        }
        return page
      },
    }))
    await inPlace.refresh(world.viewer, drive)
    await listOn()
    expect((await shown()).get('/Photos/renamed.jpg')).toBe(before.get('/Photos/6.jpg'))
    expect(await paths()).toHaveLength(8)
    expect(await wrongCounts()).toEqual([])
  })
})
