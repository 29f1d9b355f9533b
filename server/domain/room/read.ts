import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { Events } from '../events.ts'
import type { FileCategory, FileKind } from '../files/contract.ts'
import { ROOT } from '../files/tree/entries.ts'
import type { RoomHousekeeping } from '../jobs.ts'
import { createTally, type FolderSum, type TalliedFile, type TalliedFolder } from './tally.ts'

// Reads the trees that are added up: the entries of an account, or what Skypool stores in it, by the folders of the user.

/** Which entries, as in `File.home`. */
export type Home = 'ACCOUNT' | 'POOL'

/**
 * A folder with at most this many entries, with everything below, is added up when it is asked for. Larger ones are computed in the
 * background, all of an account at once: with a million entries these are some hundreds.
 */
export const SMALL = 5_000
/** A folder that has grown since is still added up when it is asked for: the two limits must leave no gap. */
export const MOST_READ = 2 * SMALL

/** Files that no one changed for so long are untouched. */
const UNTOUCHED_YEARS = 5

/** `rootId`: the folder that shows the account, or ROOT for POOL. */
export type Place = {
  readonly accountId: string
  readonly userId: string
  readonly home: Home
  readonly rootId: string
}

const CHANGED = `(extract(epoch from f.updated_at) * 1000)::float8`
const LIVE_IN_PLACE = 'f.purged_at is null and f.trash_root_id is null'
const LIVE_POOLED = `f.account_id is null and f.purged_at is null and f.trashed_at is null and f.trash_root_id is null`

/** `offset 0`: always by the index, however many rows the planner expects. */
const BELOW_IN_PLACE = {
  name: 'room below in place',
  text: `with recursive below (id, parent_id, kind, category, size, changed, entries) as (
      select f.id, null::uuid, f.kind, f.category, f.size, ${CHANGED}, f.child_count from files f where f.id = $2
      union all select f.id, b.id, f.kind, f.category, f.size, ${CHANGED}, f.child_count
        from below b cross join lateral (
          select f.* from files f where f.parent_id = b.id and f.account_id = $1 and ${LIVE_IN_PLACE} offset 0) f
        where b.kind = 'FOLDER')
    select b.id, b.parent_id, b.kind, b.category, case when e.native_kind is null then b.size::float8 end, b.changed, b.entries
    from (select * from below limit $3) b
      left join lateral (select native_kind from account_entries where file_id = b.id offset 0) e on true`,
}

/** Files without bytes on the account have no size. */
const BELOW_POOLED = {
  name: 'room below pooled',
  text: `with recursive below (id, parent_id, kind, category, changed, entries) as (
      select $2::uuid, null::uuid, 'FOLDER'::"FileKind", 'FOLDER'::"FileCategory", 0::float8, 0
      union all select f.id, b.id, f.kind, f.category, ${CHANGED}, f.child_count
        from below b cross join lateral (
          select f.* from files f where f.user_id = $4 and coalesce(f.parent_id, '${ROOT}'::uuid) = b.id and ${LIVE_POOLED} offset 0) f
        where b.kind = 'FOLDER')
    select b.id, b.parent_id, b.kind, b.category, h.bytes::float8, b.changed, b.entries
    from (select * from below limit $3) b left join lateral (
      select sum(p.size) as bytes from copies c join pieces p on p.copy_id = c.id
      where c.file_id = b.id and c.state <> 'MISSING' and p.account_id = $1 and p.state = 'STORED' offset 0) h on b.kind = 'FILE'`,
}

type Row = [
  id: string,
  parentId: string | null,
  kind: FileKind,
  category: FileCategory,
  size: number | null,
  changed: number,
  entries: number,
]

/** What fills a folder, read now; null if it has too many entries for that. */
export async function sumNow(pool: Pool, place: Place, folderId: string): Promise<FolderSum | null> {
  const [statement, values] =
    place.home === 'ACCOUNT'
      ? [BELOW_IN_PLACE, [place.accountId, folderId, MOST_READ + 1]]
      : [BELOW_POOLED, [place.accountId, folderId, MOST_READ + 1, place.userId]]
  const { rows } = await pool.query<Row>({ ...statement, values, rowMode: 'array' })
  if (rows.length > MOST_READ) return null
  const folders = rows
    .filter(([, , kind]) => kind === 'FOLDER')
    .map(([id, parentId, , , , , entries]) => ({ id, parentId, entries }))
  const tally = await createTally(folders, { above: Number.POSITIVE_INFINITY, untouchedBefore: untouchedBefore() })
  for (const [id, parentId, kind, category, size, changed] of rows) {
    if (kind === 'FOLDER' || parentId === null || (size === null && place.home === 'POOL')) continue
    tally.add({ id, parentId, category, size, changed })
  }
  return (await tally.sums()).get(folderId) ?? null
}

