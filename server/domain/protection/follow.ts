import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { OpenedVersion } from '../files/content/content.ts'
import { CONTENT_IN_PLACE } from '../files/content/hashes.ts'
import { type ChangeDeps, changeTree, lockAccounts } from '../files/tree/change.ts'
import { markPurged } from '../files/tree/trash.ts'
import { enqueueReconcile } from '../jobs.ts'
import type { Protecting } from '../uploads/contract.ts'
import { followIndex, queueJobs, type Scope } from './versions.ts'

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

/** Removes protecting copies with their bytes, in the background. */
export async function discardContents(deps: ChangeDeps, userId: string, ids: readonly string[]): Promise<void> {
  await changeTree(deps, { userId }, async (change) => {
    await lockAccounts(change)
    await markPurged(change, ids, ids.length)
    await change.enqueue(change.tx, 'purgeFiles', { userId }, { key: `purge ${userId}` })
  })
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
  where c.id = $3 and v.protection_id = $1 and v.file_id = $2 and v.ended_at is null and v.content_id is null`

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
