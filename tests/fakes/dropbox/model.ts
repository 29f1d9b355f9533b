import type { Bytes } from './bytes.ts'
import type { ContentHash } from './contentHash.ts'

type Placed = {
  readonly id: string
  /** With the capitals it was given; the last component is exact. */
  readonly path: string
  /** The shared folder that it is, or that contains it. */
  readonly sharing?: Sharing | undefined
}

/** A folder of another user. */
export type Sharing = {
  readonly folderId: string
  readonly readOnly: boolean
  /** It is the shared folder itself. */
  readonly isMount: boolean
}

export type FileEntry = Placed & {
  readonly kind: 'file'
  readonly rev: string
  readonly content: Content
  /** Whole seconds, UTC: `2026-11-20T10:00:00Z`. */
  readonly clientModified: string
  readonly serverModified: string
  /** Formats of a document that cannot be downloaded, the usual one first: Paper, for example. */
  readonly exportOptions?: readonly string[] | undefined
}

export type FolderEntry = Placed & { readonly kind: 'folder' }

export type Entry = FileEntry | FolderEntry

export type Content = { readonly bytes: Bytes; readonly contentHash: string }

/** What happened at a path, in order; `exists` false is a deletion, of a folder with all in it. */
export type Change = { readonly key: string; readonly path: string; readonly exists: boolean }

export type UploadSession = {
  readonly id: string
  readonly owner: string
  readonly type: 'sequential' | 'concurrent'
  readonly startedAt: number
  /** By offset; without gaps when sequential. */
  readonly pieces: Map<number, Bytes>
  /** Of a sequential session, grown with each piece. */
  hash: ContentHash
  closed: boolean
}

export type SharedLink = {
  readonly url: string
  readonly key: string
  readonly entryId: string
  readonly audience: string
  readonly expires: string | null
}

/** An account with its own files, as the emulated service sees it. */
export type User = {
  readonly email: string
  readonly name: string
  readonly accountId: string
  readonly uid: string
  readonly homeNamespace: string
  /** Not the same as home for members of a team with a shared space. */
  rootNamespace: string
  quotaBytes: number | null
  usedByOthersBytes: number
  team: Team | null
  photoUrl: string | null
  emailVerified: boolean
  suspended: boolean
  deleted: boolean
  canSetExpiry: boolean
  /** By folded path. */
  readonly entries: Map<string, Entry>
  /** Folded paths by the folded path of their folder; '' is the root. */
  readonly children: Map<string, Set<string>>
  readonly byId: Map<string, string>
  /** What was once there: the path as displayed, by folded path. */
  readonly formerPaths: Map<string, string>
  readonly changes: Change[]
  /** What a person has deleted, by id. */
  readonly trash: Map<string, FileEntry>
  /** Where in `changes` a path was last written, by folded path. */
  readonly lastWrite: Map<string, number>
  readonly links: Map<string, SharedLink>
  /** Wakes who waits for a change. */
  readonly waiting: Set<() => void>
  usedBytes: number
  /** Until when another write is told too_many_write_operations. */
  lockedUntil: number
}

export type Team = {
  readonly name: string
  readonly used: number
  readonly allocated: number
  /** 0 is no limit of the member's own. */
  readonly memberAllocated: number
}
