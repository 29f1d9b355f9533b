import { createHash, randomBytes } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import { newId } from '../../lib/ids.ts'
import { AuthorizationFailedError } from '../errors.ts'

/** In base64url these are 22 of the characters that a deep link may carry. */
const CODE_BYTES = 16
/** Of one user; older ones are forgotten. */
const MOST_OPEN = 20

const ISSUE = `insert into telegram_codes (id, code_hash, user_id, expires_at)
  values ($1, $2, $3, now() + interval '10 minutes') returning expires_at as "expiresAt"`

const TRIM = `delete from telegram_codes where user_id = $1 and id not in (
  select id from telegram_codes where user_id = $1 order by created_at desc, id desc limit ${MOST_OPEN})`

/** Whoever sends it first has confirmed it; the same message may come again. */
const CONFIRM = `update telegram_codes set telegram_user_id = $2, chat_id = $3, username = $4
  where code_hash = $1 and used_at is null and expires_at > now() and (telegram_user_id is null or telegram_user_id = $2)`

/** One statement, so that of two requests with one code one gets it. */
const CLAIM = `update telegram_codes set used_at = now()
  where code_hash = $1 and user_id = $2 and used_at is null and expires_at > now() and telegram_user_id is not null
  returning telegram_user_id as "telegramUserId", chat_id as "chatId", username`

const WAITS = `select from telegram_codes
  where code_hash = $1 and user_id = $2 and used_at is null and expires_at > now() and telegram_user_id is null`

/** Ids as the database gives them: whole numbers as text. */
export type TelegramLogin = {
  readonly telegramUserId: string
  readonly chatId: string
  readonly username: string | null
}

export async function issueCode(pool: Pool, userId: string): Promise<{ code: string; expiresAt: Date }> {
  const code = randomBytes(CODE_BYTES).toString('base64url')
  const { rows } = await pool.query<{ expiresAt: Date }>(ISSUE, [newId(), hashOf(code), userId])
  await pool.query(TRIM, [userId])
  if (!rows[0]) throw new Error('An insert returns its row.')
  return { code, expiresAt: rows[0].expiresAt }
}

/** @returns false for a code that is unknown, used, older than ten minutes, or confirmed by somebody else */
export async function confirmCode(
  pool: Pool,
  code: string,
  { userId, chatId, username }: { userId: number; chatId: number; username: string | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(CONFIRM, [hashOf(code), userId, chatId, username])
  return rowCount === 1
}

/** Who confirmed it; from then on it counts no more, unless the caller's transaction rolls back. @throws AuthorizationFailedError */
export async function claimCode(client: ClientBase, userId: string, code: string): Promise<TelegramLogin> {
  const values = [hashOf(code), userId]
  const { rows } = await client.query<TelegramLogin>(CLAIM, values)
  if (rows[0]) return rows[0]
  const { rowCount } = await client.query(WAITS, values)
  throw new AuthorizationFailedError(
    rowCount === 0
      ? 'This code is unknown, used already or older than ten minutes. Please ask for a new one.'
      : 'Telegram has not confirmed this code yet. Please open the link, press Start and try again.',
  )
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
