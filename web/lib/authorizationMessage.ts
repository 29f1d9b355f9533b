/** The message from the callback page of an authorization to the page that opened it (spec 3, OAuth handoff). */
export type AuthorizationMessage = {
  readonly type: 'skypool:authorization'
  /** `google` or `dropbox`, as in the callback's address. */
  readonly service: string
  readonly state: string
  /** Null when the provider refused. */
  readonly code: string | null
  /** The provider's error (RFC 6749 4.1.2.1), such as `access_denied`; null with a code. */
  readonly error: string | null
}

/** For windows whose opener the provider's pages have cut off (Cross-Origin-Opener-Policy). */
export const AUTHORIZATION_CHANNEL = 'skypool:authorization'

/** Parses the URL of the callback page; null without a state, or with neither code nor error. */
export function readAuthorization(service: string, query: URLSearchParams): AuthorizationMessage | null {
  const [state, code, error] = [query.get('state'), query.get('code'), query.get('error')]
  if (!state || !(code || error)) return null
  return { type: 'skypool:authorization', service, state, code: error ? null : code, error }
}

/** Whether a received value is such a message. */
export function isAuthorizationMessage(data: unknown): data is AuthorizationMessage {
  if (typeof data !== 'object' || data === null) return false
  const { type, service, state, code, error } = data as Record<string, unknown>
  const texts = [service, state, code ?? '', error ?? '']
  return type === 'skypool:authorization' && texts.every((text) => typeof text === 'string') && Boolean(code ?? error)
}
