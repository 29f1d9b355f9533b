import { createRootFolders } from '../../../server/domain/accounts/rootFolders.ts'
import { DomainError } from '../../../server/domain/errors.ts'
import { createAccountFeed } from '../../../server/domain/feed/feed.ts'
import type { Step } from '../../../server/domain/files/tree/steps.ts'
import { createChangeInPlace } from '../../../server/domain/inPlace/changes.ts'
import { createInPlaceService } from '../../../server/domain/inPlace/service.ts'
import { newId } from '../../../server/lib/ids.ts'
import type { Driver, EntryRef } from '../../../server/providers/driver.ts'
import { ROOT } from '../../fakes/memory/cloud.ts'
import { moved } from '../../fakes/memory/entries.ts'
import { failing } from '../../fakes/memory/errors.ts'
import type { Fault } from '../../fakes/memory/faults.ts'
import type { TransfersWorld } from '../../setup/transfersWorld.ts'
import { createChance } from './random.ts'

const STEPS = 60
/** Fewer entries than are held back when they are gone at once. */
const MOST_ENTRIES = 80
/** Polls in which the index has to become equal to the account once nothing goes wrong any more. */
const MOST_POLLS = 12
const NAMES = ['a', 'b', 'B', 'a.txt', 'plan', 'plan (2)', 'ü', 'very/odd', ''] as const
const CODES = ['Transient', 'RateLimited', 'Transient', 'Forbidden'] as const
const ORDERS = ['FOLDERS_FIRST', 'CREATION', 'REVERSED', 'SHUFFLED'] as const

export type InPlaceOutcome = {
  readonly changes: number
  readonly faults: number
  readonly violations: readonly string[]
}

/** A driver that does something wrong: for tests of what the simulation finds. */
export type Spoil = (driver: Driver) => Driver

/**
 * One schedule: a new account of the world is changed at random, from outside and by its user here, while its index is read, under
 * faults and restarts. At the end the index has to be equal to the account, and no entry may ever have got a second row. A change by
 * the user that did not fail has to be seen in the account at once.
 */
