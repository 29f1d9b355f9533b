import type pg from 'pg'
import { forgetChanges } from './db/changeLog.ts'
import type { Db } from './db/client.ts'
import { type AuthorizationsDeps, createGrants } from './domain/accounts/connect.ts'
import { createOpenDriver } from './domain/accounts/credentials.ts'
import { leaveAccounts } from './domain/accounts/disconnect.ts'
import { type AfterChange, createAccountHealth } from './domain/accounts/health.ts'
import { createProbe, forgetAuthorizations, type Probe } from './domain/accounts/probe.ts'
import { createQuotas } from './domain/accounts/quotas.ts'
import { createAccountsService } from './domain/accounts/service.ts'
import type { ActivityRecorder } from './domain/activity/log.ts'
import { createActivityService, forgetActivities } from './domain/activity/service.ts'
import { createChangesService } from './domain/changes/service.ts'
import { keepVersion } from './domain/copying/keepVersion.ts'
import { type Copying, createCopying } from './domain/copying/service.ts'
import type { Events } from './domain/events.ts'
import { type AccountFeed, createAccountFeed } from './domain/feed/feed.ts'
import { createContent } from './domain/files/content/content.ts'
import type { File } from './domain/files/contract.ts'
import { createFilesHousekeeping } from './domain/files/housekeeping.ts'
import { createFilesService } from './domain/files/service.ts'
import { createReadTurns } from './domain/files/tree/listing.ts'
import { createGroupCloudsService } from './domain/groupClouds/service.ts'
import type { Housekeeping } from './domain/housekeeping.ts'
import { forgetKeys } from './domain/idempotency.ts'
import type { Enqueue } from './domain/jobs.ts'
import { createKeys, type Keys } from './domain/keys/service.ts'
import { copiedEntry } from './domain/recording/files.ts'
import { recordServices } from './domain/recording/services.ts'
import type { Services } from './domain/services.ts'
import { endDueShares, revokeLinks } from './domain/shares/providerLinks.ts'
import { createSharesService } from './domain/shares/service.ts'
import {
  createTelegramInbox,
  createTelegramService,
  type TelegramBot,
  type TelegramInbox,
} from './domain/telegram/service.ts'
import { SYSTEM_CLOCK } from './domain/transfers/deps.ts'
import { createTransfers, type Transfers } from './domain/transfers/service.ts'
import { createUploads } from './domain/uploads/service.ts'
import { createAdministrationService } from './domain/users/administration.ts'
import { createPeopleHousekeeping } from './domain/users/deletion.ts'
import { createPasswords } from './domain/users/passwords.ts'
import { createPeopleService } from './domain/users/profile.ts'
import { createRecoveryHousekeeping, createRecoveryService } from './domain/users/recovery.ts'
import { createUsersService } from './domain/users/service.ts'
import type { Viewer } from './domain/viewer.ts'
import type { Config } from './env.ts'
import type { Encryption } from './lib/encryption.ts'
import type { Logger } from './lib/logger.ts'
import type { Mailer } from './mail/mailer.ts'
import type { LocalDriver } from './providers/local/driver.ts'
import type { CredentialStore, Providers } from './providers/providers.ts'
import { createProviders } from './providers/registry.ts'
import { createHttp } from './providers/shared/http.ts'
import type { ObjectStore } from './storage/objectStore.ts'

export type ComposeDeps = Pick<AuthorizationsDeps, 'onStateOmitted'> & {
  readonly config: Pick<Config, 'localQuotaBytes' | 'registration' | 'acceptAnyType' | 'rateLimit'>
  readonly pool: pg.Pool
  /** For work that nobody waits for: without time limits. */
  readonly workPool: pg.Pool
  /** For connections that are held while a provider is asked, or as long as a lease. */
  readonly leases: pg.Pool
  /** No other server can be on this database and storage. */
  readonly alone: boolean
  readonly db: Db
  readonly store: ObjectStore
  /** What it is receiving is not to be swept. */
  readonly local: Pick<LocalDriver, 'receiving'>
  readonly events: Events
  readonly enqueue: Enqueue
  readonly providers: Providers
  readonly encryption: Encryption
  readonly afterChange: AfterChange
  /** null: this server has none. */
  readonly telegramBot: TelegramBot | null
  readonly mailer: Mailer
  /** Where people reach this server, for links in mails. */
  readonly siteUrl: () => string
  /** To be flushed before the database goes. */
  readonly activity: ActivityRecorder
  /** Polling interval of each account's changes (ms). */
  readonly feedEveryMs?: number
  /** Told about what failed after an answer was given. */
  readonly onError: (error: unknown) => void
}

export type ProvidersDeps = {
  readonly config: Pick<Config, 'providers' | 'providerEmulatorUrl'>
  readonly credentials: CredentialStore
  readonly store: ObjectStore
  /** Of all accounts that are this server itself. */
  readonly local: LocalDriver
  readonly logger: Logger
}

/** The providers that the settings make, over this server's credentials and its own storage. */
export function openProviders({ config, credentials, local, logger }: ProvidersDeps): Providers {
  return createProviders({
    settings: config.providers,
    store: credentials,
    http: createHttp({ emulatorUrl: config.providerEmulatorUrl }),
    localDriver: local,
    logger,
  })
}

