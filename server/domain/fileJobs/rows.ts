import type { ClientBase, Pool } from 'pg'
import { newId } from '../../lib/ids.ts'
import { ConflictError } from '../errors.ts'
import type { FileKind, OnConflict } from '../files/contract.ts'
import type { Queryable } from '../files/tree/entries.ts'
import type { CopyOfContent } from '../protection/service.ts'
import { timeCursor } from '../timeCursor.ts'
import type { Viewer } from '../viewer.ts'
import type {
  FileJob,
  FileJobItemState,
  FileJobKind,
  FileJobProblem,
  FileJobState,
  ListFileJobs,
  NewFileJob,
} from './contract.ts'

/** LIST: items are added; CARRY: contents are stored at the target; LEAVE: originals of a move go to the trash. */
export type Phase = 'LIST' | 'CARRY' | 'LEAVE'

export type JobRow = Omit<FileJob, 'bytesPerSecond'> & {
  readonly userId: string
  readonly phase: Phase
  /** As `parentId`, but of PROTECT the hidden folder of the protecting copies. */
  readonly targetId: string | null
  readonly groupCloudId: string | null
  readonly onConflict: OnConflict
  /** Who started it; both are null for a job of Skypool itself. */
  readonly startedBySessionId: string | null
  readonly startedByKeyId: string | null
}

export type ItemRow = {
  readonly id: string
  readonly parentItemId: string | null
  readonly sourceId: string
  readonly kind: FileKind
  readonly name: string
  readonly size: number
  readonly state: FileJobItemState
  readonly madeId: string | null
  /** Of the folder that contains it; null for the entries that the user chose. */
  readonly parentMadeId: string | null
  readonly version: string | null
  readonly session: string | null
  readonly attempts: number
}

const JOB_COLUMNS = `j.id, j.user_id as "userId", j.kind, j.state, j.phase, j.name, j.parent_id as "targetId",
  case when j.kind = 'PROTECT' then (select p.folder_id from protections p where p.container_id = j.parent_id) else j.parent_id end as "parentId",
  j.group_cloud_id as "groupCloudId", j.on_conflict as "onConflict", j.total_items as "totalItems", j.done_items as "doneItems",
  j.failed_items as "failedItems", j.total_bytes::float8 as "totalBytes", j.done_bytes::float8 as "doneBytes", j.error,
  j.next_try_at as "nextTryAt", j.created_at as "createdAt", j.ended_at as "endedAt", j.undone_at is not null as undone,
  j.started_by_session_id as "startedBySessionId", j.started_by_key_id as "startedByKeyId"`

const ITEM_COLUMNS = `i.id, i.parent_item_id as "parentItemId", i.source_id as "sourceId", i.kind, i.name, i.size::float8 as size,
  i.state, i.made_id as "madeId", p.made_id as "parentMadeId", i.version, i.session, i.attempts`

const OPEN = ['WAITING', 'RUNNING', 'PAUSED'] as const satisfies readonly FileJobState[]

const CURSOR = timeCursor('jobs')

/** Newest first, by keyset. @throws InvalidInputError at `after` */
export async function pageOfJobs(
  pool: Pool,
  userId: string,
  { open, limit, after }: ListFileJobs,
): Promise<{ readonly items: { readonly row: JobRow; readonly cursor: string }[]; readonly hasNextPage: boolean }> {
  const place = after === undefined ? null : CURSOR.decode(after)
  const text = `select ${JOB_COLUMNS} from file_jobs j where j.user_id = $1
    and (j.ended_at is null and $2::boolean is distinct from false
      or j.ended_at > now() - interval '24 hours' and $2::boolean is distinct from true)
    ${place ? 'and (j.created_at, j.id) < ($4::timestamptz, $5::uuid)' : ''}
    order by j.created_at desc, j.id desc limit $3`
  const { rows } = await pool.query<JobRow>({
    name: `file-jobs-page${place ? '-after' : ''}`,
    text,
    values: [userId, open ?? null, limit + 1, ...(place ? [place.at, place.id] : [])],
  })
  const items = rows.slice(0, limit).map((row) => ({ row, cursor: CURSOR.encode({ at: row.createdAt, id: row.id }) }))
  return { items, hasNextPage: rows.length > items.length }
}

