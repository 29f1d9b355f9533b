import type { Exchange } from '../../core/service.ts'
import type { Google } from '../google.ts'
import type { User } from '../model.ts'
import type { Client } from './grants.ts'
import { consentPage, errorPage } from './page.ts'
import { askedOf, expandScopes, isIdentity } from './scopes.ts'

type Asked = {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | null
  readonly scopes: readonly string[]
  readonly query: URLSearchParams
}
type Refused = { readonly status: number; readonly error: string; readonly text: string }

/** The authorization endpoint and its consent page. */
export async function authorize(exchange: Exchange, google: Google): Promise<void> {
  await exchange.begin('oauth.authorize', exchange.url.searchParams.get('login_hint'))
  const asked = check(exchange.url.searchParams, google)
  if ('error' in asked) return show(exchange, google, asked.status, errorPage(asked.status, asked.error, asked.text))
  const policy = exchange.take('policy')
  if (policy) {
    const text = "Your organisation's administrator does not let this app have access."
    return show(exchange, google, 400, errorPage(400, policy.reason ?? 'admin_policy_enforced', text))
  }
  if (exchange.method === 'POST') return decide(exchange, google, asked)
  const users = [...google.store.users.values()].filter((user) => !user.deleted)
  const hint = asked.query.get('login_hint') ?? ''
  const content = consentPage({ clientId: asked.client.id, users, hint, asked: askedOf(asked.scopes) })
  return show(exchange, google, 200, content)
}

function check(query: URLSearchParams, { grants }: Google): Asked | Refused {
  const client = grants.clients.get(query.get('client_id') ?? '')
  if (!client) return { status: 401, error: 'invalid_client', text: 'The OAuth client was not found.' }
  const redirectUri = query.get('redirect_uri') ?? ''
  const registered = client.redirectUris ? client.redirectUris.includes(redirectUri) : URL.canParse(redirectUri)
  if (!registered) {
    const text = `The redirect URI in the request, ${redirectUri}, does not match the ones authorised for the OAuth client.`
    return { status: 400, error: 'redirect_uri_mismatch', text }
  }
  const bad = (text: string): Refused => ({ status: 400, error: 'invalid_request', text })
  if (query.get('response_type') !== 'code') return bad('Invalid response_type.')
  const scopes = expandScopes(query.get('scope') ?? '')
  if (!scopes) return { status: 400, error: 'invalid_scope', text: 'Some requested scopes were invalid.' }
  if (scopes.length === 0) return bad('Missing required parameter: scope')
  const method = query.get('code_challenge_method') ?? 'plain'
  if (method !== 'S256' && method !== 'plain') return bad('Invalid code_challenge_method.')
  if (query.has('code_challenge') && !/^[\w.~-]{43,128}$/.test(query.get('code_challenge') ?? ''))
    return bad('Invalid code_challenge.')
  return { client, redirectUri, state: query.get('state'), scopes, query }
}

async function decide(exchange: Exchange, google: Google, asked: Asked): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const user = google.store.users.get(form.get('account') ?? '')
  const answer: Record<string, string> =
    form.get('decision') === 'allow' && user && !user.deleted
      ? allowed(google, asked, user, form)
      : { error: 'access_denied' }
  const target = new URL(asked.redirectUri)
  if (asked.state !== null) target.searchParams.set('state', asked.state)
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value)
  await exchange.send(303, { Location: target.href, ...coop(google) })
}

/** The user may have unticked some of what is asked. */
function allowed({ grants }: Google, asked: Asked, user: User, form: URLSearchParams): Record<string, string> {
  const ticked = form.getAll('scope')
  const scopes = asked.scopes.filter((scope) => isIdentity(scope) || ticked.includes(scope))
  const { query } = asked
  const isFirst = grants.find(user, asked.client) === null
  const code = grants.issueCode({
    grant: grants.allow(user, asked.client, scopes),
    scopes,
    redirectUri: asked.redirectUri,
    challenge: query.get('code_challenge'),
    challengeMethod: query.get('code_challenge_method') === 'S256' ? 'S256' : 'plain',
    offline:
      query.get('access_type') === 'offline' && (isFirst || (query.get('prompt') ?? '').split(' ').includes('consent')),
    nonce: query.get('nonce'),
  })
  return { code, scope: scopes.join(' '), authuser: '0', prompt: 'consent' }
}

function show(exchange: Exchange, google: Google, status: number, content: string): Promise<void> {
  return exchange.send(status, { 'Content-Type': 'text/html; charset=utf-8', ...coop(google) }, content)
}

const coop = ({ grants }: Google): Record<string, string> =>
  grants.settings.coop ? { 'Cross-Origin-Opener-Policy': 'same-origin' } : {}
