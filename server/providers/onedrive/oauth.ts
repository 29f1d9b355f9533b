import type { Credentials, OAuth } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { requestToken } from '../shared/oauth.ts'
import { KIND } from './client.ts'

export type MicrosoftOAuthDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Who may sign in: `common` (everyone), `consumers` (personal accounts), `organizations`, or the id of one organisation. */
  readonly tenant: string
  readonly now: () => number
}

const NEEDED = ['Files.ReadWrite', 'User.Read'] as const
const SCOPES = ['offline_access', ...NEEDED].join(' ')
const GRAPH_PREFIX = 'https://graph.microsoft.com/'

/**
 * Microsoft's OAuth (learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow): offline access to the account's files.
 * Each refresh returns another refresh token, and the earlier one stays valid: a lost response costs nothing.
 */
export function createMicrosoftOAuth({ http, clientId, clientSecret, tenant, now }: MicrosoftOAuthDeps): OAuth {
  const base = `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0`
  const url = `${base}/token`
  const secrets = { client_id: clientId, client_secret: clientSecret }
  const at = (operation: string): ProviderErrorWhere => ({ provider: KIND, operation })
  return {
    clientId,
    callbackName: KIND,
    authorizationUrl({ state, challenge, redirectUri, loginHint }) {
      const address = http.address(`${base}/authorize`)
      address.search = new URLSearchParams({
        response_type: 'code',
        response_mode: 'query',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: SCOPES,
        // Otherwise a user who is signed in to Microsoft returns at once, without choosing an account.
        prompt: 'select_account',
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(loginHint !== null && { login_hint: loginHint }),
      }).toString()
      return address
    },
    async exchange(call, { code, verifier, redirectUri }) {
      const where = at('exchange')
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
      const answer = await requestToken(http, call, { where, url, form: { ...secrets, ...grant, scope: SCOPES }, now })
      const granted = answer.scopes?.map((scope) => scope.replace(GRAPH_PREFIX, '').toLowerCase()) ?? null
      const missing = NEEDED.filter((scope) => granted !== null && !granted.includes(scope.toLowerCase()))
      if (missing.length > 0) {
        const message = `Microsoft does not allow ${missing.join(', ')}. The administrator of this server has to add it in the Microsoft Entra admin center, under API permissions.`
        throw new ProviderError('Forbidden', where, { message })
      }
      const { accessToken, refreshToken, expiresAt } = answer
      if (refreshToken !== null) return { accessToken, refreshToken, expiresAt }
      throw new ProviderError('ReconnectNeeded', where, { message: 'Microsoft returned no refresh token.' })
    },
    async refresh(call, credentials): Promise<Credentials> {
      const where = at('refresh')
      const { refreshToken } = credentials
      if (!refreshToken) throw new ProviderError('ReconnectNeeded', where, { message: 'There is no refresh token.' })
      const form = { ...secrets, grant_type: 'refresh_token', refresh_token: refreshToken, scope: SCOPES }
      const { accessToken, expiresAt, ...answer } = await requestToken(http, call, { where, url, form, now })
      return { ...credentials, accessToken, expiresAt, refreshToken: answer.refreshToken ?? refreshToken }
    },
    /** Microsoft has no call for it: users end the access on account.live.com/consent/Manage or myapps.microsoft.com. */
    revoke: async () => undefined,
  }
}
