import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Transaction } from '../db/client.ts'
import type { Language } from '../lib/languages.ts'
import type { Notice } from './users/mails.ts'

/**
 * The background jobs and their inputs (JSON). Each has its file in server/jobs/tasks; those without input run periodically.
 */
export type JobInputs = {
  /** Removes rows and bytes of permanently deleted files. */
  purgeFiles: { readonly userId: string }
  /** Updates `trash_root_id` of everything below a trashed or restored folder. */
  propagateTrash: { readonly userId: string; readonly folderId: string }
  /** Permanently deletes files that were trashed 30 days ago. */
  expireTrash: Record<string, never>
  /** Removes uploads that were not finished in time, with their bytes and reservations. */
  expireUploads: Record<string, never>
  /** Removes unreferenced staged bytes. */
  sweepStaging: Record<string, never>
  /** Deletes logged changes older than a week, and jobs that copied or moved files and ended a week ago. */
  forgetChanges: Record<string, never>
  /** Deletes expired idempotency keys (older than 24 hours). */
  forgetKeys: Record<string, never>
  /** Sends the planned pieces of a transfer; parks, retries or ends it. `ids`: transfers with the same cause. */
  runTransfer: { readonly transferId: string; readonly ids?: readonly string[] | undefined }
  /**
   * Reconciles files with what their group clouds ask for: plans missing copies, removes surplus ones, empties draining members
   * and recomputes states. By account, group cloud or files, in batches, starting after file `after`.
   */
  settleFiles: {
    readonly userId: string
    readonly accountId?: string
    readonly groupCloudId?: string
    readonly fileIds?: readonly string[]
    /** Free space may have returned: files that lack a copy for want of it, and transfers that wait for it. */
    readonly room?: true
    readonly after?: string
  }
  /** Moves all files below a folder to a group cloud. */
  moveFolderToGroupCloud: { readonly userId: string; readonly folderId: string; readonly groupCloudId: string }
  /** Creates the token of a password reset and mails it, so that jobs never contain a token. `language`: of whoever asked, for users who have chosen none. */
  mailPasswordReset: { readonly userId: string; readonly language?: Language | undefined }
  /** Notifies a user by mail. `about`: a title that the user has chosen, where the notice is about one. */
  mailNotice: {
    readonly userId: string
    readonly notice: Notice
    readonly about?: string | undefined
    readonly language?: Language | undefined
  }
  /** Removes everything of a deleted user. */
  deleteUser: { readonly userId: string }
  /** Resumes user deletions interrupted by a crash; deletes expired password resets. */
  resumeRemovals: Record<string, never>
  /** Removes unreferenced objects from one account. */
  removeObjects: { readonly accountId: string }
  /** Renames a file's objects after it, in accounts that hold a complete copy. */
  renameObjects: { readonly fileId: string }
  /** Checks again an object that its account did not find. `look` counts the checks. */
  seekObject: { readonly pieceId: string; readonly look: number }
  /** Removes the rows of an account's index that was turned off, or of which entries are gone. `thenShowTo`: see InPlaceHousekeeping. */
  forgetEntries: { readonly accountId: string; readonly thenShowTo?: string | undefined }
  /** Hourly: the same for all accounts. */
  sweepEntries: Record<string, never>
  /** Completes a replacement in an account, if that was not done at once: see `inPlace/takePlace.ts`. */
  takePlace: {
    readonly userId: string
    readonly id: string
    readonly storedAs: string
    readonly parentId: string
    readonly name: string
    readonly replacedId: string
    readonly revision: string | null
  }
  /** Brings protecting copies up to date with the index of an account, or with these files of it. */
  protectFiles: { readonly accountId: string; readonly fileIds?: string[] | undefined }
  /** Hourly: removes earlier versions whose days are over, and checks all protected accounts. */
  sweepProtections: Record<string, never>
  /** Removes earlier versions of files beyond what their owners keep: of one user, or hourly of all. */
  sweepVersions: { readonly userId?: string | undefined }
  /** Computes what fills the large folders of an account, for entries in it (ACCOUNT) or for what Skypool stores there (POOL). */
  measureRoom: { readonly accountId: string; readonly home: 'ACCOUNT' | 'POOL' }
  /** Computes the hashes of files whose bytes are on this server, as providers report them. */
  hashFiles: { readonly fileIds: readonly string[] }
  /** Searches duplicates among a user's files that have changed. */
  checkDuplicates: { readonly userId: string }
  /** Reads the next file of a comparison of files that may be equal. */
  compareFiles: { readonly comparisonId: string }
  /** Every minute: searches duplicates for all users. */
  checkAllDuplicates: Record<string, never>
  /** Every minute: reads the text of documents for all users. */
  readAllTexts: Record<string, never>
  /** Reads the text of a user's documents that are due. */
  readTexts: { readonly userId: string }
  /** Adds or deletes the texts of an account, after searching inside its files was turned on or off. */
  followSearch: { readonly userId: string; readonly accountId: string }
  /** Checks and reads again a copy with a checksum mismatch. */
  readSuspect: { readonly copyId: string }
  /** Resumes work interrupted by a crash: transfers without a job, due removals. */
  wakeTransfers: Record<string, never>
  /** Hourly: plans copies of files at risk where space became free without an event, and deletes finished transfers. */
  reconcileTransfers: Record<string, never>
  /** Ends expired and used-up shares and expired upload links, and revokes the provider links of ended shares. */
  endShares: Record<string, never>
  /** Deletes expired authorizations (older than ten minutes). */
  forgetAuthorizations: Record<string, never>
  /** Hourly: removes thumbnails beyond their limit. */
  trimThumbnails: Record<string, never>
  /** Deletes activities older than a year. */
  forgetActivities: Record<string, never>
}

