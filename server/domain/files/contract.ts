import type { Readable } from 'node:stream'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { DomainError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

export type FileKind = 'FILE' | 'FOLDER'

/** In the order in which people are shown them. */
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

export type FileSort = { readonly field: 'NAME' | 'MODIFIED' | 'SIZE'; readonly direction: 'ASC' | 'DESC' }

export type File = {
  readonly id: string
  readonly parentId: string | null
  readonly kind: FileKind
  readonly name: string
  readonly category: FileCategory
  readonly mimeType: string | null
  readonly size: number
  /** Lower-case hex; null for folders. */
  readonly sha256: string | null
  readonly state: FileState
  readonly stateReason: string | null
  readonly groupCloudId: string | null
  readonly starred: boolean
  /** Live entries of a folder; 0 for files. */
  readonly childCount: number
  readonly trashedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type ListFiles = {
  readonly view: FileView
  /** DRIVE only, null is the root; ignored while `query` is given, which searches the whole view. */
  readonly parentId?: string | null | undefined
  /** Substring of the name, any case, accents folded. */
  readonly query?: string | undefined
  readonly categories?: readonly FileCategory[] | undefined
  readonly groupCloudId?: string | undefined
  readonly provider?: string | undefined
  readonly accountId?: string | undefined
  readonly states?: readonly FileState[] | undefined
  /** Default: DRIVE by NAME ASC (folders first), TRASH by time of deletion, all others MODIFIED DESC. */
  readonly sort?: FileSort | undefined
  /** Where a folder is listed; true unless given. */
  readonly foldersFirst?: boolean | undefined
  /** 1 to 200. */
  readonly limit: number
  /** Cursor: only what stands after it. @throws InvalidInputError when it is not one of this list */
  readonly after?: string | undefined
  /** Cursor: only what stands at or before it. */
  readonly until?: string | undefined
  /** Only what was there already at this time. */
  readonly createdUntil?: Date | undefined
  /** TRASH only: what went into the trash from then on. */
  readonly trashedFrom?: Date | undefined
  readonly trashedUntil?: Date | undefined
  /** All but these. */
  readonly exceptIds?: readonly string[] | undefined
}

/** Everything that a list shows, whatever its order. */
export type SelectedFiles = Omit<ListFiles, 'sort' | 'limit' | 'after' | 'until'>

/** Entries by their ids, at most 10,000, or by what they have in common. */
export type WhichFiles = { readonly ids: readonly string[] } | { readonly list: SelectedFiles }

export type FilesSummary = {
  /** When it was counted, by the database's clock: `createdUntil` of a change that is to affect these alone. */
  readonly asOf: Date
  readonly count: number
  readonly files: number
  readonly folders: number
  /** Of the files among them; what is in the folders is not part of it. */
  readonly bytes: number
  /** Types without entries are left out. */
  readonly categories: readonly CategoryUsage[]
}

/** What can be done to many entries at once, each by itself. */
export type EachAction =
  | { readonly kind: 'TRASH' | 'RESTORE' | 'REMOVE' }
  | { readonly kind: 'MOVE'; readonly parentId: string | null; readonly onConflict?: OnConflict | undefined }
  | { readonly kind: 'STAR'; readonly starred: boolean }
  | { readonly kind: 'ASSIGN'; readonly groupCloudId: string }

/** How one of many fared: as it is now (null when it is gone), or why nothing happened to it. */
export type EachOutcome = { readonly id: string } & (
  | { readonly file: File | null; readonly error: null }
  | { readonly file: null; readonly error: DomainError }
)

export type ChangeSelection = {
  readonly list: SelectedFiles
  readonly action: EachAction
  /** `next` of the call before. */
  readonly after?: string | undefined
}

export type SelectionChanged = {
  readonly changedCount: number
  readonly failedCount: number
  /** The first 100 of those that were refused. */
  readonly failures: readonly { readonly file: File; readonly error: DomainError }[]
  /** The first 100 of those that were changed, as they were before. */
  readonly sample: readonly File[]
  /** Set while there is more: goes into `after` of the next call. */
  readonly next: string | null
  /** When this call began and ended, by the database's clock: what it put into the trash went there between the two. */
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
  /** Since when an account has another version in its place, which somebody made there and Skypool leaves alone. */
  readonly changedAt: Date | null
  /** When all of its pieces were last seen to be whole where they are; null while it is no whole copy. */
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
  /** Where the new files belong; undefined: each where its original does. */
  readonly groupCloudId?: string | undefined
}

/** What the files of one type take. */
export type CategoryUsage = { readonly category: FileCategory; readonly files: number; readonly bytes: number }

export type Archive = { readonly name: string; readonly stream: Readable }

/** Every method that takes ids acts on all of them or on none; at most 10,000. */
export interface FilesService {
  /** A constant number of statements; the cost does not depend on the folder's size. @throws NotFoundError for a parentId that is not a live folder of the viewer */
  list(viewer: Viewer, options: ListFiles): Promise<FilePage>
  get(viewer: Viewer, id: string): Promise<File>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(File | null)[]>
  /** Ancestors of each, root first. */
  paths(viewer: Viewer, ids: readonly string[]): Promise<Map<string, File[]>>
  copies(viewer: Viewer, ids: readonly string[]): Promise<Map<string, Copy[]>>
  /** Distinct account ids that hold bytes of each file. */
  storedIn(viewer: Viewer, ids: readonly string[]): Promise<Map<string, string[]>>
  /** What files take by their type, the trash included; types without files are left out. */
  storageByType(viewer: Viewer): Promise<CategoryUsage[]>
  /** How many live files are at risk. */
  countAtRisk(viewer: Viewer): Promise<number>
  /** Bytes of all live files below a folder. */
  contentSize(viewer: Viewer, id: string): Promise<number>
  /** @throws InvalidInputError, NotFoundError, NameTakenError */
  createFolder(viewer: Viewer, input: { name: string; parentId: string | null }, idempotencyKey?: string): Promise<File>
  /** `ifMatch`: the entry has one of these ETags. @throws InvalidInputError, NotFoundError, NameTakenError, PreconditionFailedError */
  rename(viewer: Viewer, id: string, name: string, ifMatch?: readonly string[]): Promise<File>
  /**
   * The folder that these names lead to from `parentId` (`parentId` itself for no names), and the folders on the way that were
   * missing and are made now. @throws InvalidInputError, NotFoundError, NameTakenError where a file has one of the names
   */
  makeFolders(
    viewer: Viewer,
    parentId: string | null,
    names: readonly string[],
  ): Promise<{ readonly id: string | null; readonly made: readonly File[] }>
  /** The live entry that these names lead to from the root, each in any case. @throws NotFoundError */
  byPath(viewer: Viewer, names: readonly string[]): Promise<File>
  /** @throws NotFoundError, FolderCycleError, NameTakenError (only with FAIL; RENAME, the default, numbers) */
  move(viewer: Viewer, ids: readonly string[], parentId: string | null, onConflict?: OnConflict): Promise<File[]>
  /**
   * New files of the same bytes, and with folders all that is in them; names that are taken are numbered. Answers with what stands
   * in the target folder now, in the order asked. At most 1,000 files and as many folders. Refused before the first byte: what is in
   * the trash, what cannot be read, and what has no room as far as that is known. What fails later, the end of the server or its
   * death leave the files that were finished, folders among them that are not full, and nothing half; under the same key the call
   * goes on from there. It goes on too when nobody waits for the answer any more.
   * @throws InvalidInputError, NotFoundError, FolderCycleError, StorageFullError, ContentUnavailableError, IdempotencyKeyReusedError
   */
  copy(viewer: Viewer, input: CopyFiles, idempotencyKey?: string): Promise<File[]>
  /**
   * The version that somebody made of a copy in its account, as a file of its own beside the old one. It stays in the account too.
   * @throws NotFoundError, ConflictError when there is no such version, StorageFullError, ContentUnavailableError
   */
  keepVersion(viewer: Viewer, copyId: string): Promise<File>
  star(viewer: Viewer, ids: readonly string[], starred: boolean): Promise<File[]>
  /** Idempotent: what is in the trash stays there. */
  trash(viewer: Viewer, ids: readonly string[]): Promise<File[]>
  /** To the old place, or to the nearest ancestor that is left; numbered when the name is taken. */
  restore(viewer: Viewer, ids: readonly string[]): Promise<File[]>
  /** Permanently, wherever they are. Bytes go by job; quota is free at once. */
  remove(viewer: Viewer, ids: readonly string[], ifMatch?: readonly string[]): Promise<void>
  /** Into the trash; what is there already, by itself or below something, permanently. */
  discard(viewer: Viewer, id: string, ifMatch?: readonly string[]): Promise<void>
  /**
   * Each by itself, and in the order asked: one that cannot be changed does not stop the others.
   * @throws InvalidInputError for more than 10,000, NotFoundError when the target folder or group cloud is not there
   */
  changeEach(viewer: Viewer, ids: readonly string[], action: EachAction): Promise<EachOutcome[]>
  /** The same with everything that a list shows, up to 5,000 entries per call. @throws as changeEach and list */
  changeSelection(viewer: Viewer, input: ChangeSelection): Promise<SelectionChanged>
  /** Ids of what is not the viewer's, or gone, count for nothing. @throws InvalidInputError, NotFoundError */
  summarize(viewer: Viewer, which: WhichFiles): Promise<FilesSummary>
  /** Bytes of the files among them and of all live files below the folders among them, each once. @throws as summarize */
  bytesOf(viewer: Viewer, which: WhichFiles): Promise<number>
  /** Ids of the accounts that hold bytes of them. @throws as summarize */
  accountsOf(viewer: Viewer, which: WhichFiles): Promise<string[]>
  /** How many trashed entries were removed. */
  emptyTrash(viewer: Viewer): Promise<number>
  /** All of the patch or nothing. @throws as rename, move, trash, restore */
  update(viewer: Viewer, id: string, patch: FilePatch, ifMatch?: readonly string[]): Promise<File>
  /**
   * Lets files belong to another group cloud, and with folders all files below them. Their bytes move to its members by transfers;
   * until then they stay where they are. @throws NotFoundError
   */
  moveToGroupCloud(viewer: Viewer, ids: readonly string[], groupCloudId: string): Promise<File[]>
  /** The bytes of a file; `toKeep` says that they are not just to be shown. @throws NotFoundError, also for folders; ContentUnavailableError */
  open(viewer: Viewer, id: string, options?: { readonly toKeep?: boolean }): Promise<{ file: File; source: ByteSource }>
  /** Files and folders as a streamed ZIP64 with stored entries. @throws NotFoundError */
  archive(viewer: Viewer, ids: readonly string[]): Promise<Archive>
}
