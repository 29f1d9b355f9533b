import type { PoolClient } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { confirmPassword, guessesKey } from './confirm.ts'
import type { PeopleDeps } from './deps.ts'
import { removalKey } from './removeUser.ts'

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
