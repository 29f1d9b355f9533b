import { consentPage, escapeHtml, page } from '../core/consentPage.ts'
import type { Exchange, Headers } from '../core/service.ts'
import { newToken, REGIONS, Refusal, type State, type User } from './state.ts'

const CODE_LIFE_MS = 10 * 60_000
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const PERMISSIONS = ['Read and change your files and folders', 'Make public links']

/** The authorization endpoint and its consent page. The way back names the region of the account. */
export async function authorize(state: State, exchange: Exchange): Promise<void> {
  const query = exchange.url.searchParams
  await exchange.begin('oauth2/authorize')
  const client = state.clients.get(query.get('client_id') ?? '')
  const redirectUri = query.get('redirect_uri') ?? ''
  const isRegistered = client?.redirectUris?.includes(redirectUri) ?? URL.canParse(redirectUri)
  if (!client || !isRegistered || query.get('response_type') !== 'code') {
    return show(state, exchange, 400, page('Error', `<p>Invalid request: ${escapeHtml(redirectUri)}</p>`))
  }
  if (exchange.method !== 'POST') {
    const users = [...state.users.values()]
    return show(
      state,
      exchange,
      200,
      consentPage({ service: 'pCloud', clientId: client.id, users, permissions: PERMISSIONS }),
    )
  }
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const user = state.users.get(form.get('account') ?? '')
  const target = new URL(redirectUri)
  if (form.get('decision') === 'allow' && user) {
    const code = newToken()
    state.codes.set(code, { clientId: client.id, user, redirectUri, expiresAt: state.now() + CODE_LIFE_MS })
    target.searchParams.set('code', code)
    target.searchParams.set('locationid', String(user.location))
    target.searchParams.set('hostname', REGIONS[user.location] ?? '')
  } else target.searchParams.set('error', 'access_denied')
  const given = query.get('state')
  if (given !== null && !state.settings.dropState) target.searchParams.set('state', given)
  return exchange.send(302, { ...coop(state), location: target.href })
}

function show(state: State, exchange: Exchange, status: number, content: string): Promise<void> {
  return exchange.send(status, { ...HTML, ...coop(state) }, content)
}

const coop = ({ settings }: State): Headers => (settings.coop ? { 'cross-origin-opener-policy': 'same-origin' } : {})

/** Exchanges a code, at the host of the account's region alone. The token does not expire. */
export function token(state: State, host: string, parameters: URLSearchParams): object {
  const client = state.clients.get(parameters.get('client_id') ?? '')
  if (!client) throw new Refusal(1076, "Please provide a valid 'client_id'.")
  if (client.secret !== parameters.get('client_secret')) throw new Refusal(2013, "Invalid 'client_secret' provided.")
  const value = parameters.get('code') ?? ''
  const code = state.codes.get(value)
  const isHere = code && REGIONS[code.user.location] === host
  if (!isHere || code.clientId !== client.id || code.expiresAt <= state.now()) {
    throw new Refusal(2012, "Invalid 'code' provided.")
  }
  state.codes.delete(value)
  return { ...issue(state, code.user), uid: code.user.id, locationid: code.user.location }
}

export function issue(state: State, user: User) {
  const value = newToken()
  state.tokens.set(value, user)
  return { access_token: value, token_type: 'bearer' }
}
