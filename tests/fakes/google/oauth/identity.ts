import { createSign, generateKeyPairSync } from 'node:crypto'
import type { Exchange } from '../../core/service.ts'
import type { Google } from '../google.ts'
import type { User } from '../model.ts'
import type { Grant } from './grants.ts'

const ISSUER = 'https://accounts.google.com'
const KEY_ID = 'emulated-key-1'

export type IdTokens = {
  sign(grant: Grant, scopes: readonly string[], nonce: string | null): string
  /** The public key, as a JWK set. */
  keys(): unknown
}

export function createIdTokens(clock: () => number): IdTokens {
  let pair: ReturnType<typeof newPair> | null = null
  const keys = (): ReturnType<typeof newPair> => {
    pair ??= newPair()
    return pair
  }
  return {
    sign(grant, scopes, nonce) {
      const now = Math.floor(clock() / 1000)
      const claims = { iss: ISSUER, azp: grant.client.id, aud: grant.client.id, iat: now, exp: now + 3600 }
      const payload = { ...claims, ...about(grant.user, scopes), ...(nonce !== null && { nonce }) }
      const text = [{ alg: 'RS256', kid: KEY_ID, typ: 'JWT' }, payload]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      return `${text}.${createSign('RSA-SHA256').update(text).sign(keys().privateKey, 'base64url')}`
    },
    keys: () => ({ keys: [{ ...keys().publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }] }),
  }
}

const newPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

/** What the scopes tell of a user. */
function about(user: User, scopes: readonly string[]): Record<string, string | boolean> {
  const [given = user.name, ...family] = user.name.split(' ')
  const profile = { name: user.name, given_name: given, family_name: family.join(' '), picture: photoOf(user) }
  return {
    sub: user.sub,
    ...(scopes.some((scope) => scope.endsWith('userinfo.profile')) && profile),
    ...(scopes.some((scope) => scope.endsWith('userinfo.email')) && { email: user.email, email_verified: true }),
  }
}

export const photoOf = (user: User): string => `https://lh3.googleusercontent.com/a/${user.sub}=s64`

/** Who the access token stands for: v3 in the words of OpenID, v2 in older ones. */
export async function userinfo(exchange: Exchange, google: Google): Promise<void> {
  const [, text = ''] = /^Bearer (.+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const token = google.grants.access(text)
  await exchange.begin('oauth.userinfo', token?.grant.user.email)
  const broken = exchange.take('serverError')
  if (broken) return exchange.sendJson(broken.status ?? 503, { error: 'internal_failure' })
  if (!token || exchange.take('expired')) {
    return exchange.sendJson(401, { error: 'invalid_request', error_description: 'Invalid Credentials' })
  }
  const { sub, email_verified, ...rest } = about(token.grant.user, token.scopes)
  if (!exchange.url.pathname.includes('/v2/'))
    return exchange.sendJson(200, { sub, ...rest, ...(email_verified && { email_verified }) })
  return exchange.sendJson(200, { id: sub, ...rest, ...(email_verified && { verified_email: true }) })
}

/** Where everything is, for clients that ask. */
export async function discovery(exchange: Exchange, google: Google): Promise<void> {
  await exchange.begin('oauth.discovery')
  if (exchange.url.pathname.endsWith('/certs')) return exchange.sendJson(200, google.idTokens.keys())
  return exchange.sendJson(200, {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/o/oauth2/v2/auth`,
    token_endpoint: 'https://oauth2.googleapis.com/token',
    userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['plain', 'S256'],
  })
}