export async function getJobs(pool: Pool, userId: string, ids: readonly string[]): Promise<(JobRow | null)[]> {
  const { rows } = await pool.query<JobRow>({
    name: 'file-jobs-get',
    text: `select ${JOB_COLUMNS} from file_jobs j where j.id = any($2::uuid[]) and j.user_id = $1`,
    values: [userId, ids],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

export async function listProblems(pool: Pool, userId: string, jobId: string): Promise<FileJobProblem[]> {
  const { rows } = await pool.query<FileJobProblem>(
    `select i.source_id as id, i.kind, i.name, i.state, i.detail from file_job_items i join file_jobs j on j.id = i.job_id
     where j.id = $2 and j.user_id = $1 and i.detail is not null and i.state <> 'DONE' order by i.position limit 100`,
    [userId, jobId],
  )
  return rows
}

export async function countOpenJobs(tx: Queryable, userId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from file_jobs where user_id = $1 and ended_at is null',
    [userId],
  )
  return rows[0]?.count ?? 0
}

/** Values of the columns `started_by_session_id` and `started_by_key_id`. */
const startedBy = ({ sessionId, key }: Viewer) => [sessionId, key?.id ?? null]

/** With an item for each of the chosen entries. */
export async function insertJob(
  tx: Queryable,
  viewer: Viewer,
  { id, name }: { readonly id: string; readonly name: string },
  { kind, ids, parentId, groupCloudId, onConflict = 'RENAME' }: NewFileJob,
): Promise<void> {
  const { userId } = viewer
  await tx.query(
    `insert into file_jobs (id, user_id, kind, name, parent_id, group_cloud_id, on_conflict, total_items, started_by_session_id, started_by_key_id)
     values ($1, $2, $3::"FileJobKind", $4, $5, $6, $7::"OnConflict", $8, $9, $10)`,
    [id, userId, kind, name, parentId, groupCloudId ?? null, onConflict, ids.length, ...startedBy(viewer)],
  )
  await tx.query(
    `insert into file_job_items (job_id, source_id, kind, name, size, state, detail)
     select $1, f.id, f.kind, f.name, f.size, case when $4 then 'WAITING'::"FileJobItemState" else ${STATE} end,
       case when not $4 then ${DETAIL} end
     from unnest($3::uuid[]) with ordinality as c(id, number) join files f on f.id = c.id and f.user_id = $2
       left join account_entries e on e.file_id = f.id order by c.number`,
    [id, userId, ids, isChange(kind)],
  )
}

const NOTHING = {
  TRASH: 'There is no copy that can be moved to the trash.',
  RESTORE: 'Nothing that this job has moved to the trash is still there.',
}

/** A job whose items a statement finds. `addItems`: adds them, and returns their number. @throws ConflictError when there are none */
export async function insertFoundJob(
  tx: Queryable,
  viewer: Viewer,
  { id, kind }: { readonly id: string; readonly kind: 'TRASH' | 'RESTORE' },
  addItems: () => Promise<number>,
): Promise<void> {
  await tx.query(
    `insert into file_jobs (id, user_id, kind, name, started_by_session_id, started_by_key_id)
     values ($1, $2, $3::"FileJobKind", '', $4, $5)`,
    [id, viewer.userId, kind, ...startedBy(viewer)],
  )
  const items = await addItems()
  if (items === 0) throw new ConflictError(NOTHING[kind])
  await tx.query(
    `update file_jobs set total_items = $2, name = (select name from file_job_items where job_id = $1 order by position limit 1)
     where id = $1`,
    [id, items],
  )
}

/**
 * Adds an item for each entry that a TRASH job has moved to the trash, also where the server ended before that was noted, and marks that
 * job as undone.
 * @returns their number
 */
export async function addTrashed(tx: Queryable, jobId: string, trashJobId: string): Promise<number> {
  const { rowCount } = await tx.query(
    `insert into file_job_items (job_id, source_id, kind, name, size)
     select $1, f.id, f.kind, f.name, f.size
     from file_job_items i join file_jobs j on j.id = i.job_id join files f on f.id = i.source_id and f.user_id = j.user_id
     where i.job_id = $2 and i.level = 0 and f.purged_at is null and f.trash_root_id = f.id
       and (i.state = 'DONE' or f.trashed_at >= j.created_at)
     order by i.position`,
    [jobId, trashJobId],
  )
  await tx.query('update file_jobs set undone_at = now() where id = $1', [trashJobId])
  return rowCount ?? 0
}

/** A job with one item, whose name is given. @returns its id */
export async function insertCopyOfContent(
  tx: Queryable,
  viewer: Viewer,
  { contentId, name, parentId, groupCloudId }: CopyOfContent,
): Promise<string> {
  const id = newId()
  await tx.query(
    `insert into file_jobs (id, user_id, kind, phase, name, parent_id, group_cloud_id, total_items, total_bytes, started_by_session_id, started_by_key_id)
     select $1, $2, 'COPY', 'CARRY', $3, $4, $5, 1, f.size, $7, $8 from files f where f.id = $6`,
    [id, viewer.userId, name, parentId, groupCloudId, contentId, ...startedBy(viewer)],
  )
  await tx.query(
    `insert into file_job_items (job_id, source_id, kind, name, size) select $1, f.id, 'FILE', $2, f.size from files f where f.id = $3`,
    [id, name, contentId],
  )
  return id
}

/** Whether jobs of this kind change entries where they are. */
export function isChange(kind: FileJobKind): kind is 'TRASH' | 'RESTORE' | 'DELETE' {
  return kind === 'TRASH' || kind === 'RESTORE' || kind === 'DELETE'
}

const STATE = `(case when e.native_kind is null then 'WAITING' else 'SKIPPED' end)::"FileJobItemState"`
const DETAIL = `case when e.native_kind = 'SHORTCUT' then 'A shortcut has no content, so it stays where it is.'
  when e.native_kind is not null then 'This document exists only at its provider, so it stays where it is. Download it as another type instead.' end`

/** Adds what is in the folders of a level. */
const EXPAND = `insert into file_job_items (job_id, parent_item_id, level, source_id, kind, name, size, state, detail)
  select p.job_id, p.id, p.level + 1, f.id, f.kind, f.name, f.size, ${STATE}, ${DETAIL}
  from file_job_items p join files f on f.parent_id = p.source_id and f.user_id = $3
      and f.purged_at is null and f.trash_root_id is null
    left join account_entries e on e.file_id = f.id
  where p.job_id = $1 and p.level = $2 and p.kind = 'FOLDER' and p.source_id <> all($4::uuid[])
  order by p.position, f.kind desc, f.sort_key, f.id`

/** Deeper than any tree that services allow. */
const MAX_LEVELS = 1_000

/**
 * Adds everything below the chosen folders, and sets the totals and the next phase. `wholeIds`: chosen entries that are moved without
 * reading what is in them.
 */
export async function expandItems(
  tx: ClientBase,
  { id, userId }: Pick<JobRow, 'id' | 'userId'>,
  wholeIds: readonly string[],
): Promise<void> {
  await tx.query('delete from file_job_items where job_id = $1 and level > 0', [id])
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const { rowCount } = await tx.query(EXPAND, [id, level, userId, wholeIds])
    if (!rowCount) break
  }
  await tx.query(
    `update file_jobs j set phase = 'CARRY', total_items = s.items, total_bytes = s.bytes
     from (select count(*)::int as items, coalesce(sum(size) filter (where state <> 'SKIPPED' and source_id <> all($2::uuid[])), 0) as bytes
       from file_job_items where job_id = $1) s where j.id = $1`,
    [id, wholeIds],
  )
}

/** Marks it as running, if it is due. */
export async function beginJob(pool: Pool, id: string, now: Date): Promise<JobRow | null> {
  const { rows } = await pool.query<JobRow>(
    `update file_jobs j set state = 'RUNNING', error = null, next_try_at = null
     where j.id = $1 and j.state in ('WAITING', 'RUNNING') and (j.next_try_at is null or j.next_try_at <= $2)
     returning ${JOB_COLUMNS}`,
    [id, now],
  )
  return rows[0] ?? null
}

const NEXT = {
  name: 'file-jobs-next-items',
  text: `select ${ITEM_COLUMNS} from file_job_items i left join file_job_items p on p.id = i.parent_item_id
    where i.job_id = $1 and i.state = 'WAITING' and i.id <> all($2::uuid[])
      and (i.next_try_at is null or i.next_try_at <= $4) and (p.id is null or p.state in ('CARRIED', 'DONE'))
    order by i.kind desc, i.position limit $3`,
}

/** Items that can be carried now, folders first, without those in `exceptIds`. */
export async function nextItems(
  pool: Pool,
  jobId: string,
  exceptIds: readonly string[],
  limit: number,
  now: Date,
): Promise<ItemRow[]> {
  const { rows } = await pool.query<ItemRow>({ ...NEXT, values: [jobId, exceptIds, limit, now] })
  return rows
}

export type Totals = {
  readonly waiting: number
  readonly done: number
  readonly failed: number
  readonly carried: number
  readonly doneBytes: number
  /** The earliest next attempt of a waiting item, and why it waits. */
  readonly nextTryAt: Date | null
  readonly detail: string | null
}

/** Counts the items, after those in folders that could not be made have failed too. */
export async function countItems(pool: Pool, jobId: string): Promise<Totals> {
  const { rows } = await pool.query<Totals>(
    `select count(*) filter (where state = 'WAITING')::int as waiting, count(*) filter (where state = 'FAILED')::int as failed,
       count(*) filter (where state in ('CARRIED', 'DONE', 'SKIPPED'))::int as done, count(*) filter (where state = 'CARRIED')::int as carried,
       coalesce(sum(size) filter (where state in ('CARRIED', 'DONE')), 0)::float8 as "doneBytes",
       min(next_try_at) filter (where state = 'WAITING') as "nextTryAt",
       (array_agg(detail order by next_try_at) filter (where state = 'WAITING' and detail is not null))[1] as detail
     from file_job_items where job_id = $1`,
    [jobId],
  )
  return rows[0] ?? { waiting: 0, done: 0, failed: 0, carried: 0, doneBytes: 0, nextTryAt: null, detail: null }
}

/** What is in folders that could not be made fails too, level by level. */
export async function failBelow(pool: Pool, jobId: string): Promise<void> {
  for (let count = 1; count > 0; ) {
    const { rowCount } = await pool.query(
      `update file_job_items i set state = 'FAILED', detail = 'Its folder could not be created.'
       from file_job_items p where p.id = i.parent_item_id and i.job_id = $1 and i.state = 'WAITING' and p.state in ('FAILED', 'SKIPPED')`,
      [jobId],
    )
    count = rowCount ?? 0
  }
}

/** @returns false if the job is to run no longer */
export async function saveProgress(
  pool: Pool,
  jobId: string,
  { done, failed, doneBytes }: { readonly done: number; readonly failed: number; readonly doneBytes: number },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update file_jobs set done_items = $2, failed_items = $3, done_bytes = $4 where id = $1 and state = 'RUNNING'`,
    [jobId, done, failed, Math.round(doneBytes)],
  )
  return rowCount === 1
}

/** Ends a run. Does nothing if the job was paused or cancelled meanwhile. */
export async function concludeJob(
  pool: Pool,
  jobId: string,
  to: {
    readonly state: FileJobState
    readonly phase: Phase
    readonly error: string | null
    readonly nextTryAt: Date | null
  },
  totals: Pick<Totals, 'done' | 'failed' | 'doneBytes'>,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update file_jobs set state = $2::"FileJobState", phase = $3, error = $4, next_try_at = $5, done_items = $6, failed_items = $7,
       done_bytes = $8, ended_at = case when $2 in ('DONE', 'FAILED') then now() end
     where id = $1 and state = 'RUNNING'`,
    [jobId, to.state, to.phase, to.error, to.nextTryAt, totals.done, totals.failed, Math.round(totals.doneBytes)],
  )
  return rowCount === 1
}

