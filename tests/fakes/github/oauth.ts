import { createHash } from 'node:crypto'
import { consentPage, escapeHtml, page } from '../core/consentPage.ts'
import type { Exchange, Headers } from '../core/service.ts'
import { badCredentials, GithubRefusal, GrantRefusal, notFound } from './errors.ts'
import { type Client, type Code, type Grant, newToken, type State, type User } from './state.ts'

const CODE_LIFE_MS = 10 * 60_000
const APP_TOKEN_LIFE_SECONDS = 8 * 3600
const REFRESH_LIFE_SECONDS = 15_897_600
const HTML = { 'content-type': 'text/html; charset=utf-8' }

/** The authorization endpoint and its consent page. */
export async function authorize(state: State, exchange: Exchange): Promise<void> {
  const query = exchange.url.searchParams
  await exchange.begin('oauth.authorize')
  const client = state.clients.get(query.get('client_id') ?? '')
  if (!client) return show(state, exchange, 404, page('Error', '<p>There is no such application.</p>'))
  const redirectUri = query.get('redirect_uri') ?? ''
  const target = URL.canParse(redirectUri) ? new URL(redirectUri) : null
  if (!target || (client.redirectUris?.includes(redirectUri) ?? true) === false) {
    const text = 'The redirect_uri is not associated with this application.'
    return show(state, exchange, 400, page('Error', `<p>${escapeHtml(text)}</p>`))
  }
  const scopes = (query.get('scope') ?? '').split(/[\s,]+/).filter(Boolean)
  if (exchange.method !== 'POST') {
    const users = [...state.users.values()].map(({ email, login }) => ({ email, name: login }))
    const permissions = client.isApp
      ? ['Know which of your repositories you have installed it for', 'Act on your behalf']
      : scopes.map((scope) => (scope === 'repo' ? 'Full control of private repositories' : scope))
    return show(state, exchange, 200, consentPage({ service: 'GitHub', clientId: client.id, users, permissions }))
  }
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const user = state.users.get(form.get('account') ?? '')
  if (form.get('decision') === 'allow' && user) {
    const challenge = query.get('code_challenge')
    if (challenge !== null && query.get('code_challenge_method') !== 'S256') {
      return show(state, exchange, 400, page('Error', '<p>Only S256 is supported.</p>'))
    }
    const code = newToken('')
    const expiresAt = state.now() + CODE_LIFE_MS
    state.codes.set(code, { client, user, redirectUri, scopes: client.isApp ? [] : scopes, challenge, expiresAt })
    target.searchParams.set('code', code)
  } else {
    target.searchParams.set('error', 'access_denied')
    target.searchParams.set('error_description', 'The user has denied your application access.')
  }
  const given = query.get('state')
  if (given !== null) target.searchParams.set('state', given)
  return exchange.send(302, { ...coop(state), location: target.href })
}

function show(state: State, exchange: Exchange, status: number, content: string): Promise<void> {
  return exchange.send(status, { ...HTML, ...coop(state) }, content)
}

const coop = ({ settings }: State): Headers => (settings.coop ? { 'cross-origin-opener-policy': 'same-origin' } : {})

/** Exchanges codes and refresh tokens. Refusals have status 200, and the answer is a form unless JSON is accepted. */
export async function token(state: State, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const refreshed = [...state.grants].find(({ refreshToken }) => refreshToken === form.get('refresh_token'))
  const user = refreshed?.user ?? state.codes.get(form.get('code') ?? '')?.user
  await exchange.begin('oauth.token', user?.email ?? null)
  if (exchange.take('serverError')) throw new GithubRefusal(502, 'Server Error')
  const limited = exchange.take('rateLimit')
  if (limited) return exchange.send(429, { 'retry-after': limited.retryAfter })
  const answer = answerOf(state, exchange, form)
  const isJson = exchange.request.headers.accept?.includes('application/json')
  if (isJson) return exchange.sendJson(200, answer)
  const text = new URLSearchParams(Object.entries(answer).map(([name, value]) => [name, String(value)])).toString()
  return exchange.send(200, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, text)
}