function untouchedBefore(): number {
  const time = new Date()
  time.setUTCFullYear(time.getUTCFullYear() - UNTOUCHED_YEARS)
  return time.getTime()
}

const FOLDERS_IN_PLACE = `declare room_rows no scroll cursor for
  select f.id, f.parent_id as "parentId", f.child_count as entries
  from account_entries e join files f on f.id = e.file_id
  where e.account_id = $1 and f.kind = 'FOLDER' and ${LIVE_IN_PLACE}`

const FILES_IN_PLACE = `declare room_rows no scroll cursor for
  select f.id, f.parent_id as "parentId", f.category, case when e.native_kind is null then f.size::float8 end as size,
    ${CHANGED} as changed
  from account_entries e join files f on f.id = e.file_id
  where e.account_id = $1 and f.kind = 'FILE' and ${LIVE_IN_PLACE}`

const FOLDERS_POOLED = `declare room_rows no scroll cursor for
  select f.id, coalesce(f.parent_id, '${ROOT}'::uuid) as "parentId", f.child_count as entries
  from files f where f.user_id = $1 and f.kind = 'FOLDER' and ${LIVE_POOLED}`

const FILES_POOLED = `declare room_rows no scroll cursor for
  select f.id, coalesce(f.parent_id, '${ROOT}'::uuid) as "parentId", f.category, sum(p.size)::float8 as size, ${CHANGED} as changed
  from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
  where p.account_id = $1 and p.state = 'STORED' and c.state <> 'MISSING' and ${LIVE_POOLED} group by f.id`

/** Read at once: a few milliseconds of this process, so that requests are answered in between. */
const BATCH = 1_000

/** The whole result is read, which a cursor does not plan for by itself; and memory for a join of all entries. */
const SETTINGS = `select set_config('cursor_tuple_fraction', '1', true), set_config('work_mem', '32MB', true)`

/**
 * What fills the large folders of a place, and its root, in one state of the database, by id of the folder.
 * @param tx an open transaction that reads one state and is ended afterwards
 */
async function sumAll(
  tx: PoolClient,
  { accountId, userId, home, rootId }: Place,
  signal: AbortSignal,
): Promise<Map<string, FolderSum>> {
  await tx.query(SETTINGS)
  const folders: TalliedFolder[] = [{ id: rootId, parentId: null, entries: 0 }]
  await tx.query(home === 'ACCOUNT' ? FOLDERS_IN_PLACE : FOLDERS_POOLED, [home === 'ACCOUNT' ? accountId : userId])
  await eachBatch<TalliedFolder>(tx, signal, (rows) => folders.push(...rows))
  const tally = await createTally(folders, { above: SMALL, untouchedBefore: untouchedBefore() })
  await tx.query(home === 'ACCOUNT' ? FILES_IN_PLACE : FILES_POOLED, [accountId])
  await eachBatch<TalliedFile>(tx, signal, (rows) => {
    for (const file of rows) tally.add(file)
  })
  return tally.sums()
}

/** Reads the open cursor to its end and closes it. */
async function eachBatch<Row extends QueryResultRow>(
  tx: PoolClient,
  signal: AbortSignal,
  use: (rows: readonly Row[]) => void,
): Promise<void> {
  for (let count = BATCH; count > 0; ) {
    signal.throwIfAborted()
    const { rows } = await tx.query<Row>(`fetch ${BATCH} from room_rows`)
    use(rows)
    count = rows.length
  }
  await tx.query('close room_rows')
}

/** What equal files of an account waste: all but one of each group. */
export type Wasted = { readonly groups: number; readonly bytes: number }

// Certain: the same account, size and hash, as the provider reports it or as it was computed when the file was received.
const SAME_IN_PLACE = `with same as (
    select f.size, count(*) as files from account_entries e join files f on f.id = e.file_id
    where e.account_id = $1 and e.hash is not null and f.size > 0 and f.kind = 'FILE' and ${LIVE_IN_PLACE}
    group by e.hash, f.size having count(*) > 1)
  select count(*)::int as groups, coalesce(sum(size * (files - 1)), 0)::float8 as bytes from same`

