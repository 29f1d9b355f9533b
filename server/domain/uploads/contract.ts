import type { Readable } from 'node:stream'
import type { ReportedHash } from '../files/content/inPlace.ts'
import type { VersionSource } from '../files/content/versions.ts'
import type { Copy, File, OnConflict } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

/** For a protecting copy of a file in an account: it is in no list, has so many copies, and none of them is on that account. */
export type Protecting = { readonly accountId: string; readonly copies: number }

export type UploadInput = {
  readonly name: string
  /** As the client declares it; the actual type is determined from the content. */
  readonly mimeType?: string | undefined
  /** null: not known beforehand (chunked). */
  readonly size: number | null
  /** Upper bound of the body's length, where it is not known exactly. */
  readonly atMostBytes?: number | undefined
  readonly groupCloudId?: string | undefined
  readonly parentId?: string | null | undefined
  readonly onConflict?: OnConflict | undefined
  /** Expected hash of the content, in lower-case hex. */
  readonly sha256?: string | undefined
  /** The file of the same user whose bytes these are: an account that holds them already copies them itself. */
  readonly copiedFrom?: string | undefined
  readonly protecting?: Protecting | undefined
  /** The file of Skypool's own that gets this content, whatever its name is by then; then `onConflict` does not matter. */
  readonly replaces?: Replacing | undefined
  /** How it came about, for the versions of the file; UPLOAD by default. */
  readonly source?: VersionSource | undefined
}

/** `ifSha256`: only if the file has one of these contents, in lower-case hex. */
export type Replacing = { readonly fileId: string; readonly ifSha256?: readonly string[] | undefined }

/** The input for a resumable upload. */
export type NewUpload = Omit<UploadInput, 'size' | 'copiedFrom' | 'replaces' | 'source'> & {
  /** null: a later request declares it. */
  readonly size: number | null
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
  /** A part for `concatenate`: it becomes no file, so its name is not used. */
  readonly isPart?: boolean | undefined
  /** The upload link that a visitor sends it through: it does not count among the user's unfinished uploads. */
  readonly linkId?: string | undefined
}

/** A resumable upload that is concatenated from others, in their order. */
export type Concatenation = Omit<NewUpload, 'size' | 'isPart'> & {
  readonly partIds: readonly string[]
  /** The Upload-Concat header as the client sent it (tus). */
  readonly concat: string
}

export type Upload = {
  readonly id: string
  readonly name: string
  /** The folder; null: the root. Another one than was asked for if the upload became a file when that was gone. */
  readonly parentId: string | null
  /** null: not declared yet. */
  readonly size: number | null
  /** Durable bytes. */
  readonly offset: number
  /** The Upload-Metadata header as the client sent it (tus). */
  readonly metadata: Readonly<Record<string, string | null>>
  /** `partial`, or `final;` and its parts (tus Upload-Concat); null for any other upload. */
  readonly concat: string | null
  readonly expiresAt: Date
  /** Set when the upload has become a file. */
  readonly fileId: string | null
}

/** A file with its copies. */
export type StoredFile = File & { readonly copies: readonly Copy[] }

export type Checksum = { readonly algorithm: 'sha1' | 'sha256' | 'md5'; readonly digest: Buffer }

export interface UploadsService {
  /**
   * Uploads a whole file in one request: streams to staging, hashes, checks and commits. The file is durable when this
   * resolves.
   * @throws InvalidInputError, NotFoundError, NameTakenError, StorageFullError, TypeRefusedError,
   * UploadIncompleteError, ChecksumMismatchError, IdempotencyKeyReusedError
   */
  receive(viewer: Viewer, input: UploadInput, body: Readable, idempotencyKey?: string): Promise<StoredFile>
  /** Creates a resumable upload and reserves its size, if that is known. @throws as receive */
  create(viewer: Viewer, input: NewUpload, idempotencyKey?: string): Promise<Upload>
  /**
   * Concatenates complete parts into a new upload, which uses their reservations, and makes it a file. Repeating it
   * returns the same upload. The file is durable when this resolves; until then the parts are kept.
   * @throws as receive, ConflictError when a part was used in another upload
   */
  concatenate(viewer: Viewer, input: Concatenation): Promise<Upload>
  /**
   * The upload with its current offset: makes the received bytes durable, and ends a request that is stalled.
   * @throws NotFoundError
   */
  get(viewer: Viewer, id: string): Promise<Upload>
  /** The upload as stored, with the offset of the last request that ended. @throws NotFoundError */
  find(viewer: Viewer, id: string): Promise<Upload>
  /**
   * Appends at `offset` and resolves with the new offset, durable. If the body breaks off, the bytes before are kept;
   * with a checksum, or if that does not match, none are. `size` declares the upload's size if it was not known before.
   * `bodyBytes`: the length of the body, where it is known.
   * @throws UploadOffsetMismatchError, ChecksumMismatchError, UploadIncompleteError when the body breaks off,
   * NotFoundError, ConflictError while another request is active, TooLargeError, StorageFullError, InvalidInputError
   * for a size that contradicts the known one
   */
  append(
    viewer: Viewer,
    id: string,
    offset: number,
    body: Readable,
    checksum?: Checksum,
    size?: number,
    bodyBytes?: number,
  ): Promise<number>
  /**
   * Turns a complete upload into a file; repeating it returns the same file. If its bytes do not have the hash
   * `expected`, the upload is removed and no file is made. @throws as receive
   */
  finish(viewer: Viewer, id: string, expected?: ReportedHash): Promise<File>
  /**
   * Deletes an upload, ends a request that works on it, and frees its reservation and staged bytes. A file made of it
   * is kept.
   * @returns the id of that file, otherwise null
   * @throws NotFoundError
   */
  remove(viewer: Viewer, id: string): Promise<string | null>
}
