import type pg from 'pg'
import { transaction } from '../../db/pool.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { ThumbnailStore } from '../../storage/thumbnailStore.ts'
import { enqueueReconcile, type FilesHousekeeping } from '../jobs.ts'
import { dropBrowserPictures } from './content/browserPictures.ts'
import { IN_PLACE_KEY } from './content/hashes.ts'
import { renameObjects } from './content/objectNames.ts'
import { dropPieces, type RemoveObjectsDeps, removeObjects } from './content/removals.ts'
import { readSuspect, seekObject } from './content/suspect.ts'
import { type Change, type ChangeDeps, changeTree, lockAccounts } from './tree/change.ts'
import { moveFolder } from './tree/move.ts'
import { inheritTrashRoot, markPurged, purgeEntries, subfolders } from './tree/trash.ts'

/** Rows per statement or transaction: large enough to be fast, small enough not to delay requests for long. */
const BATCH = 500
/** As BATCH, for transactions that block other changes of the user's tree. */
const LOCKED_BATCH = 200
const FOLDERS_AT_ONCE = 100
const DELETIONS_AT_ONCE = 8
const ALL = 2 ** 31 - 1

export type FilesHousekeepingDeps = ChangeDeps &
  RemoveObjectsDeps & {
    readonly storage: Pick<ObjectStore, 'delete'>
    /** Absent: no thumbnails are kept. */
    readonly thumbnails?: Pick<ThumbnailStore, 'remove'>
  }

export function createFilesHousekeeping(deps: FilesHousekeepingDeps): FilesHousekeeping {
  return {
    async purge(userId, signal) {
      await repeatUntilDone(signal, () => markPurgedBelow(deps, userId))
      await repeatUntilDone(signal, () => removeFiles(deps, userId))
      await repeatUntilDone(signal, () => removeFolders(deps.pool, userId))
      // The purge has freed space, so copies that had no room can be planned now.
      await transaction(deps.pool, (tx) => enqueueReconcile(tx, deps.enqueue, { userId, room: true }))
    },

    async propagateTrash(userId, folderId, signal) {
      const mark = await readMark(deps.pool, folderId)
      let level = [folderId]
      while (level.length > 0) {
        for (let at = 0; at < level.length; at += FOLDERS_AT_ONCE) {
          signal.throwIfAborted()
          await propagateLevel(deps, userId, level.slice(at, at + FOLDERS_AT_ONCE))
        }
        level = await subfolders(deps.pool, level, ALL)
      }
      // A different value means that the folder was trashed or restored again meanwhile: the job for that clears it.
      await deps.pool.query('update files set settling = null where id = $1 and settling = $2', [folderId, mark])
      publishReload(deps, userId)
    },

    expireTrash: (signal) => repeatUntilDone(signal, () => expireSome(deps)),

    removeObjects: (accountId, signal) => removeObjects(deps, accountId, signal),
    renameObjects: (fileId, signal) => renameObjects(deps, fileId, signal),
    seekObject: (input, signal) => seekObject(deps, input, signal),
    readSuspect: (input, signal) => readSuspect(deps, input, signal),

    moveFolderToGroupCloud: (input, signal) => moveFolder(deps, input, signal),
  }
}

/**
 * Repeats a step that returns how many rows it changed, until that is 0. Throws if aborted: a job that ended early must
 * run again.
 */
async function repeatUntilDone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  let done = 1
  while (done > 0) {
    signal.throwIfAborted()
    done = await step()
  }
}

/**
 * Hidden entries of an account that is indexed can return: its own housekeeping removes them later (domain/inPlace). Not those that it
 * does not have yet.
 */
const FORGOTTEN = `(f.account_id is null or not exists (select from account_indexes i where i.account_id = f.account_id)
  or exists (select from account_uploads u where u.file_id = f.id))`

/** Versions that are not marked yet would outlive their file, and nothing would find them: the job that marks them removes both. */
const ALL_MARKED = 'not exists (select from files v where v.parent_id = f.id and v.purged_at is null)'

/** Marks everything below permanently deleted folders, and the versions of deleted files, from the top down. @returns how many entries were marked */
function markPurgedBelow(deps: ChangeDeps, userId: string): Promise<number> {
  return changeTree(deps, { userId }, async (change) => {
    await lockAccounts(change)
    const { rows } = await change.tx.query<{ id: string }>(
      `select f.id from files f where f.user_id = $1 and f.purged_at is not null and ${FORGOTTEN} and exists (
         select from files c where c.parent_id = f.id and c.trashed_at is null and c.purged_at is null) limit $2`,
      [userId, FOLDERS_AT_ONCE],
    )
    const ids = rows.map(({ id }) => id)
    return markPurged(change, ids, ids.length + LOCKED_BATCH)
  })
}

type RemovedRow = {
  readonly id: string
  readonly staged_ref: string | null
  readonly sha256: string | null
  /** Of the thumbnails of a file in an account. */
  readonly keyInPlace: string | null
  readonly refs: readonly string[]
  /** Pieces in other accounts. */
  readonly elsewhere: readonly string[]
}

