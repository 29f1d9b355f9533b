import type { Pool, PoolClient } from 'pg'
import { transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import type { OpenedVersion } from '../files/content/content.ts'
import { CONTENT_IN_PLACE } from '../files/content/hashes.ts'
import { type ChangeDeps, changeTree, lockAccounts } from '../files/tree/change.ts'
import { markPurged } from '../files/tree/trash.ts'
import { enqueueReconcile } from '../jobs.ts'
import type { Protecting } from '../uploads/contract.ts'

/** More files than this in one event: clients reload what they show. */
const MOST_NAMED = 100

/** Brings the protection of an account's files up to date with its index, and queues what has to be stored. */
export async function followChanges(deps: ChangeDeps, scope: Scope): Promise<void> {
  const userId = await findOwner(deps.pool, scope.accountId)
  if (userId === null) return
  const { fileIds, jobIds } = await transaction(deps.pool, async (tx) => {
    const followed = await followIndex(tx, scope)
    if (followed.movedIds.length > 0) await enqueueReconcile(tx, deps.enqueue, { userId, fileIds: followed.movedIds })
    return { ...followed, jobIds: await queueJobs(tx, userId, scope.accountId) }
  })
  for (const jobId of jobIds) deps.events.publish('fileJobProgressed', userId, { jobId })
  publishFiles(deps, userId, fileIds)
}

async function findOwner(pool: Pool, accountId: string): Promise<string | null> {
  const { rows } = await pool.query<{ userId: string }>(
    `select a.user_id as "userId" from accounts a join account_indexes i on i.account_id = a.id
     where a.id = $1 and a.disconnected_at is null and exists (select from protections p where p.account_id = a.id)`,
    [accountId],
  )
  return rows[0]?.userId ?? null
}

/** Clients read again how these files are protected. */
export function publishFiles({ events }: Pick<ChangeDeps, 'events'>, userId: string, ids: readonly string[]): void {
  if (ids.length === 0) return
  const truncated = ids.length > MOST_NAMED
  events.publish('filesChanged', userId, {
    fileIds: truncated ? [] : [...ids],
    removedIds: [],
    parentIds: [],
    truncated,
  })
}

const LOCK_ALL = `select pg_advisory_xact_lock(hashtext('protection'), hashtext(a.id)) from (
    select distinct account_id::text as id from protections where user_id = $1 order by id) a`

/**
 * Removes protecting copies with their bytes, in the background. `unneeded`: a statement that finds the copies `c` which may be removed;
 * absent: all of `ids`.
 * It is asked again, while no index is followed: a version that has returned since needs its copy.
 */
export async function discardContents(
  deps: ChangeDeps,
  userId: string,
  ids: readonly string[],
  unneeded?: string,
): Promise<void> {
  await changeTree(deps, { userId }, async (change) => {
    await change.tx.query(LOCK_ALL, [userId])
    await lockAccounts(change)
    const removed = unneeded === undefined ? ids : await stillFound(change.tx, unneeded, ids)
    await markPurged(change, removed, ids.length)
    await change.enqueue(change.tx, 'purgeFiles', { userId }, { key: `purge ${userId}` })
  })
}

async function stillFound(tx: Pick<PoolClient, 'query'>, statement: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(`${statement} and c.id = any($1::uuid[])`, [ids])
  return rows.map(({ id }) => id)
}

// Storing one version: what jobs of the kind PROTECT do with each file.

/** Where the copies of a protection are stored. */
export type Target = Protecting & {
  readonly protectionId: string
  readonly containerId: string
  readonly groupCloudId: string
  /** The protected folder. */
  readonly folderId: string
}

const TARGET = `select id as "protectionId", container_id as "containerId", group_cloud_id as "groupCloudId", account_id as "accountId",
    copies, folder_id as "folderId" from protections where container_id = $1`

/** Null: the protection has ended. */
export async function findTarget(pool: Pool, containerId: string | null): Promise<Target | null> {
  const { rows } = await pool.query<Target>(TARGET, [containerId])
  return rows[0] ?? null
}

/** Whether a version of the file still has to be stored. */
export async function isWaiting(pool: Pool, { protectionId }: Target, fileId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from protected_versions where protection_id = $1 and file_id = $2 and ended_at is null and content_id is null`,
    [protectionId, fileId],
  )
  return (rowCount ?? 0) > 0
}

const ATTACH = `update protected_versions v set content_id = $3, size = c.size,
    version = case when i.size = c.size and ($4::text is null or i.hash is null or i.hash = $4)
      and ($5::text is null or i.revision is null or i.revision = $5) then i.version else 'read ' || $6 end
  from files c, (select f.size, e.hash, e.revision, ${CONTENT_IN_PLACE} as version
    from files f join account_entries e on e.file_id = f.id where f.id = $2) i
  where c.id = $3 and c.purged_at is null and v.protection_id = $1 and v.file_id = $2 and v.ended_at is null and v.content_id is null`

/**
 * Makes a stored content the file's current version. If the file was changed before it was read, its index reports that later, and the
 * newer content is stored then. A content that is no longer needed is removed.
 */
export async function attachContent(
  deps: ChangeDeps,
  userId: string,
  { protectionId, folderId }: Target,
  stored: { readonly fileId: string; readonly contentId: string; readonly opened: OpenedVersion },
): Promise<void> {
  const { fileId, contentId, opened } = stored
  const { hash, version, revision } = opened
  const reported = hash === null ? null : `${hash.algorithm}:${hash.digest}`
  const { rowCount } = await deps.pool.query(ATTACH, [protectionId, fileId, contentId, reported, revision, version])
  if (rowCount === 1) return publishFiles(deps, userId, [fileId, folderId])
  const { rows } = await deps.pool.query('select from protected_versions where content_id = $1', [contentId])
  if (rows.length === 0) await discardContents(deps, userId, [contentId])
}

// What is to be protected, as SQL: `$1` is an account, `$2` files of it.

/** The bit of reading in `account_entries.rights` (server/domain/inPlace/entries.ts). */
const READ = 1

const WANTED = `f.id as file_id, own.protection_id, e.rights & ${READ} <> 0 as readable, f.size, ${CONTENT_IN_PLACE} as version`
const IS_THERE = `f.kind = 'FILE' and f.purged_at is null and f.trash_root_id is null and e.gone_at is null and e.native_kind is null`

/** `wanted`: all files of the account below protected folders. A folder that is protected by itself does not count for the one above. */
const WANTED_OF_ACCOUNT = `with recursive own (id, protection_id) as (
    select t.id, p.id from protections p join files t on t.id = p.folder_id
      where p.account_id = $1 and t.purged_at is null and t.trash_root_id is null and $2::uuid[] is null
    union all select f.id, own.protection_id from own join files f on f.parent_id = own.id
      where f.kind = 'FOLDER' and f.purged_at is null and f.trash_root_id is null
        and not exists (select from protections o where o.folder_id = f.id)),
  wanted as materialized (select ${WANTED} from own join files f on f.parent_id = own.id
    join account_entries e on e.file_id = f.id where ${IS_THERE})`

/** `wanted`: those of the files that are below protected folders. */
const WANTED_OF_FILES = `with recursive up (of, id, parent_id, depth) as (
    select f.id, f.id, f.parent_id, 0 from files f where f.id = any($2::uuid[]) and f.account_id = $1
    union all select up.of, p.id, p.parent_id, up.depth + 1 from up join files p on p.id = up.parent_id),
  own as (select distinct on (up.of) up.of as id, p.id as protection_id from up join protections p on p.folder_id = up.id
    order by up.of, up.depth),
  wanted as materialized (select ${WANTED} from own join files f on f.id = own.id
    join account_entries e on e.file_id = f.id where ${IS_THERE})`

// The rows of versions follow the index of their account. Each statement reads what is wanted again: it may be a million files.

/** Null: all files of the account. */
type Scope = { readonly accountId: string; readonly fileIds: readonly string[] | null }

const COMPARED = `from protected_versions c left join wanted w on w.file_id = c.file_id
  where v.id = c.id and c.account_id = $1 and ($2::uuid[] is null or c.file_id = any($2::uuid[])) and c.ended_at is null`

const STILL_THERE = `exists (select from account_entries e join files f on f.id = e.file_id
  where e.file_id = c.file_id and e.gone_at is null and f.purged_at is null and f.trash_root_id is null)`

const END = `update protected_versions v set ended_at = now(),
    reason = case when w.file_id is not null then 'CHANGED' when ${STILL_THERE} then 'MOVED' else 'DELETED' end
  ${COMPARED} and c.content_id is not null and (w.file_id is null or w.version <> c.version) returning v.file_id as "fileId"`

const DROP = `delete from protected_versions v using (
    select c.id from protected_versions c left join wanted w on w.file_id = c.file_id
    where c.account_id = $1 and ($2::uuid[] is null or c.file_id = any($2::uuid[])) and c.ended_at is null
      and c.content_id is null and w.file_id is null) gone where v.id = gone.id returning v.file_id as "fileId"`

const RENEW = `update protected_versions v set version = w.version, size = w.size, job_id = null
  ${COMPARED} and c.content_id is null and w.version <> c.version returning v.file_id as "fileId"`

/** Files that were moved to another protected folder. */
const ADOPT = `update protected_versions v set protection_id = w.protection_id
  ${COMPARED} and w.protection_id <> c.protection_id returning v.file_id as "fileId"`

/** What returns as it was needs no new copy, while its earlier one is not being removed. */
const REVIVE = `update protected_versions v set ended_at = null, reason = null, protection_id = w.protection_id
  from wanted w cross join lateral (
    select o.id, o.version from protected_versions o join files k on k.id = o.content_id and k.purged_at is null
    where o.file_id = w.file_id order by o.ended_at desc nulls first limit 1) c
  where v.id = c.id and v.ended_at is not null and c.version = w.version
    and not exists (select from protected_versions n where n.file_id = w.file_id and n.ended_at is null)
  returning v.file_id as "fileId"`

const ADD = `insert into protected_versions (protection_id, account_id, file_id, version, size)
  select w.protection_id, $1, w.file_id, w.version, w.size from wanted w
  where w.readable and not exists (select from protected_versions n where n.file_id = w.file_id and n.ended_at is null)
  on conflict do nothing returning file_id as "fileId"`

/** Their folder is read again by clients, too: with no files below it, it is protected now. */
const LISTED = `update protections set listed = true
  where account_id = $1 and $2::uuid[] is null and not listed returning folder_id as "fileId"`

export type Followed = {
  /** Files whose protection has changed. */
  readonly fileIds: readonly string[]
  /** Contents that belong to another group cloud now. */
  readonly movedIds: readonly string[]
}

/** Brings the versions of a scope up to date with the index. */
async function followIndex(tx: PoolClient, { accountId, fileIds }: Scope): Promise<Followed> {
  // Two runs at once would see each other's rows half-way.
  await tx.query(`select pg_advisory_xact_lock(hashtext('protection'), hashtext($1))`, [accountId])
  const isWhole = fileIds === null
  const changed = new Set<string>()
  async function run(text: string): Promise<string[]> {
    const { rows } = await tx.query<{ fileId: string }>(text, [accountId, fileIds])
    for (const { fileId } of rows) changed.add(fileId)
    return rows.map((row) => row.fileId)
  }
  const ended = await run(isWhole ? `${WANTED_OF_ACCOUNT} ${END}` : `${WANTED_OF_FILES} ${END}`)
  if (ended.length > 0) await describe(tx, ended)
  await run(isWhole ? `${WANTED_OF_ACCOUNT} ${DROP}` : `${WANTED_OF_FILES} ${DROP}`)
  await run(isWhole ? `${WANTED_OF_ACCOUNT} ${RENEW}` : `${WANTED_OF_FILES} ${RENEW}`)
  await run(isWhole ? `${WANTED_OF_ACCOUNT} ${ADOPT}` : `${WANTED_OF_FILES} ${ADOPT}`)
  await run(isWhole ? `${WANTED_OF_ACCOUNT} ${REVIVE}` : `${WANTED_OF_FILES} ${REVIVE}`)
  await run(isWhole ? `${WANTED_OF_ACCOUNT} ${ADD}` : `${WANTED_OF_FILES} ${ADD}`)
  if (isWhole) await run(LISTED)
  return { fileIds: [...changed], movedIds: await moveContents(tx, accountId) }
}

/** Earlier versions are listed under the name and folder that the file has had last. */
async function describe(tx: PoolClient, fileIds: readonly string[]): Promise<void> {
  await tx.query(
    `with recursive up (of, id, parent_id, name, depth) as (
       select f.id, f.id, f.parent_id, f.name, 0 from files f where f.id = any($1::uuid[])
       union all select up.of, p.id, p.parent_id, p.name, up.depth + 1 from up join files p on p.id = up.parent_id),
     place as (select of, max(name) filter (where depth = 0) as name, max(parent_id::text) filter (where depth = 0)::uuid as parent_id,
         coalesce(array_agg(name order by depth desc) filter (where depth > 0 and parent_id is not null), '{}') as path
       from up group by of),
     named as (update files c set name = place.name from place join protected_versions v on v.file_id = place.of
       where c.id = v.content_id and v.ended_at is not null and c.name <> place.name)
     update protected_versions v set name = place.name, parent_id = place.parent_id, path = place.path
     from place where v.file_id = place.of and v.ended_at is not null`,
    [fileIds],
  )
}

/** Contents follow their version to the group cloud and the number of copies of its protection. */
async function moveContents(tx: PoolClient, accountId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `update files c set parent_id = p.container_id, group_cloud_id = p.group_cloud_id, wanted_copies = p.copies
     from protected_versions v join protections p on p.id = v.protection_id
     where v.account_id = $1 and v.content_id = c.id and c.parent_id is distinct from p.container_id returning c.id`,
    [accountId],
  )
  return rows.map(({ id }) => id)
}

/** Items of one job. More files are stored by several jobs at once. */
const ITEMS_OF_JOB = 20_000
/** What failed is tried again after this time, unless it changes before. */
const RETRY_AFTER = "interval '1 hour'"

const WAITING = `v.account_id = $1 and v.content_id is null and v.ended_at is null
  and (v.job_id is null or not exists (
    select from file_jobs j where j.id = v.job_id and (j.ended_at is null or j.ended_at > now() - ${RETRY_AFTER})))`

type WaitingRow = { readonly protectionId: string; readonly name: string; readonly containerId: string }

/** Queues what has to be stored. @returns the ids of the new jobs */
async function queueJobs(tx: PoolClient, userId: string, accountId: string): Promise<string[]> {
  const jobIds: string[] = []
  for (;;) {
    const { rows } = await tx.query<WaitingRow>(
      `select p.id as "protectionId", f.name, p.container_id as "containerId" from protections p join files f on f.id = p.folder_id
       where p.id = (select v.protection_id from protected_versions v where ${WAITING} limit 1)`,
      [accountId],
    )
    const [waiting] = rows
    if (!waiting) return jobIds
    const id = newId()
    await tx.query(
      `insert into file_jobs (id, user_id, kind, phase, name, parent_id) values ($1, $2, 'PROTECT', 'CARRY', $3, $4)`,
      [id, userId, waiting.name, waiting.containerId],
    )
    await tx.query(
      `with chosen as (
         update protected_versions set job_id = $2 where id in (
           select v.id from protected_versions v where ${WAITING} and v.protection_id = $3 order by v.created_at, v.id limit ${ITEMS_OF_JOB})
         returning file_id, size),
       item as (insert into file_job_items (job_id, source_id, kind, name, size)
         select $2, f.id, 'FILE', f.name, chosen.size from chosen join files f on f.id = chosen.file_id returning size)
       update file_jobs set total_items = s.items, total_bytes = s.bytes
       from (select count(*)::int as items, coalesce(sum(size), 0) as bytes from item) s where id = $2`,
      [accountId, id, waiting.protectionId],
    )
    jobIds.push(id)
  }
}
