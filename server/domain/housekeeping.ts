import type { JobInputs, ReconcileScope } from './jobs.ts'

/** Background work for all users, called by jobs. Every method is idempotent and ends early when the signal aborts. */
export type Housekeeping = {
  readonly files: FilesHousekeeping
  readonly uploads: UploadsHousekeeping
  readonly transfers: TransfersHousekeeping
  readonly people: PeopleHousekeeping
  readonly recovery: RecoveryHousekeeping
  readonly inPlace: InPlaceHousekeeping
  readonly protection: ProtectionHousekeeping
  readonly versions: VersionsHousekeeping
  readonly room: RoomHousekeeping
  readonly duplicates: DuplicatesHousekeeping
  readonly search: SearchHousekeeping
  /** Deletes logged changes older than a week, and jobs that copied or moved files and ended a week ago. */
  forgetChanges(): Promise<void>
  /** Deletes expired idempotency keys (older than 24 hours). */
  forgetKeys(): Promise<void>
  /** Removes pictures of contents that no file has any more, and the thumbnails that were used least recently, as far as their limit requires. */
  trimThumbnails(signal: AbortSignal): Promise<void>
  /** Ends expired and used-up shares and expired upload links, and revokes the provider links of ended shares. */
  endShares(signal: AbortSignal): Promise<void>
  /** Deletes expired authorizations, and accounts that were disconnected long ago. */
  forgetAuthorizations(): Promise<void>
  /** Deletes activities older than a year. */
  forgetActivities(signal: AbortSignal): Promise<void>
}

export interface FilesHousekeeping {
  /** Removes rows and bytes of all files that this user deleted permanently. */
  purge(userId: string, signal: AbortSignal): Promise<void>
  /** Updates `trash_root_id` of everything below a trashed or restored folder. */
  propagateTrash(userId: string, folderId: string, signal: AbortSignal): Promise<void>
  /** Permanently deletes files that were trashed 30 days ago. */
  expireTrash(signal: AbortSignal): Promise<void>
  /** Removes unreferenced objects from one account; failures are retried later. */
  removeObjects(accountId: string, signal: AbortSignal): Promise<void>
  /** Renames the objects of a file in their accounts after the file. */
  renameObjects(fileId: string, signal: AbortSignal): Promise<void>
  /** Checks whether an object that an account did not find is lost or has reappeared. */
  seekObject(input: JobInputs['seekObject'], signal: AbortSignal): Promise<void>
  /** Checks whether a copy with a checksum mismatch can be read correctly now, or is lost. */
  readSuspect(input: JobInputs['readSuspect'], signal: AbortSignal): Promise<void>
  /** Moves all files below a folder to a group cloud. */
  moveFolderToGroupCloud(input: JobInputs['moveFolderToGroupCloud'], signal: AbortSignal): Promise<void>
}

export interface DuplicatesHousekeeping {
  /** Queues `check` for all users with files that are not checked, and deletes comparisons that ended a week ago. */
  checkAll(): Promise<void>
  /** Groups all files whose sizes are noted as not checked. */
  check(userId: string, signal: AbortSignal): Promise<void>
  /** Computes the hashes of those files whose bytes are on this server. */
  hash(fileIds: readonly string[], signal: AbortSignal): Promise<void>
  /** Reads the next file of a comparison, and queues this again. */
  compare(comparisonId: string, signal: AbortSignal): Promise<void>
}

export interface SearchHousekeeping {
  /** Queues `read` for all users with documents that are due. */
  readAll(): Promise<void>
  /** Reads the text of documents that are due, and queues this again while there are more. */
  read(userId: string, signal: AbortSignal): Promise<void>
  /** Adds or deletes the texts of an account, after searching inside its files was turned on or off. */
  follow(userId: string, accountId: string, signal: AbortSignal): Promise<void>
}

export interface InPlaceHousekeeping {
  /** Removes the rows of an account without an index, and those of entries that were gone an hour ago. */
  forgetEntries(accountId: string, signal: AbortSignal): Promise<void>
  /** Queues `forgetEntries` where there is something to remove. */
  sweepEntries(): Promise<void>
  /**
   * Ends what was moved to the trash 30 days ago: deletes it where it is in Skypool's own folder of the account. Services with a trash
   * empty it by themselves. What cannot be deleted now is left for the next call.
   */
  expireTrash(signal: AbortSignal): Promise<void>
}

export interface ProtectionHousekeeping {
  /** Brings protecting copies up to date with the index of an account, or with these files of it. */
  follow(accountId: string, fileIds: readonly string[] | undefined): Promise<void>
  /** Removes earlier versions whose days are over, and queues `follow` for all protected accounts. */
  sweep(signal: AbortSignal): Promise<void>
}

export interface VersionsHousekeeping {
  /** Removes earlier versions beyond the days and the number that their owners keep; of one user, or of all. */
  sweep(userId: string | undefined, signal: AbortSignal): Promise<void>
}

export interface RoomHousekeeping {
  /** Computes and stores what fills the large folders of an account, unless that was done just now. */
  measure(accountId: string, home: JobInputs['measureRoom']['home'], signal: AbortSignal): Promise<void>
}

export interface UploadsHousekeeping {
  /** Removes expired uploads with their staged bytes and reservations. */
  expire(signal: AbortSignal): Promise<void>
  /** Ends and removes all uploads of one user, including active ones. */
  removeOf(userId: string, signal: AbortSignal): Promise<void>
  /**
   * Cleans up staged bytes: moves those of stored files into place, keeps those of active uploads, deletes the rest. Uploads in one
   * request whose server has died are removed with theirs, and the room that they reserved is free again.
   */
  sweepStaging(signal: AbortSignal): Promise<void>
}

export interface PeopleHousekeeping {
  /** Removes everything of a deleted user; continues where an earlier run ended. */
  removeUser(userId: string, signal: AbortSignal): Promise<void>
  /** Queues user deletions that a crash left without a job. */
  resumeRemovals(): Promise<void>
}

export interface RecoveryHousekeeping {
  /** Creates the token of a password reset and mails it; the previous token becomes invalid. Does nothing for an unknown user. */
  mailPasswordReset(input: JobInputs['mailPasswordReset']): Promise<void>
  mailNotice(input: JobInputs['mailNotice']): Promise<void>
  /** Deletes expired resets. */
  forgetResets(): Promise<void>
}

export interface TransfersHousekeeping {
  /** Wakes the dispatcher, because a transfer may be due. Returns at once: transfers run outside the job queue and must not block it. */
  wake(): void
  /** Makes the copies of files match what their group clouds ask for: one batch; the next one is queued. */
  reconcile(scope: ReconcileScope, signal: AbortSignal): Promise<void>
  /** Resumes transfers whose reason to wait has ended, and those that a crash interrupted. */
  resumeStopped(signal: AbortSignal): Promise<void>
  /** Hourly. Queues reconciling after changes that no event reported (free space that returned, accounts lost just before a crash), and deletes finished transfers. */
  reconcileAll(signal: AbortSignal): Promise<void>
}
