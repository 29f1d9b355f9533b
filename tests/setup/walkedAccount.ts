import { expect } from 'vitest'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { createAccountFeed } from '../../server/domain/feed/feed.ts'
import type { Step } from '../../server/domain/files/tree/step.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createFolderLooks } from '../../server/domain/inPlace/indexer.ts'
import { createInPlaceService } from '../../server/domain/inPlace/service.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { ROOT } from '../fakes/memory/cloud.ts'
import { moved } from '../fakes/memory/entries.ts'
import { failing } from '../fakes/memory/errors.ts'
import { pathDriver } from '../fakes/memory/paths.ts'
import { startTransfersWorld } from './transfersWorld.ts'

export type WalkedAccount = Awaited<ReturnType<typeof startWalkedAccount>>

/** The account “drive” of a service that reports no changes and names entries by their paths, and what the server knows of it. */
export async function startWalkedAccount() {
  const world = await startTransfersWorld({ pageSize: 3, capabilities: { duplicateNames: false } })
  const drive = await world.account('drive')
  /** Calls of the service by operation. */
  const calls = new Map<string, number>()
  world.cloud.fault = (operation) => {
    calls.set(operation, (calls.get(operation) ?? 0) + 1)
    return null
  }
  const { pool, events, enqueue, drivers, report, viewer } = world
  drivers.set(drive, pathDriver(drivers.get(drive) as Driver, world.cloud, 'drive'))
  const openDriver = async (id: string) => drivers.get(id) as Driver
  const onError = (error: unknown) => void world.errors.push(error)
  const feed = createAccountFeed({ pool, events, enqueue, leases: pool, openDriver, report, onError, everyMs: 0 })
  const inPlace = createInPlaceService({ pool, events, enqueue, openDriver })
  const looks = createFolderLooks({ pool, events, enqueue, openDriver, report, onError })
  const change = createChangeInPlace({
    pool,
    events,
    enqueue,
    openDriver,
    report,
    rootFolders: createRootFolders(pool),
  })

  const tree = () => world.cloud.tree('drive')
  function add(name: string, parent: EntryRef = ROOT, kind: 'file' | 'folder' = 'file'): EntryRef {
    return tree().add({ parent, name, kind, bytes: Buffer.from(kind === 'file' ? name : ''), mimeType: null }).ref
  }

  /** Ids by the paths of what is shown. */
  async function shown(): Promise<Map<string, string>> {
    const { rows } = await pool.query<{ id: string; path: string }>(
      `with recursive tree as (
         select id, '' as path from files where id = (select root_file_id from account_indexes where account_id = $1)
         union all select f.id, tree.path || '/' || f.name from tree join files f on f.parent_id = tree.id
           and f.purged_at is null and f.trash_root_id is null)
       select id, path from tree where path <> ''`,
      [drive],
    )
    return new Map(rows.map(({ path, id }) => [path, id]))
  }

  /** Until the whole account has been listed. */
  async function listOn(): Promise<void> {
    const listing = 'select from account_indexes where passed_at is null or pass_started_at is not null'
    do await feed.tick()
    while ((await pool.query(listing)).rowCount)
  }

  return {
    world,
    feed,
    looks,
    calls,
    tree,
    add,
    addFolder: (name: string, parent?: EntryRef) => add(name, parent, 'folder'),
    move: (ref: EntryRef, to: { parent?: EntryRef; name?: string }) =>
      moved(tree(), ref, to, failing(world.cloud.service, 'move')),
    shown,
    paths: async () => [...(await shown()).keys()].sort(),
    index: async () => (await inPlace.indexes(viewer, [drive])).get(drive),
    setScope: () => inPlace.setScope(viewer, drive, 'EVERYTHING'),
    async showEverything(): Promise<void> {
      await inPlace.setScope(viewer, drive, 'EVERYTHING')
      await listOn()
    },
    listOn,
    /** As the user asks for it. */
    refresh: () => inPlace.refresh(viewer, drive),
    /** What the account was found to hold is older than last night. */
    async nextNight(): Promise<void> {
      await pool.query("update account_indexes set passed_at = passed_at - interval '2 days'")
      await feed.tick()
    },
    /** As a list of the folder does. */
    async open(path: string): Promise<void> {
      const { rows } = await pool.query('select root_file_id as id from account_indexes')
      await pool.query('update account_entries set looked_at = null')
      await pool.query('update account_indexes set looked_at = null')
      looks.opened({ userId: viewer.userId, folderId: (await shown()).get(path) ?? rows[0].id })
      await looks.whenIdle()
    },
    change: (step: Step) => change(viewer, step),
    /** The account's driver with other methods, until the end of the test. */
    replace(methods: (driver: Driver) => Partial<Driver>): void {
      const driver = drivers.get(drive) as Driver
      drivers.set(drive, { ...driver, ...methods(driver) })
    },
    /** From now on, that folder is Skypool's own. */
    setHome: (ref: string) => pool.query('update accounts set home_ref = $2 where id = $1', [drive, ref]),
    async wrongCounts(): Promise<unknown[]> {
      const { rows } = await pool.query(
        `select f.name from files f where f.account_id = $1 and f.kind = 'FOLDER' and f.purged_at is null
           and f.child_count <> (select count(*) from files c where c.parent_id = f.id and c.purged_at is null and c.trashed_at is null)`,
        [drive],
      )
      return rows
    },
    /** Paths of what the account holds. */
    held(): string[] {
      const objects = new Map(world.cloud.objects('drive').map((object) => [object.ref, object]))
      const pathOf = (ref: EntryRef): string => {
        const object = objects.get(ref)
        return object ? `${pathOf(object.parent ?? ROOT)}/${object.name}` : ''
      }
      return [...objects.keys()].map(pathOf).sort()
    },
    async close(): Promise<void> {
      await looks.close()
      await feed.close()
      expect(world.errors).toEqual([])
      await world.close()
    },
  }
}
