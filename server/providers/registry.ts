import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { AccountLimits } from '../lib/limits.ts'
import type { Logger } from '../lib/logger.ts'
import { configuredModules, describeProviders, PROVIDERS, type ProviderRow } from './catalogue.ts'
import type { Credentials, Driver, ProviderModule } from './driver.ts'
import { ProviderError } from './errors.ts'
import { limit } from './layers/limit.ts'
import { refresh } from './layers/refresh.ts'
import { observe, retry } from './layers/wrapDriver.ts'
import type { AccountHandle, CredentialStore, ProviderSettings, Providers } from './providers.ts'
import type { HostGuard } from './shared/hostGuard.ts'
import type { Http } from './shared/http.ts'

export type DriverLayer = (driver: Driver) => Driver

export type ProvidersDeps = {
  readonly settings: ProviderSettings
  readonly store: CredentialStore
  readonly http: Http
  /** For hosts that users type in. */
  readonly guard: HostGuard
  /** Opens every account whose provider is `local`. */
  readonly localDriver: Driver
  readonly logger: Pick<Logger, 'debug' | 'warn'>
  /** Directly around the drivers, below retries and limits. */
  readonly layer?: DriverLayer | null
  /** Replaces the modules configured by `settings`. */
  readonly modules?: readonly ProviderModule[]
  /** Replaces PROVIDERS. */
  readonly rows?: readonly ProviderRow[]
  readonly clock?: Clock
  /** Limits that hold for all servers. Absent: no other server calls these accounts. */
  readonly limits?: AccountLimits | null
}

/** The providers of this server: the catalogue, and the drivers of accounts with their layers. */
export function createProviders({ clock = SYSTEM_CLOCK, rows = PROVIDERS, ...deps }: ProvidersDeps): Providers {
  const modules = new Map(
    (deps.modules ?? configuredModules(rows, deps.http, deps.guard, deps.settings)).map((module) => [
      module.kind,
      module,
    ]),
  )
  const catalogue = describeProviders(rows, modules, deps.settings)
  const opened = new Map<string, Driver>()
  const observed = (driver: Driver, accountId: string | null): Driver =>
    observe(driver, { accountId, logger: deps.logger, clock })

  const watched: DriverLayer = deps.layer ?? ((driver) => driver)

  /** @throws ProviderError Misconfigured where the provider is not configured on this server */
  function moduleOf(provider: string): ProviderModule {
    const module = modules.get(provider)
    if (module) return module
    const name = rows.find(({ id }) => id === provider)?.name ?? provider
    throw new ProviderError(
      'Misconfigured',
      { provider, operation: 'open' },
      { message: `${name} is not set up here.` },
    )
  }

  function openAccount({ id, provider }: AccountHandle): Driver {
    if (provider === 'local') return observed(deps.localDriver, id)
    const inner = watched(refresh({ accountId: id, module: moduleOf(provider), store: deps.store, clock }))
    const shared = deps.limits ? { ...deps.limits, accountId: id } : undefined
    return observed(retry(limit(inner, { clock, shared }), { clock }), id)
  }

  return {
    catalogue: () => catalogue,
    signIn: (provider) => modules.get(provider)?.signIn ?? null,
    openWith(provider: string, credentials: Credentials) {
      return observed(retry(watched(moduleOf(provider).open(credentials)), { clock }), null)
    },
    open(account) {
      const driver = opened.get(account.id) ?? openAccount(account)
      opened.set(account.id, driver)
      return driver
    },
    close(accountId) {
      opened.delete(accountId)
      deps.limits?.pauses.forget(accountId)
    },
  }
}
