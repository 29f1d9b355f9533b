import type pg from 'pg'
import type { Db } from '../../server/db/client.ts'
import { createCredentialStore, createOpenDriver } from '../../server/domain/accounts/credentials.ts'
import { createAccountHealth, createAfterChange } from '../../server/domain/accounts/health.ts'
import { createQuotas } from '../../server/domain/accounts/quotas.ts'
import type { Events } from '../../server/domain/events.ts'
import type { Enqueue } from '../../server/domain/jobs.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import type { ProviderModule } from '../../server/providers/driver.ts'
import { createTestProviders } from './providers.ts'

export type AccountsDepsOptions = {
  readonly pool: pg.Pool
  readonly db: Db
  readonly events: Events
  readonly enqueue: Enqueue
  readonly modules?: readonly ProviderModule[]
  readonly onError?: (error: unknown) => void
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

const TEST_SECRET = 'the secret key of the tests, 32 characters or more'

/** What the accounts part of the domain is made of, over a database and providers of the tests' own. */
export function accountsDeps({ modules = [], onError = () => {}, now, ...base }: AccountsDepsOptions) {
  const { pool, events } = base
  const encryption = createEncryption([TEST_SECRET])
  const afterChange = createAfterChange(base)
  const onExpired = (accountId: string) => void afterChange(accountId).catch(onError)
  const credentials = createCredentialStore({ pool, leases: pool, encryption, onExpired })
  const providers = createTestProviders(modules, credentials)
  const health = createAccountHealth({ pool, afterChange, events, onError, ...(now && { now }) })
  const openDriver = createOpenDriver({ pool, providers })
  const quotas = createQuotas({ pool, openDriver, health, events, enqueue: base.enqueue })
  const shared = { leases: pool, encryption, afterChange, onError, health, credentials }
  return { ...base, ...shared, providers, openDriver, quotas }
}
