import type { Call, Credentials, OAuth } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { requestToken } from '../shared/oauth.ts'
import { createDropboxClient, KIND } from './client.ts'

export type DropboxOAuthDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  readonly now: () => number
}

const AUTHORIZE = 'https://www.dropbox.com/oauth2/authorize'
const TOKEN = 'https://api.dropboxapi.com/oauth2/token'
/** Required scopes; the two for sharing are optional. */
const NEEDED = [
  'account_info.read',
  'files.metadata.read',
  'files.metadata.write',
  'files.content.read',
  'files.content.write',
] as const
const SCOPES = [...NEEDED, 'sharing.read', 'sharing.write']

/** Dropbox's OAuth: offline access to the account's files. */
export function createDropboxOAuth({ http, clientId, clientSecret, now }: DropboxOAuthDeps): OAuth {
  const secrets = { client_id: clientId, client_secret: clientSecret }
  const at = (operation: string): ProviderErrorWhere => ({ provider: KIND, operation })
  const refresh = async (call: Call, credentials: Credentials): Promise<Credentials> => {
    const where = at('refresh')
    const { refreshToken } = credentials
    if (!refreshToken) throw new ProviderError('ReconnectNeeded', where, { message: 'There is no refresh token.' })
    const form = { ...secrets, grant_type: 'refresh_token', refresh_token: refreshToken }
    const { accessToken, expiresAt, ...answer } = await requestToken(http, call, { where, url: TOKEN, form, now })
    return { ...credentials, accessToken, expiresAt, refreshToken: answer.refreshToken ?? refreshToken }
  }
  return {
    clientId,
    callbackName: 'dropbox',
    authorizationUrl({ state, challenge, redirectUri }) {
      const url = http.address(AUTHORIZE)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        token_access_type: 'offline',
        scope: SCOPES.join(' '),
        // Otherwise a user who is signed in to Dropbox returns at once, without choosing an account.
        force_reapprove: 'true',
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }).toString()
      return url
    },
    async exchange(call, { code, verifier, redirectUri }) {
      const where = at('exchange')
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
      const answer = await requestToken(http, call, { where, url: TOKEN, form: { ...secrets, ...grant }, now })
      const missing = NEEDED.filter((scope) => answer.scopes !== null && !answer.scopes.includes(scope))
      if (missing.length > 0) {
        const message = `Dropbox does not allow ${missing.join(', ')}. The administrator of this server has to tick it in the App Console, on the tab Permissions, and to choose Submit.`
        throw new ProviderError('Forbidden', where, { message })
      }
      const { accessToken, refreshToken, expiresAt } = answer
      if (refreshToken !== null) return { accessToken, refreshToken, expiresAt }
      throw new ProviderError('ReconnectNeeded', where, { message: 'Dropbox returned no refresh token.' })
    },
    refresh,
    async revoke(call, credentials) {
      const end = (token: string): Promise<unknown> =>
        createDropboxClient(http, token).ask(call, 'revoke', (sdk) => sdk.authTokenRevoke())
      try {
        if (credentials.accessToken) return void (await end(credentials.accessToken))
      } catch (error) {
        if (!isFailure(error, 'AuthExpired')) throw error
      }
      // Only a valid access token can revoke all tokens.
      const renewed = await refresh(call, credentials).catch(nothingWhen('ReconnectNeeded'))
      if (renewed?.accessToken) await end(renewed.accessToken).catch(nothingWhen('AuthExpired'))
    },
  }
}