const SAME_POOLED = `with held as (
    select f.sha256, f.size, sum(p.size) as bytes
    from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
    where p.account_id = $1 and p.state = 'STORED' and c.state <> 'MISSING' and f.sha256 is not null and f.size > 0 and ${LIVE_POOLED}
    group by f.id),
  same as (select sum(bytes) - max(bytes) as bytes from held group by sha256, size having count(*) > 1)
  select count(*)::int as groups, coalesce(sum(bytes), 0)::float8 as bytes from same`

export async function findWasted(sql: Pick<PoolClient, 'query'>, { accountId, home }: Place): Promise<Wasted> {
  const { rows } = await sql.query<Wasted>(home === 'ACCOUNT' ? SAME_IN_PLACE : SAME_POOLED, [accountId])
  return rows[0] ?? { groups: 0, bytes: 0 }
}

/** A stored answer. The root's also has what duplicates waste in the whole place. */
export type StoredAnswer = FolderSum & { readonly wasted?: Wasted }

/**
 * The share of time that computing an account again may take, however often it is looked at: an answer that took 5 seconds is used for
 * 100, and each for a minute at least.
 */
const SHARE = 20
const AT_LEAST_MS = 60_000

/** Whether an answer is old enough to be computed again. $1 and $2 as in FRESH. */
export const IS_STALE = `as_of < now() - greatest(${AT_LEAST_MS}, took_ms::bigint * ${SHARE}) * interval '1 millisecond'`

const FRESH = `select 1 from room_answers where account_id = $1 and folder_id = $2 and not ${IS_STALE}`

const CLEAR = 'delete from room_answers where account_id = $1 and home = $2'

const STORE = `insert into room_answers (account_id, folder_id, home, answer, as_of, took_ms)
  select $1, (a->>'id')::uuid, $2, a->'answer', $4, $5 from jsonb_array_elements($3::jsonb) a`

const PLACE = `select a.id as "accountId", a.user_id as "userId", i.root_file_id as "rootFileId"
  from accounts a left join account_indexes i on i.account_id = a.id where a.id = $1 and a.disconnected_at is null`

export function createRoomHousekeeping({
  pool,
  events,
}: {
  readonly pool: Pool
  readonly events: Pick<Events, 'publish'>
}): RoomHousekeeping {
  return {
    async measure(accountId, home, signal) {
      const place = await findPlace(pool, accountId, home)
      if (!place) {
        await pool.query(CLEAR, [accountId, home])
        return
      }
      const fresh = await pool.query(FRESH, [accountId, place.rootId])
      if (fresh.rows.length > 0) return
      const began = performance.now()
      const { asOf, sums, wasted } = await readAll(pool, place, signal)
      const took = Math.round(performance.now() - began)
      const answers = [...sums].map(([id, answer]) => ({
        id,
        answer: id === place.rootId ? { ...answer, wasted } : answer,
      }))
      await transaction(pool, async (tx) => {
        // Serialises two jobs for one account, and ends this one if the account is being removed.
        const found = await tx.query('select 1 from accounts where id = $1 for no key update', [accountId])
        if (found.rows.length === 0) return
        await tx.query(CLEAR, [accountId, home])
        await tx.query(STORE, [accountId, home, JSON.stringify(answers), asOf, took])
      })
      events.publish('accountsChanged', place.userId, { accountIds: [accountId] })
    },
  }
}

/** Where the entries are; null if there are none to show. */
async function findPlace(pool: Pool, accountId: string, home: Home): Promise<Place | null> {
  const { rows } = await pool.query<{ userId: string; rootFileId: string | null }>(PLACE, [accountId])
  const [row] = rows
  const rootId = home === 'POOL' ? ROOT : row?.rootFileId
  return row && rootId ? { accountId, userId: row.userId, home, rootId } : null
}

type All = { readonly asOf: Date; readonly sums: Map<string, FolderSum>; readonly wasted: Wasted }

async function readAll(pool: Pool, place: Place, signal: AbortSignal): Promise<All> {
  return transaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only')
    const { rows } = await tx.query<{ asOf: Date }>('select now()::timestamptz(3) as "asOf"')
    const sums = await sumAll(tx, place, signal)
    return { asOf: rows[0]?.asOf ?? new Date(), sums, wasted: await findWasted(tx, place) }
  })
}
