import type { Pool } from 'pg'
import { transaction } from '../../db/transaction.ts'
import { type ChangeDeps, changeTree } from '../files/change.ts'
import { lockAccounts, markPurged } from '../files/purge.ts'
import type { FilesHousekeeping, UploadsHousekeeping } from '../housekeeping.ts'

/** Entries of one transaction: short enough to let requests in between. */
const BATCH = 500
/** A removal that its account does not let us make is given up after this. */
const PATIENCE_SECONDS = 7 * 24 * 3600
const SOONEST_SECONDS = 2
const LATEST_SECONDS = 600

export type RemoveUserDeps = ChangeDeps & {
  readonly files: Pick<FilesHousekeeping, 'purge' | 'removeObjects'>
  readonly uploads: Pick<UploadsHousekeeping, 'removeOf'>
  /** Takes the providers' own links of shares that have ended back. */
  readonly takeBackLinks: (signal: AbortSignal) => Promise<void>
  readonly leaveAccounts: (userId: string, signal: AbortSignal) => Promise<void>
}

type Going = { readonly deleteRemote: boolean; readonly seconds: number }

const FIND = `select delete_remote as "deleteRemote", extract(epoch from now() - deleted_at)::float8 as seconds
  from users where id = $1 and deleted_at is not null`

/**
 * Removes what a deleted user has left: uploads, files with their bytes on this server, the access to their accounts, and at last
 * the row that all other rows hang on. On connected accounts files stay unless the user wanted them gone. Each step may be
 * repeated, so it goes on wherever a crash has stopped it.
 */
export async function removeUser(deps: RemoveUserDeps, userId: string, signal: AbortSignal): Promise<void> {
  const going = (await deps.pool.query<Going>(FIND, [userId])).rows[0]
  if (!going) return
  await deps.uploads.removeOf(userId, signal)
  await deps.takeBackLinks(signal)
  if (!going.deleteRemote) {
    // What the user had deleted before is removed there all the same, as far as that goes now.
    await removeObjects(deps, userId, signal)
    await deps.leaveAccounts(userId, signal)
  }
  const wereSending = await purgeAll(deps, userId, signal)
  if (going.deleteRemote && going.seconds < PATIENCE_SECONDS) {
    await removeObjects(deps, userId, signal)
    // What was being sent may still arrive, and is then left to be removed.
    if (wereSending || (await isMoreToRemove(deps.pool, userId))) return goOnLater(deps, userId, going.seconds)
  }
  await deps.leaveAccounts(userId, signal)
  if (!(await removeRows(deps.pool, userId))) await goOnLater(deps, userId, going.seconds)
}

/** @returns whether anything of it was being sent. */
async function purgeAll(deps: RemoveUserDeps, userId: string, signal: AbortSignal): Promise<boolean> {
  let marked = BATCH
  let wereSending = false
  while (marked > 0) {
    signal.throwIfAborted()
    marked = await changeTree(deps, { userId }, async (change) => {
      await lockAccounts(change)
      const { rows } = await change.tx.query<{ id: string }>(
        'select id from files where user_id = $1 and purged_at is null limit $2',
        [userId, BATCH],
      )
      const count = await markPurged(
        change,
        rows.map(({ id }) => id),
        rows.length,
      )
      wereSending ||= change.transferIds.size > 0
      return count
    })
  }
  await deps.files.purge(userId, signal)
  return wereSending
}

async function removeObjects({ pool, files }: RemoveUserDeps, userId: string, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(`select distinct a.id from ${REMOVALS}`, [userId])
  for (const { id } of rows) await files.removeObjects(id, signal)
}

const REMOVALS = `object_removals r join accounts a on a.id = r.account_id
  where a.user_id = $1 and a.disconnected_at is null and a.status = 'CONNECTED'`

async function isMoreToRemove(pool: Pool, userId: string): Promise<boolean> {
  return (await pool.query(`select from ${REMOVALS} limit 1`, [userId])).rowCount === 1
}

/** The longer it has taken, the longer the pause. */
async function goOnLater({ pool, enqueue }: RemoveUserDeps, userId: string, seconds: number): Promise<void> {
  const delaySeconds = Math.min(Math.max(seconds / 10, SOONEST_SECONDS), LATEST_SECONDS)
  await transaction(pool, (tx) => enqueue(tx, 'deleteUser', { userId }, { key: removalKey(userId), delaySeconds }))
}

export function removalKey(userId: string): string {
  return `delete user ${userId}`
}

/** What a request that was under way has added: bytes, or access to an account. */
const LEFT = `select from files where user_id = $1 union all
  select from account_credentials c join accounts a on a.id = c.account_id where a.user_id = $1 limit 1`

/**
 * The user with all rows of theirs. Under the lock nothing can be added: with the user's row gone an upload is refused, and its bytes
 * with it. @returns false when one had come before
 */
async function removeRows(pool: Pool, userId: string): Promise<boolean> {
  return transaction(pool, async (tx) => {
    await tx.query('select from users where id = $1 for update', [userId])
    if ((await tx.query(LEFT, [userId])).rowCount !== 0) return false
    await tx.query('delete from users where id = $1 and deleted_at is not null', [userId])
    return true
  })
}
