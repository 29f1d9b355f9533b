import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { RequestLimits } from '../../lib/limits.ts'
import { createCounts } from '../../lib/windowCounts.ts'
import { type ByteSource, type Reading, readRange } from '../../storage/byteSource.ts'
import { ContentUnavailableError, NotFoundError, PasswordRequiredError, TooManyRequestsError } from '../errors.ts'
import { browserPicturesOf, isMadeByBrowsers } from '../files/content/browserPictures.ts'
import type { Contents } from '../files/content/content.ts'
import { isInlineSafe } from '../files/content/types.ts'
import type { File, FilePage, FileSort, ListFiles, PhotoMonth } from '../files/contract.ts'
import { FILE_COLUMNS, type FileRow, pathsTo, ROOT, toFile } from '../files/tree/entries.ts'
import { listFiles, type OpenedFolder, openedFolder } from '../files/tree/listing.ts'
import { mayHaveThumbnail } from '../thumbnails/kinds.ts'
import type { Viewer } from '../viewer.ts'
import {
  isReachable,
  NOT_ENDED,
  type PublicShare,
  type SharedFile,
  type SharedFilePage,
  type SharedOrder,
  type SharesService,
  type Visitor,
} from './contract.ts'

const PURPOSE = 'share proof'
const LIFE_SECONDS = 12 * 60 * 60

export type Proofs = {
  /** A new proof, after the right password; `now` in seconds of the database's clock. */
  issue(share: Protected, now: number): string
  /** Whether the proof was issued for this share, with its current password, less than 12 hours ago. */
  isValid(share: Protected, now: number, proof: string | null): boolean
  /** A name for counting the guesses of a visitor with a proof for the current password, even an expired one; null for other visitors. */
  visitorOf(share: Protected, proof: string | null): string | null
}

type Protected = { readonly id: string; readonly passwordHash: string | null }