function answerOf(state: State, exchange: Exchange, form: URLSearchParams): object {
  try {
    if (exchange.take('invalidGrant')) throw badRefreshToken()
    const client = state.clients.get(form.get('client_id') ?? '')
    if (!client || client.secret !== form.get('client_secret')) {
      throw new GrantRefusal('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.')
    }
    if (form.get('grant_type') === 'refresh_token') return refresh(state, client, form.get('refresh_token') ?? '')
    return redeem(state, client, form)
  } catch (error) {
    if (!(error instanceof GrantRefusal)) throw error
    return { error: error.error, error_description: error.description, error_uri: 'https://docs.github.com/apps' }
  }
}

const badRefreshToken = (): GrantRefusal =>
  new GrantRefusal('bad_refresh_token', 'The refresh token passed is incorrect or expired.')

function redeem(state: State, client: Client, form: URLSearchParams): object {
  const value = form.get('code') ?? ''
  const code = state.codes.get(value)
  state.codes.delete(value)
  if (!code || code.client !== client || code.expiresAt <= state.now() || !isVerified(code, form)) {
    throw new GrantRefusal('bad_verification_code', 'The code passed is incorrect or expired.')
  }
  if ((form.get('redirect_uri') ?? code.redirectUri) !== code.redirectUri) {
    throw new GrantRefusal('redirect_uri_mismatch', 'The redirect_uri MUST match the registered callback URL.')
  }
  return issue(state, newGrant(state, client, code.user, code.scopes))
}

function isVerified({ challenge }: Code, form: URLSearchParams): boolean {
  const verifier = form.get('code_verifier')
  if (challenge === null) return true
  return verifier !== null && createHash('sha256').update(verifier).digest('base64url') === challenge
}

export function newGrant(state: State, client: Client, user: User, scopes: readonly string[]): Grant {
  const grant = { client, user, scopes, refreshToken: null, ended: false }
  state.grants.add(grant)
  return grant
}

/** A refresh token is valid once. */
function refresh(state: State, client: Client, value: string): object {
  const grant = [...state.grants].find((one) => one.client === client && one.refreshToken === value && !one.ended)
  if (!grant || value === '') throw badRefreshToken()
  return issue(state, grant)
}

/** The tokens of an app before are not valid any more. */
export function issue(state: State, grant: Grant) {
  const isApp = grant.client.isApp === true
  const accessToken = newToken(isApp ? 'ghu_' : 'gho_')
  if (isApp) for (const known of state.accessTokens.values()) if (known.grant === grant) known.ended = true
  const expiresAt = isApp ? state.now() + APP_TOKEN_LIFE_SECONDS * 1000 : Number.POSITIVE_INFINITY
  state.accessTokens.set(accessToken, { grant, expiresAt, ended: false })
  const common = { access_token: accessToken, scope: grant.scopes.join(','), token_type: 'bearer' }
  if (!isApp) return { ...common, refresh_token: null }
  grant.refreshToken = newToken('ghr_')
  return {
    ...common,
    expires_in: APP_TOKEN_LIFE_SECONDS,
    refresh_token: grant.refreshToken,
    refresh_token_expires_in: REFRESH_LIFE_SECONDS,
  }
}

/** Ends what a user has granted to a client, by one of its valid tokens. */
export async function revokeGrant(state: State, exchange: Exchange, clientId: string): Promise<void> {
  const text = (await exchange.readBody()).toString()
  await exchange.begin('applications.revoke')
  if (exchange.take('serverError')) throw new GithubRefusal(503, 'Server Error')
  const [, basic = ''] = /^Basic (.+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const client = state.clients.get(clientId)
  if (!client || Buffer.from(basic, 'base64').toString() !== `${client.id}:${client.secret}`) throw badCredentials()
  const { access_token: value } = JSON.parse(text || '{}') as { readonly access_token?: string }
  const known = value === undefined ? undefined : state.accessTokens.get(value)
  if (!known || known.grant.client !== client || !isValid(state, value ?? '')) throw notFound()
  for (const grant of state.grants) if (grant.client === client && grant.user === known.grant.user) grant.ended = true
  return exchange.send(204)
}

export function isValid(state: State, value: string): boolean {
  const token = state.accessTokens.get(value)
  return token !== undefined && !token.ended && !token.grant.ended && token.expiresAt > state.now()
}
