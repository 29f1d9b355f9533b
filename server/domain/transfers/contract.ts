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
