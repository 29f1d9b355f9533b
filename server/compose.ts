import type pg from 'pg'
import type { Db } from './db/client.ts'
import { forgetChanges } from './db/events.ts'
import type { LockSession } from './db/locks.ts'
import {
  type AuthorizationsDeps,
  createOpenDriver,
  createRootFolders,
  forgetAuthorizations,
} from './domain/accounts/credentials.ts'
import { leaveAccounts } from './domain/accounts/disconnection.ts'
import { createGrants } from './domain/accounts/grants.ts'
import { type AfterChange, createAccountHealth } from './domain/accounts/health.ts'
import { createProbe, createQuotas, type Probe } from './domain/accounts/quotas.ts'
import { accountLabel, hasThumbnails, poolUseOf } from './domain/accounts/rows.ts'
import { createAccountsService } from './domain/accounts/service.ts'
import type { ActivityRecorder } from './domain/activity/log.ts'
import { createActivityService, forgetActivities } from './domain/activity/service.ts'
import { createChangesService } from './domain/changes/service.ts'
import { keepVersion } from './domain/copying/plan.ts'
import { type Copying, createCopying } from './domain/copying/service.ts'
import { createDuplicatesHousekeeping, createDuplicatesService } from './domain/duplicates/service.ts'
import type { Duty, Events } from './domain/events.ts'
import { type AccountFeed, createAccountFeed } from './domain/feed/feed.ts'
import type { RunDeps } from './domain/fileJobs/run.ts'
import { createFileJobs, type FileJobs } from './domain/fileJobs/service.ts'
import { sweepBrowserPictures } from './domain/files/content/browserPictures.ts'
import { createContent } from './domain/files/content/content.ts'
import type { File } from './domain/files/contract.ts'
import { createFilesHousekeeping } from './domain/files/housekeeping.ts'
import { createFilesService } from './domain/files/service.ts'
import { createReadTurns } from './domain/files/tree/listing.ts'
import type { AccountLabel } from './domain/groupClouds/members.ts'
import { createGroupCloudsService } from './domain/groupClouds/service.ts'
import { forgetKeys } from './domain/idempotency/keys.ts'
import { createChangeInPlace } from './domain/inPlace/changes.ts'
import { createFolderLooks, createInPlaceHousekeeping, type FolderLooks } from './domain/inPlace/indexer.ts'
import { createInPlaceService } from './domain/inPlace/service.ts'
import type { Enqueue, Housekeeping } from './domain/jobs.ts'
import { createKeys, type Keys } from './domain/keys/service.ts'
import { createProtectionHousekeeping, createProtectionService, leaveProtection } from './domain/protection/service.ts'
import { copiedEntry, jobEntry } from './domain/recording/files.ts'
import { recordServices } from './domain/recording/services.ts'
import { createRoomHousekeeping } from './domain/room/read.ts'
import { createRoomService } from './domain/room/service.ts'
import { createSearchHousekeeping, type ExtractText } from './domain/search/read.ts'
import { createReadingWake, createSearchService } from './domain/search/service.ts'
import type { Services } from './domain/services.ts'
import { endDueShares, revokeLinks } from './domain/shares/providerLinks.ts'
import { createSharesService } from './domain/shares/service.ts'
import { createTagsService } from './domain/tags/service.ts'
import {
  createTelegramInbox,
  createTelegramService,
  type TelegramBot,
  type TelegramInbox,
} from './domain/telegram/service.ts'
import { createThumbnailsService, type MakeThumbnails } from './domain/thumbnails/service.ts'
import { createTransfers, type Transfers } from './domain/transfers/service.ts'
import { createUploadLinksService, endDueUploadLinks } from './domain/uploadLinks/service.ts'
import { createUploads } from './domain/uploads/service.ts'
import { createAdministrationService } from './domain/users/administration.ts'
import { createPeopleHousekeeping } from './domain/users/deletion.ts'
import { createPasswords } from './domain/users/passwords.ts'
import { createPeopleService, createUsersService } from './domain/users/service.ts'
import { createRecoveryHousekeeping, createRecoveryService } from './domain/users/sessions.ts'
import { createVersionsHousekeeping, createVersionsService } from './domain/versions/service.ts'
import type { Viewer } from './domain/viewer.ts'
import type { Config } from './env.ts'
import { SYSTEM_CLOCK } from './lib/clock.ts'
import type { Encryption } from './lib/encryption.ts'
import type { AccountLimits, RequestLimits } from './lib/limits.ts'
import type { Logger } from './lib/logger.ts'
import type { Mailer } from './mail/mailer.ts'
import type { LocalDriver } from './providers/local/driver.ts'
import type { CredentialStore, Providers } from './providers/providers.ts'
import { createProviders, type DriverLayer } from './providers/registry.ts'
import { createHostGuard } from './providers/shared/hostGuard.ts'
import { createHttp } from './providers/shared/http.ts'
import type { ObjectStore } from './storage/objectStore.ts'
import type { ThumbnailStore } from './storage/thumbnailStore.ts'

