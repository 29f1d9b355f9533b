import type { Pool, PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { HASH_COLUMNS, HASHES_OF_FILE, type HashRow, hashesOf } from '../files/content/hashes.ts'
import type { FileCategory } from '../files/contract.ts'
import { UNSETTLED } from '../files/tree/trash.ts'
import type { Enqueue } from '../jobs.ts'
import type { DuplicateMatch } from './contract.ts'
import { byKey, type Candidate, type Group, groupEqual } from './grouping.ts'
import { regroupMany } from './manyOfOneSize.ts'

// Keeps the groups up to date: triggers note the sizes of files that change, and all files of such a size are grouped again.

export type CheckDeps = { readonly pool: Pool; readonly enqueue: Enqueue }

export type CheckOptions = {
  /** Changes that are checked. */
  readonly limit: number
  /** Sizes of more files than are loaded at once are left to the job, because they take longer than a reader waits. */
  readonly leaveLarge?: boolean
  readonly mostLoaded?: number
}

/** DONE: everything is checked. MORE: there are further sizes. BUSY: another process is checking the user's files. */
export type CheckOutcome = 'DONE' | 'MORE' | 'BUSY'

/** Files, and places of files in groups, that are loaded at once. Where one size has more of them, PostgreSQL groups them. */
const MOST_LOADED = 20_000
/** Files of one job that computes hashes. */
const HASHED_TOGETHER = 200

const BEGIN = 'insert into duplicate_checks (user_id) select id from users where id = $1 on conflict do nothing'
const LOCK = 'select from duplicate_checks where user_id = $1 for update skip locked'
const TAKE = `with taken as (delete from unchecked_sizes u using (
      select size, position from unchecked_sizes where user_id = $1 order by size desc, position desc limit $2) t
    where u.user_id = $1 and u.size = t.size and u.position = t.position returning u.size)
  select distinct size::float8 as size from taken order by size desc`
const MORE = 'select exists (select from unchecked_sizes where user_id = $1) as more'
const END = 'update duplicate_checks set checked_at = now() where user_id = $1'

/** Groups the files of the noted changes again, of the largest files first. */
export async function checkSome(
  { pool, enqueue }: CheckDeps,
  userId: string,
  { limit, leaveLarge = false, mostLoaded = MOST_LOADED }: CheckOptions,
): Promise<CheckOutcome> {
  await pool.query(BEGIN, [userId])
  return retryConflicts(() =>
    transaction(pool, async (tx): Promise<CheckOutcome> => {
      const { rowCount } = await tx.query(LOCK, [userId])
      if (!rowCount) return 'BUSY'
      const { rows } = await tx.query<{ size: number }>(TAKE, [userId, limit])
      const { parts, large } = await planChecks(
        tx,
        userId,
        rows.map(({ size }) => size),
        mostLoaded,
      )
      for (const { sizes, together } of parts) await regroup(tx, enqueue, userId, sizes, together)
      if (leaveLarge && large.length > 0) await tx.query(PUT_BACK, [userId, large])
      else {
        await tx.query(TAKE_ALL, [userId, large])
        for (const size of large) await regroupMany(tx, enqueue, userId, size)
      }
      const [left] = (await tx.query<{ more: boolean }>(MORE, [userId])).rows
      if (left?.more) return 'MORE'
      await tx.query(END, [userId])
      return 'DONE'
    }),
  )
}

/** Grouping so many files for each of their changes would take hours. */
const TAKE_ALL = 'delete from unchecked_sizes where user_id = $1 and size = any($2::bigint[])'
const PUT_BACK = 'insert into unchecked_sizes (user_id, size) select $1, unnest($2::bigint[])'

/** The entries that count: of documents without a file and of accounts that are not shown any more there is nothing to compare. */
const COUNTED = `f.user_id = $1 and f.kind = 'FILE' and f.size > 0 and f.trash_root_id is null and f.purged_at is null
  and f.size = any($2::bigint[])`

const COUNT = `select size::float8 as size, sum(files)::float8 as files from (
    select f.size, count(*) as files from files f where ${COUNTED} group by f.size
    union all select g.size, sum(g.files) from duplicate_groups g where g.user_id = $1 and g.size = any($2::bigint[]) group by g.size) counted
  group by size having sum(files) > 1`

type Plan = {
  /** `sizes`: all to check at once; `together`: those of which there may be several files. */
  readonly parts: readonly { readonly sizes: readonly number[]; readonly together: readonly number[] }[]
  /** Sizes of more files than are loaded. */
  readonly large: readonly number[]
}

async function planChecks(tx: PoolClient, userId: string, sizes: readonly number[], mostLoaded: number): Promise<Plan> {
  if (sizes.length === 0) return { parts: [], large: [] }
  const { rows } = await tx.query<{ size: number; files: number }>(COUNT, [userId, sizes])
  const counts = new Map(rows.map(({ size, files }) => [size, files]))
  const parts: { sizes: number[]; together: number[] }[] = []
  let loaded = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    const count = counts.get(size) ?? 0
    if (count > mostLoaded) continue
    loaded += count
    if (loaded > mostLoaded) {
      parts.push({ sizes: [], together: [] })
      loaded = count
    }
    parts.at(-1)?.sizes.push(size)
    if (count > 0) parts.at(-1)?.together.push(size)
  }
  return { parts, large: sizes.filter((size) => (counts.get(size) ?? 0) > mostLoaded) }
}

