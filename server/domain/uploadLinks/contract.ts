import type { Readable } from 'node:stream'
import type pg from 'pg'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import type { Queryable } from '../files/tree/entries.ts'
import type { Visitor } from '../shares/contract.ts'
import type { Checksum } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'

/**
 * A LIVE link takes files. PAUSED: does so again when its folder is restored from the trash. FULL: again when its owner raises a
 * limit. The other states are final.
 */
export type UploadLinkState = 'LIVE' | 'PAUSED' | 'FULL' | 'EXPIRED' | 'REVOKED'

/** A link through which visitors upload into a folder, as its owner sees it. */
export type UploadLink = {
  readonly id: string
  readonly folderId: string
  readonly state: UploadLinkState
  /** What visitors see instead of the folder's name. */
  readonly title: string
  readonly message: string
  readonly hasPassword: boolean
  readonly expiresAt: Date | null
  /** Null: unlimited, as with the other two limits. */
  readonly maxFiles: number | null
  /** In bytes, of all files together. */
  readonly maxBytes: number | null
  /** In bytes. */
  readonly maxFileBytes: number | null
  /** Whether visitors have to give a name. */
  readonly asksName: boolean
  /** Whether a mail is sent when files have arrived. */
  readonly notifies: boolean
  /** Number and bytes of the files that have arrived. */
  readonly files: number
  readonly bytes: number
  readonly lastFileAt: Date | null
  readonly createdAt: Date
}

/** undefined keeps a setting; null removes the password, the expiry or a limit. */
export type UploadLinkPatch = {
  /** 1 to 120 characters. */
  readonly title?: string | undefined
  /** Up to 1,000 characters. */
  readonly message?: string | undefined
  /** 1 to 1,000 characters. */
  readonly password?: string | null | undefined
  /** In the future. */
  readonly expiresAt?: Date | null | undefined
  /** 1 to 1,000,000. */
  readonly maxFiles?: number | null | undefined
  readonly maxBytes?: number | null | undefined
  readonly maxFileBytes?: number | null | undefined
  readonly asksName?: boolean | undefined
  readonly notifies?: boolean | undefined
}

export type UploadLinkInput = UploadLinkPatch & { readonly folderId: string; readonly title: string }

