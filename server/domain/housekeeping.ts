import type { JobInputs } from './jobs.ts'

/** What jobs ask of the domain: work over all users. Each may be repeated without harm and ends early when the signal aborts. */
export type Housekeeping = {
  readonly files: FilesHousekeeping
  readonly uploads: UploadsHousekeeping
  readonly transfers: TransfersHousekeeping
  readonly people: PeopleHousekeeping
  readonly recovery: RecoveryHousekeeping
  /** Forgets changes older than a week. */
  forgetChanges(): Promise<void>
  /** Forgets idempotency keys older than the 24 hours they count. */
  forgetKeys(): Promise<void>
  /** Ends the shares that have run out, and takes back the providers' links of those that have ended. */
  endShares(signal: AbortSignal): Promise<void>
  /** Forgets authorizations that are over, and accounts that were disconnected long ago. */
  forgetAuthorizations(): Promise<void>
  /** Forgets what was written down more than a year ago. */
  forgetActivities(signal: AbortSignal): Promise<void>
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
  /** Gives the objects of a file its name in their accounts. */
  renameObjects(fileId: string, signal: AbortSignal): Promise<void>
  /** Finds out whether an object that an account did not find is lost, or there again. */
  seekObject(input: JobInputs['seekObject'], signal: AbortSignal): Promise<void>
  /** Finds out whether a copy that was read wrong is read right by now, or lost. */
  readSuspect(input: JobInputs['readSuspect'], signal: AbortSignal): Promise<void>
  /** Lets all files below a folder belong to a group cloud. */
  moveFolderToGroupCloud(input: JobInputs['moveFolderToGroupCloud'], signal: AbortSignal): Promise<void>
}

export interface UploadsHousekeeping {
  /** Removes uploads past their time, their staged bytes and reservations. */
  expire(signal: AbortSignal): Promise<void>
  /** Ends and removes all uploads of one user, whoever sends them at the moment. */
  removeOf(userId: string, signal: AbortSignal): Promise<void>
  /** Staged bytes: puts those of stored files in place, keeps those of live uploads, deletes the rest. */
  sweepStaging(signal: AbortSignal): Promise<void>
}

export interface PeopleHousekeeping {
  /** Removes everything of a user who deleted themselves; goes on where an earlier run ended. */
  removeUser(userId: string, signal: AbortSignal): Promise<void>
  /** Queues the removals that a crash has left without a job. */
  resumeRemovals(): Promise<void>
}

export interface RecoveryHousekeeping {
  /** Makes the token of a password reset and mails it; the one before is dead. For an unknown user it does nothing. */
  mailPasswordReset(userId: string): Promise<void>
  mailNotice(input: JobInputs['mailNotice']): Promise<void>
  /** Forgets resets whose day is over. */
  forgetResets(): Promise<void>
}

export interface TransfersHousekeeping {
  /** Something waits to be sent. Returns at once: transfers run beside the jobs, which they must not keep waiting. */
  kick(): void
  /** Brings files to what their group clouds ask for: one batch, the next one is queued. */
  settle(scope: JobInputs['settleFiles'], signal: AbortSignal): Promise<void>
  /** Lets transfers go on whose reason to wait is over, and those that a crash has interrupted. */
  wake(signal: AbortSignal): Promise<void>
  /** Finds what no event announced: room that returned, accounts lost just before a crash. Forgets finished transfers. Hourly. */
  reconcile(signal: AbortSignal): Promise<void>
}