export type ComposeDeps = Pick<AuthorizationsDeps, 'onStateOmitted'> & {
  readonly config: Pick<Config, 'localQuotaBytes' | 'registration' | 'acceptAnyType' | 'rateLimit'>
  readonly pool: pg.Pool
  /** For background work: without statement timeouts. */
  readonly workPool: pg.Pool
  /** Of the connection that holds leases and the locks of single duties. */
  readonly leases: pg.Pool | LockSession
  /** Tells other servers that something is due that this one does not do; null: it does everything. */
  readonly wakeOthers: ((duty: Duty) => void) | null
  /** No other server uses this database and storage. */
  readonly alone: boolean
  /** Id in the register of servers. */
  readonly serverId?: string
  /** Limits of requests over all servers. Absent: this process counts its own. */
  readonly limits?: RequestLimits | null
  readonly db: Db
  readonly store: ObjectStore
  readonly thumbnails: { readonly store: ThumbnailStore; readonly maker: MakeThumbnails }
  readonly extractText: ExtractText
  /** Objects that it is receiving must not be swept. */
  readonly local: Pick<LocalDriver, 'receiving'>
  readonly events: Events
  readonly enqueue: Enqueue
  readonly providers: Providers
  readonly encryption: Encryption
  readonly afterChange: AfterChange
  /** null: not set up. */
  readonly telegramBot: TelegramBot | null
  readonly mailer: Mailer
  /** Public URL of this server, for links in mails. */
  readonly siteUrl: () => string
  /** Must be flushed before the database is closed. */
  readonly activity: ActivityRecorder
  /** Polling interval of each account's changes (ms). */
  readonly feedEveryMs: number
  /** Called with errors that occur after a response was sent. */
  readonly onError: (error: unknown) => void
}

export type ProvidersDeps = {
  readonly config: Pick<Config, 'providers' | 'providerEmulatorUrl' | 'allowPrivateHosts'>
  readonly credentials: CredentialStore
  readonly store: ObjectStore
  /** The driver of all accounts with `local` storage. */
  readonly local: LocalDriver
  readonly logger: Logger
  /** Limits of accounts that hold for all servers. Absent: no other server calls them. */
  readonly limits?: AccountLimits | null
  /** A layer directly around the drivers of accounts, which sees every call that is sent; null: none. */
  readonly layer: DriverLayer | null
}

/** The providers of this server, for the given settings, credentials and local storage. */
export function openProviders({ config, credentials, local, logger, limits = null, layer }: ProvidersDeps): Providers {
  return createProviders({
    settings: config.providers,
    store: credentials,
    http: createHttp({ emulatorUrl: config.providerEmulatorUrl }),
    guard: createHostGuard(config.allowPrivateHosts),
    localDriver: local,
    logger,
    limits,
    layer,
  })
}

export type Domain = {
  readonly services: Services
  readonly housekeeping: Housekeeping
  readonly probe: Probe
  readonly feed: AccountFeed
  readonly looks: Pick<FolderLooks, 'close'>
  readonly telegramInbox: TelegramInbox
  readonly transfers: Pick<Transfers, 'start' | 'wake' | 'stop'>
  readonly keyUsage: Keys['usage']
  readonly copying: Pick<Copying, 'stop'>
  readonly fileJobs: Pick<FileJobs, 'start' | 'wake' | 'stop'>
  /** Staged objects that are being written and have no row yet: other servers must not sweep them. */
  readonly receiving: () => readonly string[]
}

