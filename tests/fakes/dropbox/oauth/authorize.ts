import { randomBytes } from 'node:crypto'
import type { Exchange, Headers } from '../../core/service.ts'
import type { User } from '../model.ts'
import type { Client, Code, State } from '../state.ts'
import { consentPage, escapeHtml, page } from './page.ts'
import { meaningsOf, scopesOf } from './scopes.ts'

type Asked = {
  readonly client: Client
  /** Null = the code is shown, to be typed in. */
  readonly redirectUri: string | null
  readonly state: string | null
  readonly scopes: readonly string[]
  readonly challenge: Code['challenge']
  readonly offline: boolean
  readonly reapprove: boolean
  readonly hint: string | null
}

const CODE_LIFE_MS = 10 * 60_000
const HTML = { 'content-type': 'text/html; charset=utf-8' }

/**
 * The authorization endpoint and its consent page. Who has allowed the same app the same before and is still signed in
 * is not asked again, and cannot choose another account, unless the app says `force_reapprove=true`.
 */
export async function authorize(state: State, exchange: Exchange): Promise<void> {
  await exchange.begin('oauth2/authorize', exchange.url.searchParams.get('login_hint'))
  const asked = askedBy(state, exchange.url.searchParams)
  if (typeof asked === 'string') return show(state, exchange, 400, page('Error (400)', `<p>${escapeHtml(asked)}</p>`))
  if (exchange.method === 'POST') return decide(state, exchange, asked)
  const signedIn = signedInUser(state, exchange)
  if (signedIn && !asked.reapprove && hasAllowed(state, signedIn, asked)) return allow(state, exchange, asked, signedIn)
  const content = consentPage({
    clientId: asked.client.id,
    users: [...state.users.values()].filter(mayAllow),
    preselected: asked.hint ?? signedIn?.email ?? null,
    permissions: meaningsOf(asked.scopes),
  })
  return show(state, exchange, 200, content)
}

/** What is asked, or why that cannot be. */
function askedBy(state: State, query: URLSearchParams): Asked | string {
  const client = state.clients.get(query.get('client_id') ?? '')
  if (!client) return 'Invalid client_id'
  const redirectUri = query.get('redirect_uri')
  if (!isRegistered(client, redirectUri)) return `Invalid redirect_uri: "${redirectUri}"`
  if (query.get('response_type') !== 'code') return 'Invalid response_type: only "code" is supported by this app'
  const access = query.get('token_access_type')
  if (access !== null && access !== 'offline' && access !== 'online') return 'Invalid token_access_type'
  const scopes = scopesOf(query.get('scope'))
  if (!scopes) return `Invalid scope: "${query.get('scope')}"`
  const challenge = challengeOf(query)
  if (challenge === 'invalid') return 'Invalid code_challenge or code_challenge_method'
  return {
    client,
    redirectUri,
    scopes,
    challenge,
    state: query.get('state'),
    offline: access === 'offline',
    reapprove: query.get('force_reapprove') === 'true',
    hint: query.get('login_hint'),
  }
}

function isRegistered({ redirectUris }: Client, uri: string | null): boolean {
  if (uri === null) return true
  return redirectUris ? redirectUris.includes(uri) : URL.canParse(uri)
}

function challengeOf(query: URLSearchParams): Code['challenge'] | 'invalid' {
  const value = query.get('code_challenge')
  const method = query.get('code_challenge_method') ?? 'plain'
  if (value === null) return null
  if ((method !== 'S256' && method !== 'plain') || !/^[\w.~-]{43,128}$/.test(value)) return 'invalid'
  return { value, method }
}

function signedInUser(state: State, { request }: Exchange): User | undefined {
  const uid = /(?:^|;\s*)dropbox_uid=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]
  return [...state.users.values()].find((user) => user.uid === uid && mayAllow(user))
}

function mayAllow(user: User): boolean {
  return !user.suspended && !user.deleted
}

function hasAllowed(state: State, user: User, { client, scopes }: Asked): boolean {
  return [...state.grants.values()].some(
    (grant) =>
      grant.user === user && grant.clientId === client.id && scopes.every((scope) => grant.scopes.includes(scope)),
  )
}

async function decide(state: State, exchange: Exchange, asked: Asked): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const user = state.users.get(form.get('account') ?? '')
  if (form.get('decision') === 'allow' && user && mayAllow(user)) return allow(state, exchange, asked, user)
  const description = 'The user chose not to give your app access to their Dropbox account.'
  return sendBack(state, exchange, asked, { error: 'access_denied', error_description: description })
}

function allow(state: State, exchange: Exchange, asked: Asked, user: User): Promise<void> {
  const code = randomBytes(32).toString('base64url')
  state.codes.set(code, {
    clientId: asked.client.id,
    user,
    scopes: asked.scopes,
    redirectUri: asked.redirectUri,
    challenge: asked.challenge,
    offline: asked.offline,
    expiresAt: state.now() + CODE_LIFE_MS,
  })
  return sendBack(state, exchange, asked, { code }, { 'set-cookie': `dropbox_uid=${user.uid}; HttpOnly; SameSite=Lax` })
}

function sendBack(
  state: State,
  exchange: Exchange,
  asked: Asked,
  result: Readonly<Record<string, string>>,
  headers: Headers = {},
): Promise<void> {
  if (asked.redirectUri === null)
    return show(state, exchange, 200, page('Enter this code', escapeHtml(result.code ?? '')))
  const target = new URL(asked.redirectUri)
  for (const [name, value] of Object.entries(result)) target.searchParams.set(name, value)
  if (asked.state !== null) target.searchParams.set('state', asked.state)
  return exchange.send(303, { ...headers, ...coop(state), location: target.href })
}

function show(state: State, exchange: Exchange, status: number, content: string): Promise<void> {
  return exchange.send(status, { ...HTML, ...coop(state) }, content)
}

function coop({ settings }: State): Headers {
  return settings.coop ? { 'cross-origin-opener-policy': 'same-origin' } : {}
}
