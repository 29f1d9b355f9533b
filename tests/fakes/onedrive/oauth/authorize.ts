import { randomBytes } from 'node:crypto'
import type { Exchange, Headers } from '../../core/service.ts'
import type { User } from '../model.ts'
import type { Client, Code, State } from '../state.ts'
import { consentPage, refusalPage, scopesOf } from './page.ts'

type Asked = {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | null
  readonly scopes: readonly string[]
  readonly challenge: Code['challenge']
  readonly hint: string | null
}

const CODE_LIFE_MS = 10 * 60_000
const HTML = { 'content-type': 'text/html; charset=utf-8' }

/** The authorization endpoint and its consent page. */
export async function authorize(state: State, exchange: Exchange, tenant: string): Promise<void> {
  await exchange.begin('oauth.authorize', exchange.url.searchParams.get('login_hint'))
  const asked = askedBy(state, exchange.url.searchParams)
  if (typeof asked === 'string') return show(state, exchange, 400, refusalPage(asked))
  const users = [...state.users.values()].filter((user) => !user.deleted && maySignIn(user, tenant))
  if (exchange.method === 'POST') return decide(state, exchange, asked, users)
  const { client, hint, scopes } = asked
  return show(state, exchange, 200, consentPage({ clientId: client.id, users, preselected: hint, scopes }))
}

/** Personal accounts belong to no organisation. */
export function maySignIn({ driveType }: User, tenant: string): boolean {
  if (tenant === 'common') return true
  return tenant === 'consumers' ? driveType === 'personal' : driveType === 'business'
}

/** What is asked, or why that cannot be. */
function askedBy(state: State, query: URLSearchParams): Asked | string {
  const client = state.clients.get(query.get('client_id') ?? '')
  if (!client) return 'AADSTS700016: Application was not found in the directory.'
  const redirectUri = query.get('redirect_uri')
  const isRegistered = redirectUri !== null && (client.redirectUris?.includes(redirectUri) ?? URL.canParse(redirectUri))
  if (!isRegistered)
    return 'AADSTS50011: The redirect URI does not match the redirect URIs configured for the application.'
  if (query.get('response_type') !== 'code') return 'AADSTS900144: response_type must be code.'
  if ((query.get('response_mode') ?? 'query') !== 'query') return 'AADSTS90100: response_mode must be query.'
  const scopes = scopesOf(query.get('scope'))
  if (!scopes) return 'AADSTS70011: The provided value for the input parameter scope is not valid.'
  const value = query.get('code_challenge')
  const method = query.get('code_challenge_method') ?? 'plain'
  const isChallenge = value === null || ((method === 'S256' || method === 'plain') && /^[\w.~-]{43,128}$/.test(value))
  if (!isChallenge) return 'AADSTS501481: The code challenge is not valid.'
  const challenge = value === null ? null : { value, method }
  return { client, redirectUri, scopes, challenge, state: query.get('state'), hint: query.get('login_hint') }
}

async function decide(state: State, exchange: Exchange, asked: Asked, users: readonly User[]): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const user = users.find(({ email }) => email === form.get('account'))
  if (form.get('decision') !== 'allow' || !user) {
    return sendBack(state, exchange, asked, {
      error: 'access_denied',
      error_description: 'The user has denied access.',
    })
  }
  const code = `M.C5_${randomBytes(32).toString('base64url')}`
  const { client, scopes, redirectUri, challenge } = asked
  const expiresAt = state.now() + CODE_LIFE_MS
  state.codes.set(code, { clientId: client.id, user, scopes, redirectUri, challenge, expiresAt })
  return sendBack(state, exchange, asked, { code })
}

function sendBack(
  state: State,
  exchange: Exchange,
  asked: Asked,
  result: Readonly<Record<string, string>>,
): Promise<void> {
  const target = new URL(asked.redirectUri)
  for (const [name, value] of Object.entries(result)) target.searchParams.set(name, value)
  if (asked.state !== null) target.searchParams.set('state', asked.state)
  return exchange.send(302, { ...coop(state), location: target.href })
}

function show(state: State, exchange: Exchange, status: number, content: string): Promise<void> {
  return exchange.send(status, { ...HTML, ...coop(state) }, content)
}

function coop({ settings }: State): Headers {
  return settings.coop ? { 'cross-origin-opener-policy': 'same-origin' } : {}
}
