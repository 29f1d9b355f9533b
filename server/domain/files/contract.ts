import type { Readable } from 'node:stream'
import type { EntryRights, NativeKind } from '../../providers/driver.ts'
import { EXPORT_TYPES, type ExportType } from '../../providers/exportTypes.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { DomainError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

export { EXPORT_TYPES, type ExportType }

export type FileKind = 'FILE' | 'FOLDER'

/** In display order. */
export const FILE_CATEGORIES = [
  'FOLDER',
  'IMAGE',
  'PDF',
  'VIDEO',
  'AUDIO',
  'TEXT',
  'DOCUMENT',
  'SPREADSHEET',
  'PRESENTATION',
  'OTHER',
] as const

export type FileCategory = (typeof FILE_CATEGORIES)[number]

export type FileState = 'RECEIVED' | 'STORING' | 'STORED' | 'AT_RISK'

export type FileView = 'ALL' | 'DRIVE' | 'SHARED' | 'STARRED' | 'TRASH'

export type OnConflict = 'RENAME' | 'REPLACE' | 'FAIL'

/** Colours of tags and folders, in display order. */
export const LABEL_COLORS = ['RED', 'ORANGE', 'YELLOW', 'GREEN', 'TEAL', 'BLUE', 'PURPLE', 'PINK'] as const

export type LabelColor = (typeof LABEL_COLORS)[number]

/** TAKEN: only photos and videos, by the time they were taken, else changed. */
export type FileSort = { readonly field: 'NAME' | 'MODIFIED' | 'SIZE' | 'TAKEN'; readonly direction: 'ASC' | 'DESC' }

export type File = {
  readonly id: string
  readonly parentId: string | null
  readonly kind: FileKind
  readonly name: string
  readonly category: FileCategory
  readonly mimeType: string | null
  /** 0 for folders and native documents. */
  readonly size: number
  /** A document that exists only at its provider: it has no bytes and no size, and is exported (see `FilesService.export`). */
  readonly isNative: boolean
  /** Lower-case hex; null for folders. */
  readonly sha256: string | null
  readonly state: FileState
  readonly stateReason: string | null
  readonly groupCloudId: string | null
  readonly starred: boolean
  /** A folder's colour; null: the usual one, and for files. */
  readonly color: LabelColor | null
  /** Entries of a folder that are not in the trash; 0 for files. Null: unknown, its account is being listed for the first time. */
  readonly childCount: number | null
  readonly trashedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** The account that it is in under its own name, as its owner put it there; null: Skypool's own. */
  readonly accountId: string | null
  /** Of an entry in an account; null for Skypool's own, and for an entry whose account is just being hidden. */
  readonly inPlace: InPlaceDetails | null
  /** Of a picture whose thumbnail was made; null for all others. */
  readonly picture: PictureFacts | null
}

export const NATIVE_KINDS = [
  'DOCUMENT',
  'SPREADSHEET',
  'PRESENTATION',
  'DRAWING',
  'SHORTCUT',
  'OTHER',
] as const satisfies readonly NativeKind[]

/** What is known of an entry in an account beyond what every `File` has. */
export type InPlaceDetails = {
  readonly webUrl: string | null
  readonly nativeKind: NativeKind | null
  /** The formats in which `FilesService.export` returns it. */
  readonly exportTypes: readonly ExportType[]
  readonly rights: EntryRights
  /** Folders of accounts with WALK: when their content was last read. Null for everything else. */
  readonly asOf: Date | null
  /** Something in its account is protected: only then can it be. */
  readonly mayBeProtected: boolean
}

/** `month`: `2026-11`, in UTC, of the time that `sort` TAKEN uses. */
export type PhotoMonth = { readonly month: string; readonly count: number }

export type PictureFacts = {
  /** Pixels of the upright picture. */
  readonly width: number
  readonly height: number
  /** By the camera's clock, as if that were UTC; null: not known. */
  readonly takenAt: Date | null
}

/** POOL: what Skypool has. ACCOUNT: what accounts have under its own name. */
export type FileHome = 'POOL' | 'ACCOUNT'