const CANDIDATES = `select f.size::float8 as of_size, f.id, f.name_key, floor(extract(epoch from f.updated_at))::float8 as time,
    f.account_id, f.category, h.quickxor is not null as complete, ${HASH_COLUMNS}
  from files f left join account_entries e on e.file_id = f.id left join content_hashes h on ${HASHES_OF_FILE}
  where ${COUNTED} and e.native_kind is null
    and (f.account_id is null or exists (select from account_indexes i where i.account_id = f.account_id))
    and not coalesce(f.parent_id = any(array(${UNSETTLED})), false)
  order by f.updated_at, f.id`

type CandidateRow = HashRow & {
  readonly of_size: number
  readonly id: string
  readonly name_key: string
  readonly time: number
  readonly account_id: string | null
  readonly category: FileCategory
  /** All hashes have been computed. */
  readonly complete: boolean
}

const KNOWN = `select g.id, g.certain, g.size::float8 as size, g.match, g.hash, g.category,
    array(select d.file_id::text from duplicate_files d where d.group_id = g.id) as file_ids
  from duplicate_groups g where g.user_id = $1 and g.size = any($2::bigint[])`

type KnownGroup = {
  readonly id: string
  readonly certain: boolean
  readonly size: number
  readonly match: DuplicateMatch
  readonly hash: string | null
  readonly category: FileCategory
  readonly file_ids: readonly string[]
}

/** As in Plan. */
async function regroup(
  tx: PoolClient,
  enqueue: Enqueue,
  userId: string,
  sizes: readonly number[],
  together: readonly number[],
): Promise<void> {
  const known = (await tx.query<KnownGroup>(KNOWN, [userId, sizes])).rows
  const rows = together.length > 0 ? (await tx.query<CandidateRow>(CANDIDATES, [userId, together])).rows : []
  const files = new Map(rows.map((row) => [row.id, row]))
  const bySize = byKey(rows, (row) => row.of_size)
  const knownBySize = byKey(known, (group) => group.size)
  const change: Change = { gone: [], changed: [], members: [] }
  const unhashed: string[] = []
  for (const size of sizes) {
    const { groups, undecided } = groupEqual((bySize.get(size) ?? []).map(candidateOf))
    compare(change, { size, groups, known: knownBySize.get(size) ?? [], files })
    unhashed.push(...undecided.filter((id) => isUnhashed(files.get(id))))
  }
  await save(tx, userId, change)
  for (let at = 0; at < unhashed.length; at += HASHED_TOGETHER) {
    await enqueue(tx, 'hashFiles', { fileIds: unhashed.slice(at, at + HASHED_TOGETHER) })
  }
}

