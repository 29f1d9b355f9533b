import type { Logger } from '../lib/logger.ts'
import { CATALOGUE, describeProviders } from './catalogue.ts'
import type { Credentials, Driver, ProviderModule } from './driver.ts'
import { dropboxModule } from './dropbox/module.ts'
import { ProviderError } from './errors.ts'
import { type GoogleDriveDeps, googleDriveModule } from './google-drive/module.ts'
import { type Clock, SYSTEM_CLOCK } from './layers/clock.ts'
import { limit } from './layers/limit.ts'
import { observe } from './layers/observe.ts'
import { refresh } from './layers/refresh.ts'
import { retry } from './layers/retry.ts'
import type { AccountHandle, CredentialStore, Providers } from './providers.ts'
import type { Http } from './shared/http.ts'

type Client = { readonly clientId: string; readonly clientSecret: string }

/** This server as each provider knows it; null where the administrator has not set it. */
export type ProvidersConfig = {
  readonly google: (Client & Pick<GoogleDriveDeps, 'scope'>) | null
  readonly dropbox: Client | null
}

export type ProvidersDeps = {
  readonly config: ProvidersConfig
  readonly store: CredentialStore
  readonly http: Http
  /** Opens every account whose provider is `local`. */
  readonly localDriver: Driver
  readonly logger: Pick<Logger, 'debug' | 'warn'>
  /** Instead of those that `config` makes. */
  readonly modules?: readonly ProviderModule[]
  readonly clock?: Clock
}

/** All providers of this server: which there are, and the drivers of its accounts with their layers. */
export function createProviders({ clock = SYSTEM_CLOCK, ...deps }: ProvidersDeps): Providers {
  const modules = new Map((deps.modules ?? configuredModules(deps)).map((module) => [module.kind, module]))
  const catalogue = describeProviders(new Set(modules.keys()))
  const opened = new Map<string, Driver>()
  const watch = (driver: Driver, accountId: string | null): Driver =>
    observe(driver, { accountId, logger: deps.logger, clock })

  function openAccount({ id, provider }: AccountHandle): Driver {
    if (provider === 'local') return watch(deps.localDriver, id)
    const inner = refresh({ accountId: id, module: moduleOf(modules, provider), store: deps.store, clock })
    return watch(retry(limit(inner, { clock }), { clock }), id)
  }

  return {
    catalogue: () => catalogue,
    oauth: (provider) => modules.get(provider)?.oauth ?? null,
    openWith(provider: string, credentials: Credentials) {
      return watch(retry(moduleOf(modules, provider).open(credentials), { clock }), null)
    },
    open(account) {
      const driver = opened.get(account.id) ?? openAccount(account)
      opened.set(account.id, driver)
      return driver
    },
    close: (accountId) => void opened.delete(accountId),
  }
}

/** The table of drivers. */
function configuredModules({ config, http }: Pick<ProvidersDeps, 'config' | 'http'>): ProviderModule[] {
  const { google, dropbox } = config
  return [
    ...(google ? [googleDriveModule({ http, ...google })] : []),
    ...(dropbox ? [dropboxModule({ http, ...dropbox })] : []),
  ]
}

/** @throws ProviderError Misconfigured where this server cannot speak to the provider, or not any more */
function moduleOf(modules: ReadonlyMap<string, ProviderModule>, provider: string): ProviderModule {
  const module = modules.get(provider)
  if (module) return module
  const name = CATALOGUE.find(({ id }) => id === provider)?.name ?? provider
  throw new ProviderError('Misconfigured', { provider, operation: 'open' }, { message: `${name} is not set up here.` })
}
