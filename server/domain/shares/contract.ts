import type pg from 'pg'
import type { ByteSource } from '../../storage/byteSource.ts'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import type { Archive, File, FileCategory, FileKind, FilePage, PhotoMonth } from '../files/contract.ts'
import type { Queryable } from '../files/tree/entries.ts'
import type { Thumbnail, ThumbnailSize } from '../thumbnails/kinds.ts'
import type { Viewer } from '../viewer.ts'

/** A LIVE link opens. PAUSED: opens again when its file is restored from the trash. All other states are final. */
export type ShareState = 'LIVE' | 'PAUSED' | 'EXPIRED' | 'USED_UP' | 'REVOKED'

/** A public link, as its owner sees it. */
export type Share = {
  readonly id: string
  readonly fileId: string
  /** The copy that the link was created for; null for folders and when none was given. */
  readonly copyId: string | null
  readonly state: ShareState
  readonly hasPassword: boolean
  readonly expiresAt: Date | null
  readonly maxDownloads: number | null
  /** Number of completed downloads. */
  readonly downloads: number
  /** The provider's own link; null when none was requested or possible. */
  readonly providerUrl: string | null
  /** Why a requested provider link was not created; null otherwise. Not stored: only in the result of `create`. */
  readonly providerNote: string | null
  readonly createdAt: Date
}

export type ShareInput = {
  readonly fileId: string
  readonly copyId?: string | null | undefined
  /** 1 to 1,000 characters. */
  readonly password?: string | null | undefined
  /** In the future. */
  readonly expiresAt?: Date | null | undefined
  /** 1 to 1,000,000. */
  readonly maxDownloads?: number | null | undefined
  /**
   * Also creates the provider's own link where a copy supports it. Refused together with a password or a limit, which the provider
   * would not enforce; a job revokes it at the expiry time.
   */
  readonly providerLink?: boolean | undefined
}

/** undefined keeps a setting; null removes the password, the expiry or the limit. */
export type SharePatch = {
  readonly password?: string | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly maxDownloads?: number | null | undefined
}

