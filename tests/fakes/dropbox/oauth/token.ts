import { createHash, randomBytes } from 'node:crypto'
import type { Exchange } from '../../core/service.ts'
import { DropboxError } from '../errors.ts'
import { playFailures } from '../failures.ts'
import type { Client, Code, Grant, State } from '../state.ts'
import { issueToken } from './issue.ts'

export const TOKEN = 'oauth2/token'

/** Gives access tokens for codes and for refresh tokens; the latter stay as they are. */
export async function token(state: State, exchange: Exchange): Promise<void> {
  const form = await parametersOf(exchange)
  await exchange.begin(TOKEN, holderOf(state, form))
  playFailures(exchange, TOKEN)
  if (exchange.take('invalidGrant')) throw invalidGrant('refresh token is invalid or revoked')
  const kind = form.get('grant_type')
  if (kind !== 'authorization_code' && kind !== 'refresh_token')
    throw refusal('unsupported_grant_type', 'grant_type must be one of: authorization_code, refresh_token')
  const client = clientOf(state, exchange, form)
  const answer = kind === 'refresh_token' ? refreshed(state, client, form) : redeemed(state, client, form)
  await exchange.sendJson(200, answer, { 'cache-control': 'no-store' })
}

type Caller = { readonly client: Client; readonly proven: boolean }

/** In the body, as it should be, or in the address, as Dropbox's own SDK does it. */
async function parametersOf(exchange: Exchange): Promise<URLSearchParams> {
  const body = new URLSearchParams((await exchange.readBody()).toString())
  return new URLSearchParams([...body, ...exchange.url.searchParams])
}

function holderOf(state: State, form: URLSearchParams): string | null {
  const grant = grantOf(state, form.get('refresh_token'))
  return (grant?.user ?? state.codes.get(form.get('code') ?? '')?.user)?.email ?? null
}

function grantOf(state: State, refreshToken: string | null): Grant | undefined {
  return [...state.grants.values()].find((grant) => refreshToken !== null && grant.refreshToken === refreshToken)
}

/** Who asks, by Basic or by the form; proven when the secret came with it and is right. */
function clientOf(state: State, { request }: Exchange, form: URLSearchParams): Caller {
  const [, basic = ''] = /^Basic (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  const [basicId = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':')
  const id = basic ? decodeURIComponent(basicId) : form.get('client_id')
  const secret = basic ? decodeURIComponent(rest.join(':')) : form.get('client_secret')
  const client = state.clients.get(id ?? '')
  if (!client || (secret !== null && secret !== client.secret))
    throw refusal('invalid_client', 'Invalid client_id or client_secret', basic ? 401 : 400)
  return { client, proven: secret !== null }
}

function redeemed(state: State, { client, proven }: Caller, form: URLSearchParams): object {
  const value = form.get('code') ?? ''
  const code = state.codes.get(value)
  if (!code || code.expiresAt <= state.now()) throw invalidGrant("code doesn't exist or has expired")
  if (code.clientId !== client.id) throw invalidGrant('code was not issued to this client_id')
  if ((code.redirectUri ?? null) !== form.get('redirect_uri')) throw invalidGrant('redirect_uri mismatch')
  checkVerifier(code, proven, form.get('code_verifier'))
  state.codes.delete(value)
  const grant = newGrant(state, code, !proven)
  const { refreshToken, user, scopes } = grant
  return {
    ...issueToken(state, grant, scopes),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
    scope: scopes.join(' '),
    uid: user.uid,
    account_id: user.accountId,
  }
}

/** Without the secret the verifier is the only proof; with a challenge it is always asked for. */
function checkVerifier({ challenge }: Code, proven: boolean, verifier: string | null): void {
  if (!challenge && proven) return
  if (!challenge) throw refusal('invalid_client', 'No auth function available for given request')
  const given = verifier ?? ''
  const found = challenge.method === 'S256' ? createHash('sha256').update(given).digest('base64url') : given
  if (found !== challenge.value) throw invalidGrant('invalid code verifier')
}

function newGrant(state: State, code: Code, secretless: boolean): Grant {
  const refreshToken = code.offline ? randomBytes(32).toString('base64url') : null
  const { clientId, user, scopes } = code
  const grant: Grant = { id: randomBytes(8).toString('hex'), clientId, user, scopes, refreshToken, secretless }
  state.grants.set(grant.id, grant)
  return grant
}

function refreshed(state: State, { client, proven }: Caller, form: URLSearchParams): object {
  const grant = grantOf(state, form.get('refresh_token'))
  if (!grant || grant.clientId !== client.id) throw invalidGrant('refresh token is invalid or revoked')
  if (!proven && !grant.secretless) throw refusal('invalid_client', 'Invalid client_id or client_secret')
  const asked = form.get('scope')?.split(' ').filter(Boolean) ?? []
  if (asked.some((scope) => !grant.scopes.includes(scope))) throw refusal('invalid_scope', 'scope was not granted')
  return issueToken(state, grant, asked.length > 0 ? asked : grant.scopes)
}

function invalidGrant(description: string): DropboxError {
  return refusal('invalid_grant', description)
}

function refusal(error: string, description: string, status = 400): DropboxError {
  return new DropboxError(status, { error, error_description: description })
}