/** Null for files that are not in an account under their own name. */
const KEY_IN_PLACE = `(select ${IN_PLACE_KEY} from account_entries e where e.file_id = f.id)`

/**
 * Deletes bytes on this server first, then the rows: after a crash between the two, the next run finds the rows again. Thumbnails of
 * the content go with it; if another file has the same content, they are made again.
 */
async function removeFiles(
  { pool, storage, thumbnails, enqueue }: FilesHousekeepingDeps,
  userId: string,
): Promise<number> {
  const { rows } = await pool.query<RemovedRow>(
    `select f.id, f.staged_ref, encode(f.sha256, 'hex') as sha256, ${KEY_IN_PLACE} as "keyInPlace", coalesce(array_agg(p.object_ref) filter (where a.provider = 'local'), '{}') as refs,
       coalesce(array_agg(p.id::text) filter (where a.provider <> 'local'), '{}') as elsewhere
     from (select f.id, f.staged_ref, f.sha256, f.size, f.updated_at from files f where f.user_id = $1 and f.purged_at is not null and f.kind = 'FILE' and ${FORGOTTEN} and ${ALL_MARKED} limit $2) f
       left join copies c on c.file_id = f.id left join pieces p on p.copy_id = c.id left join accounts a on a.id = p.account_id
     group by f.id, f.staged_ref, f.sha256, f.size, f.updated_at`,
    [userId, BATCH],
  )
  const refs = [...new Set(rows.flatMap((row) => [...row.refs, row.staged_ref]).filter((ref) => ref !== null))]
  for (let at = 0; at < refs.length; at += DELETIONS_AT_ONCE) {
    await Promise.all(refs.slice(at, at + DELETIONS_AT_ONCE).map((ref) => storage.delete(ref)))
  }
  await thumbnails?.remove(rows.flatMap(({ sha256, keyInPlace }) => [sha256, keyInPlace].filter((key) => key !== null)))
  await transaction(pool, async (tx) => {
    // Objects at providers are queued for removal, including those stored after the file was marked.
    const elsewhere = rows.flatMap((row) => row.elsewhere)
    await dropPieces(tx, enqueue, elsewhere)
    await tx.query('delete from files where id = any($1::uuid[])', [rows.map(({ id }) => id)])
    const sha256s = rows.flatMap((row) => row.sha256 ?? [])
    if (sha256s.length > 0) await dropBrowserPictures(tx, userId, sha256s)
  })
  return rows.length
}

/** From the bottom up. An entry that was trashed on its own before its folder is kept and moves to the folder above. */
async function removeFolders(pool: pg.Pool, userId: string): Promise<number> {
  await pool.query(
    `update files c set parent_id = f.parent_id from files f
     where c.parent_id = f.id and c.user_id = $1 and c.trashed_at is not null and c.purged_at is null
       and f.purged_at is not null`,
    [userId],
  )
  const { rowCount } = await pool.query(
    `delete from files where id in (
       select f.id from files f where f.user_id = $1 and f.purged_at is not null and f.kind = 'FOLDER' and ${FORGOTTEN}
         and not exists (select from files c where c.parent_id = f.id) limit $2)`,
    [userId, BATCH],
  )
  return rowCount ?? 0
}

/** One level of folders, one batch of entries per transaction. */
async function propagateLevel(deps: ChangeDeps, userId: string, folderIds: readonly string[]): Promise<void> {
  for (const kind of ['FOLDER', 'FILE'] as const) {
    let changed: number
    do {
      changed = await changeTree(deps, { userId }, ({ tx }) => inheritTrashRoot(tx, folderIds, kind, LOCKED_BATCH))
    } while (changed === LOCKED_BATCH)
  }
}

async function readMark(pool: pg.Pool, folderId: string): Promise<string | null> {
  const { rows } = await pool.query<{ settling: string | null }>('select settling from files where id = $1', [folderId])
  return rows[0]?.settling ?? null
}

/** Too many changes to name in an event: clients reload what they show. */
function publishReload({ events }: ChangeDeps, userId: string): void {
  events.publish('filesChanged', userId, { fileIds: [], removedIds: [], parentIds: [], truncated: true })
}

/** Entries in accounts: see InPlaceHousekeeping. */
const EXPIRED = "trashed_at < now() - interval '30 days' and purged_at is null and account_id is null"

/** Deletes a batch of entries that have been in the trash for 30 days, by the database's clock. @returns how many */
async function expireSome(deps: ChangeDeps): Promise<number> {
  const { rows } = await deps.pool.query<{ user_id: string }>(
    `select distinct user_id from (select user_id from files where ${EXPIRED} limit $1) expired`,
    [BATCH],
  )
  let count = 0
  for (const { user_id: userId } of rows) count += await changeTree(deps, { userId }, expireOf)
  return count
}

/** Checks again under the user's lock: an entry may have been restored meanwhile. */
async function expireOf(change: Change): Promise<number> {
  const { rows } = await change.tx.query<{ id: string }>(
    `select id from files where user_id = $1 and ${EXPIRED} limit $2`,
    [change.userId, LOCKED_BATCH],
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await purgeEntries(change, ids)
  return ids.length
}
