import type { Credentials } from '../../../server/providers/driver.ts'
import type { MemoryAccount, MemoryService } from './account.ts'
import type { Fail } from './errors.ts'

/** Tokens as the service issues them. Refresh tokens rotate: a used one is dead. */
export function grant(service: MemoryService, account: MemoryAccount): Credentials {
  const { clock, newId, accessMs } = service
  const endsAt = clock.now() + accessMs
  const [accessToken, refreshToken] = [newId(), newId()]
  account.access.set(accessToken, endsAt)
  account.refresh.add(refreshToken)
  return { expiresAt: new Date(endsAt).toISOString(), accessToken, refreshToken }
}

/** @throws ReconnectNeeded */
export function renew(
  service: MemoryService,
  accounts: Iterable<MemoryAccount>,
  credentials: Credentials,
  fail: Fail,
): Credentials {
  const token = credentials.refreshToken ?? ''
  for (const account of accounts) if (account.refresh.delete(token)) return grant(service, account)
  throw fail('ReconnectNeeded', 'The refresh token is not valid.')
}

/** The account that credentials open, whether they still do or not; null where they never did. */
export function ownerOf(accounts: Iterable<MemoryAccount>, credentials: Credentials): MemoryAccount | null {
  const token = credentials.accessToken ?? ''
  for (const account of accounts) if (account.access.has(token)) return account
  return null
}

/** @throws AuthExpired */
export function authenticate(
  { clock }: MemoryService,
  accounts: Iterable<MemoryAccount>,
  credentials: Credentials,
  fail: Fail,
): MemoryAccount {
  const account = ownerOf(accounts, credentials)
  const endsAt = account?.access.get(credentials.accessToken ?? '') ?? 0
  if (!account || endsAt <= clock.now()) throw fail('AuthExpired', 'The access token is not valid.')
  return account
}
