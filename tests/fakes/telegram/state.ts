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

export type State = {
  readonly token: string
  readonly botUsername: string
  readonly people: Map<number, Person>
  updates: { readonly update_id: number; readonly message: object }[]
  nextUpdate: number
  nextMessage: number
  webhook: string | null
  /** The question for updates that waits: told true for news, false when another question ends it. */
  waiting: ((isNews: boolean) => void) | null
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

export function personOf({ people }: State, user: number): Person {
  const person = people.get(user)
  if (!person) throw new Error(`Telegram knows no user ${user}.`)
  return person
}