export type ListFiles = {
  readonly view: FileView
  /** DRIVE only; null is the root. Ignored if `query` is given, which searches the whole view. */
  readonly parentId?: string | null | undefined
  /** DRIVE only, instead of `parentId`: the folder at this path from the root, ignoring case. @throws NotFoundError, InvalidInputError */
  readonly path?: string | undefined
  /** Substring of the name, ignoring case and accents. */
  readonly query?: string | undefined
  readonly categories?: readonly FileCategory[] | undefined
  readonly groupCloudId?: string | undefined
  readonly provider?: string | undefined
  /** Only files with bytes on this account, or planned there, and entries that it has under its own name. */
  readonly accountId?: string | undefined
  readonly home?: FileHome | undefined
  /** Only entries with this tag. */
  readonly tagId?: string | undefined
  /** Bytes, inclusive: only files, without native documents, which have no size. */
  readonly minSize?: number | undefined
  readonly maxSize?: number | undefined
  /** Only entries that were changed at this time or later. */
  readonly modifiedAfter?: Date | undefined
  /** Only entries that were changed before this time. */
  readonly modifiedBefore?: Date | undefined
  readonly states?: readonly FileState[] | undefined
  /** Default: DRIVE by NAME ASC (folders first), TRASH by time of deletion, all others MODIFIED DESC. */
  readonly sort?: FileSort | undefined
  /** Applies to folder listings; default true. */
  readonly foldersFirst?: boolean | undefined
  /** 1 to 200. */
  readonly limit: number
  /** Cursor: only entries after it. @throws InvalidInputError when it is not a cursor of this list */
  readonly after?: string | undefined
  /** Cursor: only entries up to and including it. */
  readonly until?: string | undefined
  /** Only entries that existed at this time. */
  readonly createdUntil?: Date | undefined
  /** TRASH only: entries trashed at or after this time. */
  readonly trashedFrom?: Date | undefined
  readonly trashedUntil?: Date | undefined
  /** Entries to leave out. */
  readonly exceptIds?: readonly string[] | undefined
}

/** A list without order and page: the entries that it shows. */
export type SelectedFiles = Omit<ListFiles, 'path' | 'sort' | 'limit' | 'after' | 'until'>

/** Entries by their ids, at most 10,000, or by a list. */
export type WhichFiles = { readonly ids: readonly string[] } | { readonly list: SelectedFiles }

export type FilesSummary = {
  /**
   * The time of the count, by the database's clock. As `createdUntil`, it limits a later change to the counted entries.
   */
  readonly asOf: Date
  readonly count: number
  readonly files: number
  readonly folders: number
  /** Bytes of the files in the selection; files inside selected folders are not counted. */
  readonly bytes: number
  /** Types without entries are left out. */
  readonly categories: readonly CategoryUsage[]
}

/** An action on many entries, each on its own. */
export type EachAction =
  | { readonly kind: 'TRASH' | 'RESTORE' | 'REMOVE' }
  | {
      readonly kind: 'MOVE'
      readonly parentId: string | null
      readonly onConflict?: OnConflict | undefined
      /** Only what is moved gets it, and with a folder what is below it. Undefined: each keeps its own. */
      readonly groupCloudId?: string | undefined
    }
  | { readonly kind: 'STAR'; readonly starred: boolean }
  | { readonly kind: 'TAG'; readonly addIds: readonly string[]; readonly removeIds: readonly string[] }
  /** Folders only; null: the usual colour. */
  | { readonly kind: 'COLOR'; readonly color: LabelColor | null }
  | { readonly kind: 'ASSIGN'; readonly groupCloudId: string }

/**
 * The result for one of many entries: its present state (null when it was deleted), or the error if nothing changed.
 */
export type EachOutcome = { readonly id: string } & (
  | { readonly file: File | null; readonly error: null }
  | { readonly file: null; readonly error: DomainError }
)

export type ChangeSelection = {
  readonly list: SelectedFiles
  readonly action: EachAction
  /** `next` of the previous call. */
  readonly after?: string | undefined
}

export type SelectionChanged = {
  readonly changedCount: number
  readonly failedCount: number
  /** The first 100 entries that were refused. */
  readonly failures: readonly { readonly file: File; readonly error: DomainError }[]
  /** The first 100 entries that were changed, as they were before. */
  readonly sample: readonly File[]
  /** Set if there is more: the `after` of the next call. */
  readonly next: string | null
  /** Start and end of this call, by the database's clock: entries that it trashed have a `trashedAt` between them. */
  readonly from: Date
  readonly until: Date
}

