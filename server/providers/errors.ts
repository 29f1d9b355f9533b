/** What happened, and from it what to do: the one table that layers, transfers and doors go by. */
const REACTION = {
  /** The access token ended: refresh once, then the same call again. */
  AuthExpired: 'after-refresh',
  /** The user has to connect the account again. */
  ReconnectNeeded: 'reconnect',
  RateLimited: 'after-delay',
  Transient: 'after-delay',
  QuotaExceeded: 'other-account',
  /** A daily limit or a rule of the account's administrator: this account takes no more for now. */
  Forbidden: 'other-account',
  TooLarge: 'other-account',
  /** Our own client id, secret or settings: never the user's fault, and never an expired account. */
  Misconfigured: 'never',
  NotFound: 'never',
  Conflict: 'never',
  BadName: 'never',
  CursorReset: 'never',
  /** The bytes there, or on their way, are not what they must be. */
  Corrupt: 'never',
  Permanent: 'never',
} as const

export type ProviderErrorCode = keyof typeof REACTION
export type Reaction = (typeof REACTION)[ProviderErrorCode]

export type ProviderErrorWhere = { readonly provider: string; readonly operation: string; readonly status?: number }
export type ProviderErrorDetail = {
  /** For people and the log; without tokens, addresses with credentials, or content. */
  readonly message: string
  /** The provider asked to wait that long. */
  readonly retryAfterMs?: number
  /** Set when retrying was given up: no outer loop retries at once. */
  readonly attempts?: number
  readonly cause?: unknown
}

/** What every driver rejects with. Classified once, in the driver's errors.ts. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  constructor(
    readonly code: ProviderErrorCode,
    readonly where: ProviderErrorWhere,
    readonly detail: ProviderErrorDetail,
  ) {
    super(`${where.provider} ${where.operation}: ${code}: ${detail.message}`, { cause: detail.cause })
  }

  get reaction(): Reaction {
    return REACTION[this.code]
  }
}
