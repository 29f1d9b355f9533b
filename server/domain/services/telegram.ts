import type { Viewer } from '../viewer.ts'

export type TelegramAccount = {
  readonly id: string
  readonly name: string
  /** Without the @; null where there is none. */
  readonly username: string | null
  readonly createdAt: Date
}

export type RegistrationCode = {
  readonly code: string
  readonly botUsername: string
  /** Opens Telegram at the bot with the code in hand. */
  readonly deepLink: string
  readonly expiresAt: Date
}

/** For sessions only. @throws KeyRefusedError for a viewer with a key, ProviderUnavailableError without TELEGRAM_BOT_TOKEN */
export interface TelegramService {
  list(viewer: Viewer): Promise<TelegramAccount[]>
  registrationCode(viewer: Viewer): Promise<RegistrationCode>
  /** The code must have come to the bot by then. @throws InvalidInputError (a blank name), AuthorizationFailedError (unknown, expired, used or not yet confirmed), AccountConnectedError */
  connect(viewer: Viewer, input: { code: string; name: string }): Promise<TelegramAccount>
  /** Confirms the same login anew. @throws NotFoundError, AuthorizationFailedError, OtherLoginError */
  reconnect(viewer: Viewer, id: string, code: string): Promise<TelegramAccount>
}
