import { addPost, chatOf, removePost } from './channels.ts'
import { type Channel, createBot, personOf, queue, RIGHTS, type Rights, type State } from './state.ts'

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
      if (url.origin !== 'https://t.me' || url.pathname !== `/${state.bot.username}`)
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
    sendUpdate: ({ message }: { message: object }) => queue(state, state.bot, { message }),
    messages: ({ user }: ByUser) => personOf(state, user).received,
    block({ user }: ByUser) {
      personOf(state, user).blocked = true
    },
    setWebhook({ url }: { url: string | null }) {
      state.bot.webhook = url
    },
    /** What no bot has confirmed yet. */
    pending: () => state.bot.updates.length,
    /** Whether a bot waits for messages. */
    /** A bot that somebody has made with @BotFather. */
    addBot({ token, username }: { token: string; username: string }) {
      state.bots.set(token, createBot({ token, username }))
      return { token }
    },
    /** A private channel, or a public one with a name. */
    addChannel({ title, username = null }: { title: string; username?: string | null }) {
      const id = -1_001_000_000_000 - state.channels.size - 1
      const channel = {
        id,
        title,
        username,
        nextMessage: 2,
        posts: new Map(),
        admins: new Map(),
        known: new Set<number>(),
        sent: [],
      }
      state.channels.set(id, { ...channel, isDeleted: false })
      return { id }
    },
    /** Makes a bot an administrator of a channel, with the rights that Telegram suggests unless others are given; null removes it. */
    setAdmin({ channel, token, rights = ALL_RIGHTS }: { channel: number; token: string; rights?: Rights | null }) {
      const bot = state.bots.get(token)
      if (!bot) throw new Error('There is no bot with this token.')
      const of = channelBy(state, channel)
      if (rights === null) of.admins.delete(bot.id)
      else of.admins.set(bot.id, rights)
      of.known.add(bot.id)
      const user = { id: bot.id, is_bot: true, first_name: 'Bot' }
      const new_chat_member = { user, status: rights === null ? 'left' : 'administrator' }
      queue(state, bot, { my_chat_member: { chat: chatOf(of), date: Math.floor(state.now() / 1000), new_chat_member } })
    },
    /** Ends the access of a bot, as /revoke of @BotFather does. */
    revokeToken: ({ token }: { token: string }) => ({ revoked: state.bots.delete(token) }),
    deleteChannel({ channel }: { channel: number }) {
      channelBy(state, channel).isDeleted = true
    },
    /** A person posts something in a channel. */
    post({ channel, text }: { channel: number; text: string }) {
      return { id: addPost(state, channelBy(state, channel), { sender: null, text, file: null, repliesTo: null }).id }
    },
    /** A person deletes a message of a channel. */
    async deletePost({ channel, message }: { channel: number; message: number }) {
      const of = channelBy(state, channel)
      const post = of.posts.get(message)
      if (post) await removePost(state, of, post)
    },
    /** What a person sees in a channel. */
    posts: ({ channel }: { channel: number }) =>
      [...channelBy(state, channel).posts.values()].map(({ id, text, file }) => ({
        id,
        text,
        document: file && { name: file.name, size: file.blob.size },
      })),
    /** Changes a byte of a document: the first one after `at`. */
    async damage({ channel, message, at }: { channel: number; message: number; at: number }) {
      const file = channelBy(state, channel).posts.get(message)?.file
      if (!file) throw new Error('The message has no document.')
      const bytes = Buffer.concat(await file.blob.read().toArray())
      bytes[at] = (bytes[at] ?? 0) ^ 1
      const blob = state.blobs.create()
      await blob.append(bytes)
      Object.assign(file, { blob })
    },
    /** Limits messages per minute and channel, as Telegram does at about 20; null: no limit. */
    setFlood({ perMinute }: { perMinute: number | null }) {
      state.perMinute = perMinute
    },
    isAsked: () => ({ asked: state.bot.waiting !== null }),
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
  const message = { message_id: state.nextMessage++, from, chat, date, text, ...(entities && { entities }) }
  queue(state, state.bot, { message })
}

function channelBy({ channels }: State, id: number): Channel {
  const channel = channels.get(id)
  if (!channel) throw new Error(`There is no channel ${id}.`)
  return channel
}

const ALL_RIGHTS: Rights = Object.fromEntries(RIGHTS.map((right) => [right, true]))
