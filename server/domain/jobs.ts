import { createHash } from 'node:crypto'
import type { Transaction } from '../db/client.ts'
import type { Notice } from './users/mails.ts'

/**
 * What the domain asks to be done later, and what it says about it. Each has its file in server/jobs/tasks; those without
 * input run by the clock. Inputs are JSON.
 */
export type JobInputs = {
  /** Removes rows and bytes of what was deleted for good. */
  purgeFiles: { readonly userId: string }
  /** Gives `trash_root_id` to what is below a trashed or restored folder. */
  propagateTrash: { readonly userId: string; readonly folderId: string }
  /** Deletes for good what has been in the trash for 30 days. */
  expireTrash: Record<string, never>
  /** Removes uploads that were not finished in time, with their bytes and reservations. */
  expireUploads: Record<string, never>
  /** Removes staged bytes that nothing refers to. */
  sweepStaging: Record<string, never>
  /** Forgets changes older than a week. */
  forgetChanges: Record<string, never>
  /** Forgets idempotency keys older than the 24 hours they count. */
  forgetKeys: Record<string, never>
  /** Sends what a transfer has planned; parks, retries or ends it. */
  runTransfer: { readonly transferId: string }
  /**
   * Brings files to what their group clouds ask for: copies that are missing are planned, surplus ones removed, members that
   * drain are emptied, states recomputed. By account or group cloud, from file `after` on, a batch at a time.
   */
  settleFiles: {
    readonly userId: string
    readonly accountId?: string
    readonly groupCloudId?: string
    readonly fileIds?: readonly string[]
    /** There may be room where there was none: what lacks a copy for it, and transfers that wait for it. */
    readonly room?: true
    readonly after?: string
  }
  /** Lets all files below a folder belong to a group cloud. */
  moveFolderToGroupCloud: { readonly userId: string; readonly folderId: string; readonly groupCloudId: string }
  /** Makes the token of a password reset and mails it: no token is ever in a job. */
  mailPasswordReset: { readonly userId: string }
  /** Tells the owner of an account by mail what has happened to it. */
  mailNotice: { readonly userId: string; readonly notice: Notice }
  /** Removes everything of a user who deleted themselves. */
  deleteUser: { readonly userId: string }
  /** Restarts removals of users that a crash has left; forgets password resets whose day is over. */
  resumeRemovals: Record<string, never>
  /** Removes objects that nothing refers to from one account. */
  removeObjects: { readonly accountId: string }
  /** Gives a file's objects its name, in the accounts that hold it as a whole. */
  renameObjects: { readonly fileId: string }
  /** Asks an account that did not find an object whether it has it after all. `look` counts the questions. */
  seekObject: { readonly pieceId: string; readonly look: number }
  /** Asks the accounts of a copy that was read wrong for it once more, and reads it. */
  readSuspect: { readonly copyId: string }
  /** Restarts what was left waiting by a crash: transfers without a job, removals whose time has come. */
  wakeTransfers: Record<string, never>
  /** Once an hour: plans copies of files at risk where room has returned without an event, and forgets finished transfers. */
  reconcileTransfers: Record<string, never>
  /** Ends the shares that have run out, and takes back the providers' links of those that have ended. */
  endShares: Record<string, never>
  /** Forgets authorizations whose ten minutes are over. */
  forgetAuthorizations: Record<string, never>
  /** Forgets what was written down more than a year ago. */
  forgetActivities: Record<string, never>
}

export type JobName = keyof JobInputs

export type EnqueueOptions = {
  /** A job that waits under the same key is replaced, not joined. */
  readonly key?: string
  readonly delaySeconds?: number
}

/** Queues a job inside the caller's transaction: it exists if and only if that commits. */
export type Enqueue = <Name extends JobName>(
  tx: Transaction,
  name: Name,
  input: JobInputs[Name],
  options?: EnqueueOptions,
) => Promise<void>

export type SettleScope = JobInputs['settleFiles']

/** Queues settling of what an account holds, of a group cloud's files, of single files, or of what lacks room. What already waits for the same is replaced. */
export async function enqueueSettle(tx: Transaction, enqueue: Enqueue, scope: SettleScope): Promise<void> {
  await enqueue(tx, 'settleFiles', scope, { key: keyOf(scope) })
}

function keyOf({ userId, accountId, groupCloudId, fileIds, room, after }: SettleScope): string {
  const files = fileIds === undefined ? '' : createHash('sha1').update(fileIds.toSorted().join()).digest('hex')
  return `settle ${userId} ${accountId ?? ''} ${groupCloudId ?? ''} ${files}${room ? 'room' : ''} ${after ?? ''}`
}
