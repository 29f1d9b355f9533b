import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { createWindowCounts } from '../../lib/windowCounts.ts'
import type { ByteSource, Reading } from '../../storage/byteSource.ts'
import { readRange } from '../../storage/readRange.ts'
import { ContentUnavailableError, NotFoundError, PasswordRequiredError, TooManyRequestsError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import { isInlineSafe } from '../files/content/types.ts'
import type { File } from '../files/contract.ts'
import { FILE_COLUMNS, type FileRow, pathsOf, toFile } from '../files/tree/entries.ts'
import { listFiles } from '../files/tree/listing.ts'
import type { PublicShare, SharedFile, SharedFilePage, SharesService, Visitor } from './contract.ts'
import { isReachable, NOT_ENDED } from './rows.ts'

const PURPOSE = 'share proof'
const LIFE_SECONDS = 12 * 60 * 60

export type Proofs = {
  /** For whoever gave the right password; `now` in seconds of the database clock. */
  give(share: Proven, now: number): string
  /** Whether it was given for this share, under its present password, less than 12 hours ago. */
  holds(share: Proven, now: number, proof: string | null): boolean
  /** By which name the guesses of a visitor are counted who has given the present password before, however long ago; null for all others. */
  visitorOf(share: Proven, proof: string | null): string | null
}

type Proven = { readonly id: string; readonly passwordHash: string | null }

/** A proof is `<end in seconds>.<signature>`; the password's hash is part of what is signed, so a new password ends it. */
export function createProofs(encryption: Pick<Encryption, 'sign' | 'isSigned'>): Proofs {
  const textOf = ({ id, passwordHash }: Proven, end: string) => JSON.stringify([id, passwordHash, end])
  const read = (share: Proven, proof: string | null) => {
    const [, end, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(proof ?? '') ?? []
    if (end === undefined || signature === undefined) return null
    return encryption.isSigned(textOf(share, end), PURPOSE, signature) ? { end: Number(end), signature } : null
  }
  return {
    give(share, now) {
      const end = String(Math.floor(now) + LIFE_SECONDS)
      return `${end}.${encryption.sign(textOf(share, end), PURPOSE)}`
    },
    holds(share, now, proof) {
      const found = read(share, proof)
      return found !== null && found.end > now
    },
    visitorOf: (share, proof) => read(share, proof)?.signature.slice(0, 16) ?? null,
  }
}

const GONE = 'This link does not work. It may have expired, been used up or been taken back.'

/** The one refusal of what is unknown, has ended, or is not there to be shared now. */
export function linkGone(): NotFoundError {
  return new NotFoundError(GONE)
}

/** A share that opens, with what its gate goes by. */
export type OpenShare = {
  readonly id: string
  readonly userId: string
  readonly ownerName: string
  readonly passwordHash: string | null
  readonly expiresAt: Date | null
  readonly maxDownloads: number | null
  readonly downloads: number
  readonly file: File
  /** Seconds of the database clock. */
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

/** Of `shares s`, `files f` and `users u`: everything that lets a share open, but for its password. */
const OPENS = `${NOT_ENDED} and u.deleted_at is null and ${isReachable('f.id')}`

const FIND = {
  name: 'share that opens',
  text: `select ${FILE_COLUMNS}, s.id as share_id, s.user_id, u.full_name, s.password_hash, s.expires_at, s.max_downloads,
      s.downloads, extract(epoch from now())::float8 as now
    from shares s join files f on f.id = s.file_id join users u on u.id = s.user_id where s.id = $1 and ${OPENS}`,
}

export type GateDeps = { readonly pool: pg.Pool; readonly rate: RequestRate; readonly proofs: Proofs }

export type Gate = {
  /** A share that opens, proven or not. @throws NotFoundError, TooManyRequestsError */
  knock(visitor: Visitor, id: string, continues?: boolean): Promise<OpenShare>
  isProven(visitor: Visitor, share: OpenShare): boolean
  /** A share whose content may be shown. @throws as knock; PasswordRequiredError */
  pass(visitor: Visitor, id: string, continues?: boolean): Promise<OpenShare>
}

/** What every route of a share goes through. */
export function createGate({ pool, rate, proofs }: GateDeps): Gate {
  async function knock({ address }: Visitor, id: string, continues = false): Promise<OpenShare> {
    rate.take(address, continues)
    const { rows } = await pool.query<Row>({ ...FIND, values: [id] })
    const [row] = rows
    if (!row) throw linkGone()
    return toOpenShare(row)
  }

  const isProven = ({ proof }: Visitor, share: OpenShare) =>
    share.passwordHash === null || proofs.holds(share, share.now, proof)

  return {
    knock,
    isProven,
    async pass(visitor, id, continues) {
      const share = await knock(visitor, id, continues)
      if (!isProven(visitor, share)) throw new PasswordRequiredError()
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

export type VisitDeps = { readonly pool: pg.Pool; readonly contents: Pick<Contents, 'open'> }

/** Someone who acts for the owner inside this server, within what the share lets through. */
export const ownerOf = ({ userId }: OpenShare) => ({ userId, sessionId: null })

/** What a visitor who has passed may know. */
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

/** @throws NotFoundError for what is no live folder of the share, InvalidInputError at `after` */
export async function listShared(
  { pool }: VisitDeps,
  share: OpenShare,
  { folderId = share.file.id, limit, after }: ListOptions,
): Promise<SharedFilePage> {
  if (share.file.kind !== 'FOLDER') throw notInShare()
  await requireBelow(pool, share, folderId)
  const viewer = ownerOf(share)
  const [page, paths] = await Promise.all([
    listFiles(pool, viewer, { view: 'DRIVE', parentId: folderId, limit, after }).catch(asNotInShare),
    pathsOf(pool, viewer, [folderId]),
  ])
  const { rows } = await pool.query<{ name: string }>('select name from files where id = $1', [folderId])
  const above = paths.get(folderId) ?? []
  const inside = above.slice(above.findIndex(({ id }) => id === share.file.id) + 1)
  const path = folderId === share.file.id ? [] : [...inside, { id: folderId, name: rows[0]?.name ?? '' }]
  return {
    items: page.items.map(({ file, cursor }) => ({ file: toSharedFile(file), cursor })),
    hasNextPage: page.hasNextPage,
    path: path.map(({ id, name }) => ({ id, name })),
  }
}

function toSharedFile({ id, name, kind, category, mimeType, size, childCount }: File): SharedFile {
  return { id, name, kind, category, mimeType, size, childCount }
}

/** Said to a visitor who may see the share, of what is not in it. */
export function notInShare(): NotFoundError {
  return new NotFoundError('There is no such file behind this link. It may have been moved or deleted.')
}

function asNotInShare(error: unknown): never {
  throw error instanceof NotFoundError ? notInShare() : error
}

/** The shared entry itself or one below it, with nothing between them in the trash. @throws NotFoundError */
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
/** Pages, lists and downloads of public links that one network may ask for. */
export const MOST_REQUESTS = 120
/** Ranges of contents that it is reading: players and download managers ask for many. */
const MOST_RANGES = 1_200
/** How long ranges of a content that a network has begun to read belong to that one request. */
const CONTINUED_MS = 10 * 60_000
/** More networks than this at once: the count begins anew for all of them, so that memory stays bounded. */
const MOST_KEYS = 100_000

export type RequestRate = {
  /** Counts one request; those that continue a content count by themselves. @throws TooManyRequestsError */
  take(address: string, continues?: boolean): void
  /** Remembers that a network reads this content. */
  begin(address: string, content: string): void
  /** Whether it has begun to lately. */
  isUnderWay(address: string, content: string): boolean
}

/** Each process counts for itself. */
export function createRequestRate(now: () => number = Date.now): RequestRate {
  const counts = createWindowCounts(WINDOW_MS, MOST_KEYS, now)
  const begun = new Map<string, number>()

  const keyOf = (address: string, content: string) => `${networkOf(address)} ${content}`
  return {
    take(address, continues = false) {
      const network = networkOf(address)
      const seconds = continues ? counts.take(`${network} ranges`, MOST_RANGES) : counts.take(network, MOST_REQUESTS)
      if (seconds > 0) throw new TooManyRequestsError(seconds, 'Too many requests.')
    },
    begin(address, content) {
      if (begun.size >= MOST_KEYS) begun.clear()
      begun.set(keyOf(address, content), now())
    },
    isUnderWay(address, content) {
      const since = begun.get(keyOf(address, content))
      return since !== undefined && now() - since < CONTINUED_MS
    },
  }
}

/** What a visitor is told instead of which account is missing. */
export function temporarilyUnavailable({ retryAfterSeconds }: ContentUnavailableError): ContentUnavailableError {
  return new ContentUnavailableError('This is temporarily unavailable. Please try again later.', { retryAfterSeconds })
}

/** The source, with nothing about the owner's accounts in what it throws; `onUnavailable` hears of it. */
export function redactErrors(source: ByteSource, onUnavailable: () => void): ByteSource {
  const told = (error: unknown): never => {
    if (!(error instanceof ContentUnavailableError)) throw error
    onUnavailable()
    throw temporarilyUnavailable(error)
  }
  async function open(reading: Reading = { start: 0, end: source.size - 1 }) {
    const reader = await source.open(reading).catch(told)
    return {
      read: (target: Buffer, position: number) => reader.read(target, position).catch(told),
      close: () => reader.close(),
    }
  }
  return { size: source.size, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
}
