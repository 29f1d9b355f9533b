/** Every error code and the reaction to it: used by layers, transfers and APIs. */
const REACTION = {
  /** The access token has expired: refresh it once, then repeat the call. */
  AuthExpired: 'after-refresh',
  /** The user has to connect the account again. */
  ReconnectNeeded: 'reconnect',
  RateLimited: 'after-delay',
  Transient: 'after-delay',
  QuotaExceeded: 'other-account',
  /** A daily limit or a rule of the account's administrator: the account accepts no more for now. */
  Forbidden: 'other-account',
  TooLarge: 'other-account',
  /** Skypool's own client id, secret or settings: not the user's fault, and the account has not expired. */
  Misconfigured: 'never',
  NotFound: 'never',
  Conflict: 'never',
  BadName: 'never',
  CursorReset: 'never',
  /** The stored or transferred bytes are wrong. */
  Corrupt: 'never',
  Permanent: 'never',
} as const

export type ProviderErrorCode = keyof typeof REACTION
export type Reaction = (typeof REACTION)[ProviderErrorCode]

export type ProviderErrorWhere = { readonly provider: string; readonly operation: string; readonly status?: number }
export type ProviderErrorDetail = {
  /** For people and the log; without tokens, addresses with credentials, or content. */
  readonly message: string
  /** The pause that the provider asked for. */
  readonly retryAfterMs?: number
  /** RateLimited: only downloads have to wait, not other calls. */
  readonly isOfDownloads?: boolean
  /** Set when retrying was given up, so that no outer loop retries at once. */
  readonly attempts?: number
  /** Forbidden: the provider has identified the content as malware or spam. */
  readonly isFlagged?: boolean
  /** Forbidden: the server's host key, which the user has not confirmed, or which is another one than the user has confirmed. */
  readonly fingerprint?: string
  /** Misconfigured: what the administrator has to do, as sentences. Default: check the client id and secret. */
  readonly remedy?: string
  /** Forbidden: this server may not connect to the host of the account (ALLOW_PRIVATE_HOSTS). */
  readonly isHostRefused?: boolean
  /** Forbidden by `SignInForm.exchange`: the field of the form that has to be filled in, or corrected. */
  readonly field?: string
  readonly cause?: unknown
}

/** The only error that drivers reject with. Each driver maps its service's errors to codes in its errors.ts. */
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

export function isFailure(error: unknown, code: ProviderErrorCode): error is ProviderError {
  return error instanceof ProviderError && error.code === code
}

/** For `catch`: resolves with null for an error with this code and rethrows all others. */
export function nothingWhen(code: ProviderErrorCode): (error: unknown) => null {
  return (error) => {
    if (isFailure(error, code)) return null
    throw error
  }
}
