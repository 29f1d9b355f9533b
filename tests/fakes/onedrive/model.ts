import type { Bytes } from '../dropbox/bytes.ts'

export type DriveType = 'personal' | 'business'

export type Content = { readonly bytes: Bytes; readonly quickXor: string }

export type Permission = {
  readonly id: string
  readonly type: string
  readonly scope: string
  readonly webUrl: string
  readonly expires: string | null
}

export type Item = {
  readonly id: string
  name: string
  /** Null for the root. */
  parentId: string | null
  /** Packages are OneNote notebooks; a remote item is a shortcut to another drive. */
  readonly kind: 'folder' | 'file' | 'package' | 'remote'
  content: Content | null
  mimeType: string
  readonly created: number
  modified: number
  /** What a program has set instead. */
  ownTimes: { createdDateTime?: string; lastModifiedDateTime?: string }
  /** Grows with each change. */
  version: number
  /** Grows with each change of the content. */
  contentVersion: number
  readonly permissions: Permission[]
}

export type UploadSession = {
  readonly id: string
  readonly user: User
  readonly parentId: string
  readonly name: string
  readonly conflict: string
  /** The file that it was opened for. */
  readonly itemId: string | null
  readonly ownTimes: Item['ownTimes']
  readonly parts: Bytes[]
  committed: number
  total: number | null
  readonly expiresAt: number
}

/** A copy in the background. `result` null: it failed with `code`. */
export type CopyJob = {
  readonly user: User
  pendingPolls: number
  readonly result: string | null
  readonly code: string | null
}

/** An account, as the emulated service sees it. */
export type User = {
  readonly email: string
  readonly name: string
  readonly id: string
  readonly driveId: string
  readonly driveType: DriveType
  readonly rootId: string
  quotaBytes: number
  usedByOthersBytes: number
  /** Reports zeros for everything, as some organisations do. */
  hidesQuota: boolean
  forbidsLinks: boolean
  canSetExpiry: boolean
  /** Writes properties into Office documents, as SharePoint does. */
  rewritesOffice: boolean
  refusesPermanentDelete: boolean
  deleted: boolean
  usedBytes: number
  recycledBytes: number
  readonly items: Map<string, Item>
  /** Ids by folded name, by the id of the folder. */
  readonly children: Map<string, Map<string, string>>
  /** Ids of what changed, in order. */
  readonly changes: string[]
  /** The folders of what is gone, for the list of changes. */
  readonly gone: Map<string, string>
}