/** Hashes of Skypool's own files are computed as soon as another file of the same size needs them. */
function isUnhashed(row: CandidateRow | undefined): boolean {
  return row !== undefined && row.account_id === null && !row.complete
}

function candidateOf(row: CandidateRow): Candidate {
  return { id: row.id, nameKey: row.name_key, time: row.time, hashes: hashesOf(row) }
}

type SavedGroup = Pick<KnownGroup, 'id' | 'certain' | 'size' | 'match' | 'hash' | 'category'> & {
  readonly files: number
}
type Member = {
  readonly groupId: string
  readonly fileId: string
  readonly accountId: string | null
  readonly waste: number
}

type Change = { readonly gone: string[]; readonly changed: SavedGroup[]; readonly members: Member[] }

type Compared = {
  readonly size: number
  readonly groups: readonly Group[]
  readonly known: readonly KnownGroup[]
  readonly files: ReadonlyMap<string, CandidateRow>
}

/** Collects what differs. A group keeps its id while it has one of its files: clients know it by that. */
function compare(change: Change, { size, groups, known, files }: Compared): void {
  const before = new Map<string, KnownGroup>()
  for (const group of known) for (const id of group.file_ids) before.set(`${kindOf(group)} ${id}`, group)
  const kept = new Set<string>()
  for (const group of groups) {
    const { certain, match, hash, fileIds } = group
    const known = fileIds.map((id) => before.get(`${kindOf(group)} ${id}`)).find((one) => one && !kept.has(one.id))
    const id = known?.id ?? newId()
    kept.add(id)
    const category = files.get(fileIds[0] ?? '')?.category ?? 'OTHER'
    if (known && isSame(known, group, category)) continue
    change.changed.push({ id, certain, size, match, hash, category, files: fileIds.length })
    const waste = size * (fileIds.length - 1)
    for (const fileId of fileIds) {
      change.members.push({ groupId: id, fileId, accountId: files.get(fileId)?.account_id ?? null, waste })
    }
  }
  for (const { id } of known) if (!kept.has(id)) change.gone.push(id)
}

/** A file can be in one group of each kind. */
function kindOf({ certain, match }: Pick<Group, 'certain' | 'match'>): string {
  return certain ? 'CERTAIN' : match
}

function isSame(known: KnownGroup, { match, hash, fileIds }: Group, category: FileCategory): boolean {
  if (known.match !== match || known.hash !== hash || known.category !== category) return false
  const ids = new Set(known.file_ids)
  return ids.size === fileIds.length && fileIds.every((id) => ids.has(id))
}

const REMOVE = `with left_members as (delete from duplicate_files where group_id = any($1::uuid[]))
  delete from duplicate_groups where id = any($1::uuid[])`
const SAVE = `insert into duplicate_groups (id, user_id, certain, size, files, waste, match, hash, category)
  select id, $2, certain, size, files, size * (files - 1), match, hash, category::"FileCategory"
  from json_to_recordset($1) as g(id uuid, certain boolean, size bigint, files int, match text, hash text, category text)
  on conflict (id) do update set files = excluded.files, waste = excluded.waste, match = excluded.match, hash = excluded.hash,
    category = excluded.category`
const LEAVE = 'delete from duplicate_files where group_id = any($1::uuid[])'
/** Files that were deleted meanwhile are left out; their size is noted again. */
const JOIN = `insert into duplicate_files (group_id, file_id, user_id, account_id, waste)
  select m."groupId", f.id, $2, m."accountId", m.waste
  from json_to_recordset($1) as m("groupId" uuid, "fileId" uuid, "accountId" uuid, waste bigint)
    join files f on f.id = m."fileId" for key share of f`

async function save(tx: PoolClient, userId: string, { gone, changed, members }: Change): Promise<void> {
  if (gone.length > 0) await tx.query(REMOVE, [gone])
  if (changed.length === 0) return
  await tx.query(SAVE, [JSON.stringify(changed), userId])
  await tx.query(LEAVE, [changed.map(({ id }) => id)])
  await tx.query(JOIN, [JSON.stringify(members), userId])
}