export type JobName = keyof JobInputs

export type EnqueueOptions = {
  /** Replaces a waiting job with the same key. */
  readonly key?: string
  readonly delaySeconds?: number
}

/** Queues a job in the caller's transaction: it runs only if that commits. */
export type Enqueue = <Name extends JobName>(
  tx: Transaction,
  name: Name,
  input: JobInputs[Name],
  options?: EnqueueOptions,
) => Promise<void>

/**
 * Ends the protection of an account's files, in the caller's transaction and before the account's index ends. `keep`: what is protected
 * becomes ordinary files.
 */
export type LeaveProtection = (
  tx: PoolClient,
  enqueue: Enqueue,
  leaving: { readonly userId: string; readonly accountId: string; readonly keep: boolean },
) => Promise<void>

export type ReconcileScope = JobInputs['settleFiles']

/** Queues reconciling of the files of an account or a group cloud, of single files, or of what waits for room. A waiting job of the same scope is replaced. */
export async function enqueueReconcile(tx: Transaction, enqueue: Enqueue, scope: ReconcileScope): Promise<void> {
  await enqueue(tx, 'settleFiles', scope, { key: keyOf(scope) })
}

function keyOf({ userId, accountId, groupCloudId, fileIds, room, after }: ReconcileScope): string {
  const files = fileIds === undefined ? '' : createHash('sha1').update(fileIds.toSorted().join()).digest('hex')
  return `settle ${userId} ${accountId ?? ''} ${groupCloudId ?? ''} ${files}${room ? 'room' : ''} ${after ?? ''}`
}

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
  /**
   * Removes the rows of an account without an index, and those of entries that were gone an hour ago. `thenShowTo`: the owner of an
   * account that was connected again before that was done; everything in it is shown afterwards, if it is still connected.
   */
  forgetEntries(accountId: string, signal: AbortSignal, thenShowTo?: string): Promise<void>
  /** Moves what an entry replaces to the trash, and gives the entry its name, unless either has been changed in the meantime. */
  takePlace(input: JobInputs['takePlace']): Promise<void>
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
