import { describeProviders, PROVIDERS, type ProviderRow } from '../../server/providers/catalogue.ts'
import type { Call, Driver, OAuth, ProviderModule, SignIn } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import type { CredentialStore, Providers } from '../../server/providers/providers.ts'

/** These modules as the providers of a server: an expired access is refreshed once, nothing is retried or limited. */
export function createTestProviders(
  modules: readonly ProviderModule[],
  store: CredentialStore,
  local: Driver | null = null,
  more: readonly ProviderRow[] = [],
): Providers {
  const byKind = new Map(modules.map((module) => [module.kind, module]))
  const moduleOf = (kind: string): ProviderModule => {
    const module = byKind.get(kind)
    if (module) return module
    throw new ProviderError('Misconfigured', { provider: kind, operation: 'open' }, { message: 'It is not set up.' })
  }
  return {
    catalogue: () => describeProviders([...ROWS, ...more], byKind, {}),
    signIn: (kind) => byKind.get(kind)?.signIn ?? null,
    openWith: (kind, credentials) => moduleOf(kind).open(credentials),
    open: ({ id, provider }) => (provider === 'local' && local ? local : refreshing(moduleOf(provider), id, store)),
    close: () => {},
  }
}

/** What is asked of a provider whose accounts are connected in its own window; null for every other. */
export function oauthOf(signIn: SignIn | null): OAuth | null {
  return signIn?.by === 'OAUTH' ? signIn.oauth : null
}

/** Enough to show each state: one that is set up, one that is not, one without a driver. */
const ROWS = PROVIDERS.filter(({ id }) => ['google-drive', 'dropbox', 'mega'].includes(id)).map((row) =>
  row.id === 'mega' ? withoutDriver(row) : row,
)

function withoutDriver({ connect: _connect, ...row }: ProviderRow): ProviderRow {
  return row
}

function refreshing(module: ProviderModule, accountId: string, store: CredentialStore): Driver {
  const attempt = async <Result>(call: Call, work: (driver: Driver) => Promise<Result>): Promise<Result> => {
    const stored = await store.read(accountId)
    try {
      return await work(module.open(stored.credentials))
    } catch (error) {
      const { signIn } = module
      if (signIn.by === 'FORM' || !(error instanceof ProviderError) || error.code !== 'AuthExpired') throw error
      const renewed = await store.renew(accountId, stored, (current) => signIn.oauth.refresh(call, current))
      return work(module.open(renewed.credentials))
    }
  }
  return {
    ...module.open({ expiresAt: null, accessToken: 'for its facts alone' }),
    identity: (call) => attempt(call, (driver) => driver.identity(call)),
    quota: (call) => attempt(call, (driver) => driver.quota(call)),
  }
}
