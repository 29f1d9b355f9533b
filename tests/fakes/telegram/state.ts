import type { Blob, Blobs } from '../core/blobs.ts'

export type Person = {
  readonly id: number
  readonly firstName: string
  readonly username: string | null
  /** Has pressed Start, which is what lets the bot write to them. */
  started: boolean
  blocked: boolean
  /** What the bot wrote. */
  readonly received: string[]
}

export type Bot = {
  readonly id: number
  readonly token: string
  readonly username: string
  updates: { readonly update_id: number; readonly [kind: string]: unknown }[]
  webhook: string | null
  /** The question for updates that waits: told true for news, false when another question ends it. */
  waiting: ((isNews: boolean) => void) | null
}

export type StoredFile = {
  /** The same for all bots; the ids for bots are made of it. */
  readonly uniqueId: string
  readonly name: string
  readonly mimeType: string
  readonly blob: Blob
}

export type ChannelPost = {
  readonly id: number
  readonly date: number
  /** The bot that sent it; null: a person. */
  readonly sender: number | null
  readonly text: string | null
  readonly file: StoredFile | null
  readonly repliesTo: number | null
}

export const RIGHTS = ['can_post_messages', 'can_edit_messages', 'can_delete_messages'] as const
export type Rights = Readonly<Partial<Record<(typeof RIGHTS)[number], boolean>>>

export type Channel = {
  readonly id: number
  readonly title: string
  readonly username: string | null
  nextMessage: number
  readonly posts: Map<number, ChannelPost>
  readonly admins: Map<number, Rights>
  /** Bots that are or were in it, and so know that it exists. */
  readonly known: Set<number>
  /** Times of what was sent, for the flood limit. */
  sent: number[]
  isDeleted: boolean
}

export type State = {
  /** The bot of the server, which people write to. */
  readonly bot: Bot
  /** By token, that one among them. */
  readonly bots: Map<string, Bot>
  readonly people: Map<number, Person>
  readonly channels: Map<number, Channel>
  readonly files: Map<string, StoredFile>
  readonly blobs: Blobs
  /** Most messages in a channel within a minute; null: no limit. */
  perMinute: number | null
  nextUpdate: number
  nextMessage: number
  nextFile: number
  readonly now: () => number
}

/** What Telegram answers instead of a result. */
export class TelegramError extends Error {
  override readonly name = 'TelegramError'
  constructor(
    readonly status: number,
    description: string,
    readonly parameters?: object,
  ) {
    super(description)
  }
}

export function createBot({ token, username }: { token: string; username: string }): Bot {
  return { id: Number(token.split(':')[0]), token, username, updates: [], webhook: null, waiting: null }
}

export function personOf({ people }: State, user: number): Person {
  const person = people.get(user)
  if (!person) throw new Error(`Telegram knows no user ${user}.`)
  return person
}

export function queue(state: State, bot: Bot, update: Readonly<Record<string, unknown>>): void {
  bot.updates.push({ update_id: state.nextUpdate++, ...update })
  bot.waiting?.(true)
}
