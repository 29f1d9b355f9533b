import { createHash, randomBytes } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { ProviderError } from '../../providers/errors.ts'
import { checkCode, checkedName } from '../accounts/rows.ts'
import {
  AccountConnectedError,
  AuthorizationFailedError,
  NotFoundError,
  OtherLoginError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../errors.ts'
import { sessionOf, type Viewer } from '../viewer.ts'

export type TelegramAccount = {
  readonly id: string
  readonly name: string
  /** Without the @; null for none. */
  readonly username: string | null
  readonly createdAt: Date
}

export type RegistrationCode = {
  readonly code: string
  readonly botUsername: string
  /** Opens a chat with the bot in Telegram and passes the code. */
  readonly deepLink: string
  readonly expiresAt: Date
}

/** For sessions only. @throws KeyRefusedError for a viewer with a key, ProviderUnavailableError without TELEGRAM_BOT_TOKEN */
export interface TelegramService {
  list(viewer: Viewer): Promise<TelegramAccount[]>
  registrationCode(viewer: Viewer): Promise<RegistrationCode>
  /** The bot must have received the code before. @throws InvalidInputError (blank name), AuthorizationFailedError (unknown, expired, used or not yet confirmed), AccountConnectedError */
  connect(viewer: Viewer, input: { code: string; name: string }): Promise<TelegramAccount>
  /** Confirms the same login again. @throws NotFoundError, AuthorizationFailedError, OtherLoginError */
  reconnect(viewer: Viewer, id: string, code: string): Promise<TelegramAccount>
}

/** The bot, as the domain uses it. */
export type TelegramBot = {
  /** Without the @. @throws ProviderError */
  username(): Promise<string>
}

/** A message to the bot. */
export type BotMessage = {
  readonly text: string
  /** Telegram's user id, a safe integer. */
  readonly userId: number
  readonly chatId: number
  /** Without the @; null for none. */
  readonly username: string | null
  /** Whether it was sent in a private chat. */
  readonly isPrivate: boolean
}

export interface TelegramInbox {
  /** The bot's reply; null for none. The same message can arrive again. */
  receive(message: BotMessage): Promise<string | null>
}

const COLUMNS = 'id, name, username, created_at as "createdAt"'

const LIST = `select ${COLUMNS} from telegram_accounts where user_id = $1 order by created_at, id`

const INSERT = `insert into telegram_accounts (id, user_id, telegram_user_id, chat_id, username, name)
  values ($1, $2, $3, $4, $5, $6) on conflict (user_id, telegram_user_id) do nothing returning ${COLUMNS}`

const FIND = `select telegram_user_id as "telegramUserId" from telegram_accounts
  where id = $1 and user_id = $2 for no key update`

const RENEW = `update telegram_accounts set chat_id = $2, username = $3, updated_at = now() where id = $1
  returning ${COLUMNS}`

export type TelegramDeps = {
  readonly pool: Pool
  /** null: not set up. */
  readonly bot: TelegramBot | null
}

/** Telegram logins that users have confirmed with this server's bot. */
export function createTelegramService({ pool, bot }: TelegramDeps): TelegramService {
  return {
    async list(viewer) {
      sessionOf(viewer)
      return (await pool.query<TelegramAccount>(LIST, [viewer.userId])).rows
    },
    async registrationCode(viewer) {
      sessionOf(viewer)
      const botUsername = await usernameOf(requireBot(bot))
      const { code, expiresAt } = await issueCode(pool, viewer.userId)
      return { code, botUsername, deepLink: `https://t.me/${botUsername}?start=${code}`, expiresAt }
    },
    async connect(viewer, { code, name }) {
      sessionOf(viewer)
      requireBot(bot)
      checkCode(code)
      return insertConfirmed(pool, viewer, checkedName(name), code)
    },
    async reconnect(viewer, id, code) {
      sessionOf(viewer)
      requireBot(bot)
      checkCode(code)
      return renewConfirmed(pool, viewer, id, code)
    },
  }
}

/** If it fails, the code stays valid. */
function insertConfirmed(pool: Pool, { userId }: Viewer, name: string, code: string): Promise<TelegramAccount> {
  return transaction(pool, async (client) => {
    const { telegramUserId, chatId, username } = await claimCode(client, userId, code)
    const { rows } = await client.query<TelegramAccount>(INSERT, [
      newId(),
      userId,
      telegramUserId,
      chatId,
      username,
      name,
    ])
    if (!rows[0]) throw new AccountConnectedError('This Telegram account is connected already.')
    return rows[0]
  })
}

function renewConfirmed(pool: Pool, { userId }: Viewer, id: string, code: string): Promise<TelegramAccount> {
  return transaction(pool, async (client) => {
    const { rows: found } = await client.query<{ telegramUserId: string }>(FIND, [id, userId])
    const account = found[0]
    if (!account) throw new NotFoundError()
    const login = await claimCode(client, userId, code)
    if (login.telegramUserId !== account.telegramUserId) {
      throw new OtherLoginError(
        'This code was confirmed by another Telegram account. Please use the one it was before.',
      )
    }
    const { rows } = await client.query<TelegramAccount>(RENEW, [id, login.chatId, login.username])
    if (!rows[0]) throw new NotFoundError()
    return rows[0]
  })
}

/** @throws ProviderUnavailableError */
function requireBot(bot: TelegramBot | null): TelegramBot {
  if (bot) return bot
  throw new ProviderUnavailableError(
    'Telegram is not set up on this server. Its administrator has to set TELEGRAM_BOT_TOKEN.',
  )
}

/** @throws ProviderUnavailableError when Telegram does not know the token, ProviderFailedError */
async function usernameOf(bot: TelegramBot): Promise<string> {
  try {
    return await bot.username()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.code !== 'Misconfigured')
      throw new ProviderFailedError('Telegram does not answer. Please try again later.')
    throw new ProviderUnavailableError('Telegram does not accept TELEGRAM_BOT_TOKEN. Please tell the administrator.')
  }
}

