import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import { lastNight } from '../../server/domain/inPlace/pass.ts'
import { createInPlaceService, type InPlaceService } from '../../server/domain/inPlace/service.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
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
})
afterEach(async () => {
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
       union all select f.id, tree.path || '/' || f.name from tree join files f on f.parent_id = tree.id and f.purged_at is null)
     select id, path from tree where path <> ''`,
    [drive],
  )
  return new Map(rows.map(({ path, id }) => [path, id]))
}
const paths = async () => [...(await shown()).keys()].sort()
const index = async () => (await inPlace.indexes(world.viewer, [drive])).get(drive)

async function showEverything(): Promise<void> {
  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  await feed.tick()
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
