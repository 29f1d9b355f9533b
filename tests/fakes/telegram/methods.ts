import { type Exchange, ExchangeEnded } from '../core/service.ts'
import { addPost, CHANNEL_METHODS, channelOf, checkFlood, messageOf, repliedTo, require } from './channels.ts'
import { type Method, numberOf, type Parameters } from './parameters.ts'
import { type Bot, type State, TelegramError } from './state.ts'

const MOST_UPDATES = 100
const LONGEST_TEXT = 4096
const LONGEST_WAIT_SECONDS = 50

/** By name in lower case: Telegram's do not mind. */
export const METHODS: Readonly<Record<string, Method>> = {
  getme: { name: 'getMe', run: (_state, bot) => botOf(bot) },
  getupdates: { name: 'getUpdates', run: getUpdates },
  sendmessage: { name: 'sendMessage', run: sendMessage },
  ...CHANNEL_METHODS,
}

function botOf({ id, username }: Bot): object {
  return { id, is_bot: true, first_name: 'Skypool', username, can_join_groups: true }
}

/** What stands before `offset` is confirmed and gone; a negative one counts from the end. */
async function getUpdates(_state: State, bot: Bot, parameters: Parameters, exchange: Exchange): Promise<unknown> {
  if (bot.webhook !== null) {
    const advice = 'use deleteWebhook to delete the webhook first'
    throw new TelegramError(409, `Conflict: can't use getUpdates method while webhook is active; ${advice}`)
  }
  const offset = numberOf(parameters.offset, 0)
  if (offset < 0) bot.updates = bot.updates.slice(offset)
  else bot.updates = bot.updates.filter(({ update_id }) => update_id >= offset)
  const limit = Math.min(Math.max(numberOf(parameters.limit, MOST_UPDATES), 1), MOST_UPDATES)
  // A question that waits is ended by any other, whether or not that has to wait.
  bot.waiting?.(false)
  if (bot.updates.length === 0) await news(bot, numberOf(parameters.timeout, 0), exchange)
  return bot.updates.slice(0, limit)
}

function news(bot: Bot, seconds: number, { response }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      if (bot.waiting === tell) bot.waiting = null
      settle()
    }
    const tell = (isNews: boolean): void => end(() => (isNews ? resolve() : reject(terminated())))
    const timer = setTimeout(() => end(resolve), Math.min(Math.max(seconds, 0), LONGEST_WAIT_SECONDS) * 1000)
    timer.unref()
    bot.waiting = tell
    response.once('close', () => end(() => reject(new ExchangeEnded())))
  })
}

function terminated(): TelegramError {
  const advice = 'make sure that only one bot instance is running'
  return new TelegramError(409, `Conflict: terminated by other getUpdates request; ${advice}`)
}

function sendMessage(state: State, bot: Bot, parameters: Parameters): object {
  const { chat_id, text } = parameters
  if (chat_id === undefined || chat_id === '') throw new TelegramError(400, 'Bad Request: chat_id is empty')
  const person = state.people.get(Number(chat_id))
  if (typeof text !== 'string' || text.trim() === '') throw new TelegramError(400, 'Bad Request: message text is empty')
  if (text.length > LONGEST_TEXT) throw new TelegramError(400, 'Bad Request: message is too long')
  if (String(chat_id).startsWith('-100') || String(chat_id).startsWith('@'))
    return postText(state, bot, parameters, text)
  if (!person?.started || bot !== state.bot) throw new TelegramError(400, 'Bad Request: chat not found')
  if (person.blocked) throw new TelegramError(403, 'Forbidden: bot was blocked by the user')
  person.received.push(text)
  const chat = { id: person.id, type: 'private', first_name: person.firstName }
  const message_id = state.nextMessage++
  return { message_id, from: botOf(bot), chat, date: Math.floor(state.now() / 1000), text }
}

function postText(state: State, bot: Bot, parameters: Parameters, text: string): object {
  const channel = channelOf(state, bot, parameters.chat_id)
  require(channel, bot, 'can_post_messages')
  const repliesTo = repliedTo(channel, parameters)
  checkFlood(state, channel)
  const post = addPost(state, channel, { sender: bot.id, text, file: null, repliesTo })
  return messageOf(state, bot, channel, post)
}
