import type pg from 'pg'
import type { Db } from './db/client.ts'
import type { AfterChange } from './domain/accounts/afterChange.ts'
import { accessTexts } from './domain/accounts/catalogue.ts'
import { createOpenDriver } from './domain/accounts/drivers.ts'
import { createAccountHealth } from './domain/accounts/health.ts'
import { forgetAuthorizations } from './domain/accounts/housekeeping.ts'
import { createProbe, type Probe } from './domain/accounts/probe.ts'
import { createQuotas } from './domain/accounts/quotas.ts'
import { createAccountsService } from './domain/accounts/service.ts'
import type { Events } from './domain/events.ts'
import { createContent } from './domain/files/content.ts'
import { createFilesHousekeeping } from './domain/files/housekeeping.ts'
import { createFilesService } from './domain/files/service.ts'
import { createGroupCloudsService } from './domain/groupClouds/service.ts'
import type { Housekeeping } from './domain/housekeeping.ts'
import { forgetKeys } from './domain/idempotency.ts'
import type { Enqueue } from './domain/jobs.ts'
import type { Services } from './domain/services.ts'
import { createTransfers, type Transfers } from './domain/transfers/transfers.ts'
import { createUploads } from './domain/uploads/service.ts'
import { createUsersService } from './domain/users/service.ts'
import type { Config, OAuthClient } from './env.ts'
import type { Logger } from './lib/logger.ts'
import type { Sealing } from './lib/sealing.ts'
import type { LocalDriver } from './providers/local/driver.ts'
import type { CredentialStore, Providers } from './providers/providers.ts'
import { createProviders } from './providers/registry.ts'
import { createHttp } from './providers/shared/http.ts'
import type { ObjectStore } from './storage/objectStore.ts'

export type ComposeDeps = {
  readonly config: Pick<Config, 'localQuotaBytes' | 'acceptAnyType' | 'google'>
  readonly pool: pg.Pool
  /** For connections that are held while a provider is asked. */
  readonly leases: pg.Pool
  readonly db: Db
  readonly store: ObjectStore
  /** What it is receiving is not to be swept. */
  readonly local: Pick<LocalDriver, 'receiving'>
  readonly events: Events
  readonly enqueue: Enqueue
  readonly providers: Providers
  readonly sealing: Sealing
  readonly afterChange: AfterChange
  /** Told about what failed after an answer was given. */
  readonly onError: (error: unknown) => void
}

export type ProvidersDeps = {
  readonly config: Pick<Config, 'google' | 'dropbox' | 'providerEmulatorUrl'>
  readonly credentials: CredentialStore
  readonly store: ObjectStore
  /** Of all accounts that are this server itself. */
  readonly local: LocalDriver
  readonly logger: Logger
}

/** The providers that the settings make, over this server's credentials and its own storage. */
export function openProviders({ config, credentials, local, logger }: ProvidersDeps): Providers {
  const { google, dropbox, providerEmulatorUrl } = config
  return createProviders({
    config: { google: configured(google), dropbox: configured(dropbox) },
    store: credentials,
    http: createHttp({ emulatorUrl: providerEmulatorUrl }),
    localDriver: local,
    logger,
  })
}

/** Null unless both are set. */
function configured<Client extends OAuthClient>(client: Client) {
  const { clientId, clientSecret } = client
  return clientId === null || clientSecret === null ? null : { ...client, clientId, clientSecret }
}

export type Domain = {
  readonly services: Services
  readonly housekeeping: Housekeeping
  readonly probe: Probe
  readonly transfers: Pick<Transfers, 'start' | 'stop'>
}

/** The domain, wired: what the doors ask (`services`), what jobs ask (`housekeeping`), and what watches accounts and sends. */
export function createServices(deps: ComposeDeps): Domain {
  const { config, pool, db, store, events, enqueue, onError } = deps
  const openDriver = createOpenDriver(deps)
  const health = createAccountHealth(deps)
  const quotas = createQuotas({ pool, openDriver, health, events })
  const access = accessTexts(config.google.scope)
  const fileDeps = { pool, events, enqueue, storage: store, openDriver, report: health, sealing: deps.sealing }
  const contents = createContent(fileDeps)
  const files = createFilesService({ ...fileDeps, contents })
  const transfers = createTransfers({ ...fileDeps, leases: deps.leases, source: contents.source, onError })
  const answering = { getFile: files.get, getCopies: files.copies, onError }
  const intake = { pool, store, events, enqueue, anyType: config.acceptAnyType, alsoReceiving: deps.local.receiving }
  const uploads = createUploads({ ...intake, ...answering })
  return {
    services: {
      users: createUsersService({ db, pool, localQuotaBytes: config.localQuotaBytes }),
      accounts: createAccountsService({ ...deps, access, quotas, health }),
      groupClouds: createGroupCloudsService({ db, pool, events, enqueue }),
      files,
      uploads: uploads.service,
      transfers: transfers.service,
    },
    housekeeping: {
      files: createFilesHousekeeping({ ...fileDeps, openDriver, report: health, sealing: deps.sealing }),
      uploads: uploads.housekeeping,
      transfers: transfers.housekeeping,
      forgetAuthorizations: () => forgetAuthorizations(pool),
      forgetKeys: () => forgetKeys(async (text, values) => (await pool.query(text, [...values])).rows),
    },
    probe: createProbe({ ...deps, quotas }),
    transfers,
  }
}
