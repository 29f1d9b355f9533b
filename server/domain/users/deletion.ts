import type { Pool, PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import { type ChangeDeps, changeTree, lockAccounts } from '../files/tree/change.ts'
import { markPurged } from '../files/tree/trash.ts'
import type { FilesHousekeeping, PeopleHousekeeping, UploadsHousekeeping } from '../jobs.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { confirmPassword, guessesKey, type PeopleDeps } from './passwords.ts'

/** E-mail addresses contain no such colon and no hash is empty: sign-in is impossible, and the address is free. */
const ANONYMIZE = `update users set deleted_at = now(), delete_remote = $2, email_key = 'deleted:' || id, email = '', full_name = '',
    password_hash = '', updated_at = now()
  where id = $1 and deleted_at is null`

/** If the administrator is deleted, the oldest remaining user becomes the administrator. */
const TRANSFER_ROLE = `with former as (
    update users set role = 'MEMBER' where id = $1 and role = 'ADMINISTRATOR' returning id
  ) update users set role = 'ADMINISTRATOR' where exists (select from former) and id = (
    select id from users where deleted_at is null and id <> $1 order by created_at, id limit 1)
  and not exists (select from users where role = 'ADMINISTRATOR' and deleted_at is null and id <> $1)`

/** Ends all access and deletes personal data immediately. A job deletes the rest. */
const END = [
  'delete from sessions where user_id = $1',
  'delete from api_keys where user_id = $1',
  'delete from password_resets where user_id = $1',
  'delete from telegram_codes where user_id = $1',
  'delete from telegram_accounts where user_id = $1',
  'delete from idempotency_keys where user_id = $1',
  'delete from activities where user_id = $1',
  'update shares set ended_at = now() where user_id = $1 and ended_at is null',
  'update uploads set expires_at = now() where user_id = $1',
  // A move would take originals out of their accounts, and what it makes of them is deleted with the user.
  `update file_jobs set state = 'CANCELLED', error = null, next_try_at = null, ended_at = now() where user_id = $1 and ended_at is null`,
  'delete from invitations where created_by = $1 and used_at is null',
  'update invitations set email = null where used_by = $1',
  TRANSFER_ROLE,
]

/** @throws InvalidInputError (path `password`), TooManyRequestsError */
export async function deleteUser(
  deps: PeopleDeps,
  viewer: Viewer,
  { password, deleteRemote }: { readonly password: string; readonly deleteRemote: boolean },
): Promise<void> {
  sessionOf(viewer)
  const { userId } = viewer
  const { email, emailKey } = await confirmPassword(deps, userId, password, 'password')
  // Retried: concurrent writes for the user may lock rows in another order.
  const remove = () =>
    transaction(deps.pool, async (tx) => {
      const { rowCount } = await tx.query(ANONYMIZE, [userId, deleteRemote])
      if (rowCount !== 1) return
      for (const statement of END) await tx.query(statement, [userId])
      await deleteThrottles(tx, emailKey, userId)
      await deps.enqueue(tx, 'deleteUser', { userId }, { key: removalKey(userId) })
    })
  await retryConflicts(remove)
  await deps.mailer.forget(email)
}

/** Their keys contain the address. */
async function deleteThrottles(tx: PoolClient, emailKey: string, userId: string): Promise<void> {
  const keys = [`account:${emailKey}`, `forgot:${emailKey}`, guessesKey(userId)]
  await tx.query('delete from login_throttles where key = any($1::text[])', [keys])
}

/** Entries per transaction: small enough not to block requests. */
const BATCH = 500
/** After this, remote deletions that fail are abandoned. */
const REMOTE_DELETION_SECONDS = 7 * 24 * 3600
const SOONEST_SECONDS = 2
const LATEST_SECONDS = 600

export type RemoveUserDeps = ChangeDeps & {
  readonly files: Pick<FilesHousekeeping, 'purge' | 'removeObjects'>
  readonly uploads: Pick<UploadsHousekeeping, 'removeOf'>
  /** Revokes the provider links of ended shares. */
  readonly revokeLinks: (signal: AbortSignal) => Promise<void>
  readonly leaveAccounts: (userId: string, signal: AbortSignal) => Promise<void>
}

type Deleted = { readonly deleteRemote: boolean; readonly seconds: number }

const FIND = `select delete_remote as "deleteRemote", extract(epoch from now() - deleted_at)::float8 as seconds
  from users where id = $1 and deleted_at is not null`

/**
 * Deletes everything of a deleted user: uploads, files with their bytes on this server, the access to their accounts, and finally
 * the user's row, which all other rows reference. Files on connected accounts stay unless `deleteRemote`. Every step is
 * idempotent, so the job can resume after a crash.
 */
async function removeUser(deps: RemoveUserDeps, userId: string, signal: AbortSignal): Promise<void> {
  const deleted = (await deps.pool.query<Deleted>(FIND, [userId])).rows[0]
  if (!deleted) return
  await deps.uploads.removeOf(userId, signal)
  await deps.revokeLinks(signal)
  if (!deleted.deleteRemote) {
    // Removals that were queued before the user was deleted, best effort.
    await removeObjects(deps, userId, signal)
    await deps.leaveAccounts(userId, signal)
  }
  const hadTransfers = await purgeAll(deps, userId, signal)
  if (deleted.deleteRemote && deleted.seconds < REMOTE_DELETION_SECONDS) {
    await removeObjects(deps, userId, signal)
    // Objects of active transfers may still arrive and then have to be removed too.
    if (hadTransfers || (await hasRemovals(deps.pool, userId))) return continueLater(deps, userId, deleted.seconds)
  }
  await deps.leaveAccounts(userId, signal)
  if (!(await removeRows(deps.pool, userId))) await continueLater(deps, userId, deleted.seconds)
}

/** @returns whether there were active transfers */
async function purgeAll(deps: RemoveUserDeps, userId: string, signal: AbortSignal): Promise<boolean> {
  let marked = BATCH
  let hadTransfers = false
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
      hadTransfers ||= change.transferIds.size > 0
      return count
    })
  }
  await deps.files.purge(userId, signal)
  return hadTransfers
}

