import type { Access, Scope } from '../../../server/domain/viewer.ts'
import { createUser, type TestUser } from '../../factories/user.ts'
import { FLEET } from '../../setup/fleet.ts'
import type { TestServer } from '../../setup/server.ts'
import type { Declared } from './scopes.ts'

/** Everybody who may come with a key, or with something like one. */
export const CALLERS = {
  'no key': { scopes: null, isLive: false },
  'a read key': { scopes: ['READ'], isLive: true },
  'a write key': { scopes: ['READ', 'WRITE'], isLive: true },
  'a share key': { scopes: ['READ', 'SHARE'], isLive: true },
  'a key for everything': { scopes: ['READ', 'WRITE', 'SHARE'], isLive: true },
  'somebody else’s key': { scopes: ['READ', 'WRITE', 'SHARE'], isLive: true },
  'a revoked key': { scopes: ['READ', 'WRITE', 'SHARE'], isLive: false },
  'an expired key': { scopes: ['READ', 'WRITE', 'SHARE'], isLive: false },
  'a key made anew since': { scopes: ['READ', 'WRITE', 'SHARE'], isLive: false },
  'a key with a wrong checksum': { scopes: ['READ', 'WRITE', 'SHARE'], isLive: false },
  'a password': { scopes: ['READ', 'WRITE', 'SHARE'], isLive: false },
} as const satisfies Readonly<Record<string, { scopes: readonly Scope[] | null; isLive: boolean }>>

export type CallerName = keyof typeof CALLERS
export const CALLER_NAMES = Object.keys(CALLERS) as CallerName[]

export type Outcome = 'ALLOWED' | 'UNAUTHENTICATED' | 'KEY_REFUSED'

/** What the table promises a caller: a key that is not good is told so before anything else. */
export function expectedOutcome(declared: Declared, name: CallerName): Outcome {
  const { scopes, isLive } = CALLERS[name]
  if (declared === 'VISITORS') return 'ALLOWED'
  if (scopes === null) return declared === 'PUBLIC' || declared.endsWith('*') ? 'ALLOWED' : 'UNAUTHENTICATED'
  if (!isLive) return 'UNAUTHENTICATED'
  if (declared === 'PUBLIC') return 'ALLOWED'
  const access = declared.replace('*', '') as Access
  return access !== 'SESSION' && (scopes as readonly Scope[]).includes(access) ? 'ALLOWED' : 'KEY_REFUSED'
}

export type Callers = {
  readonly owner: TestUser
  readonly other: TestUser
  /** `Authorization` of each; undefined for none. */
  readonly authorization: Readonly<Record<CallerName, string | undefined>>
}

export async function createCallers({ url, services: { users, keys }, pool }: TestServer): Promise<Callers> {
  const owner = await createUser(users)
  const other = await createUser(users)
  const make = (scopes: readonly Scope[], user = owner) => keys.create(user.viewer, { name: scopes.join(), scopes })
  const bearer = ({ key }: { readonly key: string }) => `Bearer ${key}`
  const all = CALLERS['a key for everything'].scopes
  const [revoked, expired, replaced] = [await make(all), await make(all), await make(all)]
  await keys.revoke(owner.viewer, revoked.id)
  await pool.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [expired.id])
  // Whoever had it has used it, at each server: it is no guess.
  for (let count = 0; count < FLEET.servers; count += 1)
    await fetch(`${url}/api/v1/files`, { headers: { authorization: bearer(replaced) } })
  await keys.regenerate(owner.viewer, replaced.id)
  const whole = await make(all)
  return {
    owner,
    other,
    authorization: {
      'no key': undefined,
      'a read key': bearer(await make(['READ'])),
      'a write key': bearer(await make(['WRITE'])),
      'a share key': bearer(await make(['SHARE'])),
      'a key for everything': bearer(whole),
      'somebody else’s key': bearer(await make(all, other)),
      'a revoked key': bearer(revoked),
      'an expired key': bearer(expired),
      'a key made anew since': bearer(replaced),
      'a key with a wrong checksum': bearer({ key: `${whole.key.slice(0, -1)}${whole.key.endsWith('0') ? '1' : '0'}` }),
      'a password': `Basic ${Buffer.from(`${owner.email}:${owner.password}`).toString('base64')}`,
    },
  }
}
