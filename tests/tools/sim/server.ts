import type pg from 'pg'
import type { Db } from '../../../server/db/client.ts'
import { createMessageQueue } from '../../../server/db/events.ts'
import { createLeases } from '../../../server/db/locks.ts'
import {
  createCredentialStore,
  createOpenDriver,
  createRootFolders,
  forgetAuthorizations,
} from '../../../server/domain/accounts/credentials.ts'
import { createAccountHealth, createAfterChange } from '../../../server/domain/accounts/health.ts'
import { createProbe, createQuotas } from '../../../server/domain/accounts/quotas.ts'
import { createAccountsService } from '../../../server/domain/accounts/service.ts'
import { forgetActivities } from '../../../server/domain/activity/service.ts'
import type { Events } from '../../../server/domain/events.ts'
import { createContent } from '../../../server/domain/files/content/content.ts'
import { createFilesHousekeeping } from '../../../server/domain/files/housekeeping.ts'
import { createFilesService } from '../../../server/domain/files/service.ts'
import { createGroupCloudsService } from '../../../server/domain/groupClouds/service.ts'
import { forgetKeys } from '../../../server/domain/idempotency/keys.ts'
import { createChangeInPlace } from '../../../server/domain/inPlace/changes.ts'
import type { Housekeeping } from '../../../server/domain/jobs.ts'
import { createEngine } from '../../../server/domain/transfers/engine.ts'
import {
  createTransfersHousekeeping,
  createTransfersService,
  SLOT_LIMITS,
} from '../../../server/domain/transfers/service.ts'
import { createUploads } from '../../../server/domain/uploads/service.ts'
import { createVersionsHousekeeping } from '../../../server/domain/versions/service.ts'
import { createKeyedSemaphore } from '../../../server/lib/concurrency.ts'
import type { Encryption } from '../../../server/lib/encryption.ts'
import type { ObjectStore } from '../../../server/storage/objectStore.ts'
import { createLife, Died, type Life } from './mortal.ts'
import { createSimProviders, type Module } from './providers.ts'
import { enqueue } from './queue.ts'
import type { VirtualClock } from './virtual.ts'

export type ServerDeps = {
  readonly pool: pg.Pool
  readonly leases: pg.Pool
  readonly db: Db
  readonly store: ObjectStore
  readonly clock: VirtualClock
  readonly encryption: Encryption
  readonly modules: readonly Module[]
  readonly note: (line: string) => void
  /** Unexpected messages of the product. */
  readonly onError: (error: unknown) => void
}

export type Server = ReturnType<typeof startServer>

const EVENTS: Events = {
  publish: () => {},
  subscribe: (_topic, _userId, signal) => createMessageQueue({ signal, combine: (_, newer) => newer, onEnd() {} }),
}

/** In a schedule no user is deleted, and no mail is sent. */
const notHere = () => Promise.reject(new Error('The simulation has no such job.'))

/** The domain in one process that can crash: wired as in compose.ts, but transfers and jobs run only when a schedule runs them. */
export function startServer(world: ServerDeps) {
  const life: Life = createLife()
  const onError = (error: unknown) => {
    if (!life.died && !(error instanceof Died)) world.onError(error)
  }
  const [pool, leasePool, store] = [life.pool(world.pool), life.pool(world.leases), life.store(world.store)]
  const { clock, db, encryption } = world
  const base = {
    pool,
    leases: leasePool,
    db,
    store,
    storage: store,
    events: EVENTS,
    enqueue,
    encryption,
    clock,
    onError,
  }
  const afterChange = createAfterChange(base)
  const following = new Set<Promise<void>>()
  const onExpired = (accountId: string) => {
    const followed: Promise<void> = afterChange(accountId)
      .catch(onError)
      .finally(() => following.delete(followed))
    following.add(followed)
  }
  const credentials = createCredentialStore({ ...base, onExpired })
  const providers = createSimProviders({ ...world, store, credentials, life })
  const openDriver = createOpenDriver({ pool, providers })
  const health = createAccountHealth({ pool, afterChange, onError, now: clock.now })
  const quotas = createQuotas({ pool, openDriver, health, events: EVENTS, enqueue: base.enqueue })
  const fileDeps = { ...base, openDriver, report: health }
  const contents = createContent(fileDeps)
  const files = createFilesService({ ...fileDeps, contents })
  const changeInPlace = createChangeInPlace({ ...fileDeps, rootFolders: createRootFolders(pool) })
  const leases = createLeases(leasePool, 'transfer')
  const engine = createEngine({
    ...fileDeps,
    changeInPlace,
    leases,
    source: contents.source,
    takeSlot: createKeyedSemaphore(SLOT_LIMITS),
    parallel: clock.parallel,
  })
  const asked = { ...fileDeps, engine, dispatcher: { wake: () => {}, recheck: () => {} } }
  const uploads = createUploads({
    ...base,
    openDriver,
    alone: true,
    anyType: true,
    getFile: files.get,
    getCopies: files.copies,
  })
  const housekeeping: Housekeeping = {
    files: createFilesHousekeeping(fileDeps),
    uploads: uploads.housekeeping,
    transfers: createTransfersHousekeeping(asked),
    people: { removeUser: notHere, resumeRemovals: notHere },
    inPlace: { forgetEntries: notHere, sweepEntries: notHere, expireTrash: notHere, takePlace: notHere },
    protection: { follow: notHere, sweep: notHere },
    versions: createVersionsHousekeeping(fileDeps),
    room: { measure: notHere },
    search: { readAll: notHere, read: notHere, follow: notHere },
    // Hashes for finding duplicates change no bytes and no row that is examined here.
    duplicates: { checkAll: notHere, check: notHere, compare: notHere, hash: async () => {} },
    recovery: { mailPasswordReset: notHere, mailNotice: notHere, forgetResets: notHere },
    trimThumbnails: notHere,
    endShares: notHere,
    forgetAuthorizations: () => forgetAuthorizations(pool),
    forgetActivities: (signal) => forgetActivities(pool, signal),
    forgetChanges: notHere,
    forgetKeys: () => forgetKeys(pool),
  }
  const probe = createProbe({ ...base, quotas })
  const whenIdle = async () => {
    await health.whenIdle()
    await Promise.all(following)
  }
  return {
    life,
    files,
    uploads: uploads.service,
    transfers: createTransfersService(asked),
    groupClouds: createGroupCloudsService({ db, pool, events: EVENTS, enqueue }),
    accounts: createAccountsService({ ...base, providers, quotas, health, afterChange }),
    housekeeping,
    probe,
    engine,
    /** Resolves when all reported states of accounts are written. */
    whenIdle,
    /** Closes its connections, as when it stops or crashes. */
    async close() {
      await whenIdle()
      await probe.close()
      await leases.close()
      life.bury()
    },
  }
}
