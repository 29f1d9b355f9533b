import { type Exchange, ExchangeEnded } from '../core/service.ts'
import { numberOf, type Parameters } from './parameters.ts'
import { type State, TelegramError } from './state.ts'

type Method = {
  readonly name: string
  run(state: State, parameters: Parameters, exchange: Exchange): unknown
}

const MOST_UPDATES = 100
const LONGEST_TEXT = 4096
const LONGEST_WAIT_SECONDS = 50
const BOT_ID = 123456789

/** By name in lower case: Telegram's do not mind. */
export const METHODS: Readonly<Record<string, Method>> = {
  getme: { name: 'getMe', run: botOf },
  getupdates: { name: 'getUpdates', run: getUpdates },
  sendmessage: { name: 'sendMessage', run: sendMessage },
}

function botOf({ botUsername }: State): object {
  return { id: BOT_ID, is_bot: true, first_name: 'Skypool', username: botUsername, can_join_groups: true }
}

/** What stands before `offset` is confirmed and gone; a negative one counts from the end. */
async function getUpdates(state: State, parameters: Parameters, exchange: Exchange): Promise<unknown> {
  if (state.webhook !== null) {
    const advice = 'use deleteWebhook to delete the webhook first'
    throw new TelegramError(409, `Conflict: can't use getUpdates method while webhook is active; ${advice}`)
  }
  const offset = numberOf(parameters.offset, 0)
  if (offset < 0) state.updates = state.updates.slice(offset)
  else state.updates = state.updates.filter(({ update_id }) => update_id >= offset)
  const limit = Math.min(Math.max(numberOf(parameters.limit, MOST_UPDATES), 1), MOST_UPDATES)
  // A question that waits is ended by any other, whether or not that has to wait.
  state.waiting?.(false)
  if (state.updates.length === 0) await news(state, numberOf(parameters.timeout, 0), exchange)
  return state.updates.slice(0, limit)
}

function news(state: State, seconds: number, { response }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      if (state.waiting === tell) state.waiting = null
      settle()
    }
    const tell = (isNews: boolean): void => end(() => (isNews ? resolve() : reject(terminated())))
    const timer = setTimeout(() => end(resolve), Math.min(Math.max(seconds, 0), LONGEST_WAIT_SECONDS) * 1000)
    timer.unref()
    state.waiting = tell
    response.once('close', () => end(() => reject(new ExchangeEnded())))
  })
}

function terminated(): TelegramError {
  const advice = 'make sure that only one bot instance is running'
  return new TelegramError(409, `Conflict: terminated by other getUpdates request; ${advice}`)
}

function sendMessage(state: State, { chat_id, text }: Parameters): object {
  if (chat_id === undefined || chat_id === '') throw new TelegramError(400, 'Bad Request: chat_id is empty')
  const person = state.people.get(Number(chat_id))
  if (typeof text !== 'string' || text.trim() === '') throw new TelegramError(400, 'Bad Request: message text is empty')
  if (text.length > LONGEST_TEXT) throw new TelegramError(400, 'Bad Request: message is too long')
  if (!person?.started) throw new TelegramError(400, 'Bad Request: chat not found')
  if (person.blocked) throw new TelegramError(403, 'Forbidden: bot was blocked by the user')
  person.received.push(text)
  const chat = { id: person.id, type: 'private', first_name: person.firstName }
  const message_id = state.nextMessage++
  return { message_id, from: botOf(state), chat, date: Math.floor(state.now() / 1000), text }
}
