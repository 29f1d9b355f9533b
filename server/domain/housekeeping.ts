import type { JobInputs } from './jobs.ts'

/** What jobs ask of the domain: on nobody's behalf, over all users. Each may be repeated without harm and ends early when the signal aborts. */
export type Housekeeping = {
  readonly files: FilesHousekeeping
  readonly uploads: UploadsHousekeeping
  readonly transfers: TransfersHousekeeping
  /** Forgets idempotency keys older than the 24 hours they count. */
  forgetKeys(): Promise<void>
  /** Forgets authorizations that are over, and accounts that were disconnected long ago. */
  forgetAuthorizations(): Promise<void>
}

export interface FilesHousekeeping {
  /** Removes rows and bytes of everything this user deleted for good. */
  purge(userId: string, signal: AbortSignal): Promise<void>
  /** Makes `trash_root_id` true for everything below a folder that was trashed or restored. */
  propagateTrash(userId: string, folderId: string, signal: AbortSignal): Promise<void>
  /** Deletes for good what has been in the trash for 30 days. */
  expireTrash(signal: AbortSignal): Promise<void>
  /** Removes from one account the objects that nothing refers to any more; what cannot be removed now is tried again later. */
  removeObjects(accountId: string, signal: AbortSignal): Promise<void>
  /** Lets all files below a folder belong to a group cloud. */
  moveFolderToGroupCloud(input: JobInputs['moveFolderToGroupCloud'], signal: AbortSignal): Promise<void>
}

export interface UploadsHousekeeping {
  /** Removes uploads past their time, their staged bytes and reservations. */
  expire(signal: AbortSignal): Promise<void>
  /** Staged bytes: puts those of stored files in place, keeps those of live uploads, deletes the rest. */
  sweepStaging(signal: AbortSignal): Promise<void>
}

export interface TransfersHousekeeping {
  /** Something waits to be sent. Returns at once: transfers run beside the jobs, which they must not keep waiting. */
  kick(): void
  /** Brings files to what their group clouds ask for: one batch, the next one is queued. */
  settle(scope: JobInputs['settleFiles'], signal: AbortSignal): Promise<void>
  /** Lets transfers go on whose reason to wait is over, and those that a crash has interrupted. */
  wake(signal: AbortSignal): Promise<void>
}
