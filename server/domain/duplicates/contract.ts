import type { File, FileCategory } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

/** CERTAIN: all files have the same size, and hashes in common. LIKELY: they have the same size and name or time, but no hash in common. */
export type Certainty = 'CERTAIN' | 'LIKELY'

/** What the files of a group have in common besides the size: a hash, several hashes of which each file has one, name, or time. */
export const DUPLICATE_MATCHES = [
  'SHA256',
  'DROPBOX',
  'SHA1',
  'MD5',
  'QUICKXOR',
  'SEVERAL_HASHES',
  'NAME',
  'TIME',
] as const

export type DuplicateMatch = (typeof DUPLICATE_MATCHES)[number]

/** Most files that are listed with a group. */
export const MOST_FILES = 100

export type DuplicateGroup = {
  readonly id: string
  readonly certainty: Certainty
  readonly match: DuplicateMatch
  /** `<algorithm>:<digest>`; null for LIKELY. */
  readonly hash: string | null
  /** Bytes of one file. */
  readonly size: number
  readonly category: FileCategory
  readonly fileCount: number
  /** Bytes of all files but one. */
  readonly reclaimableBytes: number
  /** LIKELY: bytes that `compare` reads of the listed files; 0 for CERTAIN. */
  readonly compareBytes: number
  /** Oldest first, at most 100. Of a LIKELY group, one file of each content that may be the same. */
  readonly files: readonly File[]
}

export type DuplicateFilter = {
  readonly certainty?: Certainty | undefined
  /** Only groups with a file in place in this account. */
  readonly accountId?: string | undefined
  /** POOL: only groups with a file that Skypool stores. */
  readonly home?: 'POOL' | undefined
  /** Only groups with a file anywhere below this folder. */
  readonly parentId?: string | undefined
  readonly categories?: readonly FileCategory[] | undefined
  /** Bytes of one file. */
  readonly minSize?: number | undefined
}

export type ListDuplicates = DuplicateFilter & { readonly limit: number; readonly after?: string | undefined }

export type DuplicatePage = {
  /** Those with the most reclaimable bytes first. */
  readonly items: readonly { readonly group: DuplicateGroup; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export type DuplicateSummary = {
  readonly certainGroups: number
  readonly certainBytes: number
  readonly likelyGroups: number
  /** If all of them turn out to be equal. */
  readonly likelyBytes: number
  /** When all files were last checked; null: never. */
  readonly checkedAt: Date | null
  /** Everything that changed is checked. Otherwise a job is at it. */
  readonly isComplete: boolean
}

/**
 * The file of each group that stays. ACCOUNT, FOLDER, POOL (what Skypool stores): the oldest one there; groups without a file there stay
 * as they are.
 */
export type KeepRule =
  | { readonly keep: 'OLDEST' | 'NEWEST' | 'POOL' }
  | { readonly keep: 'ACCOUNT'; readonly accountId: string }
  | { readonly keep: 'FOLDER'; readonly folderId: string }

/** What a rule frees in one place. `accountId` null: files that Skypool stores. */
export type Reclaimable = { readonly accountId: string | null; readonly bytes: number; readonly files: number }

export type ComparisonState = 'RUNNING' | 'EQUAL' | 'PARTLY_EQUAL' | 'DIFFERENT' | 'FAILED'

/** Reading the files of a LIKELY group, to find out which ones are equal. */
export type Comparison = {
  readonly id: string
  /** Name of one of the files. */
  readonly name: string
  readonly fileIds: readonly string[]
  readonly state: ComparisonState
  /** Bytes to read. */
  readonly totalBytes: number
  readonly doneBytes: number
  /** Message: why it failed. */
  readonly error: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export interface DuplicatesService {
  /**
   * Groups of files with equal content, in all accounts and group clouds, without the trash, empty files and documents that exist
   * only at their provider. The cost of a page does not depend on the number of files, except with `parentId`.
   * @throws NotFoundError for an accountId or parentId that is not the viewer's, InvalidInputError for a cursor of another list
   */
  list(viewer: Viewer, options: ListDuplicates): Promise<DuplicatePage>
  /** In the order of `ids`; null for what is not there any more, or not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(DuplicateGroup | null)[]>
  /** @throws NotFoundError for an accountId or parentId that is not the viewer's */
  summary(viewer: Viewer, filter: DuplicateFilter): Promise<DuplicateSummary>
  /** Where a rule frees how much, in all CERTAIN groups of the filter; the most first. @throws NotFoundError as summary, also for the account or folder of the rule */
  reclaimable(viewer: Viewer, filter: DuplicateFilter, rule: KeepRule): Promise<Reclaimable[]>
  /**
   * Starts to read the listed files of LIKELY groups. A comparison in progress is returned, not started again.
   * @throws NotFoundError, ConflictError for CERTAIN groups, InvalidInputError for more than 100
   */
  compare(viewer: Viewer, groupIds: readonly string[]): Promise<Comparison[]>
  /** Those in progress, and those that ended within a day; newest first, at most 100. */
  comparisons(viewer: Viewer): Promise<Comparison[]>
}
