import type { Call, Credentials, OAuth } from '../driver.ts'
import { nothingWhen, type ProviderErrorWhere } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { refreshOnce, requestToken, type TokenAnswer } from '../shared/oauth.ts'
import { createGithubClient, USER_AGENT } from './client.ts'
import { failed, GithubError, githubFailure, KIND } from './errors.ts'
import { chooseRepository } from './repository.ts'

export type GithubOAuthDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  readonly now: () => number
}

const AUTHORIZE = 'https://github.com/login/oauth/authorize'
const TOKEN = 'https://github.com/login/oauth/access_token'
/** What an OAuth app needs for a private repository: there is no narrower scope. GitHub Apps ignore scopes. */
const SCOPE = 'repo'
/** Statuses of a grant that does not exist any more, or of a token that is not valid. */
const GONE = [404, 422]

/** Client ids of OAuth apps begin with Ov or, of older ones, are 20 hex digits; those of GitHub Apps begin with Iv. */
export const isAppId = (clientId: string): boolean => !/^(Ov|[0-9a-f]{20}$)/.test(clientId)

/**
 * GitHub's OAuth, for GitHub Apps and OAuth apps (docs.github.com/apps). User tokens of GitHub Apps are valid for 8 hours; a refresh
 * token is valid once, for 6 months, and each refresh returns the next one. Tokens of OAuth apps do not expire.
 */
export function createGithubOAuth({ http, clientId, clientSecret, now }: GithubOAuthDeps): OAuth {
  const secrets = { client_id: clientId, client_secret: clientSecret }
  const at = (operation: string): ProviderErrorWhere => ({ provider: KIND, operation })
  const refresh = (call: Call, credentials: Credentials): Promise<Credentials> =>
    refreshOnce(http, call, credentials, { where: at('refresh'), url: TOKEN, form: secrets, now })

  /** @returns whether the token was valid, and so the grant has ended */
  async function endGrant(call: Call, accessToken: string): Promise<boolean> {
    const where = at('revoke')
    const response = await http.send(call, {
      where,
      method: 'DELETE',
      url: `https://api.github.com/applications/${encodeURIComponent(clientId)}/grant`,
      headers: {
        'user-agent': USER_AGENT,
        accept: 'application/vnd.github+json',
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      },
      body: JSON.stringify({ access_token: accessToken }),
    })
    if (response.status >= 400 && !GONE.includes(response.status)) {
      throw new GithubError(githubFailure(response, await response.json().catch(() => null), now()), where)
    }
    response.dispose()
    return response.status < 400
  }

  return {
    clientId,
    callbackName: KIND,
    authorizationUrl({ state, challenge, redirectUri, loginHint }) {
      const url = http.address(AUTHORIZE)
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        ...(!isAppId(clientId) && { scope: SCOPE }),
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        // Otherwise a user who is signed in to GitHub returns at once, without choosing an account.
        prompt: 'select_account',
        ...(loginHint !== null && { login: loginHint }),
      }).toString()
      return url
    },
    async exchange(call, { code, verifier, redirectUri }) {
      const where = at('exchange')
      const form = { ...secrets, code, redirect_uri: redirectUri, code_verifier: verifier }
      const answer = await requestToken(http, call, { where, url: TOKEN, form, now })
      const { accessToken, refreshToken, expiresAt } = answer
      const isApp = isAppId(clientId)
      if (!isApp && answer.scopes !== null && !scopesIn(answer).includes(SCOPE)) {
        throw failed(where.operation, 'Forbidden', 'GitHub does not allow access to private repositories (repo).')
      }
      const client = createGithubClient(http, accessToken, now)
      const { id } = await chooseRepository(client, call, where.operation, isApp)
      return { accessToken, refreshToken, expiresAt, repository: String(id) }
    },
    refresh,
    async revoke(call, credentials) {
      if (!credentials.accessToken || (await endGrant(call, credentials.accessToken))) return
      // An access token that has expired does not identify the grant.
      const renewed = await refresh(call, credentials).catch(nothingWhen('ReconnectNeeded'))
      if (renewed?.accessToken) await endGrant(call, renewed.accessToken)
    },
  }
}

/** GitHub separates them with commas. */
const scopesIn = ({ scopes }: TokenAnswer): string[] => (scopes ?? []).flatMap((scope) => scope.split(','))
