import type { Pool } from 'pg'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import type { Events } from '../events.ts'
import type { Copy, File } from '../files/contract.ts'
import type { AccountLabel } from '../groupClouds/members.ts'
import type { UploadsHousekeeping } from '../housekeeping.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import { createCommit } from './commit.ts'
import { concatenate } from './concatenate.ts'
import type { UploadsService } from './contract.ts'
import { createFindGroupCloud, createSingleAccountGroupClouds } from './destination.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createProgressReports, createUploadLocks } from './openUploads.ts'
import { receive } from './receive.ts'
import { createReserve } from './reserve.ts'
import { createResumable } from './resumable.ts'
import { createDurableProgress } from './stagedBytes.ts'

type UploadsDeps = {
  readonly pool: Pool
  /** For the connection that holds the leases of uploads. */
  readonly leases: Pool
  readonly store: ObjectStore
  readonly events: Events
  readonly enqueue: Enqueue
  readonly openDriver: OpenDriver
  /** How reasons name accounts; by default without the provider. */
  readonly accountLabel?: AccountLabel
  /** true: UPLOAD_TYPES=*. */
  readonly anyType: boolean
  /** Reads a file for a repeated request. @throws NotFoundError */
  readonly getFile: (viewer: Viewer, id: string) => Promise<File>
  /** Reads the copies of such a file. */
  readonly getCopies: (viewer: Viewer, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Copy[]>>
  /** Called once per new file. */
  readonly onStored?: (viewer: Viewer, file: File) => void
  /** Called with errors that happen after the request was answered. */
  readonly onError: (error: unknown) => void
  /** Staged objects that other parts of this server are writing. */
  readonly alsoReceiving?: () => ReadonlySet<string>
  /** No other server can be on this database and storage. */
  readonly alone: boolean
}

export type Uploads = {
  readonly service: UploadsService
  readonly housekeeping: UploadsHousekeeping
  /** For content that is already in Skypool or an account: accepts any type, and `onStored` is not called. */
  readonly copies: Omit<UploadsService, 'concatenate'>
  /** Staged objects that are being written and that no row refers to: other servers must not sweep them. */
  readonly receiving: () => readonly string[]
}

/**
 * The uploads service and its housekeeping. One per process; several may share a database and a DATA_DIR. A request is
 * in receive.ts, resumable.ts or concatenate.ts; each writes staged bytes (stagedBytes.ts) and makes a file of them
 * (commit.ts, insertFiles.ts).
 */
export function createUploads(deps: UploadsDeps): Uploads {
  const { pool, store, events, alsoReceiving = () => new Set() } = deps
  /** Objects that one-request uploads are writing: no row refers to them yet. */
  const receiving = new Set<string>()
  const allReceiving = () => [...receiving, ...alsoReceiving()]
  const locks = createUploadLocks(deps)
  const progress = createDurableProgress(store)
  const shared = { ...deps, commit: createCommit(deps), findGroupCloud: createFindGroupCloud(pool, deps.accountLabel) }
  const receiveDeps = { ...shared, receiving, singleAccounts: createSingleAccountGroupClouds() }
  const copyDeps = { ...receiveDeps, anyType: true, onStored: () => {} }
  const report = createProgressReports(events)
  const resumableDeps = { ...shared, locks, progress, report, reserve: createReserve(pool) }

  return {
    receiving: allReceiving,
    copies: {
      ...createResumable({ ...resumableDeps, anyType: true, onStored: () => {} }),
      receive: (viewer, input, body, key) => receive(copyDeps, viewer, input, body, key),
    },
    service: {
      ...createResumable(resumableDeps),
      receive: (viewer, input, body, key) => receive(receiveDeps, viewer, input, body, key),
      concatenate: (viewer, input) => concatenate(resumableDeps, viewer, input),
    },
    housekeeping: createHousekeeping({ ...deps, locks, progress, receiving: allReceiving }),
  }
}