export type SharePage = {
  readonly items: readonly { readonly share: Share; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

/** A visitor of a link; `proof` is the value of the share's cookie, which proves the password. */
export type Visitor = { readonly address: string; readonly userAgent: string; readonly proof: string | null }

/** A share as visitors see it. With `needsPassword` all other fields are absent. */
export type PublicShare = { readonly id: string } & (
  | { readonly needsPassword: true }
  | {
      readonly needsPassword: false
      readonly name: string
      readonly kind: FileKind
      readonly category: FileCategory
      readonly mimeType: string | null
      /** Size of a file in bytes. */
      readonly size: number
      /** First name of the owner. */
      readonly sharedBy: string
      readonly expiresAt: Date | null
      /** Remaining downloads; null: unlimited. */
      readonly downloadsLeft: number | null
      /** Whether `disposition=inline` is possible: not for links with a limit. */
      readonly previews: boolean
      /** Whether `thumbnail` of the shared file can be requested. */
      readonly hasThumbnail: boolean
      /** False while no copy can be read: a download throws ContentUnavailableError. */
      readonly available: boolean
    }
)

/** An entry of a shared folder, as visitors see it. */
export type SharedFile = Pick<
  File,
  'id' | 'name' | 'kind' | 'category' | 'mimeType' | 'size' | 'childCount' | 'updatedAt' | 'picture'
> & {
  /** Whether its `thumbnail` can be requested: not for links with a limit. */
  readonly hasThumbnail: boolean
  /** Length of a video, as the browser that uploaded it has reported it; null: not known. */
  readonly durationMs: number | null
}

/** NAME: folders first. TAKEN: photos and videos only, newest first, by the time they were taken, else changed. */
export type SharedOrder = 'NAME' | 'TAKEN'

export type SharedFilePage = {
  readonly items: readonly { readonly file: SharedFile; readonly cursor: string }[]
  readonly hasNextPage: FilePage['hasNextPage']
  /** From below the shared folder down to the listed folder. */
  readonly path: readonly { readonly id: string; readonly name: string }[]
}

/** Sent bytes of the content (for an archive: of the ZIP), and whether they include its last byte. */
export type Sent = { readonly bytes: number; readonly whole: boolean }

/** One download of a share. `done` must be called once, at its end; `signal` aborts within seconds after the share ends. */
export type SharedDownload = {
  readonly signal: AbortSignal
  done(sent: Sent): Promise<void>
}

export type SharedContent = SharedDownload & { readonly file: File; readonly source: ByteSource }
export type SharedArchive = SharedDownload & { readonly archive: Archive }

export const REPORT_REASONS = ['ILLEGAL', 'MALWARE', 'PRIVACY', 'OTHER'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]

export interface SharesService {
  /** @throws NotFoundError, InvalidInputError, ConflictError (in the trash) */
  create(viewer: Viewer, input: ShareInput, idempotencyKey?: string): Promise<Share>
  /** Newest first; `live`: only those that open. */
  list(
    viewer: Viewer,
    options: { limit: number; after?: string | undefined; live?: boolean | undefined },
  ): Promise<SharePage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Share | null)[]>
  /** Shares by file id that have not ended, newest first. */
  ofFiles(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, Share[]>>
  /** A new password invalidates all earlier proofs. @throws NotFoundError (also for an ended share), InvalidInputError */
  update(viewer: Viewer, id: string, patch: SharePatch): Promise<Share>
  /** Stops working immediately; a job revokes the provider's link. Idempotent. @throws NotFoundError */
  revoke(viewer: Viewer, id: string): Promise<Share>
  /** Revokes all shares that were created for a copy. @throws NotFoundError when there is none */
  revokeOfCopy(viewer: Viewer, fileId: string, copyId: string): Promise<void>

  /**
   * For visitors: this and all following methods first check access. An unknown or ended share and a trashed file throw the same
   * NotFoundError.
   * @throws NotFoundError, TooManyRequestsError
   */
  visit(visitor: Visitor, id: string): Promise<PublicShare>
  /**
   * Checks the password and returns the proof for a cookie of 12 hours. Throttled per share and network; separately for visitors
   * who have unlocked it before. @throws NotFoundError, WrongPasswordError, TooManyRequestsError
   */
  unlock(visitor: Visitor, id: string, password: string): Promise<string>
  /** Reports the link to its owner, in the activity log and by mail. @throws NotFoundError, PasswordRequiredError, TooManyRequestsError */
  report(visitor: Visitor, id: string, reason: ReportReason): Promise<void>
  /** Entries of the shared folder or of a folder below it, by name unless told. @throws NotFoundError, PasswordRequiredError */
  listFiles(
    visitor: Visitor,
    id: string,
    options: {
      folderId?: string | undefined
      limit: number
      after?: string | undefined
      order?: SharedOrder | undefined
    },
  ): Promise<SharedFilePage>
  /** The months of the newest 10,000 photos and videos of that folder, newest first. @throws NotFoundError, PasswordRequiredError */
  photoMonths(visitor: Visitor, id: string, folderId?: string): Promise<PhotoMonth[]>
  /**
   * Opens the shared file or folder (`fileId` absent), or one below the shared folder; a folder as ZIP. `headersOnly`: a HEAD
   * request, which counts no download. `continues`: a range request; ranges of an active download do not count as requests.
   * @throws NotFoundError, PasswordRequiredError, InvalidInputError (inline, with a limit), ContentUnavailableError,
   * ConflictError (all remaining downloads are active), TooManyRequestsError
   */
  open(
    visitor: Visitor,
    id: string,
    options: {
      readonly fileId?: string | undefined
      readonly inline: boolean
      readonly headersOnly?: boolean
      readonly continues?: boolean
    },
  ): Promise<SharedContent | SharedArchive>
  /**
   * The thumbnail of the shared file, or of `fileId` below the shared folder. It is never counted as a download; links with a limit
   * have none. @param signal aborted when the visitor does not wait for it any more
   * @throws NotFoundError, PasswordRequiredError, NoThumbnailError, ContentUnavailableError, TooManyRequestsError, the signal's reason
   */
  thumbnail(
    visitor: Visitor,
    id: string,
    options: { readonly fileId?: string | undefined; readonly size: ThumbnailSize; readonly signal: AbortSignal },
  ): Promise<Thumbnail>
}

/** Condition on `shares s`: not ended, expired or used up, by the database's clock. */
export const NOT_ENDED = `s.ended_at is null and (s.expires_at is null or s.expires_at > now())
  and (s.max_downloads is null or s.downloads < s.max_downloads)`

/** Condition on `shares s`: expired or used up, but not marked as ended yet. */
export const RUN_OUT = `s.ended_at is null and (s.expires_at <= now() or s.downloads >= s.max_downloads)`

/** SQL: neither the file nor a folder above it is trashed or deleted. Reads the tree itself, because a job updates the marks of descendants later. */
export const isReachable = (fileId: string): string => `not exists (
  with recursive up as (
    select a.parent_id, a.trashed_at, a.purged_at from files a where a.id = ${fileId}
    union all select p.parent_id, p.trashed_at, p.purged_at from up join files p on p.id = up.parent_id)
  select from up where up.trashed_at is not null or up.purged_at is not null)`

const STATE = `case when s.expires_at <= coalesce(s.ended_at, now()) then 'EXPIRED'
  when s.downloads >= s.max_downloads then 'USED_UP'
  when s.ended_at is not null or f.purged_at is not null then 'REVOKED'
  when f.trash_root_id is not null then 'PAUSED' else 'LIVE' end`

/** Columns of a `ShareRow`, of `shares s join files f`. */
const SHARE_COLUMNS = `s.id, s.file_id, s.copy_id, ${STATE} as state, s.password_hash is not null as has_password,
  s.expires_at, s.max_downloads, s.downloads, s.provider_url, s.created_at`

const FROM_SHARES = 'from shares s join files f on f.id = s.file_id and f.purged_at is null'

export type ShareRow = {
  readonly id: string
  readonly file_id: string
  readonly copy_id: string | null
  readonly state: ShareState
  readonly has_password: boolean
  readonly expires_at: Date | null
  readonly max_downloads: number | null
  readonly downloads: number
  readonly provider_url: string | null
  readonly created_at: Date
}

function toShare(row: ShareRow, providerNote: string | null = null): Share {
  return {
    id: row.id,
    fileId: row.file_id,
    copyId: row.copy_id,
    state: row.state,
    hasPassword: row.has_password,
    expiresAt: row.expires_at,
    maxDownloads: row.max_downloads,
    downloads: row.downloads,
    providerUrl: row.provider_url,
    providerNote,
    createdAt: row.created_at,
  }
}

type ListOptions = Parameters<SharesService['list']>[1]

/** Newest first, by keyset. @throws InvalidInputError at `after` */
export async function listShares(pool: pg.Pool, { userId }: Viewer, options: ListOptions): Promise<SharePage> {
  const { limit, after, live } = options
  const place = after === undefined ? null : placeOf(after)
  const { rows } = await pool.query<ShareRow>(
    `select ${SHARE_COLUMNS} ${FROM_SHARES} where s.user_id = $1
     ${live ? `and ${NOT_ENDED} and f.trash_root_id is null` : ''}
     ${place ? 'and (s.created_at, s.id) < ($3::timestamptz, $4::uuid)' : ''}
     order by s.created_at desc, s.id desc limit $2`,
    [userId, limit + 1, ...(place ?? [])],
  )
  const items = rows.slice(0, limit).map((row) => ({ share: toShare(row), cursor: cursorOf(row) }))
  return { items, hasNextPage: rows.length > items.length }
}

/** In the order of `ids`; null for shares that are not the viewer's. */
export async function getShares(
  sql: Queryable,
  { userId }: Pick<Viewer, 'userId'>,
  ids: readonly string[],
): Promise<(Share | null)[]> {
  const { rows } = await sql.query<ShareRow>(
    `select ${SHARE_COLUMNS} ${FROM_SHARES} where s.user_id = $1 and s.id = any($2::uuid[])`,
    [userId, ids],
  )
  const byId = new Map(rows.map((row) => [row.id, toShare(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** @throws NotFoundError */
export async function requireShare(sql: Queryable, viewer: Pick<Viewer, 'userId'>, id: string): Promise<Share> {
  const [share] = await getShares(sql, viewer, [id])
  if (!share) throw new NotFoundError()
  return share
}

const ofFiles = (which: string) => `select ${SHARE_COLUMNS} ${FROM_SHARES}
  where s.user_id = $1 and s.file_id = ${which} and ${NOT_ENDED} order by s.created_at desc, s.id desc`
/** Most calls are for one file: that statement is planned once. */
const SHARES_OF_ONE_FILE = { name: 'shares of one file', text: ofFiles('$2::uuid') }
const SHARES_OF_FILES = { name: 'shares of files', text: ofFiles('any($2::uuid[])') }

/** Shares by file id that have not ended, newest first. */
export async function sharesOfFiles(
  sql: Queryable,
  { userId }: Pick<Viewer, 'userId'>,
  fileIds: readonly string[],
): Promise<Map<string, Share[]>> {
  const { rows } = await sql.query<ShareRow>(
    fileIds.length === 1
      ? { ...SHARES_OF_ONE_FILE, values: [userId, fileIds[0]] }
      : { ...SHARES_OF_FILES, values: [userId, fileIds] },
  )
  const shares = new Map<string, Share[]>(fileIds.map((id) => [id, []]))
  for (const row of rows) shares.get(row.file_id)?.push(toShare(row))
  return shares
}

function cursorOf({ created_at: createdAt, id }: ShareRow): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url')
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function placeOf(cursor: string): [string, string] {
  const [time, id] = partsOf(cursor)
  const isPlace = typeof time === 'string' && typeof id === 'string' && TIME.test(time) && ID.test(id)
  if (isPlace && !Number.isNaN(Date.parse(time))) return [time, id]
  const message = 'This cursor does not belong to this list. Please read the list from its beginning.'
  throw new InvalidInputError([{ path: 'after', message }])
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