/** Wires the domain: `services` for GraphQL and REST, `housekeeping` for jobs, and the background loops. */
export function createServices(deps: ComposeDeps): Domain {
  const { db, pool, events, enqueue, activity, onError } = deps
  const accounts = wireAccounts(deps)
  const files = wireFiles(deps, accounts)
  const { keys, ...users } = wireUsers(deps)
  const thumbnails = createThumbnailsService({
    ...{ ...files.deps, contents: files.contents, onError, ...deps.thumbnails },
    hasThumbnails: (provider) => hasThumbnails(deps.providers, provider),
  })
  const feed = createAccountFeed({
    ...{ ...files.work, leases: deps.leases, onError, everyMs: deps.feedEveryMs },
    wakeOthers: waking(deps, 'feeds'),
  })
  const services = {
    ...users,
    accounts: createAccountsService({ ...deps, ...accounts, leaveProtection }),
    groupClouds: createGroupCloudsService({
      ...{ db, pool, events, enqueue, accountLabel: accountLabelOf(deps) },
      poolReason: (provider) => poolUseOf(deps.providers, provider).reason,
    }),
    changes: createChangesService(pool),
    files: files.service,
    thumbnails,
    fileJobs: files.fileJobs.service,
    uploads: files.uploads.service,
    transfers: files.transfers.service,
    activity: createActivityService({ pool, log: activity, turns: files.turns }),
    keys: keys.service,
    shares: createSharesService({
      ...{ ...files.deps, limits: deps.limits ?? null, serverId: deps.serverId ?? null },
      contents: files.contents,
      thumbnails,
      opened: files.looks.opened,
      activity,
      onError,
    }),
    uploadLinks: createUploadLinksService({
      ...{ ...files.deps, activity, onError, calls: deps.limits?.calls ?? null },
      ...{ uploads: files.uploads.fromVisitors, files: files.service },
    }),
    tags: createTagsService({ pool, events }),
    telegram: createTelegramService({ pool, bot: deps.telegramBot }),
    inPlace: createInPlaceService({
      ...{ pool, events, enqueue, leaveProtection, openDriver: accounts.openDriver },
      wakeFeed: feed.wake,
    }),
    room: createRoomService({ pool, enqueue }),
    protection: createProtectionService({ ...files.deps, files: files.service, startCopy: files.fileJobs.copyContent }),
    versions: createVersionsService({ ...files.deps, contents: files.contents, receive: files.uploads.copies.receive }),
    duplicates: createDuplicatesService({ pool, enqueue }),
    search: createSearchService({ pool, enqueue, events, turns: files.turns }),
  }
  return {
    services: recordServices(services, activity),
    housekeeping: wireHousekeeping(deps, files, services.inPlace),
    probe: createProbe({ ...deps, quotas: accounts.quotas }),
    feed,
    looks: files.looks,
    telegramInbox: createTelegramInbox({ pool }),
    transfers: files.transfers,
    keyUsage: keys.usage,
    copying: files.copying,
    fileJobs: files.fileJobs,
    receiving: files.uploads.receiving,
  }
}

type AccountParts = ReturnType<typeof wireAccounts>

function wireAccounts(deps: ComposeDeps) {
  const { pool, events, enqueue } = deps
  const openDriver = createOpenDriver(deps)
  const health = createAccountHealth(deps)
  return { openDriver, health, quotas: createQuotas({ pool, openDriver, health, events, enqueue }) }
}

type FileParts = ReturnType<typeof wireFiles>

/** Files, and everything that receives, copies and sends their content. */
function wireFiles(deps: ComposeDeps, { openDriver, health }: AccountParts) {
  const { config, pool, store, events, enqueue, encryption, activity, onError } = deps
  const label = accountLabelOf(deps)
  const fileDeps = {
    pool,
    events,
    enqueue,
    storage: store,
    openDriver,
    report: health,
    encryption,
    accountLabel: label,
  }
  const turns = createReadTurns()
  const contents = createContent(fileDeps)
  const changeInPlace = createChangeInPlace({ ...fileDeps, rootFolders: createRootFolders(pool) })
  const { workPool, leases } = deps
  const looks = createFolderLooks({ ...fileDeps, pool: workPool, onError })
  const tree = createFilesService({ ...fileDeps, contents, turns, changeInPlace, opened: looks.opened })
  const transfers = createTransfers({
    ...{ ...fileDeps, changeInPlace, workPool, leases, source: contents.source, onError },
    wakeOthers: waking(deps, 'transfers'),
  })
  const wakeReading = createReadingWake({ pool, enqueue, onError })
  const onStored = (viewer: Viewer, file: File) => {
    const { id, name, parentId } = file
    wakeReading(viewer, file)
    const subject = { type: 'File', id, name } as const
    activity.record({ kind: 'VIEWER', viewer }, { action: 'FILE_UPLOADED', subject, intoFolderId: parentId })
  }
  const intake = {
    ...deps,
    openDriver,
    accountLabel: label,
    anyType: config.acceptAnyType,
    alsoReceiving: deps.local.receiving,
  }
  const uploads = createUploads({ ...intake, getFile: tree.get, getCopies: tree.copies, onError, onStored })
  const onCopied = (viewer: Viewer, copies: readonly File[], parentId: string | null) => {
    const entry = copiedEntry(copies, parentId)
    if (entry) activity.record({ kind: 'VIEWER', viewer }, entry)
  }
  const copying = createCopying({ ...fileDeps, contents, receive: uploads.copies.receive, onCopied })
  const versionDeps = { ...fileDeps, clock: SYSTEM_CLOCK, receive: uploads.copies.receive }
  const keepAndRecord = async (viewer: Viewer, copyId: string): Promise<File> => {
    const file = await keepVersion(versionDeps, viewer, copyId)
    onCopied(viewer, [file], file.parentId)
    return file
  }
  const service = { ...tree, copy: copying.copy, keepVersion: keepAndRecord }
  const onEnded: RunDeps['onEnded'] = (viewer, { kind, parentId }, tops) => {
    // That a folder is protected is one entry, when the user asks for it.
    if (kind === 'PROTECT') return
    const made = tops.map(({ madeId, name }) => ({ id: madeId, name }))
    const entry = jobEntry(kind, made, parentId)
    if (entry) activity.record({ kind: 'VIEWER', viewer }, entry)
  }
  const fileJobs = createFileJobs({
    ...{ ...fileDeps, workPool, leases, onError, onEnded, contents, files: tree, uploads: uploads.copies },
    rootFolders: createRootFolders(pool),
    clock: SYSTEM_CLOCK,
    wakeOthers: waking(deps, 'fileJobs'),
  })
  return {
    deps: fileDeps,
    /** The same without statement timeouts, for background work. */
    work: { ...fileDeps, pool: workPool },
    service,
    changeInPlace,
    contents,
    looks,
    turns,
    transfers,
    uploads,
    copying,
    fileJobs,
  }
}