export type FilePage = {
  readonly items: readonly { readonly file: File; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export type Copy = {
  readonly id: string
  readonly state: 'STORING' | 'STORED' | 'MISSING'
  readonly why: string
  /** Since when the account holds another version that was made outside Skypool; Skypool does not overwrite it. */
  readonly changedAt: Date | null
  /** When all of its pieces were last verified in their accounts; null if the copy is not complete. */
  readonly checkedAt: Date | null
  readonly pieces: readonly {
    readonly accountId: string
    readonly provider: string
    readonly index: number
    readonly offset: number
    readonly size: number
    readonly state: 'PLANNED' | 'STORED'
  }[]
}

export type FilePatch = {
  readonly name?: string | undefined
  readonly parentId?: string | null | undefined
  readonly starred?: boolean | undefined
  readonly trashed?: boolean | undefined
  readonly groupCloudId?: string | undefined
}

export type CopyFiles = {
  readonly ids: readonly string[]
  /** null is the root. */
  readonly parentId: string | null
  /** The group cloud of the new files; undefined: that of each original. */
  readonly groupCloudId?: string | undefined
}

/** The space used by files of one type. */
export type CategoryUsage = { readonly category: FileCategory; readonly files: number; readonly bytes: number }

export type Archive = { readonly name: string; readonly stream: Readable }

/** A native document in another format. */
export type ExportedDocument = {
  readonly file: File
  /** With the extension of the type. */
  readonly name: string
  readonly type: ExportType
  readonly mimeType: string
  /**
   * Asks the account for the document, and resolves when it begins to send it. The length is not known; the stream breaks when the
   * account does not send everything. The caller consumes or destroys it.
   * @throws ContentUnavailableError, TooLargeError, ConflictError
   */
  read(): Promise<Readable>
}

/** Methods that take several ids act on all of them or on none; at most 10,000. */
export interface FilesService {
  /**
   * Takes a constant number of statements; the cost does not depend on the folder's size.
   * @throws NotFoundError for a parentId that is not a live folder of the viewer
   */
  list(viewer: Viewer, options: ListFiles): Promise<FilePage>
  get(viewer: Viewer, id: string): Promise<File>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(File | null)[]>
  /** The folders from the root to each of these, itself last: the path of the entries in it. */
  pathsTo(viewer: Viewer, folderIds: readonly string[]): Promise<Map<string, readonly File[]>>
  copies(viewer: Viewer, ids: readonly string[]): Promise<Map<string, Copy[]>>
  /** Distinct account ids that hold bytes of each file. */
  storedIn(viewer: Viewer, ids: readonly string[]): Promise<Map<string, string[]>>
  /** Space used by type, trash included; types without files are left out. */
  storageByType(viewer: Viewer): Promise<CategoryUsage[]>
  /** Number of files at risk, without the trash. */
  countAtRisk(viewer: Viewer): Promise<number>
  /** Bytes of all live files below a folder. */
  contentSize(viewer: Viewer, id: string): Promise<number>
  /** @throws InvalidInputError, NotFoundError, NameTakenError */
  createFolder(viewer: Viewer, input: { name: string; parentId: string | null }, idempotencyKey?: string): Promise<File>
  /**
   * `ifMatch`: the ETags of which the entry must have one.
   * @throws InvalidInputError, NotFoundError, NameTakenError, PreconditionFailedError
   */
  rename(viewer: Viewer, id: string, name: string, ifMatch?: readonly string[]): Promise<File>
  /**
   * The folder at the path `names` below `parentId` (`parentId` itself for an empty path); missing folders are created
   * and returned in `made`.
   * @throws InvalidInputError, NotFoundError, NameTakenError if a file has one of the names
   */
  makeFolders(
    viewer: Viewer,
    parentId: string | null,
    names: readonly string[],
  ): Promise<{ readonly id: string | null; readonly made: readonly File[] }>
  /** The live entry at a path from the root, ignoring case. @throws NotFoundError */
  byPath(viewer: Viewer, names: readonly string[]): Promise<File>
  /**
   * @throws NotFoundError, FolderCycleError, NameTakenError (only with FAIL; the default RENAME adds a number to the
   * name)
   */
  move(viewer: Viewer, ids: readonly string[], parentId: string | null, onConflict?: OnConflict): Promise<File[]>
  /**
   * Creates new files with the same bytes; a folder is copied with everything in it. Names that are taken get a number.
   * Returns the new entries of the target folder, in the order of `ids`. At most 1,000 files and 1,000 folders.
   * Refused before the first byte is copied: entries in the trash, content that cannot be read, and copies that have no
   * room as far as that is known. After a later error or the end of the server, the completed files remain, possibly in
   * incomplete folders, but no incomplete file; a call with the same key continues from there. The copy also continues
   * if the caller disconnects.
   * @throws InvalidInputError, NotFoundError, FolderCycleError, StorageFullError, ContentUnavailableError,
   * IdempotencyKeyReusedError
   */
  copy(viewer: Viewer, input: CopyFiles, idempotencyKey?: string): Promise<File[]>
  /**
   * Saves the version of a copy that was changed in its account as a separate file next to the original. It stays in
   * the account too.
   * @throws NotFoundError, ConflictError when there is no such version, StorageFullError, ContentUnavailableError
   */
  keepVersion(viewer: Viewer, copyId: string): Promise<File>
  star(viewer: Viewer, ids: readonly string[], starred: boolean): Promise<File[]>
  /** Idempotent: entries that are in the trash stay there. */
  trash(viewer: Viewer, ids: readonly string[]): Promise<File[]>
  /** To the original folder, or its nearest ancestor that still exists; the name gets a number if it is taken. */
  restore(viewer: Viewer, ids: readonly string[]): Promise<File[]>
  /** Deletes permanently, in or outside the trash. A job deletes the bytes; quota is freed at once. */
  remove(viewer: Viewer, ids: readonly string[], ifMatch?: readonly string[]): Promise<void>
  /**
   * Moves to the trash; an entry that is already in the trash, itself or through a folder above it, is deleted
   * permanently.
   */
  discard(viewer: Viewer, id: string, ifMatch?: readonly string[]): Promise<void>
  /**
   * Changes each entry on its own, in the order of `ids`: one that cannot be changed does not stop the others.
   * @throws InvalidInputError for more than 10,000, and for a group cloud of what is moved into an account;
   * NotFoundError when the target folder, the group cloud or a tag does not exist
   */
  changeEach(viewer: Viewer, ids: readonly string[], action: EachAction): Promise<EachOutcome[]>
  /**
   * As changeEach, for everything that a list shows, up to 5,000 entries per call. Sent again with the same key, it changes what is left of
   * it, and `from` is the time of the first call. @throws as changeEach and list, IdempotencyKeyReusedError
   */
  changeSelection(viewer: Viewer, input: ChangeSelection, idempotencyKey?: string): Promise<SelectionChanged>
  /** Ignores ids of missing entries and of other users' entries. @throws InvalidInputError, NotFoundError */
  summarize(viewer: Viewer, which: WhichFiles): Promise<FilesSummary>
  /**
   * Bytes of the selected files and of all live files below the selected folders, each counted once.
   * @throws as summarize
   */
  bytesOf(viewer: Viewer, which: WhichFiles): Promise<number>
  /** Ids of the accounts that hold bytes of the selection. @throws as summarize */
  accountsOf(viewer: Viewer, which: WhichFiles): Promise<string[]>
  /** Photos and videos of the selection by month, newest first. @throws as summarize */
  monthsOf(viewer: Viewer, which: WhichFiles): Promise<PhotoMonth[]>
  /**
   * Returns the number of trashed entries that were deleted. Sent again with the same key, it keeps what was trashed after the first call.
   * @throws IdempotencyKeyReusedError
   */
  emptyTrash(viewer: Viewer, idempotencyKey?: string): Promise<number>
  /**
   * Applies the whole patch or nothing; of an entry in an account one field after the other, until one fails.
   * @throws as rename, move, trash, restore
   */
  update(viewer: Viewer, id: string, patch: FilePatch, ifMatch?: readonly string[]): Promise<File>
  /**
   * Assigns files, and all files below folders, to another group cloud. Transfers move their bytes to its members;
   * until then they stay where they are.
   * @throws NotFoundError
   */
  moveToGroupCloud(viewer: Viewer, ids: readonly string[], groupCloudId: string): Promise<File[]>
  /**
   * The bytes of a file; `toKeep`: it is downloaded, not only shown.
   * @throws NotFoundError, also for folders; ContentUnavailableError
   */
  open(viewer: Viewer, id: string, options?: { readonly toKeep?: boolean }): Promise<{ file: File; source: ByteSource }>
  /**
   * A native document in another format; `type` by default the usual one: docx, xlsx, pptx or pdf. `toKeep` as in `open`.
   * @throws NotFoundError, ConflictError (not a native document, or its provider exports none of its kind), InvalidInputError at `type`
   * (not offered, with those that are), ContentUnavailableError
   */
  export(
    viewer: Viewer,
    id: string,
    options?: { readonly type?: string | undefined; readonly toKeep?: boolean },
  ): Promise<ExportedDocument>
  /** Files and folders as a streamed ZIP64 with stored entries. @throws NotFoundError */
  archive(viewer: Viewer, ids: readonly string[]): Promise<Archive>
}
