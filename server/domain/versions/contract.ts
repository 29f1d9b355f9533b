import type { Readable } from 'node:stream'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { VersionSource } from '../files/content/versions.ts'
import type { File } from '../files/contract.ts'
import type { StoredFile } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'

/** A content that a file has, or had. */
export type FileVersion = {
  readonly id: string
  readonly fileId: string
  /** It is what the file has now; it cannot be restored or deleted. */
  readonly isCurrent: boolean
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Since when it was the file's content. */
  readonly createdAt: Date
  /** Until when it was; null for the current one. */
  readonly endedAt: Date | null
  /** An earlier version is removed after this time; null for the current one. */
  readonly keptUntil: Date | null
  readonly source: VersionSource
  /** Who made it: the name of an API key at that time, otherwise the owner's name. */
  readonly by: string
  readonly byKey: boolean
  /** RESTORE: since when the restored version was the file's content. */
  readonly restoredFrom: Date | null
}

/** How long earlier versions of a file are kept: so many days, and at most so many. */
export type VersionLimits = { readonly days: number; readonly most: number }

export type NewVersionLimits = { readonly days?: number | undefined; readonly most?: number | undefined }

/** Earlier versions, and the size of their contents: once for versions with the same content, and without further copies. */
export type VersionsUsage = { readonly versions: number; readonly bytes: number }

export type OpenedFileVersion = {
  /** The file as it is now, with size, type and hash of the version. */
  readonly file: File
  readonly source: ByteSource
  readonly version: FileVersion
}

export type ContentInput = {
  /** null: not known beforehand. */
  readonly size: number | null
  readonly atMostBytes?: number | undefined
  /** Only if the file has one of these contents (SHA-256 in lower-case hex). */
  readonly ifSha256?: readonly string[] | undefined
  readonly source: Exclude<VersionSource, 'RESTORE'>
}

export interface VersionsService {
  /**
   * All versions of a file of Skypool's own, newest first; a file that was never replaced has one. Files in accounts have none here.
   * @throws NotFoundError, also for folders
   */
  list(viewer: Viewer, fileId: string): Promise<FileVersion[]>
  /** The bytes of a version; `toKeep`: it is downloaded, not only shown. @throws NotFoundError, ContentUnavailableError */
  open(viewer: Viewer, id: string, options?: { readonly toKeep?: boolean }): Promise<OpenedFileVersion>
  /**
   * Makes an earlier version the file's content again, as a new version. Does nothing if the file has these bytes.
   * @returns the file, and the version that it had before; null if nothing was changed
   * @throws NotFoundError, also for a file in the trash; ConflictError for the current version
   */
  restore(viewer: Viewer, id: string): Promise<{ readonly file: File; readonly previousId: string | null }>
  /** Removes an earlier version, with its bytes unless another version has them. @throws NotFoundError, ConflictError for the current one */
  remove(viewer: Viewer, id: string): Promise<FileVersion>
  /**
   * Gives a file a new content, like an upload; what it had becomes an earlier version.
   * @throws as UploadsService.receive, NotFoundError also for a file in an account, PreconditionFailedError
   */
  write(viewer: Viewer, fileId: string, input: ContentInput, body: Readable): Promise<StoredFile>
  limits(viewer: Viewer): Promise<VersionLimits>
  /** Versions beyond the new limits are removed in the background. @throws InvalidInputError */
  setLimits(viewer: Viewer, limits: NewVersionLimits): Promise<VersionLimits>
  /** What the earlier versions of all files take. */
  usage(viewer: Viewer): Promise<VersionsUsage>
}
