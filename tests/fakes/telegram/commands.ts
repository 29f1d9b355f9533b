import { personOf, type State } from './state.ts'

export type TelegramCommands = ReturnType<typeof createCommands>

type ByUser = { readonly user: number }

/** What tests and the demo may do that no bot can. */
export function createCommands(state: State) {
  return {
    addUser({ id, firstName = 'Ada', username = null }: { id: number; firstName?: string; username?: string | null }) {
      state.people.set(id, { id, firstName, username, started: false, blocked: false, received: [] })
      return { id }
    },
    /** Opens https://t.me/BOT?start=CODE and presses Start there. */
    pressStart({ user, link }: ByUser & { link: string }) {
      const url = new URL(link)
      if (url.origin !== 'https://t.me' || url.pathname !== `/${state.botUsername}`)
        throw new Error(`${link} leads to no bot.`)
      const payload = url.searchParams.get('start') ?? ''
      if (!/^[\w-]{0,64}$/.test(payload)) throw new Error('A deep link carries at most 64 of A-Z, a-z, 0-9, _ and -.')
      Object.assign(personOf(state, user), { started: true, blocked: false })
      write(state, user, payload === '' ? '/start' : `/start ${payload}`)
    },
    /** Writes a message: to the bot, or where told to a group that the bot is in. */
    sendText({ user, text, group }: ByUser & { text: string; group?: number }) {
      const person = personOf(state, user)
      if (group === undefined && !person.started) throw new Error('A chat with a bot begins with Start.')
      write(state, user, text, group)
    },
    /** An update of another kind, or a broken one, as given. */
    sendUpdate: ({ message }: { message: object }) => queue(state, message),
    messages: ({ user }: ByUser) => personOf(state, user).received,
    block({ user }: ByUser) {
      personOf(state, user).blocked = true
    },
    setWebhook({ url }: { url: string | null }) {
      state.webhook = url
    },
    /** What no bot has confirmed yet. */
    pending: () => state.updates.length,
    /** Whether a bot waits for messages. */
    isAsked: () => ({ asked: state.waiting !== null }),
  }
}

function write(state: State, user: number, text: string, group?: number): void {
  const { id, firstName, username } = personOf(state, user)
  const from = { id, is_bot: false, first_name: firstName, ...(username !== null && { username }) }
  const chat =
    group === undefined
      ? { id, type: 'private', first_name: firstName }
      : { id: group, type: 'group', title: 'A group' }
  const command = /^\/\w+/.exec(text)?.[0]
  const entities = command && [{ offset: 0, length: command.length, type: 'bot_command' }]
  const date = Math.floor(state.now() / 1000)
  queue(state, { message_id: state.nextMessage++, from, chat, date, text, ...(entities && { entities }) })
}

function queue(state: State, message: object): void {
  state.updates.push({ update_id: state.nextUpdate++, message })
  state.waiting?.(true)
}
