import type { Pool } from 'pg'
import { transaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import { ProviderError } from '../../providers/errors.ts'
import { checkCode, checkedName } from '../accounts/rules.ts'
import {
  AccountConnectedError,
  NotFoundError,
  OtherLoginError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../errors.ts'
import type { TelegramAccount, TelegramService } from '../services/telegram.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import type { TelegramBot } from './bot.ts'
import { claimCode, issueCode } from './codes.ts'

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
  /** null: this server has none. */
  readonly bot: TelegramBot | null
}

/** Telegram logins that their users have confirmed to this server's bot. */
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

/** What is refused leaves the code as it was. */
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
