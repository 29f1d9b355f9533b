import type { Viewer } from '../viewer.ts'

/** All recorded actions. The last part of each name is a past participle, because the action is complete. */
export const ACTIONS = [
  'FILE_UPLOADED',
  'FILE_DOWNLOADED',
  'FILE_RENAMED',
  'FILE_MOVED',
  'FILE_MOVED_TO_GROUP_CLOUD',
  'FILE_COPIED',
  'FILE_STARRED',
  'FILE_UNSTARRED',
  'FILE_TAGGED',
  'FILE_UNTAGGED',
  'FOLDER_COLORED',
  'FILE_TRASHED',
  'FILE_RESTORED',
  'FILE_DELETED',
  'TRASH_EMPTIED',
  'FOLDER_CREATED',
  'FOLDER_PROTECTED',
  'FOLDER_UNPROTECTED',
  'VERSION_RESTORED',
  'VERSION_DELETED',
  'FILE_EDITED',
  'SHARE_CREATED',
  'SHARE_CHANGED',
  'SHARE_REVOKED',
  'SHARE_OPENED',
  'SHARE_DOWNLOADED',
  'SHARE_PASSWORD_REFUSED',
  'SHARE_UNAVAILABLE',
  'SHARE_REPORTED',
  'UPLOAD_LINK_CREATED',
  'UPLOAD_LINK_CHANGED',
  'UPLOAD_LINK_REVOKED',
  'UPLOAD_LINK_PASSWORD_REFUSED',
  'FILE_RECEIVED',
  'ACCOUNT_CONNECTED',
  'ACCOUNT_RECONNECTED',
  'ACCOUNT_CHANGED',
  'ACCOUNT_CONTENT_CHOSEN',
  'ACCOUNT_EXPIRED',
  'ACCOUNT_DISCONNECTED',
  'GROUP_CLOUD_CREATED',
  'GROUP_CLOUD_CHANGED',
  'GROUP_CLOUD_DELETED',
  'MEMBER_DRAINED',
  'TRANSFER_CANCELLED',
  'KEY_CREATED',
  'KEY_REGENERATED',
  'KEY_REVOKED',
  'SIGNED_UP',
  'SIGNED_IN',
  'SIGN_IN_REFUSED',
  'SIGNED_OUT',
  'SESSION_ENDED',
  'NAME_CHANGED',
  'PASSWORD_CHANGED',
  'PASSWORD_RESET_ASKED',
  'PASSWORD_RESET',
] as const
export type Action = (typeof ACTIONS)[number]

export type ActorKind = 'SESSION' | 'KEY' | 'VISITOR' | 'SYSTEM'

/** The types of public ids that an entry can refer to. */
export type SubjectType =
  | 'File'
  | 'Share'
  | 'UploadLink'
  | 'Account'
  | 'GroupCloud'
  | 'ApiKey'
  | 'Session'
  | 'TelegramAccount'
  | 'Transfer'
  | 'User'

export type Activity = {
  readonly id: string
  readonly at: Date
  readonly actorKind: ActorKind
  /** The name at that time: "Chrome on Linux", the name of the key, "A visitor", "Skypool". */
  readonly actorName: string
  readonly address: string
  readonly action: Action
  readonly subjectType: SubjectType | null
  readonly subjectId: string | null
  readonly subjectName: string
  /** The number of subjects, if one entry covers several. */
  readonly count: number
  /** One sentence for the owner, as "You renamed “a.txt” to “b.txt”." */
  readonly sentence: string
}

export type ActivityEntry = {
  readonly action: Action
  readonly subject?: { readonly type: SubjectType; readonly id: string; readonly name: string } | undefined
  /** Ids of all files concerned, if the subject is not the only one or not a file. */
  readonly fileIds?: readonly string[] | undefined
  readonly count?: number | undefined
  /** Further names for search, if the entry covers several subjects. */
  readonly names?: readonly string[] | undefined
  /** The target folder: its name is stored as the detail `folder`. */
  readonly intoFolderId?: string | null | undefined
  /** Other names in the sentence: `from`, `to`, `groupCloud`, `provider`… Never a secret. */
  readonly details?: Readonly<Record<string, string>> | undefined
}

/** Who is recorded as the author of an action. */
export type Actor =
  | { readonly kind: 'VIEWER'; readonly viewer: Viewer }
  | { readonly kind: 'VISITOR'; readonly userId: string; readonly address: string; readonly userAgent: string }
  /**
   * Claims to be the user of this address. If there is no such user, nothing is recorded, and the caller cannot tell
   * the difference.
   */
  | { readonly kind: 'CLAIMED'; readonly email: string; readonly address: string; readonly userAgent: string }
  | { readonly kind: 'SYSTEM'; readonly userId: string }

/** Records actions asynchronously and in batches, so that a change is hardly delayed. Never throws. */
export interface ActivityLog {
  record(actor: Actor, entry: ActivityEntry): void
  /** Resolves when all recorded entries are in the database. */
  flush(): Promise<void>
}

export type ActivityPage = {
  readonly items: readonly { readonly activity: Activity; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export interface ActivityService {
  /**
   * Newest first. `query`: substring of names and actors, ignoring case and accents. `subjectId`: entries about one
   * subject. `fileId`: all entries that concern a file, including those that cover several files or are about its
   * shares.
   */
  list(
    viewer: Viewer,
    options: {
      limit: number
      after?: string | undefined
      query?: string | undefined
      actions?: readonly Action[] | undefined
      subjectId?: string | undefined
      fileId?: string | undefined
    },
  ): Promise<ActivityPage>
}
