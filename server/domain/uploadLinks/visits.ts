import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import type { SharedCalls } from '../../lib/limits.ts'
import { createCounts } from '../../lib/windowCounts.ts'
import {
  type FieldError,
  InvalidInputError,
  NotFoundError,
  PasswordRequiredError,
  TooManyRequestsError,
} from '../errors.ts'
import { validateName } from '../files/tree/names.ts'
import { isReachable, type Visitor } from '../shares/contract.ts'
import type { Proofs } from '../shares/visits.ts'
import { NOT_ENDED, type PublicUploadLink, type SentFile } from './contract.ts'

const GONE = 'This link does not work. It may have expired, be full or have been ended.'

/** The same error for unknown, ended, full and paused links. */
export function linkGone(): NotFoundError {
  return new NotFoundError(GONE)
}

/** A link that opens, with the data for access checks. */
export type OpenLink = {
  readonly id: string
  readonly userId: string
  readonly ownerName: string
  readonly folderId: string
  /** Whether the folder is in a connected account. */
  readonly isInAccount: boolean
  readonly title: string
  readonly message: string
  readonly passwordHash: string | null
  readonly expiresAt: Date | null
  readonly maxFiles: number | null
  readonly maxBytes: number | null
  readonly maxFileBytes: number | null
  readonly asksName: boolean
  readonly notifies: boolean
  readonly isFull: boolean
  /** Seconds of the database's clock. */
  readonly now: number
}

/** Reachability is checked up to the root, because a job updates the marks of what is in a trashed folder later. */
const FIND = {
  name: 'upload link that opens',
  text: `select l.id, l.user_id as "userId", u.full_name as "ownerName", l.folder_id as "folderId",
      f.account_id is not null as "isInAccount", l.title, l.message, l.password_hash as "passwordHash", l.expires_at as "expiresAt",
      l.max_files as "maxFiles", l.max_bytes::float8 as "maxBytes", l.max_file_bytes::float8 as "maxFileBytes",
      l.asks_name as "asksName", l.notifies, coalesce(l.files >= l.max_files or l.bytes >= l.max_bytes, false) as "isFull",
      extract(epoch from now())::float8 as now
    from upload_links l join files f on f.id = l.folder_id join users u on u.id = l.user_id
    where l.id = $1 and ${NOT_ENDED} and u.deleted_at is null and ${isReachable('f.id')}`,
}

export type LinkGate = {
  /**
   * A link that opens, unlocked or not. `continues`: for an upload that has begun, which a full link does not stop.
   * @throws NotFoundError, TooManyRequestsError
   */
  find(visitor: Visitor, id: string, kind: RequestKind): Promise<OpenLink>
  isUnlocked(visitor: Visitor, link: OpenLink): boolean
  /** @throws as find; PasswordRequiredError */
  findUnlocked(visitor: Visitor, id: string, kind: RequestKind): Promise<OpenLink>
  /** Whether files may still arrive, with the password that `link` had. */
  isStillOpen(link: OpenLink): Promise<boolean>
}

/** Opens the page, begins an upload, or continues one. */
export type RequestKind = 'PAGE' | 'BEGIN' | 'CONTINUE'

const WINDOW_MS = 60_000
/** Per network and window. */
const MOST_OF_KIND: Readonly<Record<RequestKind, number>> = { PAGE: 120, BEGIN: 1_200, CONTINUE: 6_000 }
/** Beyond this number of networks, all counts are reset, so that memory stays bounded. */
const MOST_KEYS = 100_000

export type LinkGateDeps = {
  readonly pool: pg.Pool
  readonly proofs: Proofs
  /** Counts over all servers. Null: this process is the only one. */
  readonly calls: SharedCalls | null
}

/** The access check of all operations of visitors. */
export function createLinkGate({ pool, proofs, calls }: LinkGateDeps): LinkGate {
  const counts = createCounts({ name: 'upload links', calls, windowMs: WINDOW_MS, maxKeys: MOST_KEYS })

  async function read(id: string): Promise<OpenLink | null> {
    return (await pool.query<OpenLink>({ ...FIND, values: [id] })).rows[0] ?? null
  }

  async function find(visitor: Visitor, id: string, kind: RequestKind): Promise<OpenLink> {
    const seconds = await counts.take(`${kind} ${networkOf(visitor.address)}`, MOST_OF_KIND[kind])
    if (seconds > 0) throw new TooManyRequestsError(seconds, 'Too many requests.')
    const link = await read(id)
    if (!link || (link.isFull && kind !== 'CONTINUE')) throw linkGone()
    return link
  }

  const isUnlocked = (visitor: Visitor, link: OpenLink) =>
    link.passwordHash === null || proofs.isValid(link, link.now, visitor.proof)

  return {
    find,
    isUnlocked,
    async findUnlocked(visitor, id, kind) {
      const link = await find(visitor, id, kind)
      if (!isUnlocked(visitor, link)) throw new PasswordRequiredError()
      return link
    },
    async isStillOpen({ id, passwordHash }) {
      const link = await read(id)
      return link !== null && link.passwordHash === passwordHash
    },
  }
}

/** The link as a visitor sees it who has unlocked it. */
export function describeLink(link: OpenLink): PublicUploadLink {
  const { id, title, message, ownerName, expiresAt, maxFiles, maxBytes, maxFileBytes, asksName } = link
  const limits = { expiresAt, maxFiles, maxBytes, maxFileBytes, asksName }
  return { id, needsPassword: false, title, message, askedBy: ownerName, ...limits }
}

const LONGEST_VISITOR = 80

/** The names that a visitor sends, checked and normalized. @throws InvalidInputError */
export function checkedNames(
  { asksName }: Pick<OpenLink, 'asksName'>,
  { name, visitorName = '' }: SentFile,
): { readonly name: string; readonly visitor: string } {
  const visitor = visitorName.normalize('NFC').trim().replace(/\s+/gu, ' ')
  const problem = problemOf(visitor, asksName)
  if (problem) throw new InvalidInputError([problem])
  return { name: validateName(name), visitor }
}

function problemOf(visitor: string, asksName: boolean): FieldError | null {
  const path = 'visitorName'
  if (asksName && visitor === '') return { path, message: 'Please enter your name.' }
  if (visitor.length > LONGEST_VISITOR) {
    return { path, message: `This name is too long. Please shorten it to ${LONGEST_VISITOR} characters.` }
  }
  // Format characters could change the direction of the text around the name.
  if (/[\p{Cc}\p{Cs}\p{Cf}]/u.test(visitor))
    return { path, message: 'This name contains characters that cannot be shown.' }
  return null
}

/** The name of a visitor's folder: it is no path and not hidden. `now` in seconds. */
export function folderNameOf(visitor: string, now: number): string {
  const day = new Date(now * 1000).toISOString().slice(0, 10)
  return `${visitor.replace(/[/\\]/g, '-').replace(/^\.+/, '')}, ${day}`.trim()
}
