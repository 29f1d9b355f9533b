/** What the domain asks of the bot. */
export type TelegramBot = {
  /** Without the @. @throws ProviderError */
  username(): Promise<string>
}

/** What somebody wrote to the bot. */
export type BotMessage = {
  readonly text: string
  /** Telegram's, as a safe integer. */
  readonly userId: number
  readonly chatId: number
  /** Without the @; null where there is none. */
  readonly username: string | null
  /** Between this person and the bot alone. */
  readonly isPrivate: boolean
}

export interface TelegramInbox {
  /** What the bot answers; null when it says nothing. The same message may come again. */
  receive(message: BotMessage): Promise<string | null>
}