export async function runInPlaceSchedule(
  world: TransfersWorld,
  seed: string,
  spoil: Spoil = (driver) => driver,
): Promise<InPlaceOutcome> {
  const chance = createChance('in place', seed)
  const subject = `in place ${seed}`
  const id = await world.account(subject)
  const { pool, events, enqueue, drivers, report, cloud, viewer } = world
  drivers.set(id, spoil(drivers.get(id) as Driver))
  const openDriver = async (accountId: string) => {
    // Other schedules of the same world are over.
    if (accountId !== id) throw new Error('This account is not part of the schedule.')
    return drivers.get(accountId) as Driver
  }
  const violations: string[] = []
  const onError = (error: unknown) => void violations.push(`an unexpected error: ${error}`)
  const open = () => createAccountFeed({ pool, events, enqueue, leases: pool, openDriver, report, onError, everyMs: 0 })
  const service = createInPlaceService({ pool, events, enqueue, openDriver })
  const rootFolders = createRootFolders(pool)
  const changeInPlace = createChangeInPlace({ pool, events, enqueue, openDriver, report, rootFolders })
  const account = cloud.accounts.get(subject)
  const tree = cloud.tree(subject)
  const fail = failing(cloud.service, 'move')
  if (!account) throw new Error('There is no such account.')

  let [changes, faults] = [0, 0]
  const rowOf = new Map<string, string>()
  let feed = open()

  const live = () => cloud.objects(subject).filter((object) => !tree.isTrashed(object))
  const refOf = (kinds: readonly string[]): EntryRef | undefined =>
    chance.pick(live().filter(({ kind }) => kinds.includes(kind)))?.ref
  const folder = (): EntryRef => (chance.happens(0.4) ? ROOT : (refOf(['folder']) ?? ROOT))

  function changeOutside(): void {
    changes += 1
    const what = chance.weighted({ add: 6, rename: 2, move: 3, overwrite: 2, trash: 1, restore: 1, remove: 1 })
    const ref = refOf(['file', 'folder'])
    if (what === 'add' || !ref) {
      if (live().length >= MOST_ENTRIES) return
      const kind = chance.happens(0.35) ? 'folder' : 'file'
      const bytes = Buffer.from(kind === 'file' ? `content ${changes}` : '')
      tree.add({ parent: folder(), name: chance.oneOf(NAMES), kind, bytes, mimeType: null })
    } else if (what === 'rename' || what === 'move') {
      try {
        moved(
          tree,
          ref,
          what === 'move' ? { parent: folder() } : { name: chance.oneOf(NAMES.slice(0, 7) as never) },
          fail,
        )
      } catch {
        // Refused, as a service refuses it: a folder cannot be inside itself.
      }
    } else if (what === 'overwrite') {
      const file = refOf(['file'])
      if (file) cloud.overwrite(subject, file, Buffer.from(`changed ${changes}`))
    } else if (what === 'restore') {
      const trashed = chance.pick(cloud.objects(subject).filter((object) => object.trashed))
      if (trashed) tree.setTrashed(trashed.ref, false)
    } else if (what === 'trash') tree.setTrashed(ref, true)
    else tree.remove(ref)
  }

  /** A file of the index: shown, or in the trash. */
  type Picked = { id: string; ref: EntryRef; name: string; parentId: string }
  async function pickFile(condition: string): Promise<Picked | undefined> {
    const { rows } = await pool.query<Picked>(
      `select f.id, e.ref, f.name, f.parent_id as "parentId" from account_entries e join files f on f.id = e.file_id
       where e.account_id = $1 and f.purged_at is null and ${condition} order by e.file_id`,
      [id],
    )
    return chance.pick(rows)
  }

  async function stepInside(): Promise<{ step: Step; ref: EntryRef | null; parentRef: EntryRef } | null> {
    const kind = chance.weighted({ CREATE: 1, RENAME: 2, MOVE: 3, TRASH: 2, RESTORE: 2, REMOVE: 1 }) as Step['kind']
    const wanted = kind === 'RESTORE' ? 'f.trashed_at is not null' : 'f.trash_root_id is null'
    const file = await pickFile(kind === 'REMOVE' && chance.happens(0.7) ? 'f.trashed_at is not null' : wanted)
    const folder = chance.happens(0.4) ? undefined : await pickFile("f.kind = 'FOLDER' and f.trash_root_id is null")
    const { rows } = await pool.query<{ id: string }>(
      'select root_file_id as id from account_indexes where account_id = $1',
      [id],
    )
    const parentId = folder?.id ?? rows[0]?.id ?? ''
    const parentRef = folder?.ref ?? ROOT
    const name = chance.oneOf(['a', 'c', 'plan', 'ü'] as const)
    if (kind === 'CREATE') return { step: { kind, id: newId(), name, parentId }, ref: null, parentRef }
    if (!file) return null
    const base = { id: file.id }
    // What the index shows already is not asked for.
    if (file.parentId === parentId && kind === 'MOVE') return null
    if (file.name === name && kind === 'RENAME') return null
    if (kind === 'RENAME') return { step: { ...base, kind, name }, ref: file.ref, parentRef }
    if (kind === 'MOVE') {
      const onConflict = chance.oneOf(['RENAME', 'FAIL', 'REPLACE'] as const)
      return { step: { ...base, kind, parentId, onConflict }, ref: file.ref, parentRef }
    }
    return { step: { ...base, kind: kind as 'TRASH' }, ref: file.ref, parentRef }
  }

  async function changeInside(): Promise<void> {
    const given = await stepInside()
    if (!given) return
    const { step, ref, parentRef } = given
    changes += 1
    try {
      const file = await changeInPlace(viewer, step)
      const object = ref === null ? undefined : account?.objects.get(ref)
      const isTrashed = object !== undefined && tree.isTrashed(object)
      const isDone =
        step.kind === 'CREATE'
          ? tree.children(parentRef).some(({ name, kind }) => name === step.name && kind === 'folder')
          : step.kind === 'RENAME'
            ? object?.name === step.name && file?.name === step.name
            : step.kind === 'MOVE'
              ? object?.parent === parentRef && file?.parentId === step.parentId
              : step.kind === 'TRASH'
                ? isTrashed && file?.trashedAt !== null
                : step.kind === 'RESTORE'
                  ? object !== undefined && !isTrashed && file?.trashedAt === null
                  : object === undefined && file === null
      if (!isDone) violations.push(`${step.kind} was not done`)
    } catch (error) {
      if (!(error instanceof DomainError)) violations.push(`${step.kind}: ${error}`)
    }
  }

  function faultOf(): Fault | null {
    if (!chance.happens(0.12)) return null
    faults += 1
    return chance.happens(0.3) ? { kind: 'lostReply' } : { kind: 'refused', code: chance.oneOf(CODES) }
  }

  /** An entry keeps its row, whatever happens to it. */
  async function noteRows(): Promise<void> {
    const { rows } = await pool.query<{ ref: string; file_id: string }>(
      'select ref, file_id from account_entries where account_id = $1',
      [id],
    )
    for (const { ref, file_id: fileId } of rows) {
      const before = rowOf.get(ref)
      if (before !== undefined && before !== fileId) violations.push(`${ref} was deleted and made again`)
      rowOf.set(ref, fileId)
    }
  }

  const actions: Readonly<Record<string, () => Promise<unknown> | undefined>> = {
    change: async () => changeOutside(),
    inside: changeInside,
    poll: () => feed.tick(),
    restart: async () => {
      await feed.close()
      feed = open()
    },
    refresh: () => service.refresh(viewer, id),
    resetChanges: async () => cloud.resetChanges(subject),
    resetListings: async () => cloud.resetListings(subject),
    restyle: async () => {
      cloud.listing = { order: chance.oneOf(ORDERS), repeated: chance.between(0, 2) }
    },
  }
  const weights = {
    change: 10,
    inside: 6,
    poll: 5,
    restart: 1,
    refresh: 1,
    resetChanges: 0.7,
    resetListings: 0.5,
    restyle: 1,
  }

  try {
    for (let before = chance.between(0, 25); before > 0; before -= 1) changeOutside()
    await service.setScope(viewer, id, 'EVERYTHING')
    cloud.fault = (_operation, _ref, of) => (of === subject ? faultOf() : null)
    for (let step = 0; step < STEPS; step += 1) {
      await actions[chance.weighted(weights)]?.()
      await noteRows()
    }
    cloud.fault = null
    let problems: string[] = ['it was never read']
    for (let polls = 0; polls < MOST_POLLS && problems.length > 0; polls += 1) {
      await pool.query("update account_feeds set next_at = now() - interval '1 second' where account_id = $1", [id])
      await pool.query(
        "update accounts set unreachable_since = null, paused_until = null, status = 'CONNECTED' where id = $1",
        [id],
      )
      await feed.tick()
      problems = await differences()
    }
    await noteRows()
    violations.push(...problems)
  } finally {
    cloud.fault = null
    await feed.close()
    await report.whenIdle()
    await pool.query('update accounts set disconnected_at = now() where id = $1', [id])
  }
  return { changes, faults, violations }

  /** How the index differs from the account. */
  async function differences(): Promise<string[]> {
    const { rows } = await pool.query<{
      ref: string
      name: string
      size: number
      above: string | null
      top: boolean
      count: number
      children: number
    }>(
      `select e.ref, f.name, f.size::int as size, p.ref as above, f.parent_id = i.root_file_id as top, f.child_count as count,
         (select count(*)::int from files c where c.parent_id = f.id and c.purged_at is null and c.trashed_at is null) as children
       from account_entries e join files f on f.id = e.file_id join account_indexes i on i.account_id = e.account_id
         left join account_entries p on p.file_id = f.parent_id
       where e.account_id = $1 and f.purged_at is null and f.trash_root_id is null`,
      [id],
    )
    const index = new Map(rows.map((row) => [row.ref, row]))
    const held = live()
    const found: string[] = []
    for (const { ref, name, parent, kind, bytes } of held) {
      const row = index.get(ref)
      index.delete(ref)
      if (!row) found.push(`${ref} is missing`)
      else if (row.name !== (name === '' ? 'Untitled' : name)) found.push(`${ref} has the name ${row.name}`)
      else if (kind === 'file' && row.size !== bytes.length) found.push(`${ref} has ${row.size} bytes`)
      else if (parent === ROOT ? !row.top : row.above !== parent) found.push(`${ref} is in another folder`)
      else if (kind === 'folder' && row.count !== row.children)
        found.push(`${ref} counts ${row.count} of ${row.children}`)
    }
    found.push(...[...index.keys()].map((ref) => `${ref} is too much`))
    const { rows: counts } = await pool.query<{ entries: number }>(
      'select entries from account_indexes where account_id = $1',
      [id],
    )
    if (counts[0]?.entries !== held.length)
      found.push(`${counts[0]?.entries} entries are counted instead of ${held.length}`)
    return found
  }
}
