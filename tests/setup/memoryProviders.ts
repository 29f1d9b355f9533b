import type { Credentials, Driver } from '../../server/providers/driver.ts'
import type { Providers } from '../../server/providers/providers.ts'
import type { MemoryCloud } from '../fakes/memory/cloud.ts'
import { memoryModule } from '../fakes/memory/module.ts'

/** Accounts of one memory cloud, whose login is the account's id, without any layers: a call is one call. */
export function createMemoryProviders(
  cloud: MemoryCloud,
  wrap = (driver: Driver, _accountId: string) => driver,
): Providers {
  const module = memoryModule(cloud)
  const drivers = new Map<string, Driver>()
  const openWith = (_provider: string, credentials: Credentials) => module.open(credentials)
  const providers: Providers = {
    catalogue: () => [],
    signIn: () => null,
    openWith,
    open({ id, provider }) {
      const driver = drivers.get(id) ?? wrap(openWith(provider, cloud.signIn(id)), id)
      drivers.set(id, driver)
      return driver
    },
    close: (accountId) => void drivers.delete(accountId),
  }
  return providers
}
