import { consentPage, escapeHtml, page } from '../core/consentPage.ts'
import type { Exchange, Headers } from '../core/service.ts'
import { BoxRefusal, GrantRefusal } from './errors.ts'
import { type Client, type Grant, newToken, type State, type User } from './state.ts'

const CODE_LIFE_MS = 30_000
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const PERMISSIONS = ['Read and write all files and folders stored in Box']

/** The authorization endpoint and its consent page. Codes are valid for 30 seconds. */
export async function authorize(state: State, exchange: Exchange): Promise<void> {
  const query = exchange.url.searchParams
  await exchange.begin('oauth2.authorize')
  const client = state.clients.get(query.get('client_id') ?? '')
  const redirectUri = query.get('redirect_uri')
  const problem = problemOf(client, redirectUri, query)
  if (problem || !client || redirectUri === null) {
    return show(state, exchange, 400, page('Error', `<p>${escapeHtml(problem ?? '')}</p>`))
  }
  if (exchange.method !== 'POST') {
    const users = [...state.users.values()]
    const content = consentPage({ service: 'Box', clientId: client.id, users, permissions: PERMISSIONS })
    return show(state, exchange, 200, content)
  }
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const user = state.users.get(form.get('account') ?? '')
  const target = new URL(redirectUri)
  if (form.get('decision') === 'allow' && user) {
    const code = newToken()
    state.codes.set(code, { clientId: client.id, user, redirectUri, expiresAt: state.now() + CODE_LIFE_MS })
    target.searchParams.set('code', code)
  } else {
    target.searchParams.set('error', 'access_denied')
    target.searchParams.set('error_description', 'The user denied access to your application')
  }
  const given = query.get('state')
  if (given !== null) target.searchParams.set('state', given)
  return exchange.send(302, { ...coop(state), location: target.href })
}

function problemOf(client: Client | undefined, redirectUri: string | null, query: URLSearchParams): string | null {
  if (!client) return 'The client_id is not known.'
  const isRegistered = client.redirectUris?.includes(redirectUri ?? '') ?? URL.canParse(redirectUri ?? '')
  if (!isRegistered) return 'redirect_uri_mismatch'
  return query.get('response_type') === 'code' ? null : 'unsupported_response_type'
}

function show(state: State, exchange: Exchange, status: number, content: string): Promise<void> {
  return exchange.send(status, { ...HTML, ...coop(state) }, content)
}

const coop = ({ settings }: State): Headers => (settings.coop ? { 'cross-origin-opener-policy': 'same-origin' } : {})

/** Exchanges codes and refresh tokens; each refresh token is valid once. */
export async function token(state: State, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const known = state.grants.get(form.get('refresh_token') ?? '')?.user ?? state.codes.get(form.get('code') ?? '')?.user
  await exchange.begin('oauth2.token', known?.email ?? null)
  const limited = exchange.take('rateLimit')
  if (limited) throw new BoxRefusal(429, 'rate_limit_exceeded', null, retryAfter(limited.retryAfter))
  if (exchange.take('serverError')) throw new BoxRefusal(503, 'unavailable')
  if (exchange.take('invalidGrant')) throw new GrantRefusal('invalid_grant', 'Refresh token has expired')
  const client = clientOf(state, exchange, form)
  const type = form.get('grant_type')
  if (type === 'authorization_code') return answerToken(state, exchange, redeem(state, client, form))
  if (type === 'refresh_token') return answerToken(state, exchange, refresh(state, client, form))
  throw new GrantRefusal('unsupported_grant_type', 'Invalid grant_type parameter or parameter missing')
}

const retryAfter = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) }

/** By Basic, as Go's client does, or in the form. */
function clientOf(state: State, { request }: Exchange, form: URLSearchParams): Client {
  const [, basic = ''] = /^Basic (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  const [basicId = '', basicSecret = ''] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
  const client = state.clients.get(form.get('client_id') ?? basicId)
  if (client && client.secret === (form.get('client_secret') ?? basicSecret)) return client
  throw new GrantRefusal('invalid_client', 'The client credentials are invalid')
}

function redeem(state: State, client: Client, form: URLSearchParams): Grant {
  const value = form.get('code') ?? ''
  const code = state.codes.get(value)
  state.codes.delete(value)
  if (!code || code.expiresAt <= state.now() || code.clientId !== client.id) {
    throw new GrantRefusal('invalid_grant', "Auth code doesn't exist or is invalid for the client")
  }
  const redirectUri = form.get('redirect_uri')
  if (redirectUri !== null && redirectUri !== code.redirectUri) {
    throw new GrantRefusal('invalid_grant', 'The redirect_uri does not match')
  }
  return newGrant(state, client.id, code.user)
}

export function newGrant(state: State, clientId: string, user: User): Grant {
  const refreshToken = newToken()
  const grant = { clientId, user, refreshToken, previousToken: null, isNewestUsed: false, ended: false }
  state.grants.set(refreshToken, grant)
  return grant
}

/** A second use ends everything that was granted, unless the service is told to be lenient and the next tokens are unused. */
function refresh(state: State, client: Client, form: URLSearchParams): Grant {
  const value = form.get('refresh_token') ?? ''
  const grant = state.grants.get(value)
  if (!grant || grant.ended || grant.clientId !== client.id)
    throw new GrantRefusal('invalid_grant', 'Invalid refresh token')
  const isRepeated = value !== grant.refreshToken
  const mayRepeat = state.settings.refreshGrace && value === grant.previousToken && !grant.isNewestUsed
  if (isRepeated && !mayRepeat) {
    grant.ended = true
    throw new GrantRefusal('invalid_grant', 'Refresh token has expired')
  }
  // Refreshing with a token of the newest answer uses that answer.
  grant.previousToken = value
  grant.refreshToken = newToken()
  grant.isNewestUsed = false
  state.grants.set(grant.refreshToken, grant)
  return grant
}

function answerToken(state: State, exchange: Exchange, grant: Grant): Promise<void> {
  return exchange.sendJson(200, issue(state, grant), { 'cache-control': 'no-store' })
}

export function issue(state: State, grant: Grant) {
  const accessToken = newToken()
  const { tokenLifeSeconds } = state.settings
  const expiresAt = state.now() + tokenLifeSeconds * 1000
  state.accessTokens.set(accessToken, { grant, expiresAt, refreshToken: grant.refreshToken })
  return {
    access_token: accessToken,
    expires_in: tokenLifeSeconds,
    restricted_to: [],
    refresh_token: grant.refreshToken,
    token_type: 'bearer',
  }
}

/** Ends what was granted, by any of its tokens. */
export async function revoke(state: State, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const value = form.get('token') ?? ''
  const grant = state.grants.get(value) ?? state.accessTokens.get(value)?.grant
  await exchange.begin('oauth2.revoke', grant?.user.email ?? null)
  if (exchange.take('serverError')) throw new BoxRefusal(503, 'unavailable')
  clientOf(state, exchange, form)
  if (!grant || grant.ended) throw new GrantRefusal('invalid_token', 'Invalid token provided')
  grant.ended = true
  return exchange.send(200)
}
