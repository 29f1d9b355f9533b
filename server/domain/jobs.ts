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
  /** Removes the rows of an account's index that was turned off, or of which entries are gone. */
  forgetEntries: { readonly accountId: string }
  /** Hourly: the same for all accounts. */
  sweepEntries: Record<string, never>
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
