import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Exchange } from '../../core/service.ts'
import { GraphError, playFailures } from '../errors.ts'
import { type Client, type Code, type Grant, issueTokens, type State } from '../state.ts'
import { maySignIn } from './authorize.ts'

/** Tokens for codes and for refresh tokens. Each answer has a new refresh token, and the earlier ones stay valid. */
export async function token(state: State, exchange: Exchange, tenant: string): Promise<void> {
  const form = new URLSearchParams((await exchange.readBody()).toString())
  await exchange.begin('oauth.token', holderOf(state, form))
  playFailures(exchange)
  if (exchange.take('invalidGrant')) throw refusal('invalid_grant', 'AADSTS700082: The refresh token has expired.')
  const kind = form.get('grant_type')
  if (kind !== 'authorization_code' && kind !== 'refresh_token') {
    throw refusal('unsupported_grant_type', 'AADSTS70003: The app requested an unsupported grant type.')
  }
  const client = clientOf(state, exchange, form)
  const grant = kind === 'refresh_token' ? refreshed(state, client, form) : redeemed(state, client, form)
  if (!maySignIn(grant.user, tenant)) throw refusal('invalid_grant', 'AADSTS9002313: The account is of another kind.')
  const { refresh_token: refreshToken, ...answer } = issueTokens(state, grant)
  const isOffline = grant.scopes.includes('offline_access')
  await exchange.sendJson(
    200,
    { ...answer, ...(isOffline && { refresh_token: refreshToken }) },
    { 'cache-control': 'no-store' },
  )
}

function grantOf(state: State, form: URLSearchParams): Grant | undefined {
  return [...state.grants.values()].find(({ refreshTokens }) => refreshTokens.has(form.get('refresh_token') ?? ''))
}

function holderOf(state: State, form: URLSearchParams): string | null {
  return (grantOf(state, form)?.user ?? state.codes.get(form.get('code') ?? '')?.user)?.email ?? null
}

/** By Basic or by the form. Apps with a secret must send it. */
function clientOf(state: State, { request }: Exchange, form: URLSearchParams): Client {
  const [, basic = ''] = /^Basic (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  const [basicId = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':')
  const id = basic ? decodeURIComponent(basicId) : form.get('client_id')
  const secret = basic ? decodeURIComponent(rest.join(':')) : form.get('client_secret')
  const client = state.clients.get(id ?? '')
  if (!client) throw refusal('unauthorized_client', 'AADSTS700016: Application was not found in the directory.')
  if (secret === client.secret) return client
  throw refusal('invalid_client', 'AADSTS7000215: Invalid client secret provided.', 401)
}

function redeemed(state: State, client: Client, form: URLSearchParams): Grant {
  const value = form.get('code') ?? ''
  const code = state.codes.get(value)
  if (!code || code.clientId !== client.id)
    throw refusal('invalid_grant', 'AADSTS70000: The provided grant is invalid.')
  if (code.expiresAt <= state.now()) throw refusal('invalid_grant', 'AADSTS70008: The code has expired.')
  if (code.redirectUri !== form.get('redirect_uri'))
    throw refusal('invalid_grant', 'AADSTS50011: redirect_uri mismatch.')
  checkVerifier(code, form.get('code_verifier'))
  state.codes.delete(value)
  const { clientId, user, scopes } = code
  const grant: Grant = { id: randomBytes(8).toString('hex'), clientId, user, scopes, refreshTokens: new Set() }
  state.grants.set(grant.id, grant)
  return grant
}

function checkVerifier({ challenge }: Code, verifier: string | null): void {
  if (!challenge) return
  const given = verifier ?? ''
  const found = challenge.method === 'S256' ? createHash('sha256').update(given).digest('base64url') : given
  if (found === challenge.value) return
  throw refusal('invalid_grant', 'AADSTS501481: The Code_Verifier does not match the code_challenge.')
}

function refreshed(state: State, client: Client, form: URLSearchParams): Grant {
  const grant = grantOf(state, form)
  if (grant && grant.clientId === client.id && !grant.user.deleted) return grant
  throw refusal('invalid_grant', 'AADSTS70000: The refresh token is invalid or was revoked.')
}

function refusal(error: string, description: string, status = 400): GraphError {
  const [, number] = /^AADSTS(\d+)/.exec(description) ?? []
  return new GraphError(status, {
    error,
    error_description: description,
    error_codes: [Number(number)],
    timestamp: new Date().toISOString(),
    trace_id: randomUUID(),
    correlation_id: randomUUID(),
  })
}
