import type { Call, Credentials, OAuth } from '../driver.ts'
import { isFailure, ProviderError } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { ask, HOSTS, type Host, hostOf, KIND } from './client.ts'

export type PcloudOAuthDeps = { readonly http: Http; readonly clientId: string; readonly clientSecret: string }

const AUTHORIZE = 'https://my.pcloud.com/oauth2/authorize'

/** pCloud's OAuth. Access tokens do not expire, and there are no refresh tokens. */
export function createPcloudOAuth({ http, clientId, clientSecret }: PcloudOAuthDeps): OAuth {
  /** Null where the code belongs to an account of the other region. */
  async function redeem(call: Call, host: Host, code: string): Promise<Credentials | null> {
    const parameters = { client_id: clientId, client_secret: clientSecret, code }
    const asked = { operation: 'exchange', host, method: 'oauth2_token', parameters, accessToken: null }
    const answer = await ask<{ access_token?: string }>(http, call, asked).catch(exchangeError)
    return answer?.access_token ? { accessToken: answer.access_token, hostname: host, expiresAt: null } : null
  }
  return {
    clientId,
    callbackName: 'pcloud',
    authorizationUrl({ state, redirectUri }) {
      const url = http.address(AUTHORIZE)
      const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state }
      url.search = new URLSearchParams(query).toString()
      return url
    },
    /** The region is also in the address that the user returns to; a host knows only the codes of its accounts. */
    async exchange(call, { code }) {
      for (const host of HOSTS) {
        const credentials = await redeem(call, host, code)
        if (credentials) return credentials
      }
      const where = { provider: KIND, operation: 'exchange' }
      throw new ProviderError('ReconnectNeeded', where, { message: 'pCloud does not accept the code.' })
    },
    /** Called when pCloud has refused the access token: nothing can replace it. */
    async refresh() {
      const where = { provider: KIND, operation: 'refresh' }
      throw new ProviderError('ReconnectNeeded', where, { message: 'pCloud does not accept the access any more.' })
    },
    async revoke(call, { accessToken, hostname }) {
      if (!accessToken) return
      const asked = { operation: 'revoke', host: hostOf(hostname), method: 'logout', parameters: {}, accessToken }
      await ask(http, call, asked).catch((error: unknown) => {
        if (!isFailure(error, 'AuthExpired')) throw error
      })
    },
  }
}

/** Results of the token method: 2012 an invalid code; of the client id or secret, others of 2xxx or 1xxx. */
function exchangeError(error: unknown): null {
  if (!(error instanceof ProviderError)) throw error
  const isOfCode = /result (2012|1022)\./.test(error.detail.message)
  if (isOfCode) return null
  const isOfClient = error.code === 'AuthExpired' || error.code === 'Permanent'
  throw isOfClient ? new ProviderError('Misconfigured', error.where, error.detail) : error
}
