import type { Viewer } from '../viewer.ts'

/** Everything that is written down. The last part of the name is in the past: it has happened. */
export const ACTIONS = [
  'FILE_UPLOADED',
  'FILE_DOWNLOADED',
  'FILE_RENAMED',
  'FILE_MOVED',
  'FILE_MOVED_TO_GROUP_CLOUD',
  'FILE_COPIED',
  'FILE_STARRED',
  'FILE_UNSTARRED',
  'FILE_TRASHED',
  'FILE_RESTORED',
  'FILE_DELETED',
  'TRASH_EMPTIED',
  'FOLDER_CREATED',
  'SHARE_CREATED',
  'SHARE_CHANGED',
  'SHARE_REVOKED',
  'SHARE_OPENED',
  'SHARE_DOWNLOADED',
  'SHARE_PASSWORD_REFUSED',
  'SHARE_UNAVAILABLE',
  'SHARE_REPORTED',
  'ACCOUNT_CONNECTED',
  'ACCOUNT_RECONNECTED',
  'ACCOUNT_CHANGED',
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

/** The nouns of public ids that an entry may be about. */
export type SubjectType =
  | 'File'
  | 'Share'
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
  /** As it was then: "Chrome on Linux", the name of the key, "A visitor", "Skypool". */
  readonly actorName: string
  readonly address: string
  readonly action: Action
  readonly subjectType: SubjectType | null
  readonly subjectId: string | null
  readonly subjectName: string
  /** How many things, when one entry stands for several. */
  readonly count: number
  /** One sentence for its owner, as "You renamed “a.txt” to “b.txt”." */
  readonly sentence: string
}

export type ActivityEntry = {
  readonly action: Action
  readonly subject?: { readonly type: SubjectType; readonly id: string; readonly name: string } | undefined
  /** Every file that it is about, where the subject is not the only one or is something else. */
  readonly fileIds?: readonly string[] | undefined
  readonly count?: number | undefined
  /** Further names that search finds it by, when it stands for several things. */
  readonly names?: readonly string[] | undefined
  /** The folder that it went into: its name becomes the detail `folder`. */
  readonly intoFolderId?: string | null | undefined
  /** What else the sentence names: `from`, `to`, `groupCloud`, `provider`… Never a secret. */
  readonly details?: Readonly<Record<string, string>> | undefined
}

/** Who is written down as the one who did it. */
export type Actor =
  | { readonly kind: 'VIEWER'; readonly viewer: Viewer }
  | { readonly kind: 'VISITOR'; readonly userId: string; readonly address: string; readonly userAgent: string }
  /** Says to be the user of this address. Nothing is written when there is none, which nobody can tell from outside. */
  | { readonly kind: 'CLAIMED'; readonly email: string; readonly address: string; readonly userAgent: string }
  | { readonly kind: 'SYSTEM'; readonly userId: string }

/** Writes down what has happened, soon after: gathered, so that it costs a change next to nothing. Never throws. */
export interface ActivityLog {
  record(actor: Actor, entry: ActivityEntry): void
  /** Resolves once all that was recorded is in the database. */
  flush(): Promise<void>
}

export type ActivityPage = {
  readonly items: readonly { readonly activity: Activity; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export interface ActivityService {
  /** Newest first. `query`: substring of names and actors, any case, accents folded. `subjectId`: of one thing only. `fileId`: all that a file was part of, also among others or by its links. */
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