/** Users and everything that signs them in. */
function wireUsers(deps: ComposeDeps) {
  const { config, db, pool, events, enqueue, encryption, activity, mailer, onError } = deps
  const { localQuotaBytes, registration, rateLimit } = config
  const keys = createKeys({ pool, encryption, activity, events, rateLimit, calls: deps.limits?.calls ?? null, onError })
  const passwords = createPasswords()
  const administration = createAdministrationService({ pool, registration })
  const users = createUsersService({
    ...{ db, pool, events, localQuotaBytes, passwords, registration, administration, encryption },
    isKeyLive: keys.isLive,
  })
  const personal = { pool, enqueue, activity, events, passwords, mailer }
  return {
    keys,
    users,
    administration,
    people: createPeopleService({ ...personal, me: users.me }),
    recovery: createRecoveryService({ ...personal, encryption }),
  }
}

function wireHousekeeping(
  deps: ComposeDeps,
  { work, changeInPlace, contents, uploads, transfers, fileJobs }: FileParts,
  inPlace: Services['inPlace'],
): Housekeeping {
  const { workPool, events, enqueue, extractText, onError } = deps
  const { store: thumbnails } = deps.thumbnails
  const files = createFilesHousekeeping({ ...work, thumbnails })
  const accountsDeps = { ...deps, grants: createGrants(deps) }
  return {
    files,
    uploads: uploads.housekeeping,
    transfers: transfers.housekeeping,
    people: createPeopleHousekeeping({
      ...{ pool: workPool, events, enqueue, files },
      uploads: uploads.housekeeping,
      revokeLinks: (signal) => revokeLinks(work, signal),
      leaveAccounts: (userId, signal) => leaveAccounts(accountsDeps, userId, signal),
    }),
    recovery: createRecoveryHousekeeping(deps),
    inPlace: createInPlaceHousekeeping({ ...work, changeInPlace, inPlace, thumbnails }),
    protection: createProtectionHousekeeping(work),
    versions: createVersionsHousekeeping(work),
    room: createRoomHousekeeping({ pool: workPool, events }),
    duplicates: createDuplicatesHousekeeping({ pool: workPool, enqueue, contents }),
    search: createSearchHousekeeping({ pool: workPool, enqueue, contents, extractText, onError }),
    async trimThumbnails(signal) {
      await sweepBrowserPictures(workPool)
      await thumbnails.trim(signal)
    },
    async endShares(signal) {
      await endDueShares(work, signal)
      await endDueUploadLinks({ ...work, uploads: uploads.fromVisitors }, signal)
    },
    forgetAuthorizations: () => forgetAuthorizations(workPool),
    forgetActivities: (signal) => forgetActivities(workPool, signal),
    async forgetChanges() {
      await forgetChanges(workPool)
      await fileJobs.forget()
    },
    forgetKeys: () => forgetKeys(workPool),
  }
}

function waking({ wakeOthers }: ComposeDeps, duty: Duty): (() => void) | undefined {
  return wakeOthers ? () => wakeOthers(duty) : undefined
}

function accountLabelOf({ providers }: Pick<ComposeDeps, 'providers'>): AccountLabel {
  return (account) => accountLabel(providers, account)
}
