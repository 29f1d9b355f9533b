import type { Credentials, OAuth } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { Http } from './http.ts'
import { postForm, requestToken, type TokenAnswer, tokenError } from './oauth.ts'

export type GoogleOAuthDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** The provider's id. */
  readonly provider: string
  readonly callbackName: string
  /** Full names of the scopes that are requested in addition to the user's identity. */
  readonly scopes: readonly string[]
  /** What the scopes are for, as in "Access to … was not allowed". */
  readonly service: string
  readonly now: () => number
}

const AUTHORIZE = 'https://accounts.google.com/o/oauth2/v2/auth'
const TOKEN = 'https://oauth2.googleapis.com/token'
const REVOKE = 'https://oauth2.googleapis.com/revoke'

/** Google's OAuth: offline access to one of its services, and the user's identity. */
export function createGoogleOAuth(deps: GoogleOAuthDeps): OAuth {
  const { http, clientId, clientSecret, provider, callbackName, scopes, now } = deps
  const secrets = { client_id: clientId, client_secret: clientSecret }
  const at = (operation: string): ProviderErrorWhere => ({ provider, operation })
  return {
    clientId,
    callbackName,
    authorizationUrl({ state, challenge, redirectUri, loginHint }) {
      const url = http.address(AUTHORIZE)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: [...scopes, 'profile', 'email', 'openid'].join(' '),
        access_type: 'offline',
        // Without consent Google returns a refresh token only the first time. A browser that is signed in to one account would not offer another.
        prompt: loginHint === null ? 'consent select_account' : 'consent',
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(loginHint !== null && { login_hint: loginHint }),
      }).toString()
      return url
    },
    async exchange(call, { code, verifier, redirectUri }) {
      const form = {
        ...secrets,
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }
      const where = at('exchange')
      const answer = await requestToken(http, call, { where, url: TOKEN, form, now })
      return credentialsOf(answer, deps, where)
    },
    async refresh(call, credentials) {
      const where = at('refresh')
      const { refreshToken } = credentials
      if (!refreshToken) throw new ProviderError('ReconnectNeeded', where, { message: 'There is no refresh token.' })
      const form = { ...secrets, grant_type: 'refresh_token', refresh_token: refreshToken }
      const answer = await requestToken(http, call, { where, url: TOKEN, form, now })
      const { accessToken, expiresAt } = answer
      return { ...credentials, accessToken, expiresAt, refreshToken: answer.refreshToken ?? refreshToken }
    },
    async revoke(call, { refreshToken, accessToken }) {
      const token = refreshToken ?? accessToken
      if (!token) return
      const where = at('revoke')
      const response = await postForm(http, call, where, REVOKE, { token })
      if (response.status === 200) return response.dispose()
      const body = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>
      if (response.status === 400 && body.error === 'invalid_token') return
      throw tokenError(response, body, where)
    },
  }
}

/** Users can deselect scopes; without all of them the account is of no use. @throws Forbidden, ReconnectNeeded */
function credentialsOf(
  answer: TokenAnswer,
  { scopes, service }: GoogleOAuthDeps,
  where: ProviderErrorWhere,
): Credentials {
  const { accessToken, refreshToken, expiresAt } = answer
  const missing = scopes.find((scope) => !answer.scopes?.includes(scope))
  if (missing !== undefined) {
    const message = `Access to ${service} (${missing}) was not allowed. Please tick it when Google asks.`
    throw new ProviderError('Forbidden', where, { message })
  }
  if (refreshToken === null) {
    throw new ProviderError('ReconnectNeeded', where, { message: 'Google returned no refresh token.' })
  }
  return { accessToken, refreshToken, expiresAt }
}
