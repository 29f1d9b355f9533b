import { createHash } from 'node:crypto'
import type { Exchange } from '../../core/service.ts'
import type { Google } from '../google.ts'
import type { Client, Grant } from './grants.ts'

class OAuthError extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    readonly description: string,
    readonly more: Readonly<Record<string, string>> = {},
  ) {
    super(description)
  }
}

const invalidGrant = (description: string, more?: Readonly<Record<string, string>>): OAuthError =>
  new OAuthError(400, 'invalid_grant', description, more)

/** The token endpoint: codes and refresh tokens against access tokens. */
export async function token(exchange: Exchange, google: Google): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const holder = holderOf(form, google)
  const type = form.get('grant_type') ?? ''
  await exchange.begin(type === 'refresh_token' ? 'oauth.token.refresh' : 'oauth.token.code', holder)
  try {
    playTokenFaults(exchange)
    const client = clientOf(exchange, form, google)
    const answer = await exchanged(type, form, client, google)
    await exchange.sendJson(200, answer, {
      'Cache-Control': 'no-cache, no-store, max-age=0, must-revalidate',
      Pragma: 'no-cache',
    })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    await exchange.sendJson(error.status, { error: error.error, error_description: error.description, ...error.more })
  }
}

async function exchanged(type: string, form: URLSearchParams, client: Client, google: Google): Promise<unknown> {
  if (type === 'authorization_code') return byCode(form, client, google)
  if (type === 'refresh_token') return byRefresh(form, client, google)
  throw new OAuthError(400, 'unsupported_grant_type', `Invalid grant_type: ${type}`)
}

/** Whom the request is about, for faults and the log; a code is looked at and left. */
function holderOf(form: URLSearchParams, { grants }: Google): string | null {
  const refresh = grants.refresh(form.get('refresh_token') ?? '')
  return typeof refresh === 'string' ? grants.holderOfCode(form.get('code') ?? '') : refresh.grant.user.email
}

function playTokenFaults(exchange: Exchange): void {
  const limited = exchange.take('rateLimit')
  if (limited)
    throw new OAuthError(limited.status ?? 403, limited.reason ?? 'rate_limit_exceeded', 'Rate Limit Exceeded')
  const broken = exchange.take('serverError')
  if (broken) throw new OAuthError(broken.status ?? 503, 'internal_failure', 'Backend Error')
  if (exchange.take('policy'))
    throw invalidGrant('reauth related error (invalid_rapt)', { error_subtype: 'invalid_rapt' })
  if (exchange.take('invalidGrant')) throw invalidGrant('Token has been expired or revoked.')
}

function clientOf(exchange: Exchange, form: URLSearchParams, { grants }: Google): Client {
  const [, basic] = /^Basic (.+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const [basicId, basicSecret] = basic ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent) : []
  const id = basicId ?? form.get('client_id')
  const secret = basicSecret ?? form.get('client_secret')
  if (!id) throw new OAuthError(400, 'invalid_request', 'Could not determine client ID from request.')
  const client = grants.clients.get(id)
  if (!client) throw new OAuthError(401, 'invalid_client', 'The OAuth client was not found.')
  if (!secret) throw new OAuthError(400, 'invalid_request', 'client_secret is missing.')
  if (secret !== client.secret) throw new OAuthError(401, 'invalid_client', 'Unauthorized')
  return client
}

function byCode(form: URLSearchParams, client: Client, google: Google): unknown {
  const text = form.get('code')
  if (!text) throw new OAuthError(400, 'invalid_request', 'Missing required parameter: code')
  const code = google.grants.takeCode(text)
  if (!code || code.grant.client.id !== client.id) throw invalidGrant(code ? 'Bad Request' : 'Malformed auth code.')
  if (code.redirectUri !== form.get('redirect_uri')) throw new OAuthError(400, 'redirect_uri_mismatch', 'Bad Request')
  const verifier = form.get('code_verifier')
  if (code.challenge && !verifier) throw invalidGrant('Missing code verifier.')
  if (!code.challenge && verifier) throw invalidGrant('code_verifier or verifier is not needed.')
  if (code.challenge && verifier) {
    const made = code.challengeMethod === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
    if (made !== code.challenge) throw invalidGrant('Invalid code verifier.')
  }
  const refresh = code.offline ? { refresh_token: google.grants.issueRefresh(code.grant, code.scopes) } : {}
  return { ...issued(code.grant, code.scopes, google, code.nonce), ...refresh }
}

function byRefresh(form: URLSearchParams, client: Client, google: Google): unknown {
  const text = form.get('refresh_token')
  if (!text) throw new OAuthError(400, 'invalid_request', 'Missing required parameter: refresh_token')
  const found = google.grants.refresh(text)
  if (found === 'unknown') throw invalidGrant('Bad Request')
  if (found === 'dead') throw invalidGrant('Token has been expired or revoked.')
  if (found.grant.client.id !== client.id) throw new OAuthError(401, 'unauthorized_client', 'Unauthorized')
  const answer = issued(found.grant, found.scopes, google, null)
  if (!google.grants.settings.rotation) return answer
  google.grants.retire(text)
  return { ...answer, refresh_token: google.grants.issueRefresh(found.grant, found.scopes) }
}

function issued(grant: Grant, scopes: readonly string[], google: Google, nonce: string | null): object {
  const life = google.grants.settings.tokenLifeSeconds
  return {
    access_token: google.grants.issueAccess(grant, scopes),
    expires_in: Math.max(1, life - 1),
    scope: [...scopes].reverse().join(' '),
    token_type: 'Bearer',
    ...(scopes.includes('openid') && { id_token: google.idTokens.sign(grant, scopes, nonce) }),
  }
}

/** Either token ends the whole grant. */
export async function revoke(exchange: Exchange, { grants }: Google): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  const text = form.get('token') ?? exchange.url.searchParams.get('token') ?? ''
  const refresh = grants.refresh(text)
  const holder = typeof refresh === 'string' ? grants.access(text) : refresh
  await exchange.begin('oauth.revoke', holder?.grant.user.email)
  const broken = exchange.take('serverError')
  if (broken) return exchange.sendJson(broken.status ?? 503, { error: 'internal_failure' })
  if (grants.revoke(text)) return exchange.sendJson(200, {})
  return exchange.sendJson(400, { error: 'invalid_token', error_description: 'Token expired or revoked' })
}