/** The id is stored before anything is made under it. @returns the one that is stored */
export async function saveMadeId(pool: Pool, itemId: string, madeId: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'update file_job_items set made_id = coalesce(made_id, $2) where id = $1 returning made_id as id',
    [itemId, madeId],
  )
  return rows[0]?.id ?? madeId
}

/** As saveMadeId, of a file, with the version of the original that it is stored from. */
export async function saveMade(pool: Pool, itemId: string, madeId: string, version: string): Promise<void> {
  await pool.query('update file_job_items set made_id = $2, version = $3 where id = $1', [itemId, madeId, version])
}

export async function saveItem(
  pool: Queryable,
  itemId: string,
  to: {
    readonly state: FileJobItemState
    readonly madeId?: string | null
    readonly version?: string | null
    readonly detail?: string | null
  },
): Promise<void> {
  await pool.query(
    `update file_job_items set state = $2::"FileJobItemState", made_id = coalesce($3, made_id), version = coalesce($4, version),
       detail = $5, session = null, next_try_at = null where id = $1`,
    [itemId, to.state, to.madeId ?? null, to.version ?? null, to.detail ?? null],
  )
}

export async function saveAttempt(
  pool: Pool,
  itemId: string,
  to: { readonly attempts: number; readonly nextTryAt: Date; readonly detail: string },
): Promise<void> {
  await pool.query(
    `update file_job_items set attempts = $2, next_try_at = $3, detail = $4 where id = $1 and state = 'WAITING'`,
    [itemId, to.attempts, to.nextTryAt, to.detail],
  )
}

