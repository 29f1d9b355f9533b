/** What the domain tells the world after a commit. Carried between processes by LISTEN/NOTIFY (server/db/events.ts); ids only: a subscriber re-reads through the policy. */
export type FilesChanged = {
  readonly fileIds: readonly string[]
  readonly removedIds: readonly string[]
  /** Folders whose listing changed; null is the root. */
  readonly parentIds: readonly (string | null)[]
  /** More changed than is listed: read again what is shown. */
  readonly truncated: boolean
}

export type UploadProgressed = {
  readonly uploadId: string
  readonly receivedBytes: number
  readonly totalBytes: number
  readonly fileId: string | null
}

/** Read it again: its state, its bytes or its accounts changed. */
export type TransferProgressed = {
  readonly transferId: string
  readonly sentBytes: number
  readonly bytesPerSecond: number | null
}

/** Accounts whose quota, status, name or presence changed, or (with none named) the group clouds; null stands for all of the user's. */
export type AccountsChanged = { readonly accountIds: readonly string[] | null }

/** API keys or sessions were made, changed or ended; which, is read again. */
export type AccessChanged = Readonly<Record<string, never>>

/** Another server has a request for this upload: who works on it shows signs of life or lets go; with `end`, it lets go. */
export type UploadWanted = { readonly uploadId: string; readonly end: boolean }

export type EventMap = {
  filesChanged: FilesChanged
  uploadProgressed: UploadProgressed
  transferProgressed: TransferProgressed
  accountsChanged: AccountsChanged
  accessChanged: AccessChanged
  uploadWanted: UploadWanted
}

export interface Events {
  /** Fire and forget, after commit. Never throws. */
  publish<Topic extends keyof EventMap>(topic: Topic, userId: string, event: EventMap[Topic]): void
  /** Events of one user from now on, until the signal aborts. A slow reader loses old events, never memory. */
  subscribe<Topic extends keyof EventMap>(
    topic: Topic,
    userId: string,
    signal: AbortSignal,
  ): AsyncIterableIterator<EventMap[Topic]>
}
