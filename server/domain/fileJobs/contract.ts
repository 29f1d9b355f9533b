import type { DuplicateFilter, KeepRule } from '../duplicates/contract.ts'
import type { FileKind, OnConflict } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

/**
 * PROTECT: files of an account are stored in a group cloud too (domain/protection). TRASH, RESTORE and DELETE change many entries of
 * accounts, one by one.
 */
export const FILE_JOB_KINDS = ['COPY', 'MOVE', 'PROTECT', 'TRASH', 'RESTORE', 'DELETE'] as const
export type FileJobKind = (typeof FILE_JOB_KINDS)[number]
/** What users can start. */
export type TransportKind = Exclude<FileJobKind, 'PROTECT'>

/** FAILED: it has ended, and some of its items could not be copied or moved. */
export const FILE_JOB_STATES = ['WAITING', 'RUNNING', 'PAUSED', 'DONE', 'FAILED', 'CANCELLED'] as const
export type FileJobState = (typeof FILE_JOB_STATES)[number]

/**
 * CARRIED: its content is stored at the target, and the original is still where it was. SKIPPED: it stays where it is, because it has
 * no content.
 */
export const FILE_JOB_ITEM_STATES = ['WAITING', 'CARRIED', 'DONE', 'FAILED', 'SKIPPED'] as const
export type FileJobItemState = (typeof FILE_JOB_ITEM_STATES)[number]

/** Copying, moving or other changes of many files, in the background. */
export type FileJob = {
  readonly id: string
  readonly kind: FileJobKind
  readonly state: FileJobState
  /** The name of the first entry. */
  readonly name: string
  /** The target folder; null is the root. Of PROTECT: the protected folder. */
  readonly parentId: string | null
  /** Files and folders; grows until everything is listed. */
  readonly totalItems: number
  readonly doneItems: number
  readonly failedItems: number
  readonly totalBytes: number
  readonly doneBytes: number
  /** Average of the last seconds; null unless it runs in this process. */
  readonly bytesPerSecond: number | null
  /** Message: what it waits for, or why it could not do everything. */
  readonly error: string | null
  readonly nextTryAt: Date | null
  readonly createdAt: Date
  readonly endedAt: Date | null
  /** TRASH: another job restores, or has restored, what it has moved (FileJobsService.undo). */
  readonly undone: boolean
}

/** An item with a message: it failed, stays where it is, or waits for another attempt. */
export type FileJobProblem = {
  /** The original. */
  readonly id: string
  readonly kind: FileKind
  readonly name: string
  readonly state: FileJobItemState
  /** Message for the user. */
  readonly detail: string
}

export type NewFileJob = {
  readonly kind: TransportKind
  readonly ids: readonly string[]
  /** The target folder, which can be in an account; null is the root, and for changes without a target. */
  readonly parentId: string | null
  /** Where the content goes; by default the default group cloud. Not for targets in accounts. */
  readonly groupCloudId?: string | undefined
  readonly onConflict?: OnConflict | undefined
}

/** What a copy or move would do. */
export type FileJobPreview = {
  readonly files: number
  readonly folders: number
  readonly bytes: number
  /** Documents and shortcuts, which have no content and stay where they are. */
  readonly skipped: number
  /** There is more than was counted. */
  readonly isMore: boolean
  /** The content is read from one place and stored in another one, by a job. */
  readonly isCarried: boolean
  /** The accounts that the entries are in. */
  readonly fromAccountIds: readonly string[]
  /** The account that the target is in. */
  readonly toAccountId: string | null
}

export type ListFileJobs = {
  /** true: only those that have not ended; false: only those that have; undefined: both. */
  readonly open?: boolean | undefined
  readonly limit: number
  readonly after?: string | undefined
}

export type FileJobPage = {
  readonly items: readonly { readonly job: FileJob; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export interface FileJobsService {
  /**
   * Whether a copy or move needs a job, because content has to be stored in another place: the entries or the target are in accounts,
   * except for a move within one account. Also when more than 50 entries of accounts are changed: their providers take one at a time.
   */
  isNeeded(viewer: Viewer, input: Pick<NewFileJob, 'kind' | 'ids' | 'parentId'>): Promise<boolean>
  /** Counts at most 100,000 entries. @throws NotFoundError */
  preview(viewer: Viewer, input: Pick<NewFileJob, 'kind' | 'ids' | 'parentId'>): Promise<FileJobPreview>
  /**
   * Copies or moves in the background. Originals of a move go to the trash after everything in their folder is stored and verified at
   * the target, and only what is still as it was read. Repeating it with the same key returns the same job.
   * TRASH, RESTORE and DELETE leave out entries that do not exist; only if none exists it is NotFoundError.
   * @throws NotFoundError, InvalidInputError, FolderCycleError, ConflictError where an account does not allow it, IdempotencyKeyReusedError
   */
  start(viewer: Viewer, input: NewFileJob, idempotencyKey?: string): Promise<FileJob>
  /**
   * Moves all but one file of each CERTAIN group of duplicates to the trash, in one job. Files that their provider does not let go stay.
   * @throws NotFoundError for an account or folder of the filter or rule, ConflictError when there is nothing to remove,
   * IdempotencyKeyReusedError
   */
  trashDuplicates(viewer: Viewer, filter: DuplicateFilter, rule: KeepRule, idempotencyKey?: string): Promise<FileJob>
  /**
   * Restores what a TRASH job has moved to the trash, in another job; one that has not ended is cancelled first. Files that were restored
   * or deleted in the meantime are not changed.
   * @throws NotFoundError, ConflictError for other kinds, when it has moved nothing, or while another server still stops it,
   * IdempotencyKeyReusedError
   */
  undo(viewer: Viewer, id: string, idempotencyKey?: string): Promise<FileJob>
  /** Those that have not ended, and those that ended within the last 24 hours; newest first, at most 200. */
  list(viewer: Viewer, options?: { readonly open?: boolean | undefined }): Promise<FileJob[]>
  /** The same jobs in pages, without a limit on their number. @throws InvalidInputError for a cursor of another list */
  page(viewer: Viewer, options: ListFileJobs): Promise<FileJobPage>
  /** In the order of `ids`; null for what is not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(FileJob | null)[]>
  /** The first 100 items of a job that have a message. */
  problems(viewer: Viewer, id: string): Promise<FileJobProblem[]>
  /** Idempotent. What was stored is kept. @throws NotFoundError, ConflictError when it has ended */
  pause(viewer: Viewer, id: string): Promise<FileJob>
  /** @throws as pause */
  resume(viewer: Viewer, id: string): Promise<FileJob>
  /** What was copied stays, and so do all originals that are still there. Also for a job that has failed. @throws as pause */
  cancel(viewer: Viewer, id: string): Promise<FileJob>
  /** Tries again what failed. @throws NotFoundError, ConflictError unless it is FAILED */
  retry(viewer: Viewer, id: string): Promise<FileJob>
}