/** The job was cancelled, or ended otherwise. */
export class ItemGoneError extends Error {
  override readonly name = 'ItemGoneError'
}

/** Stores an upload in progress, with what it sends. @throws ItemGoneError */
export async function saveItemSession(
  pool: Pool,
  itemId: string,
  session: string | null,
  version: string | null,
): Promise<void> {
  const { rowCount } = await pool.query(
    `update file_job_items i set session = $2, version = coalesce($3, i.version) from file_jobs j
     where i.id = $1 and j.id = i.job_id and i.state = 'WAITING' and j.state <> 'CANCELLED'`,
    [itemId, session, version],
  )
  if (rowCount === 0) throw new ItemGoneError('This item is no longer to be carried.')
}

/** Changes the state of a job that is in one of `from`. @returns the state before; null if there is no such job */
export async function changeState(
  pool: Pool,
  userId: string,
  id: string,
  from: readonly FileJobState[],
  to: 'WAITING' | 'PAUSED' | 'CANCELLED',
): Promise<FileJobState | null> {
  const { rows } = await pool.query<{ state: FileJobState }>(
    `with before as (select id, state from file_jobs where id = $2 and user_id = $1 for update),
     changed as (update file_jobs j set state = $4::"FileJobState", error = null, next_try_at = null,
       ended_at = case when $4 = 'CANCELLED' then now() end from before b where j.id = b.id and b.state = any($3::"FileJobState"[]))
     select state from before`,
    [userId, id, from, to],
  )
  return rows[0]?.state ?? null
}

