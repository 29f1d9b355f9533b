import type { Readable } from 'node:stream'
import type { Copy, File, OnConflict } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

export type UploadInput = {
  readonly name: string
  /** What the client claims; the content decides. */
  readonly mimeType?: string | undefined
  /** null: not known beforehand (chunked). */
  readonly size: number | null
  /** The body is no longer than this. */
  readonly atMostBytes?: number | undefined
  readonly groupCloudId?: string | undefined
  readonly parentId?: string | null | undefined
  readonly onConflict?: OnConflict | undefined
  /** What the content must hash to, in lower-case hex. */
  readonly sha256?: string | undefined
  /** The file of the same user whose bytes these are: where an account has them already, they are copied there. */
  readonly copiedFrom?: string | undefined
}

/** What a resumable upload begins with. */
export type NewUpload = Omit<UploadInput, 'size' | 'copiedFrom'> & {
  /** null: said later, by the request that knows it. */
  readonly size: number | null
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
  /** A part of a later upload (`concatenate`): it becomes no file, so its name does not count. */
  readonly isPart?: boolean | undefined
}

/** A resumable upload that is put together from others, in their order. */
export type Concatenation = Omit<NewUpload, 'size' | 'isPart'> & {
  readonly partIds: readonly string[]
  /** As the client named them (tus Upload-Concat). */
  readonly concat: string
}

export type Upload = {
  readonly id: string
  readonly name: string
  /** null: not said yet. */
  readonly size: number | null
  /** Bytes safely received. */
  readonly offset: number
  /** As the client sent it (tus Upload-Metadata). */
  readonly metadata: Readonly<Record<string, string | null>>
  /** `partial`, or `final;` and its parts (tus Upload-Concat); null for any other upload. */
  readonly concat: string | null
  readonly expiresAt: Date
  /** Set once it has become a file. */
  readonly fileId: string | null
}

/** A file, and where its bytes are. */
export type StoredFile = File & { readonly copies: readonly Copy[] }

export type Checksum = { readonly algorithm: 'sha1' | 'sha256' | 'md5'; readonly digest: Buffer }

export interface UploadsService {
  /** One request, whole file: streams to staging, hashes, checks, commits; resolving means durable.
   * @throws InvalidInputError, NotFoundError, NameTakenError, StorageFullError, TypeRefusedError, UploadIncompleteError, ChecksumMismatchError, IdempotencyKeyReusedError */
  receive(viewer: Viewer, input: UploadInput, body: Readable, idempotencyKey?: string): Promise<StoredFile>
  /** Opens a resumable upload and reserves its bytes, as far as they are known. @throws as receive */
  create(viewer: Viewer, input: NewUpload, idempotencyKey?: string): Promise<Upload>
  /**
   * Puts complete parts together into a new upload and makes it a file; what they reserve is its room. Repeating it answers with
   * the same upload. Resolving means durable; until then the parts stay. @throws as receive, ConflictError when a part went into another upload
   */
  concatenate(viewer: Viewer, input: Concatenation): Promise<Upload>
  /** How far it is now: makes what has arrived durable, and ends a request whose sender is silent. */
  get(viewer: Viewer, id: string): Promise<Upload>
  /** What is known of it without that: its offset is that of the last request that ended. */
  find(viewer: Viewer, id: string): Promise<Upload>
  /** Appends at `offset`; resolves with the new offset, durable. What arrived before the body broke is kept; a wrong checksum keeps nothing.
   * `size` is the upload's, where it was not known before. @throws UploadOffsetMismatchError, ChecksumMismatchError, NotFoundError,
   * TooLargeError, StorageFullError, InvalidInputError for a size that contradicts what is known */
  append(
    viewer: Viewer,
    id: string,
    offset: number,
    body: Readable,
    checksum?: Checksum,
    size?: number,
  ): Promise<number>
  /** Turns a complete upload into a file; repeating it answers with the same file. @throws as receive */
  finish(viewer: Viewer, id: string): Promise<File>
  /** Ends a request that is at work on it; frees the reservation and the staged bytes. A file made of it stays. @throws NotFoundError */
  remove(viewer: Viewer, id: string): Promise<void>
}
