import type { OAuth } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { postForm, refreshOnce, requestToken, tokenError } from '../shared/oauth.ts'
import { KIND } from './client.ts'

export type BoxOAuthDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  readonly now: () => number
}

const AUTHORIZE = 'https://account.box.com/api/oauth2/authorize'
const TOKEN = 'https://api.box.com/oauth2/token'
const REVOKE = 'https://api.box.com/oauth2/revoke'

/** What Box says of tokens that are already invalid. */
const GONE = ['invalid_token', 'invalid_grant']

/** Box's OAuth. A refresh token is valid once, for 60 days: each refresh returns the next one. Box does not support PKCE. */
export function createBoxOAuth({ http, clientId, clientSecret, now }: BoxOAuthDeps): OAuth {
  const secrets = { client_id: clientId, client_secret: clientSecret }
  const at = (operation: string): ProviderErrorWhere => ({ provider: KIND, operation })
  return {
    clientId,
    callbackName: 'box',
    authorizationUrl({ state, redirectUri }) {
      const url = http.address(AUTHORIZE)
      const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state }
      url.search = new URLSearchParams(query).toString()
      return url
    },
    async exchange(call, { code, redirectUri }) {
      const where = at('exchange')
      const form = { ...secrets, grant_type: 'authorization_code', code, redirect_uri: redirectUri }
      const { accessToken, refreshToken, expiresAt } = await requestToken(http, call, { where, url: TOKEN, form, now })
      if (refreshToken !== null) return { accessToken, refreshToken, expiresAt }
      throw new ProviderError('ReconnectNeeded', where, { message: 'Box returned no refresh token.' })
    },
    refresh: (call, credentials) =>
      refreshOnce(http, call, credentials, { where: at('refresh'), url: TOKEN, form: secrets, now }),
    async revoke(call, credentials) {
      const where = at('revoke')
      const token = credentials.refreshToken ?? credentials.accessToken
      if (!token) return
      const response = await postForm(http, call, where, REVOKE, { ...secrets, token })
      if (response.status < 400) return response.dispose()
      const body = (await response.json().catch(() => null)) as Readonly<Record<string, unknown>> | null
      if (!GONE.includes(String(body?.error))) throw tokenError(response, body ?? {}, where)
    },
  }
}
