import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import { createFileReads } from '../../server/domain/files/tree/entries.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createInPlaceHousekeeping } from '../../server/domain/inPlace/indexer.ts'
import { type AccountIndex, createInPlaceService, type InPlaceService } from '../../server/domain/inPlace/service.ts'
import type { Housekeeping } from '../../server/domain/jobs.ts'
import type { Driver, Entry, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { createRunJobs } from '../setup/runJobs.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
let drive: string
let feed: AccountFeed
let inPlace: InPlaceService

beforeEach(async () => {
  world = await startTransfersWorld({ pageSize: 3 })
  drive = await world.account('drive')
  feed = open()
  const { pool, events, enqueue, drivers } = world
  inPlace = createInPlaceService({ pool, events, enqueue, openDriver: async (id) => drivers.get(id) as Driver })
})
afterEach(async () => {
  await feed.close()
  expect(world.errors).toEqual([])
  await world.close()
})

function open(everyMs = 0): AccountFeed {
  const { pool, events, enqueue, drivers, report } = world
  const openDriver = async (id: string) => drivers.get(id) as Driver
  const onError = (error: unknown) => void world.errors.push(error)
  return createAccountFeed({ pool, events, enqueue, leases: pool, openDriver, report, onError, everyMs })
}

function housekeepingOf(service?: InPlaceService) {
  return createInPlaceHousekeeping({
    ...{ ...world, openDriver: async (id: string) => world.drivers.get(id) as Driver, changeInPlace: async () => null },
    ...(service && { inPlace: service }),
  })
}

const tree = () => world.cloud.tree('drive')
const ROOT = 'root' as EntryRef

function add(name: string, parent: EntryRef = ROOT, kind: 'file' | 'folder' = 'file'): EntryRef {
  return tree().add({ parent, name, kind, bytes: Buffer.from(kind === 'file' ? name : ''), mimeType: null }).ref
}
const addFolder = (name: string, parent?: EntryRef) => add(name, parent, 'folder')

function change(ref: EntryRef, to: { parent?: EntryRef; name?: string }): void {
  const object = world.cloud.accounts.get('drive')?.objects.get(ref)
  if (!object) throw new Error('There is nothing to change.')
  Object.assign(object, to)
  tree().changed(object)
}

const fail = (code: 'Transient') => async (): Promise<never> => {
  throw new ProviderError(code, { provider: 'memory', operation: 'listAll' }, { message: 'It breaks.' })
}

/** The account's driver with other methods, until the end of the test. */
function replace(methods: Partial<Driver>): Driver {
  const driver = world.drivers.get(drive) as Driver
  world.drivers.set(drive, { ...driver, ...methods })
  return driver
}

/** Paths of what is shown of the account, with the ids of the files. */
async function shown(): Promise<Map<string, string>> {
  const { rows } = await world.pool.query<{ id: string; path: string }>(
    `with recursive tree as (
       select id, '' as path from files where id = (select root_file_id from account_indexes where account_id = $1)
       union all select f.id, tree.path || '/' || f.name from tree join files f on f.parent_id = tree.id and f.purged_at is null)
     select id, path from tree where path <> ''`,
    [drive],
  )
  const all = await world.pool.query(
    'select count(*)::int as count from files where account_id = $1 and purged_at is null',
    [drive],
  )
  expect(all.rows[0].count).toBe(rows.length + 1)
  return new Map(rows.map(({ path, id }) => [path, id]))
}
const paths = async () => [...(await shown()).keys()].sort()

/** Paths of what the account holds. */
function held(): string[] {
  const objects = new Map(world.cloud.objects('drive').map((object) => [object.ref, object]))
  const pathOf = (ref: EntryRef): string => {
    const object = objects.get(ref)
    return object ? `${pathOf(object.parent ?? ROOT)}/${object.name}` : ''
  }
  return [...objects.keys()].map(pathOf).sort()
}

async function showEverything(): Promise<void> {
  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  await feed.tick()
}

/** Child counts that do not match the children. */
async function wrongCounts(): Promise<number> {
  const { rows } = await world.pool.query(
    `select f.id from files f where f.account_id = $1 and f.kind = 'FOLDER' and f.purged_at is null
       and f.child_count <> (select count(*) from files c where c.parent_id = f.id and c.purged_at is null)`,
    [drive],
  )
  return rows.length
}

async function expectTrue(): Promise<void> {
  expect(await paths()).toEqual(held())
  expect(await wrongCounts()).toBe(0)
  const [index] = [...(await inPlace.indexes(world.viewer, [drive])).values()]
  expect(index?.entries).toBe(held().length)
}

describe('the first listing', () => {
  it('shows everything in its folders, over many pages', async () => {
    const photos = addFolder('Photos')
    const trip = addFolder('Trip', photos)
    for (let number = 0; number < 8; number += 1) add(`img${number}.jpg`, trip)
    add('a.txt')
    await showEverything()
    await expectTrue()
    expect((await inPlace.indexes(world.viewer, [drive])).get(drive)).toMatchObject({
      phase: 'LIVE',
      entries: 11,
      problem: null,
    })
  })

  it('keeps names of any kind', async () => {
    for (const name of [
      '"quoted"',
      'back\\slash',
      'tab\tand\nline',
      '{a, b}',
      'NULL',
      'null',
      '',
      'ﬁ 😀',
      '1e3',
      "it's",
    ])
      add(name)
    // It is cut in the middle of a character.
    add(`${'a'.repeat(999)}😀.txt`)
    await showEverything()
    const expected = held().map((path) => (path === '/' ? '/Untitled' : path.replace(/(?<=a)😀\.txt$/, '\ufffd')))
    expect(await paths()).toEqual(expected.sort())
    await inPlace.refresh(world.viewer, drive)
    world.told.length = 0
    await feed.tick()
    expect(world.told.filter(({ topic }) => topic === 'filesChanged')).toEqual([])
  })

  it('leaves turns of the event loop to others while a large page is stored', async () => {
    const driver = world.drivers.get(drive) as Driver
    add('model.txt')
    const [model] = (await driver.list({ signal: AbortSignal.timeout(60_000), requestId: 'r' }, ROOT, null)).items
    if (!model) throw new Error('There is no entry.')
    let turn = 0
    const count = () => {
      turn += 1
      if (isCounting) setImmediate(count)
    }
    let isCounting = true
    count()
    const readIn = new Map<number, number>()
    // Its time is read when it is compared with what is known, and nowhere else.
    const entryOf = (number: number): Entry => ({
      ...model,
      ref: `many${number}` as EntryRef,
      name: `${number}.txt`,
      get modifiedAt() {
        readIn.set(turn, (readIn.get(turn) ?? 0) + 1)
        return new Date(0)
      },
    })
    const items = Array.from({ length: 1_000 }, (_, number) => entryOf(number))
    replace({ listAll: async () => ({ items, cursor: null }) })
    await showEverything()
    isCounting = false
    expect(await paths()).toHaveLength(1_000)
    expect(Math.max(...readIn.values())).toBeLessThanOrEqual(100)
  })

  it('begins at once, also when it is asked for while the feed is being read', async () => {
    add('a.txt')
    await feed.close()
    feed = open(30_000)
    const driver = world.drivers.get(drive) as Driver
    let hasAsked = false
    replace({
      changes: async (call, cursor) => {
        if (!hasAsked) await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
        hasAsked = true
        return (await driver.changes?.(call, cursor)) as never
      },
    })
    await feed.tick()
    await feed.tick()
    await expectTrue()
  })

  it('leaves out what Skypool stores', async () => {
    await world.receive(await world.groupCloud([drive]), Buffer.alloc(500))
    await world.settleDown()
    add('mine.txt')
    await showEverything()
    expect(await paths()).toEqual(['/mine.txt'])
  })

  it('continues after an interruption, without doing anything twice', async () => {
    for (let number = 0; number < 9; number += 1) add(`${number}.txt`)
    let pages = 0
    const driver = world.drivers.get(drive) as Driver
    replace({
      listAll: async (call, cursor) => {
        pages += 1
        return pages === 2 ? fail('Transient')() : ((await driver.listAll?.(call, cursor)) as never)
      },
    })
    await showEverything()
    expect((await inPlace.indexes(world.viewer, [drive])).get(drive)?.phase).toBe('FIRST_PASS')
    const before = await shown()
    await feed.close()
    feed = open()
    await feed.tick()
    await expectTrue()
    for (const [path, id] of before) expect((await shown()).get(path)).toBe(id)
    expect(pages).toBeLessThanOrEqual(5)
  })

  it('counts the entries of a folder only when it is complete, and then says that lists have changed', async () => {
    const folderRef = addFolder('Folder')
    for (let number = 0; number < 9; number += 1) add(`${number}.txt`, folderRef)
    const driver = world.drivers.get(drive) as Driver
    let isBroken = true
    replace({
      listAll: async (call, cursor) =>
        cursor !== null && isBroken ? fail('Transient')() : ((await driver.listAll?.(call, cursor)) as never),
    })
    const reads = createFileReads(world.pool)
    const counts = async () => {
      const { rootFileId } = (await inPlace.indexes(world.viewer, [drive])).get(drive) as AccountIndex
      const folderId = (await shown()).get('/Folder') as string
      const files = await reads.getMany(world.viewer, [rootFileId, folderId])
      return files.map((file) => file?.childCount)
    }
    await showEverything()
    expect(await counts()).toEqual([null, null])
    isBroken = false
    world.told.length = 0
    await feed.close()
    feed = open()
    await feed.tick()
    expect(await counts()).toEqual([1, 9])
    const event = expect.objectContaining({ truncated: true })
    expect(world.told).toContainEqual({ topic: 'filesChanged', event })
  })

  it('is correct although the account changes between its pages', async () => {
    const folder = addFolder('Folder')
    const moved = add('moved.txt', folder)
    for (let number = 0; number < 6; number += 1) add(`${number}.txt`)
    const driver = world.drivers.get(drive) as Driver
    let pages = 0
    replace({
      listAll: async (call, cursor) => {
        const page = (await driver.listAll?.(call, cursor)) as never
        pages += 1
        if (pages === 1) change(moved, { parent: ROOT, name: 'moved on.txt' })
        if (pages === 2) tree().remove(folder)
        if (pages === 3) add('new.txt')
        return page
      },
    })
    await showEverything()
    await feed.tick()
    await expectTrue()
  })
})

describe('changes', () => {
  it('of every kind are shown, and keep ids and stars', async () => {
    const folder = addFolder('Folder')
    const other = addFolder('Other')
    const kept = add('kept.txt', folder)
    const gone = add('gone.txt')
    await showEverything()
    const id = (await shown()).get('/Folder/kept.txt') as string
    await world.pool.query('update files set starred = true where id = $1', [id])
    change(kept, { parent: other, name: 'renamed.txt' })
    tree().remove(gone)
    const made = addFolder('Made', folder)
    add('inside.txt', made)
    await feed.tick()
    await expectTrue()
    expect((await shown()).get('/Other/renamed.txt')).toBe(id)
    const { rows } = await world.pool.query('select starred from files where id = $1', [id])
    expect(rows[0].starred).toBe(true)
  })

  it('that swap two folders', async () => {
    const a = addFolder('a')
    const b = addFolder('b', a)
    add('x', b)
    await showEverything()
    change(b, { parent: ROOT })
    change(a, { parent: b })
    await feed.tick()
    await expectTrue()
    // One at a time, the later one first.
    change(a, { parent: ROOT })
    change(b, { parent: a })
    await feed.tick()
    await expectTrue()
  })

  it('that change nothing publish nothing', async () => {
    const file = add('a.txt')
    await showEverything()
    world.told.length = 0
    change(file, {})
    const modifiedAt = world.cloud.accounts.get('drive')?.objects.get(file)?.modifiedAt
    await feed.tick()
    world.told.length = 0
    const object = world.cloud.accounts.get('drive')?.objects.get(file)
    world.cloud.accounts.get('drive')?.changed.push(file)
    expect(object?.modifiedAt).toBe(modifiedAt)
    await feed.tick()
    expect(world.told.filter(({ topic }) => topic === 'filesChanged')).toEqual([])
  })

  it('that were missed are found by listing again, without rows that are made again', async () => {
    const folder = addFolder('Folder')
    for (let number = 0; number < 5; number += 1) add(`${number}.txt`, folder)
    const gone = add('gone.txt')
    await showEverything()
    const before = await shown()
    tree().remove(gone)
    add('new.txt', folder)
    world.cloud.resetChanges('drive')
    await feed.tick()
    await feed.tick()
    await expectTrue()
    for (const [path, id] of await shown()) if (before.has(path)) expect(id).toBe(before.get(path))
  })

  it('that were missed are also found when the server ends as soon as it has a new cursor', async () => {
    const gone = add('gone.txt')
    await showEverything()
    tree().remove(gone)
    add('new.txt')
    world.cloud.resetChanges('drive')
    let ended = false
    const query = async (text: string, values?: unknown[]) => {
      if (ended) throw new Error('The server has ended.')
      const answer = await world.pool.query(text, values)
      ended = text.startsWith('insert into account_feeds (account_id, cursor,')
      return answer
    }
    const { events, enqueue, drivers, report } = world
    const dying = createAccountFeed({
      ...{ pool: { query } as unknown as typeof world.pool, events, enqueue, leases: world.pool, report, everyMs: 0 },
      openDriver: async (id) => drivers.get(id) as Driver,
      onError: () => {},
    })
    await dying.tick()
    await dying.close()
    expect(ended).toBe(true)
    await feed.tick()
    await expectTrue()
  })

  it('that move something out of the tree hide it, and a listing does not ask for it again and again', async () => {
    const seen = add('seen.txt')
    const unseen = add('unseen.txt')
    add('stays.txt')
    await showEverything()
    // A folder that somebody else shares with the account.
    const shared = tree().add({ parent: null, name: 'shared', kind: 'folder', bytes: Buffer.alloc(0), mimeType: null })
    change(seen, { parent: shared.ref })
    await feed.tick()
    expect(await paths()).toEqual(['/stays.txt', '/unseen.txt'])

    change(unseen, { parent: shared.ref })
    world.cloud.resetChanges('drive')
    let calls = 0
    world.cloud.fault = () => {
      calls += 1
      return null
    }
    await feed.tick()
    expect(await paths()).toEqual(['/stays.txt'])
    expect(calls).toBeLessThan(15)
    change(unseen, { parent: ROOT })
    await feed.tick()
    expect(await paths()).toEqual(['/stays.txt', '/unseen.txt'])
  })

  it('of folders outside the tree, and of what is in them, leave nothing behind that waits', async () => {
    // The order in which folders are asked about depends on their references.
    const moves = Array.from({ length: 8 }, (_, number) => {
      const folder = addFolder(`folder ${number}`)
      return { folder, file: add('old.txt', folder) }
    })
    add('stays.txt')
    await showEverything()
    for (const { folder } of moves) {
      const shared = { parent: null, name: 'shared', kind: 'folder', bytes: Buffer.alloc(0), mimeType: null } as const
      change(folder, { parent: tree().add(shared).ref })
    }
    await feed.tick()
    for (const { folder, file } of moves) {
      change(folder, { name: 'renamed' })
      change(file, { name: 'new.txt' })
    }
    await feed.tick()
    expect(await paths()).toEqual(['/stays.txt'])
    const { rows } = await world.pool.query('select ref, parent from unplaced_entries')
    expect(rows).toEqual([])
  })

  it('of a folder that was in the trash only for a moment bring back what was found to be gone meanwhile', async () => {
    const folder = addFolder('folder')
    add('a.txt', folder)
    const b = add('b.txt', folder)
    await showEverything()
    tree().setTrashed(folder, true)
    const { pool, events, enqueue, drivers, report } = world
    const openDriver = async (id: string) => drivers.get(id) as Driver
    const rootFolders = createRootFolders(pool)
    const changeInPlace = createChangeInPlace({ pool, events, enqueue, openDriver, report, rootFolders })
    const id = (await shown()).get('/folder/b.txt') ?? ''
    await expect(changeInPlace(world.viewer, { kind: 'RENAME', id, name: 'c.txt' })).rejects.toThrow('any more')
    expect(await paths()).toEqual(['/folder', '/folder/a.txt'])
    tree().setTrashed(folder, false)
    await feed.tick()
    expect((await shown()).get('/folder/b.txt')).toBe(id)
    await expectTrue()

    // The same while a listing asks for what it did not contain.
    const driver = world.drivers.get(drive) as Driver
    replace({
      listAll: async (call, cursor) => {
        const page = await driver.listAll?.(call, cursor)
        return { items: page?.items.filter(({ ref }) => ref !== b) ?? [], cursor: page?.cursor ?? null }
      },
      stat: async (call, ref) => {
        if (ref !== b) return driver.stat(call, ref)
        tree().setTrashed(folder, true)
        return driver.stat(call, ref).finally(() => tree().setTrashed(folder, false))
      },
    })
    await inPlace.refresh(world.viewer, drive)
    await feed.tick()
    await feed.tick()
    await expectTrue()
  })

  it('that bring something new name it for those who listen', async () => {
    await showEverything()
    add('new.txt')
    world.told.length = 0
    await feed.tick()
    const id = (await shown()).get('/new.txt')
    expect(world.told).toContainEqual(
      expect.objectContaining({ topic: 'filesChanged', event: expect.objectContaining({ fileIds: [id] }) }),
    )
  })

  it('of an entry that returns give it its id back', async () => {
    const folder = addFolder('Folder')
    const file = add('a.txt', folder)
    await showEverything()
    const id = (await shown()).get('/Folder/a.txt')
    const object = world.cloud.accounts.get('drive')?.objects.get(file)
    if (!object) throw new Error('It is missing.')
    tree().remove(file)
    await feed.tick()
    expect(await paths()).toEqual(['/Folder'])
    world.cloud.accounts.get('drive')?.objects.set(file, object)
    tree().changed(object)
    await feed.tick()
    expect((await shown()).get('/Folder/a.txt')).toBe(id)
    expect(await wrongCounts()).toBe(0)
  })
})

describe('nothing vanishes by mistake', () => {
  it.each<[string, Partial<Driver>]>([
    ['a listing that is empty', { listAll: async () => ({ items: [], cursor: null }) }],
    ['a listing that fails', { listAll: fail('Transient') }],
    ['questions that fail', { stat: fail('Transient'), listAll: async () => ({ items: [], cursor: null }) }],
  ])('for %s', async (_what, methods) => {
    for (let number = 0; number < 5; number += 1) add(`${number}.txt`)
    await showEverything()
    const healthy = replace(methods)
    world.cloud.resetChanges('drive')
    await feed.tick()
    await feed.tick()
    await expectTrue()
    world.drivers.set(drive, healthy)
    await feed.tick()
    await expectTrue()
  })

  it('more than half of an account is held back until the user decides', async () => {
    const folder = addFolder('Folder')
    for (let number = 0; number < 110; number += 1) add(`${number}.txt`, folder)
    add('kept.txt')
    await showEverything()
    const before = await paths()
    tree().remove(folder)
    // The provider reports it in several parts: the first ones alone are not suspicious.
    const told = world.told.length
    for (let polls = 0; polls < 3; polls += 1) await feed.tick()
    expect(world.told.slice(told)).toContainEqual({ topic: 'accountsChanged', event: { accountIds: [drive] } })
    expect(await paths()).toEqual(before)
    expect(await wrongCounts()).toBe(0)
    expect((await inPlace.indexes(world.viewer, [drive])).get(drive)).toMatchObject({
      phase: 'HELD',
      heldDeletions: 111,
    })

    await inPlace.decideDeletions(world.viewer, drive, false)
    await feed.tick()
    expect(await paths()).toEqual(before)
    expect((await inPlace.indexes(world.viewer, [drive])).get(drive)).toMatchObject({
      phase: 'HELD',
      heldDeletions: 111,
    })

    await inPlace.decideDeletions(world.viewer, drive, true)
    await expectTrue()
    expect(await paths()).toEqual(['/kept.txt'])
    expect((await inPlace.indexes(world.viewer, [drive])).get(drive)).toMatchObject({ phase: 'LIVE', heldDeletions: 0 })
    await expect(inPlace.decideDeletions(world.viewer, drive, true)).rejects.toThrow('Nothing of this account')
  })
})

describe('only what Skypool stores', () => {
  it('hides the folder at once and removes all rows, and everything can be shown again', async () => {
    const folder = addFolder('Folder')
    add('a.txt', folder)
    await showEverything()
    await inPlace.setScope(world.viewer, drive, 'OWN')
    await inPlace.setScope(world.viewer, drive, 'OWN')
    expect((await inPlace.indexes(world.viewer, [drive])).size).toBe(0)
    await expect(inPlace.setScope(world.viewer, drive, 'EVERYTHING')).rejects.toThrow('still being removed')
    await housekeepingOf().forgetEntries(drive, new AbortController().signal)
    const { rows } = await world.pool.query('select id from files where account_id = $1', [drive])
    expect(rows).toEqual([])
    await showEverything()
    await expectTrue()
  })

  it('is shown of an account that is connected again until its old entries are removed, then everything', async () => {
    add('a.txt')
    await showEverything()
    await inPlace.setScope(world.viewer, drive, 'OWN')
    await inPlace.setFirstScope(world.viewer, drive, 'EVERYTHING')
    expect((await inPlace.indexes(world.viewer, [drive])).size).toBe(0)
    await createRunJobs(world.pool, { inPlace: housekeepingOf(inPlace) } as Housekeeping)()
    await feed.tick()
    await expectTrue()
    expect(await paths()).toEqual(['/a.txt'])
  })

  it('stays hidden when the account is disconnected before its old entries are removed', async () => {
    add('a.txt')
    await showEverything()
    await inPlace.setScope(world.viewer, drive, 'OWN')
    await inPlace.setFirstScope(world.viewer, drive, undefined)
    await world.pool.query('update accounts set disconnected_at = now() where id = $1', [drive])
    await createRunJobs(world.pool, { inPlace: housekeepingOf(inPlace) } as Housekeeping)()
    expect((await world.pool.query('select from files where account_id = $1', [drive])).rows).toEqual([])
    expect((await world.pool.query('select from account_indexes')).rows).toEqual([])
  })

  it('is all there is where the driver cannot list an account', async () => {
    replace({ listAll: undefined } as never)
    await expect(inPlace.setScope(world.viewer, drive, 'EVERYTHING')).rejects.toThrow(
      'Skypool can see only what it stores',
    )
  })

  it('is not for accounts of others', async () => {
    const other = { ...world.viewer, userId: '00000000-0000-4000-8000-000000000000' }
    await expect(inPlace.setScope(other, drive, 'EVERYTHING')).rejects.toThrow()
    await expect(inPlace.refresh(other, drive)).rejects.toThrow()
  })
})