/** Items that failed, or whose originals were not left, are tried again. */
export async function resetFailed(tx: Queryable, jobId: string): Promise<void> {
  await tx.query(
    `update file_job_items set state = 'WAITING', attempts = 0, next_try_at = null, detail = null where job_id = $1 and state = 'FAILED'`,
    [jobId],
  )
  await tx.query(`update file_job_items set detail = null where job_id = $1 and state = 'CARRIED'`, [jobId])
  await tx.query(`update file_jobs set phase = case when phase = 'LIST' then 'LIST' else 'CARRY' end where id = $1`, [
    jobId,
  ])
}

const DUE = {
  name: 'file-jobs-due',
  text: `select id from file_jobs where id <> all($1::uuid[]) and (
      state in ('WAITING', 'RUNNING') and (next_try_at is null or next_try_at <= $3)
      or state = 'CANCELLED' and ended_at > now() - interval '1 hour'
        and exists (select from file_job_items i where i.job_id = file_jobs.id and i.session is not null))
    order by created_at limit $2`,
}

/** Jobs to run, and cancelled ones with uploads that have to be ended. */
export async function dueJobs(pool: Pool, exceptIds: readonly string[], limit: number, now: Date): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...DUE, values: [exceptIds, limit, now] })
  return rows.map(({ id }) => id)
}

/** Those of `ids` that may continue. */
export async function wantedJobs(pool: Pool, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from file_jobs where id = any($1::uuid[]) and state in ('WAITING', 'RUNNING')`,
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

export type OpenSession = {
  readonly itemId: string
  readonly madeId: string | null
  readonly session: string
  readonly userId: string
  readonly parentId: string | null
}

/** Uploads that a cancelled job has left. */
export async function openSessions(pool: Pool, jobId: string): Promise<OpenSession[]> {
  const { rows } = await pool.query<OpenSession>(
    `select i.id as "itemId", i.made_id as "madeId", i.session, j.user_id as "userId", j.parent_id as "parentId" from file_job_items i
       join file_jobs j on j.id = i.job_id where j.id = $1 and j.state = 'CANCELLED' and i.session is not null`,
    [jobId],
  )
  return rows
}

/** Deletes jobs that ended a week ago. */
export async function forgetJobs(pool: Pool): Promise<void> {
  await pool.query(`delete from file_jobs where ended_at < now() - interval '7 days'`)
}

export { OPEN as OPEN_STATES }
