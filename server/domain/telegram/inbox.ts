import type { Pool } from 'pg'
import type { BotMessage, TelegramInbox } from './bot.ts'
import { confirmCode } from './codes.ts'

const WELCOME = 'Please open the link that Skypool shows you, or send me the code that stands there.'
const PRIVATELY = 'Please write to me in a chat of our own.'
const CONFIRMED = 'Confirmed. Please go back to Skypool to finish.'
const REFUSED = 'This code is unknown, used already or older than ten minutes. Please ask Skypool for a new one.'

/** `/start CODE` from the deep link, or the code alone as somebody types it. */
const WITH_CODE = /^(?:\/start(?:@\w+)?\s+)?([\w-]{22})$/

/** Answers what people write to the bot, and believes nothing but who wrote it. */
export function createTelegramInbox({ pool }: { readonly pool: Pool }): TelegramInbox {
  return {
    async receive(message) {
      const [, code] = WITH_CODE.exec(message.text.trim()) ?? []
      if (!isOwnChat(message)) return code === undefined ? null : PRIVATELY
      if (code === undefined) return WELCOME
      return (await confirmCode(pool, code, message)) ? CONFIRMED : REFUSED
    },
  }
}

/** In a group everybody could read the code, and the chat would not be the sender's. */
function isOwnChat({ isPrivate, userId, chatId }: BotMessage): boolean {
  return isPrivate && userId === chatId
}