const WELCOME = 'Please open the link that Skypool shows you, or send me the code shown there.'
const PRIVATELY = 'Please write to me in a private chat.'
const CONFIRMED = 'Confirmed. Please go back to Skypool to finish.'
const REFUSED = 'This code is unknown, used already or older than ten minutes. Please ask Skypool for a new one.'

/** `/start CODE` from the deep link, or the typed code. */
const WITH_CODE = /^(?:\/start(?:@\w+)?\s+)?([\w-]{22})$/

/** Replies to messages; trusts only their sender's id. */
export function createTelegramInbox({ pool }: { readonly pool: Pool }): TelegramInbox {
  return {
    async receive(message) {
      const [, code] = WITH_CODE.exec(message.text.trim()) ?? []
      if (!isPrivateChat(message)) return code === undefined ? null : PRIVATELY
      if (code === undefined) return WELCOME
      return (await confirmCode(pool, code, message)) ? CONFIRMED : REFUSED
    },
  }
}

/** In a group, others could read the code, and the chat would not belong to the sender. */
function isPrivateChat({ isPrivate, userId, chatId }: BotMessage): boolean {
  return isPrivate && userId === chatId
}

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

async function issueCode(pool: Pool, userId: string): Promise<{ code: string; expiresAt: Date }> {
  const code = randomBytes(CODE_BYTES).toString('base64url')
  const { rows } = await pool.query<{ expiresAt: Date }>(ISSUE, [newId(), hashOf(code), userId])
  await pool.query(TRIM, [userId])
  if (!rows[0]) throw new Error('An insert returns its row.')
  return { code, expiresAt: rows[0].expiresAt }
}

/** @returns false for a code that is unknown, used, older than ten minutes, or confirmed by another user */
async function confirmCode(
  pool: Pool,
  code: string,
  { userId, chatId, username }: { userId: number; chatId: number; username: string | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(CONFIRM, [hashOf(code), userId, chatId, username])
  return rowCount === 1
}

/** Uses up a code in the caller's transaction. @returns the login that confirmed it. @throws AuthorizationFailedError */
async function claimCode(client: ClientBase, userId: string, code: string): Promise<TelegramLogin> {
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