export type Domain = {
  readonly services: Services
  readonly housekeeping: Housekeeping
  readonly probe: Probe
  readonly feed: AccountFeed
  readonly telegramInbox: TelegramInbox
  readonly transfers: Pick<Transfers, 'start' | 'stop'>
  readonly keyUsage: Keys['usage']
  readonly copying: Pick<Copying, 'stop'>
  /** Staged objects that are written now and no row refers to: other servers must not sweep them. */
  readonly receiving: () => readonly string[]
}

/** The domain, wired: what the doors ask (`services`), what jobs ask (`housekeeping`), and what watches accounts and sends. */
export function createServices(deps: ComposeDeps): Domain {
  const { config, pool, db, store, events, enqueue, onError } = deps
  const { activity } = deps
  const keys = createKeys({ pool, encryption: deps.encryption, activity, events, rateLimit: config.rateLimit, onError })
  const openDriver = createOpenDriver(deps)
  const health = createAccountHealth(deps)
  const quotas = createQuotas({ pool, openDriver, health, events, enqueue })
  const fileDeps = { pool, events, enqueue, storage: store, openDriver, report: health, encryption: deps.encryption }
  const work = { ...fileDeps, pool: deps.workPool }
  const turns = createReadTurns()
  const contents = createContent(fileDeps)
  const tree = createFilesService({ ...fileDeps, contents, turns })
  const transfers = createTransfers({
    ...fileDeps,
    workPool: deps.workPool,
    leases: deps.leases,
    source: contents.source,
    onError,
  })
  const answering = { getFile: tree.get, getCopies: tree.copies, onError }
  const onStored = (viewer: Viewer, { id, name, parentId }: File) => {
    const subject = { type: 'File', id, name } as const
    activity.record({ kind: 'VIEWER', viewer }, { action: 'FILE_UPLOADED', subject, intoFolderId: parentId })
  }
  const intake = { ...deps, anyType: config.acceptAnyType, alsoReceiving: deps.local.receiving }
  const uploads = createUploads({ ...intake, ...answering, onStored })
  const onCopied = (viewer: Viewer, copies: readonly File[], parentId: string | null) => {
    const entry = copiedEntry(copies, parentId)
    if (entry) activity.record({ kind: 'VIEWER', viewer }, entry)
  }
  const copying = createCopying({ ...fileDeps, contents, receive: uploads.receiveCopy, onCopied })
  const keeping = { ...fileDeps, clock: SYSTEM_CLOCK, receive: uploads.receiveCopy }
  const kept = async (viewer: Viewer, copyId: string): Promise<File> => {
    const file = await keepVersion(keeping, viewer, copyId)
    onCopied(viewer, [file], file.parentId)
    return file
  }
  const filesHousekeeping = createFilesHousekeeping(work)
  const passwords = createPasswords()
  const { localQuotaBytes, registration } = config
  const administration = createAdministrationService({ pool, registration })
  const users = createUsersService({
    ...{ db, pool, events, localQuotaBytes, passwords, registration, administration },
    encryption: deps.encryption,
    isKeyLive: keys.isLive,
  })
  const personal = { pool, enqueue, activity, events, passwords, mailer: deps.mailer }
  const leaving = { ...deps, grants: createGrants(deps) }
  return {
    services: recordServices(
      {
        users,
        administration,
        people: createPeopleService({ ...personal, me: users.me }),
        recovery: createRecoveryService({ ...personal, encryption: deps.encryption }),
        accounts: createAccountsService({ ...deps, quotas, health }),
        groupClouds: createGroupCloudsService({ db, pool, events, enqueue }),
        changes: createChangesService(pool),
        files: { ...tree, copy: copying.copy, keepVersion: kept },
        uploads: uploads.service,
        transfers: transfers.service,
        activity: createActivityService({ pool, log: activity, turns }),
        keys: keys.service,
        shares: createSharesService({ ...fileDeps, contents, activity, onError }),
        telegram: createTelegramService({ pool, bot: deps.telegramBot }),
      },
      activity,
    ),
    housekeeping: {
      files: filesHousekeeping,
      uploads: uploads.housekeeping,
      transfers: transfers.housekeeping,
      people: createPeopleHousekeeping({
        ...{ pool: deps.workPool, events, enqueue },
        files: filesHousekeeping,
        uploads: uploads.housekeeping,
        revokeLinks: (signal) => revokeLinks(work, signal),
        leaveAccounts: (userId, signal) => leaveAccounts(leaving, userId, signal),
      }),
      recovery: createRecoveryHousekeeping(deps),
      endShares: (signal) => endDueShares(work, signal),
      forgetAuthorizations: () => forgetAuthorizations(deps.workPool),
      forgetActivities: (signal) => forgetActivities(deps.workPool, signal),
      forgetChanges: () => forgetChanges(deps.workPool),
      forgetKeys: () => forgetKeys(async (text, values) => (await deps.workPool.query(text, [...values])).rows),
    },
    probe: createProbe({ ...deps, quotas }),
    feed: createAccountFeed({ ...work, leases: deps.leases, onError, ...everyMsOf(deps) }),
    telegramInbox: createTelegramInbox({ pool }),
    transfers,
    keyUsage: keys.usage,
    copying,
    receiving: uploads.receiving,
  }
}

function everyMsOf({ feedEveryMs }: Pick<ComposeDeps, 'feedEveryMs'>): { readonly everyMs?: number } {
  return feedEveryMs === undefined ? {} : { everyMs: feedEveryMs }
}