export type UploadLinkPage = {
  readonly items: readonly { readonly link: UploadLink; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

/** An upload link as visitors see it: nothing of the folder. With `needsPassword` all other fields are absent. */
export type PublicUploadLink = { readonly id: string } & (
  | { readonly needsPassword: true }
  | ({ readonly needsPassword: false; readonly askedBy: string } & Pick<
      UploadLink,
      'title' | 'message' | 'expiresAt' | 'maxFiles' | 'maxBytes' | 'maxFileBytes' | 'asksName'
    >)
)

/** What a visitor says about a file. */
export type SentFile = {
  readonly name: string
  readonly mimeType?: string | undefined
  /** Required if the link asks for it. */
  readonly visitorName?: string | undefined
}

/** A visitor's resumable upload. */
export type LinkUpload = {
  readonly id: string
  /** As the visitor named it: the file may have got another name. */
  readonly name: string
  readonly size: number
  /** Durable bytes. */
  readonly offset: number
  readonly expiresAt: Date | null
  readonly arrived: boolean
}

export interface UploadLinksService {
  /** @throws NotFoundError, InvalidInputError, ConflictError (in the trash, too many links) */
  create(viewer: Viewer, input: UploadLinkInput, idempotencyKey?: string): Promise<UploadLink>
  /** Newest first; `live`: only those that open. */
  list(
    viewer: Viewer,
    options: { limit: number; after?: string | undefined; live?: boolean | undefined },
  ): Promise<UploadLinkPage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(UploadLink | null)[]>
  /** Links by folder id that have not ended, newest first. */
  ofFolders(viewer: Viewer, folderIds: readonly string[]): Promise<Map<string, UploadLink[]>>
  /** A new password invalidates all earlier proofs. @throws NotFoundError (also for an ended link), InvalidInputError */
  update(viewer: Viewer, id: string, patch: UploadLinkPatch): Promise<UploadLink>
  /** Stops working immediately, and ends the uploads in progress. Idempotent. @throws NotFoundError */
  revoke(viewer: Viewer, id: string): Promise<UploadLink>

  /**
   * For visitors: this and all following methods first check access. An unknown, ended or full link and one to a trashed folder throw
   * the same NotFoundError; uploads that have begun continue on a full one.
   * @throws NotFoundError, TooManyRequestsError
   */
  visit(visitor: Visitor, id: string): Promise<PublicUploadLink>
  /** As SharesService.unlock. @throws NotFoundError, WrongPasswordError, TooManyRequestsError */
  unlock(visitor: Visitor, id: string, password: string): Promise<string>
  /**
   * Begins a resumable upload, which counts towards the limits from now on.
   * @throws NotFoundError, PasswordRequiredError, InvalidInputError, TooLargeError (also for one file too many), TypeRefusedError, ConflictError,
   * StorageFullError, TooManyRequestsError
   */
  begin(visitor: Visitor, id: string, file: SentFile & { readonly size: number }): Promise<LinkUpload>
  /** @throws NotFoundError, PasswordRequiredError */
  progress(visitor: Visitor, id: string, uploadId: string): Promise<LinkUpload>
  /** Appends as UploadsService.append; with the last byte the file is stored, never over another one. @throws as that and begin */
  append(
    visitor: Visitor,
    id: string,
    uploadId: string,
    offset: number,
    body: Readable,
    checksum?: Checksum,
    bodyBytes?: number,
  ): Promise<LinkUpload>
  /** Ends an upload that is no file yet; its place is free again. @throws NotFoundError, PasswordRequiredError */
  cancel(visitor: Visitor, id: string, uploadId: string): Promise<void>
  /** A whole file in one request. `atMostBytes`: an upper bound of its size, if there is one. @throws as begin, UploadIncompleteError */
  receive(
    visitor: Visitor,
    id: string,
    file: SentFile & { readonly atMostBytes: number | null },
    body: Readable,
  ): Promise<Pick<LinkUpload, 'name' | 'size'>>
}

/** Condition on `upload_links l`: neither revoked nor expired, by the database's clock. */
export const NOT_ENDED = 'l.ended_at is null and (l.expires_at is null or l.expires_at > now())'

const FULL = '(l.files >= l.max_files or l.bytes >= l.max_bytes)'

const STATE = `case when l.expires_at <= coalesce(l.ended_at, now()) then 'EXPIRED'
  when l.ended_at is not null or f.purged_at is not null then 'REVOKED'
  when f.trash_root_id is not null then 'PAUSED'
  when ${FULL} then 'FULL' else 'LIVE' end`

const LINK_COLUMNS = `l.id, l.folder_id, ${STATE} as state, l.title, l.message, l.password_hash is not null as has_password, l.expires_at,
  l.max_files, l.max_bytes::float8 as max_bytes, l.max_file_bytes::float8 as max_file_bytes, l.asks_name, l.notifies, l.files,
  l.bytes::float8 as bytes, l.last_file_at, l.created_at`

const FROM_LINKS = 'from upload_links l join files f on f.id = l.folder_id and f.purged_at is null'

export type LinkRow = {
  readonly id: string
  readonly folder_id: string
  readonly state: UploadLinkState
  readonly title: string
  readonly message: string
  readonly has_password: boolean
  readonly expires_at: Date | null
  readonly max_files: number | null
  readonly max_bytes: number | null
  readonly max_file_bytes: number | null
  readonly asks_name: boolean
  readonly notifies: boolean
  readonly files: number
  readonly bytes: number
  readonly last_file_at: Date | null
  readonly created_at: Date
}

function toLink(row: LinkRow): UploadLink {
  return {
    id: row.id,
    folderId: row.folder_id,
    state: row.state,
    title: row.title,
    message: row.message,
    hasPassword: row.has_password,
    expiresAt: row.expires_at,
    maxFiles: row.max_files,
    maxBytes: row.max_bytes,
    maxFileBytes: row.max_file_bytes,
    asksName: row.asks_name,
    notifies: row.notifies,
    files: row.files,
    bytes: row.bytes,
    lastFileAt: row.last_file_at,
    createdAt: row.created_at,
  }
}

type ListOptions = Parameters<UploadLinksService['list']>[1]

/** Newest first, by keyset. @throws InvalidInputError at `after` */
export async function listLinks(pool: pg.Pool, { userId }: Viewer, options: ListOptions): Promise<UploadLinkPage> {
  const { limit, after, live } = options
  const place = after === undefined ? null : placeOf(after)
  const { rows } = await pool.query<LinkRow>(
    `select ${LINK_COLUMNS} ${FROM_LINKS} where l.user_id = $1
     ${live ? `and ${NOT_ENDED} and f.trash_root_id is null` : ''}
     ${place ? 'and (l.created_at, l.id) < ($3::timestamptz, $4::uuid)' : ''}
     order by l.created_at desc, l.id desc limit $2`,
    [userId, limit + 1, ...(place ?? [])],
  )
  const items = rows.slice(0, limit).map((row) => ({ link: toLink(row), cursor: cursorOf(row) }))
  return { items, hasNextPage: rows.length > items.length }
}

/** In the order of `ids`; null for links that are not the viewer's. */
export async function getLinks(
  sql: Queryable,
  { userId }: Pick<Viewer, 'userId'>,
  ids: readonly string[],
): Promise<(UploadLink | null)[]> {
  const { rows } = await sql.query<LinkRow>(
    `select ${LINK_COLUMNS} ${FROM_LINKS} where l.user_id = $1 and l.id = any($2::uuid[])`,
    [userId, ids],
  )
  const byId = new Map(rows.map((row) => [row.id, toLink(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** @throws NotFoundError */
export async function requireLink(sql: Queryable, viewer: Pick<Viewer, 'userId'>, id: string): Promise<UploadLink> {
  const [link] = await getLinks(sql, viewer, [id])
  if (!link) throw new NotFoundError()
  return link
}

const LINKS_OF_FOLDERS = {
  name: 'upload links of folders',
  text: `select ${LINK_COLUMNS} ${FROM_LINKS}
    where l.user_id = $1 and l.folder_id = any($2::uuid[]) and ${NOT_ENDED} order by l.created_at desc, l.id desc`,
}

/** Links by folder id that have not ended, newest first. */
export async function linksOfFolders(
  sql: Queryable,
  { userId }: Pick<Viewer, 'userId'>,
  folderIds: readonly string[],
): Promise<Map<string, UploadLink[]>> {
  const { rows } = await sql.query<LinkRow>({ ...LINKS_OF_FOLDERS, values: [userId, folderIds] })
  const links = new Map<string, UploadLink[]>(folderIds.map((id) => [id, []]))
  for (const row of rows) links.get(row.folder_id)?.push(toLink(row))
  return links
}

function cursorOf({ created_at: createdAt, id }: LinkRow): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url')
}

const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function placeOf(cursor: string): [string, string] {
  const [, time, id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (time !== undefined && id !== undefined && !Number.isNaN(Date.parse(time))) return [time, id]
  const message = 'This cursor does not belong to this list. Please read the list from its beginning.'
  throw new InvalidInputError([{ path: 'after', message }])
}