/** A proof is `<expiry in seconds>.<signature>`; the signature covers the password's hash, so a new password invalidates it. */
export function createProofs(encryption: Pick<Encryption, 'sign' | 'verify'>): Proofs {
  const textOf = ({ id, passwordHash }: Protected, end: string) => JSON.stringify([id, passwordHash, end])
  const read = (share: Protected, proof: string | null) => {
    const [, end, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(proof ?? '') ?? []
    if (end === undefined || signature === undefined) return null
    return encryption.verify(textOf(share, end), PURPOSE, signature) ? { end: Number(end), signature } : null
  }
  return {
    issue(share, now) {
      const end = String(Math.floor(now) + LIFE_SECONDS)
      return `${end}.${encryption.sign(textOf(share, end), PURPOSE)}`
    },
    isValid(share, now, proof) {
      const found = read(share, proof)
      return found !== null && found.end > now
    },
    visitorOf: (share, proof) => read(share, proof)?.signature.slice(0, 16) ?? null,
  }
}

const GONE = 'This link does not work. It may have expired, been used up or been revoked.'

/** The same error for unknown, ended and trashed shares. */
export function linkGone(): NotFoundError {
  return new NotFoundError(GONE)
}

/** A share that opens, with the data for access checks. */
export type OpenShare = {
  readonly id: string
  readonly userId: string
  readonly ownerName: string
  readonly passwordHash: string | null
  readonly expiresAt: Date | null
  readonly maxDownloads: number | null
  readonly downloads: number
  readonly file: File
  /** Seconds of the database's clock. */
  readonly now: number
}

type Row = FileRow & {
  readonly share_id: string
  readonly user_id: string
  readonly full_name: string
  readonly password_hash: string | null
  readonly expires_at: Date | null
  readonly max_downloads: number | null
  readonly downloads: number
  readonly now: number
}

/** Condition on `shares s`, `files f` and `users u`: the share opens, apart from its password. */
const OPENS = `${NOT_ENDED} and u.deleted_at is null and ${isReachable('f.id')}`

const FIND = {
  name: 'share that opens',
  text: `select ${FILE_COLUMNS}, s.id as share_id, s.user_id, u.full_name, s.password_hash, s.expires_at, s.max_downloads,
      s.downloads, extract(epoch from now())::float8 as now
    from shares s join files f on f.id = s.file_id join users u on u.id = s.user_id where s.id = $1 and ${OPENS}`,
}

export type GateDeps = { readonly pool: pg.Pool; readonly rate: RequestRate; readonly proofs: Proofs }

export type Gate = {
  /** A share that opens, unlocked or not. @throws NotFoundError, TooManyRequestsError */
  find(visitor: Visitor, id: string, kind?: RequestKind): Promise<OpenShare>
  /** Whether the share has no password, or the visitor has unlocked it. */
  isUnlocked(visitor: Visitor, share: OpenShare): boolean
  /** A share whose content the visitor can access. @throws as find; PasswordRequiredError */
  findUnlocked(visitor: Visitor, id: string, kind?: RequestKind): Promise<OpenShare>
}

/** The access check of all operations of visitors. */
export function createGate({ pool, rate, proofs }: GateDeps): Gate {
  async function find({ address }: Visitor, id: string, kind?: RequestKind): Promise<OpenShare> {
    await rate.count(address, kind)
    const { rows } = await pool.query<Row>({ ...FIND, values: [id] })
    const [row] = rows
    if (!row) throw linkGone()
    return toOpenShare(row)
  }

  const isUnlocked = ({ proof }: Visitor, share: OpenShare) =>
    share.passwordHash === null || proofs.isValid(share, share.now, proof)

  return {
    find,
    isUnlocked,
    async findUnlocked(visitor, id, kind) {
      const share = await find(visitor, id, kind)
      if (!isUnlocked(visitor, share)) throw new PasswordRequiredError()
      return share
    },
  }
}

function toOpenShare(row: Row): OpenShare {
  return {
    id: row.share_id,
    userId: row.user_id,
    ownerName: row.full_name,
    passwordHash: row.password_hash,
    expiresAt: row.expires_at,
    maxDownloads: row.max_downloads,
    downloads: row.downloads,
    file: toFile(row),
    now: row.now,
  }
}

export type VisitDeps = {
  readonly pool: pg.Pool
  readonly contents: Pick<Contents, 'open'>
  /** As for the files service. */
  readonly opened?: (folder: OpenedFolder) => void
}

/** A viewer for reading the shared files on behalf of their owner, after the access checks. */
export const ownerOf = ({ userId }: OpenShare) => ({ userId, sessionId: null })

/** The share as a visitor sees it who has unlocked it. */
export async function describeShare(deps: VisitDeps, share: OpenShare): Promise<PublicShare> {
  const { id, file, ownerName, expiresAt, maxDownloads, downloads } = share
  const { name, kind, category, mimeType, size } = file
  return {
    id,
    needsPassword: false,
    name,
    kind,
    category,
    mimeType,
    size,
    sharedBy: firstNameOf(ownerName),
    expiresAt,
    downloadsLeft: maxDownloads === null ? null : maxDownloads - downloads,
    hasThumbnail: maxDownloads === null && mayHaveThumbnail(file),
    previews: maxDownloads === null && (kind === 'FOLDER' || isInlineSafe(mimeType)),
    available: kind === 'FOLDER' || (await isAvailable(deps, share)),
  }
}

function firstNameOf(fullName: string): string {
  return fullName.trim().split(/\s+/u)[0] ?? ''
}

async function isAvailable({ contents }: VisitDeps, share: OpenShare): Promise<boolean> {
  try {
    await contents.open(ownerOf(share), share.file.id)
    return true
  } catch (error) {
    if (error instanceof ContentUnavailableError) return false
    throw error
  }
}

type ListOptions = Parameters<SharesService['listFiles']>[2]

const SORTS: Readonly<Record<SharedOrder, FileSort | undefined>> = {
  NAME: undefined,
  TAKEN: { field: 'TAKEN', direction: 'DESC' },
}

/** @throws NotFoundError when the folder is not in the share, InvalidInputError at `after` */
export async function listShared(
  { pool, opened }: VisitDeps,
  share: OpenShare,
  { folderId = share.file.id, limit, after, order = 'NAME' }: ListOptions,
): Promise<SharedFilePage> {
  if (share.file.kind !== 'FOLDER') throw notInShare()
  await requireBelow(pool, share, folderId)
  const viewer = ownerOf(share)
  const options: ListFiles = { view: 'DRIVE', parentId: folderId, limit, after, sort: SORTS[order] }
  const [page, paths] = await Promise.all([
    listFiles(pool, viewer, options).catch(asNotInShare),
    pathsTo(pool, viewer, [folderId]),
  ])
  const found = openedFolder(options, page)
  if (found) opened?.({ ...found, userId: viewer.userId })
  const above = paths.get(folderId) ?? []
  const path = above.slice(above.findIndex(({ id }) => id === share.file.id) + 1)
  const lengths = await lengthsOf(pool, viewer, page)
  return {
    items: page.items.map(({ file, cursor }) => ({
      file: { ...toSharedFile(share, file), durationMs: lengths.get(file.id) ?? null },
      cursor,
    })),
    hasNextPage: page.hasNextPage,
    path: path.map(({ id, name }) => ({ id, name })),
  }
}

/** Of the videos of a listed page, in one statement; without those of which no browser has reported it. */
async function lengthsOf(pool: pg.Pool, viewer: Viewer, { items }: FilePage): Promise<Map<string, number | null>> {
  const videos = items.filter(({ file }) => file.category === 'VIDEO' && isMadeByBrowsers(file))
  if (videos.length === 0) return new Map()
  const reported = await browserPicturesOf(
    pool,
    viewer,
    videos.map(({ file }) => file.id),
  )
  return new Map([...reported].map(([id, { durationMs }]) => [id, durationMs]))
}

function toSharedFile({ maxDownloads }: OpenShare, file: File): Omit<SharedFile, 'durationMs'> {
  const { id, name, kind, category, mimeType, size, childCount, updatedAt, picture } = file
  const hasThumbnail = maxDownloads === null && mayHaveThumbnail(file)
  return { id, name, kind, category, mimeType, size, childCount, updatedAt, picture, hasThumbnail }
}

/** For files outside of an accessible share. */
export function notInShare(): NotFoundError {
  return new NotFoundError('There is no such file behind this link. It may have been moved or deleted.')
}

function asNotInShare(error: unknown): never {
  throw error instanceof NotFoundError ? notInShare() : error
}

/** Checks that the file is the shared entry or below it, with no trashed folder in between. @throws NotFoundError */
export async function requireBelow(pool: pg.Pool, share: OpenShare, fileId: string): Promise<void> {
  const { rows } = await pool.query<{ inside: boolean | null }>({
    name: 'share holds file',
    text: `with recursive up as (
        select id, parent_id, trashed_at is null and purged_at is null as live from files where id = $1 and user_id = $3
        union all select p.id, p.parent_id, p.trashed_at is null and p.purged_at is null
          from up join files p on p.id = up.parent_id where up.id <> $2)
      select bool_and(live) and bool_or(id = $2) as inside from up`,
    values: [fileId, share.file.id, share.userId],
  })
  if (!rows[0]?.inside) throw notInShare()
}

const WINDOW_MS = 60_000
/** Requests (pages, lists, downloads) of public links per network and window. */
export const MOST_REQUESTS = 120
/** Range requests of active downloads: players and download managers send many. */
const MOST_RANGES = 1_200
/** Thumbnails: a screen of a grid has dozens. */
const MOST_PICTURES = 3_000
/** How long range requests count as part of a download that the network has started. */
const CONTINUED_MS = 10 * 60_000
/** Beyond this number of networks, all counts are reset, so that memory stays bounded. */
const MOST_KEYS = 100_000

/** RANGE: a part of an active download. PICTURE: a thumbnail. PAGE: everything else. */
export type RequestKind = 'PAGE' | 'RANGE' | 'PICTURE'

const MOST = { PAGE: MOST_REQUESTS, RANGE: MOST_RANGES, PICTURE: MOST_PICTURES } as const

export type RequestRate = {
  /** Counts a request of its kind, each kind separately. @throws TooManyRequestsError */
  count(address: string, kind?: RequestKind): Promise<void>
  /** Remembers that a network has started to download this content. */
  begin(address: string, content: string): void
  /** Whether it has started to within the last ten minutes. */
  isActive(address: string, content: string): boolean
}

/** Counts over all servers with `limits`, and in this process without. */
export function createRequestRate(limits: RequestLimits | null, now: () => number = Date.now): RequestRate {
  const counts = createCounts({
    name: 'links',
    calls: limits?.calls ?? null,
    windowMs: WINDOW_MS,
    maxKeys: MOST_KEYS,
    now,
  })
  const begun = new Map<string, number>()

  const keyOf = (address: string, content: string) => `${networkOf(address)} ${content}`
  return {
    async count(address, kind = 'PAGE') {
      const seconds = await counts.take(`${networkOf(address)} ${kind}`, MOST[kind])
      if (seconds > 0) throw new TooManyRequestsError(seconds, 'Too many requests.')
    },
    begin(address, content) {
      if (limits) return limits.notes.add(keyOf(address, content))
      if (begun.size >= MOST_KEYS) begun.clear()
      begun.set(keyOf(address, content), now())
    },
    isActive(address, content) {
      if (limits) return limits.notes.has(keyOf(address, content))
      const since = begun.get(keyOf(address, content))
      return since !== undefined && now() - since < CONTINUED_MS
    },
  }
}

/** Replaces an error that names an account of the owner. */
export function temporarilyUnavailable(error: Error): ContentUnavailableError {
  const retryAfterSeconds = error instanceof ContentUnavailableError ? error.retryAfterSeconds : null
  return new ContentUnavailableError('This is temporarily unavailable. Please try again later.', { retryAfterSeconds })
}

/** Wraps a source so that its errors do not name the owner's accounts; `onUnavailable` is called for each of them. */
export function redactErrors(source: ByteSource, onUnavailable: () => void): ByteSource {
  const redact = (error: unknown): never => {
    if (!(error instanceof ContentUnavailableError)) throw error
    onUnavailable()
    throw temporarilyUnavailable(error)
  }
  async function open(reading: Reading = { start: 0, end: source.size - 1 }) {
    const reader = await source.open(reading).catch(redact)
    return {
      read: (target: Buffer, position: number) => reader.read(target, position).catch(redact),
      close: () => reader.close(),
    }
  }
  return { size: source.size, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
}

// The months of photos in a shared folder.

/** Visitors read them again and again, so that this bounds what one of them costs; a client reads so many pages within a minute. */
export const MOST_COUNTED = 10_000

/** The index of a folder's photos ends the inner scan. A file has no months: what is below it are its versions. */
export const MONTHS = {
  name: 'shared photo months',
  text: `select to_char(taken at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as count
    from (select coalesce(f.taken_at, f.updated_at) as taken from files f
      where f.user_id = $1 and coalesce(f.parent_id, '${ROOT}') = $2::uuid and f.category in ('IMAGE', 'VIDEO')
        and f.trashed_at is null and f.purged_at is null
        and exists (select from files p where p.id = $2::uuid and p.user_id = $1 and p.kind = 'FOLDER')
      order by coalesce(f.taken_at, f.updated_at) desc, f.id desc limit ${MOST_COUNTED}) newest
    group by 1 order by 1 desc`,
}

/**
 * The months of the newest photos and videos directly in the shared folder, or in one below it.
 * @throws NotFoundError when the folder is not in the share
 */
export async function monthsOfShared(
  pool: pg.Pool,
  share: OpenShare,
  folderId: string = share.file.id,
): Promise<PhotoMonth[]> {
  if (share.file.kind !== 'FOLDER') throw notInShare()
  await requireBelow(pool, share, folderId)
  const { rows } = await pool.query<PhotoMonth>({ ...MONTHS, values: [share.userId, folderId] })
  return rows
}
