import type { Pool, PoolClient } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import { type ChangeDeps, changeTree, lockAccounts } from '../files/tree/change.ts'
import { markPurged } from '../files/tree/trash.ts'
import type { FilesHousekeeping, PeopleHousekeeping, UploadsHousekeeping } from '../housekeeping.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { confirmPassword, guessesKey, type PeopleDeps } from './passwords.ts'

/** No address has a colon in it, and no hash is empty: nobody signs in here, and the address is free. */
const FORGET = `update users set deleted_at = now(), delete_remote = $2, email_key = 'deleted:' || id, email = '', full_name = '',
    password_hash = '', updated_at = now()
  where id = $1 and deleted_at is null`

/** A server is never without an administrator: the one who has been here longest takes over. */
const PASS_ROLE_ON = `with gone as (
    update users set role = 'MEMBER' where id = $1 and role = 'ADMINISTRATOR' returning id
  ) update users set role = 'ADMINISTRATOR' where exists (select from gone) and id = (
    select id from users where deleted_at is null and id <> $1 order by created_at, id limit 1)
  and not exists (select from users where role = 'ADMINISTRATOR' and deleted_at is null and id <> $1)`

/** What lets somebody in, and what tells who this was. The rest goes with the files, by job. */
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
  'delete from invitations where created_by = $1 and used_at is null',
  PASS_ROLE_ON,
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
  // What writes for the user meanwhile may hold rows in another order.
  const remove = () =>
    transaction(deps.pool, async (tx) => {
      const { rowCount } = await tx.query(FORGET, [userId, deleteRemote])
      if (rowCount !== 1) return
      for (const statement of END) await tx.query(statement, [userId])
      await forgetThrottles(tx, emailKey, userId)
      await deps.enqueue(tx, 'deleteUser', { userId }, { key: removalKey(userId) })
    })
  await retrying(remove)
  await deps.mailer.forget(email)
}

/** Their keys hold the address. */
async function forgetThrottles(tx: PoolClient, emailKey: string, userId: string): Promise<void> {
  const keys = [`account:${emailKey}`, `forgot:${emailKey}`, guessesKey(userId)]
  await tx.query('delete from login_throttles where key = any($1::text[])', [keys])
}

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
  readonly revokeLinks: (signal: AbortSignal) => Promise<void>
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
async function removeUser(deps: RemoveUserDeps, userId: string, signal: AbortSignal): Promise<void> {
  const going = (await deps.pool.query<Going>(FIND, [userId])).rows[0]
  if (!going) return
  await deps.uploads.removeOf(userId, signal)
  await deps.revokeLinks(signal)
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

function removalKey(userId: string): string {
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
