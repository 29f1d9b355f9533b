import { createHash, randomBytes } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import { newId } from '../../lib/ids.ts'
import { AuthorizationFailedError } from '../errors.ts'

/** 22 characters in base64url, which deep links allow. */
const CODE_BYTES = 16
/** Open codes per user; older ones are deleted. */
const MOST_OPEN = 20

const ISSUE = `insert into telegram_codes (id, code_hash, user_id, expires_at)
  values ($1, $2, $3, now() + interval '10 minutes') returning expires_at as "expiresAt"`

const TRIM = `delete from telegram_codes where user_id = $1 and id not in (
  select id from telegram_codes where user_id = $1 order by created_at desc, id desc limit ${MOST_OPEN})`

/** The first sender confirms it; the same message can arrive again. */
const CONFIRM = `update telegram_codes set telegram_user_id = $2, chat_id = $3, username = $4
  where code_hash = $1 and used_at is null and expires_at > now() and (telegram_user_id is null or telegram_user_id = $2)`

/** One statement, so that only one of two requests with the same code succeeds. */
const CLAIM = `update telegram_codes set used_at = now()
  where code_hash = $1 and user_id = $2 and used_at is null and expires_at > now() and telegram_user_id is not null
  returning telegram_user_id as "telegramUserId", chat_id as "chatId", username`

const UNCONFIRMED = `select from telegram_codes
  where code_hash = $1 and user_id = $2 and used_at is null and expires_at > now() and telegram_user_id is null`

/** Ids as the database returns them: bigint as text. */
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

/** @returns false for a code that is unknown, used, older than ten minutes, or confirmed by another user */
export async function confirmCode(
  pool: Pool,
  code: string,
  { userId, chatId, username }: { userId: number; chatId: number; username: string | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(CONFIRM, [hashOf(code), userId, chatId, username])
  return rowCount === 1
}

/** Uses up a code in the caller's transaction. @returns the login that confirmed it. @throws AuthorizationFailedError */
export async function claimCode(client: ClientBase, userId: string, code: string): Promise<TelegramLogin> {
  const values = [hashOf(code), userId]
  const { rows } = await client.query<TelegramLogin>(CLAIM, values)
  if (rows[0]) return rows[0]
  const { rowCount } = await client.query(UNCONFIRMED, values)
  throw new AuthorizationFailedError(
    rowCount === 0
      ? 'This code is unknown, used already or older than ten minutes. Please ask for a new one.'
      : 'Telegram has not confirmed this code yet. Please open the link, press Start and try again.',
  )
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
