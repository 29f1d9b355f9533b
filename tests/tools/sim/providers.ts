import type { Call, Driver, ProviderModule } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { localDriver } from '../../../server/providers/local/driver.ts'
import type { CredentialStore, Providers } from '../../../server/providers/providers.ts'
import type { ObjectStore } from '../../../server/storage/objectStore.ts'
import type { Life } from './mortal.ts'

export type Module = ProviderModule

type Deps = {
  readonly modules: readonly Module[]
  readonly store: ObjectStore
  readonly credentials: CredentialStore
  readonly life: Life
  /** Called with the error of a failed call. */
  readonly note: (line: string) => void
}

/** The simulated services as providers: expired access is refreshed once, and every call is a step of the process. */
export function createSimProviders({ modules, store, credentials, life, note }: Deps): Providers {
  const byKind = new Map(modules.map((module) => [module.kind, module]))
  const local = localDriver(store)
  const moduleOf = (kind: string): Module => {
    const module = byKind.get(kind)
    if (module) return module
    throw new ProviderError('Misconfigured', { provider: kind, operation: 'open' }, { message: 'It is not set up.' })
  }
  return {
    catalogue: () => [],
    signIn: (kind) => byKind.get(kind)?.signIn ?? null,
    openWith: (kind, granted) => life.driver(moduleOf(kind).open(granted)),
    open: ({ id, provider }) =>
      provider === 'local' ? local : life.driver(refreshing(moduleOf(provider), id, credentials, note)),
    close: () => {},
  }
}

function refreshing(module: Module, accountId: string, store: CredentialStore, note: Deps['note']): Driver {
  async function ask<Result>(call: Call, work: (driver: Driver) => Promise<Result>): Promise<Result> {
    const stored = await store.read(accountId)
    try {
      return await work(module.open(stored.credentials))
    } catch (error) {
      const { signIn } = module
      if (error instanceof ProviderError) note(`    ${error.message}`)
      if (signIn.by === 'FORM' || !(error instanceof ProviderError) || error.code !== 'AuthExpired') throw error
      const renewed = await store.renew(accountId, stored, (current) => signIn.oauth.refresh(call, current))
      return work(module.open(renewed.credentials))
    }
  }
  const { kind, capabilities, root } = module.open({ expiresAt: null })
  return {
    kind,
    capabilities,
    root,
    identity: (call) => ask(call, (driver) => driver.identity(call)),
    quota: (call) => ask(call, (driver) => driver.quota(call)),
    stat: (call, ref) => ask(call, (driver) => driver.stat(call, ref)),
    list: (call, folder, cursor) => ask(call, (driver) => driver.list(call, folder, cursor)),
    get: (call, ref, range) => ask(call, (driver) => driver.get(call, ref, range)),
    put: (call, entry, content, progress) => ask(call, (driver) => driver.put(call, entry, content, progress)),
    abandon: (call, session) => ask(call, (driver) => driver.abandon(call, session)),
    delete: (call, ref) => ask(call, (driver) => driver.delete(call, ref)),
    ensureFolder: (call, parent, name) => ask(call, (driver) => driver.ensureFolder(call, parent, name)),
  }
}
