import type { Pool } from 'pg'
import type { Leases } from '../../db/locks.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { Driver } from '../../providers/driver.ts'
import type { ProviderError } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { Events } from '../events.ts'
import type { ChangeInPlace } from '../files/tree/step.ts'
import type { AccountLabel } from '../groupClouds/members.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'

export type TransferKind = 'STORE' | 'REPAIR' | 'MOVE' | 'DRAIN'

export type TransferState = 'WAITING' | 'RUNNING' | 'PAUSED' | 'PARKED' | 'DONE' | 'FAILED' | 'CANCELLED'

/** A copy that is being sent to its accounts, or was. */
export type Transfer = {
  readonly id: string
  readonly fileId: string
  readonly fileName: string
  readonly mimeType: string | null
  readonly kind: TransferKind
  readonly state: TransferState
  readonly totalBytes: number
  /** Confirmed by the providers. */
  readonly sentBytes: number
  /** Over the last seconds while it runs; null when unknown. */
  readonly bytesPerSecond: number | null
  readonly accountIds: readonly string[]
  /** Why these accounts were chosen, as a message. */
  readonly why: string
  /** What stopped it or what it waits for, as a message. */
  readonly error: string | null
  readonly nextTryAt: Date | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export type ListTransfers = {
  /** true: only those that have not ended; false: only those that have; undefined: both. */
  readonly open?: boolean | undefined
  readonly limit: number
  readonly after?: string | undefined
}

export type TransferPage = {
  readonly items: readonly { readonly transfer: Transfer; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export interface TransfersService {
  /** Those that have not ended, and those that ended within the last 24 hours; newest first, at most 200. */
  list(viewer: Viewer, options?: { readonly open?: boolean | undefined }): Promise<Transfer[]>
  /** The same transfers in pages, without a limit on their number. @throws InvalidInputError for a cursor of another list */
  page(viewer: Viewer, options: ListTransfers): Promise<TransferPage>
  /** In the order of `ids`; null for what is not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Transfer | null)[]>
  /** Idempotent. What the provider has confirmed is kept. @throws NotFoundError, ConflictError when it has ended */
  pause(viewer: Viewer, id: string): Promise<Transfer>
  /** @throws as pause */
  resume(viewer: Viewer, id: string): Promise<Transfer>
  /**
   * Removes the copy with what was stored of it. The file's other copies stay. A file that was uploaded into a folder of an account is
   * deleted, unless the account has it. @throws as pause
   */
  cancel(viewer: Viewer, id: string): Promise<Transfer>
  /** Continues a stopped transfer where it stopped, with other accounts if they have changed; a cancelled one gets a new copy. @throws NotFoundError, ConflictError unless it is PARKED, FAILED or CANCELLED */
  retry(viewer: Viewer, id: string): Promise<Transfer>
}

/** For functions that change rows. */
export type RowDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly events: Pick<Events, 'publish'>
  readonly storage: Pick<ObjectStore, 'delete' | 'open'>
  readonly clock: Clock
  /** How reasons name accounts; by default without the provider. */
  readonly accountLabel?: AccountLabel | undefined
}

/** For the engine, which also sends. */
export type EngineDeps = RowDeps & {
  /** Rejects with ProviderError ReconnectNeeded for an account that is expired, disconnected or deleted. */
  readonly openDriver: (accountId: string) => Promise<Driver>
  /** Called with the result of each piece, to keep the state of its account up to date. */
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  /** Opens the bytes of a file, staged or from a stored copy. */
  readonly source: (fileId: string, copyId: string) => Promise<ByteSource>
  readonly encryption: Pick<Encryption, 'encrypt' | 'decrypt'>
  /** Changes entries of accounts, for a file that replaces one. */
  readonly changeInPlace: ChangeInPlace
  readonly leases: Leases
  readonly takeSlot: TakeSlot
  /** How the pieces of a transfer are sent: by default concurrently. A simulation decides the order. */
  readonly parallel?: Parallel | undefined
  /** Called with unexpected errors, for the log. */
  readonly onError: (error: unknown) => void
}

/** Runs all tasks and resolves with their values in the order of the tasks. Tasks do not throw. */
export type Parallel = <Value>(tasks: readonly (() => Promise<Value>)[]) => Promise<Value[]>

/** Runs `task` when the account and the process have a free slot. `most`: the concurrent writes that the account's service allows. */
export type TakeSlot = <Value>(accountId: string, most: number, task: () => Promise<Value>) => Promise<Value>
