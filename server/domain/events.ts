/**
 * Events that the domain publishes after a commit. LISTEN/NOTIFY carries them between processes (server/db/events.ts). They contain
 * ids only: subscribers reread the objects with access checks.
 */
export type FilesChanged = {
  readonly fileIds: readonly string[]
  readonly removedIds: readonly string[]
  /** Folders whose listing changed; null is the root. */
  readonly parentIds: readonly (string | null)[]
  /** More changed than is listed: reload everything. */
  readonly truncated: boolean
}

export type UploadProgressed = {
  readonly uploadId: string
  readonly receivedBytes: number
  readonly totalBytes: number
  readonly fileId: string | null
}

/** The state, bytes or accounts of a transfer changed. */
export type TransferProgressed = {
  readonly transferId: string
  readonly sentBytes: number
  readonly bytesPerSecond: number | null
}

/** The state or progress of a job that copies or moves files changed. */
export type FileJobProgressed = { readonly jobId: string }

/** Accounts whose quota, status or name changed or that were added or removed; empty: the group clouds; null: all of the user's accounts. */
export type AccountsChanged = { readonly accountIds: readonly string[] | null }

/** API keys or sessions were created, changed or ended. */
export type AccessChanged = Readonly<Record<string, never>>

/** Tags were created, changed or deleted. That files got or lost tags is `filesChanged`. */
export type TagsChanged = Readonly<Record<string, never>>

/** Another server has a request for this upload: the server that works on it must show progress or release it; with `end`, release it. */
export type UploadWanted = { readonly uploadId: string; readonly end: boolean }

/** What servers with the role `worker` do without a job of the queue. */
export type Duty = 'transfers' | 'fileJobs' | 'feeds' | 'keyRotation'

/** A server that does not do this itself has made some of it due. For `EVERY_SERVER`. */
export type DutyDue = { readonly duty: Duty }

/** In the place of a user, for events between servers. */
export const EVERY_SERVER = ''

export type EventMap = {
  filesChanged: FilesChanged
  uploadProgressed: UploadProgressed
  transferProgressed: TransferProgressed
  fileJobProgressed: FileJobProgressed
  accountsChanged: AccountsChanged
  accessChanged: AccessChanged
  tagsChanged: TagsChanged
  uploadWanted: UploadWanted
  dutyDue: DutyDue
}

export interface Events {
  /** Fire and forget; call it after the commit. Never throws. */
  publish<Topic extends keyof EventMap>(topic: Topic, userId: string, event: EventMap[Topic]): void
  /** Events of one user from now on, until the signal aborts. A slow reader loses old events; memory stays bounded. */
  subscribe<Topic extends keyof EventMap>(
    topic: Topic,
    userId: string,
    signal: AbortSignal,
  ): AsyncIterableIterator<EventMap[Topic]>
}
