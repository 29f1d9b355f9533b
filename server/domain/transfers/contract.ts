import type { Viewer } from '../viewer.ts'

export type TransferKind = 'STORE' | 'REPAIR' | 'MOVE' | 'DRAIN'

export type TransferState = 'WAITING' | 'RUNNING' | 'PAUSED' | 'PARKED' | 'DONE' | 'FAILED' | 'CANCELLED'

/** A copy on its way to its accounts. */
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
  /** Over the last seconds, while it runs; null when nothing can be said. */
  readonly bytesPerSecond: number | null
  readonly accountIds: readonly string[]
  /** Why these accounts, in words. */
  readonly why: string
  /** What stopped it, or what it waits for, in words. */
  readonly error: string | null
  readonly nextTryAt: Date | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export type ListTransfers = {
  /** Only those that are not over, or only those that are. */
  readonly open?: boolean | undefined
  readonly limit: number
  readonly after?: string | undefined
}

export type TransferPage = {
  readonly items: readonly { readonly transfer: Transfer; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export interface TransfersService {
  /** Those that are not over, and those that ended within the last 24 hours; newest first, at most 200. */
  list(viewer: Viewer, options?: { readonly open?: boolean | undefined }): Promise<Transfer[]>
  /** The same ones, however many they are. @throws InvalidInputError for a cursor of another list */
  page(viewer: Viewer, options: ListTransfers): Promise<TransferPage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Transfer | null)[]>
  /** Idempotent. What the provider has confirmed stays there. @throws NotFoundError, ConflictError when it is over */
  pause(viewer: Viewer, id: string): Promise<Transfer>
  /** @throws as pause */
  resume(viewer: Viewer, id: string): Promise<Transfer>
  /** Gives the copy up and removes what was stored of it; the file itself stays where it was. @throws as pause */
  cancel(viewer: Viewer, id: string): Promise<Transfer>
  /** Again from where it stopped, with a new plan where accounts have changed. @throws NotFoundError, ConflictError unless it is PARKED, FAILED or CANCELLED */
  retry(viewer: Viewer, id: string): Promise<Transfer>
}
