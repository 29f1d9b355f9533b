import type { ActivityEntry } from '../../services/activity.ts'
import type { TelegramAccount, TelegramService } from '../../services/telegram.ts'
import type { Changes, Say } from './say.ts'

type Reads = 'list' | 'registrationCode'

/** The changes of the Telegram service, written down. */
export function recordTelegram(telegram: TelegramService, say: Say): Changes<TelegramService, Reads> {
  const about = ({ id, name }: TelegramAccount): Pick<ActivityEntry, 'subject' | 'details'> => ({
    subject: { type: 'TelegramAccount', id, name },
    details: { provider: 'Telegram' },
  })

  return {
    async connect(viewer, input) {
      const account = await telegram.connect(viewer, input)
      say(viewer, { action: 'ACCOUNT_CONNECTED', ...about(account) })
      return account
    },
    async reconnect(viewer, id, code) {
      const account = await telegram.reconnect(viewer, id, code)
      say(viewer, { action: 'ACCOUNT_RECONNECTED', ...about(account) })
      return account
    },
  }
}
