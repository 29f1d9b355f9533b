import { randomBytes, randomUUID } from 'node:crypto'
import type { User, UsersService } from '../../server/domain/users/contract.ts'
import type { Viewer } from '../../server/domain/viewer.ts'

export type TestUser = {
  readonly user: User
  readonly viewer: Viewer
  /** For the session cookie. */
  readonly token: string
  readonly email: string
  readonly password: string
}

/** A registered and signed-in user, from an address of their own so that no throttle is shared. */
export async function createUser(
  users: UsersService,
  overrides: { fullName?: string; email?: string; password?: string } = {},
): Promise<TestUser> {
  const email = overrides.email ?? `${randomUUID()}@example.org`
  const password = overrides.password ?? 'correct horse battery'
  const input = { fullName: overrides.fullName ?? 'Ada Lovelace', email, password }
  const { user, token } = await users.register(input, { address: randomAddress(), userAgent: 'test' })
  const viewer = await users.viewerOf(token)
  if (!viewer) throw new Error('A new session has to be alive.')
  return { user, viewer, token, email, password }
}

/** An IPv6 address in a /64 of its own. */
function randomAddress(): string {
  return `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
}
