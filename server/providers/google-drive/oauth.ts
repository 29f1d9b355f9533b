import type { Credentials, OAuth } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { postForm, requestToken, type TokenAnswer, tokenError } from '../shared/oauth.ts'
import { KIND } from './client.ts'

export type GoogleScope = 'drive' | 'drive.file'
export type GoogleOAuthDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: GoogleScope
  readonly now: () => number
}

const AUTHORIZE = 'https://accounts.google.com/o/oauth2/v2/auth'
const TOKEN = 'https://oauth2.googleapis.com/token'
const REVOKE = 'https://oauth2.googleapis.com/revoke'

/** Google's OAuth: offline access to Drive, and the user's identity. */
export function createGoogleOAuth(deps: GoogleOAuthDeps): OAuth {
  const { http, clientId, clientSecret, now } = deps
  const driveScope = `https://www.googleapis.com/auth/${deps.scope}`
  const secrets = { client_id: clientId, client_secret: clientSecret }
  const at = (operation: string): ProviderErrorWhere => ({ provider: KIND, operation })
  return {
    clientId,
    callbackName: 'google',
    authorizationUrl({ state, challenge, redirectUri, loginHint }) {
      const url = http.address(AUTHORIZE)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: `${driveScope} profile email openid`,
        access_type: 'offline',
        // Otherwise Google returns a refresh token only the first time.
        prompt: 'consent',
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
      return credentialsOf(answer, driveScope, where)
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

/** Users can deselect scopes; without access to Drive the account is of no use. @throws Forbidden, ReconnectNeeded */
function credentialsOf(answer: TokenAnswer, driveScope: string, where: ProviderErrorWhere): Credentials {
  const { accessToken, refreshToken, expiresAt } = answer
  if (!answer.scopes?.includes(driveScope)) {
    const message = `Access to Google Drive (${driveScope}) was not allowed. Please tick it when Google asks.`
    throw new ProviderError('Forbidden', where, { message })
  }
  if (refreshToken === null) {
    throw new ProviderError('ReconnectNeeded', where, { message: 'Google returned no refresh token.' })
  }
  return { accessToken, refreshToken, expiresAt }
}