async function removeObjects({ pool, files }: RemoveUserDeps, userId: string, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(`select distinct a.id from ${REMOVALS}`, [userId])
  for (const { id } of rows) await files.removeObjects(id, signal)
}

const REMOVALS = `object_removals r join accounts a on a.id = r.account_id
  where a.user_id = $1 and a.disconnected_at is null and a.status = 'CONNECTED'`

async function hasRemovals(pool: Pool, userId: string): Promise<boolean> {
  return (await pool.query(`select from ${REMOVALS} limit 1`, [userId])).rowCount === 1
}

/** The delay grows with the time since the deletion. */
async function continueLater({ pool, enqueue }: RemoveUserDeps, userId: string, seconds: number): Promise<void> {
  const delaySeconds = Math.min(Math.max(seconds / 10, SOONEST_SECONDS), LATEST_SECONDS)
  await transaction(pool, (tx) => enqueue(tx, 'deleteUser', { userId }, { key: removalKey(userId), delaySeconds }))
}

function removalKey(userId: string): string {
  return `delete user ${userId}`
}

/** Added by a request that was active during the deletion: files, or credentials of an account. */
const LEFT = `select from files where user_id = $1 union all
  select from account_credentials c join accounts a on a.id = c.account_id where a.user_id = $1 limit 1`

/**
 * Deletes the user's row and all rows that reference it. The lock prevents concurrent additions: without the user's row an upload
 * is refused. @returns false when something was added before
 */
async function removeRows(pool: Pool, userId: string): Promise<boolean> {
  return transaction(pool, async (tx) => {
    await tx.query('select from users where id = $1 for update', [userId])
    if ((await tx.query(LEFT, [userId])).rowCount !== 0) return false
    await tx.query('delete from users where id = $1 and deleted_at is not null', [userId])
    return true
  })
}

export function createPeopleHousekeeping(deps: RemoveUserDeps): PeopleHousekeeping {
  return {
    removeUser: (userId, signal) => removeUser(deps, userId, signal),

    async resumeRemovals() {
      await transaction(deps.pool, async (tx) => {
        const { rows } = await tx.query<{ id: string }>(
          `select id from users where deleted_at < now() - interval '1 hour'`,
        )
        for (const { id: userId } of rows) await deps.enqueue(tx, 'deleteUser', { userId }, { key: removalKey(userId) })
      })
    },
  }
}
