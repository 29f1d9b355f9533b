import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import { createGroupedRead } from '../../lib/concurrency.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newSecretId } from '../../lib/ids.ts'
import type { SharedCalls } from '../../lib/limits.ts'
import { ConflictError, type FieldError, InvalidInputError, NotFoundError, WrongPasswordError } from '../errors.ts'
import type { Events } from '../events.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import type { Enqueue } from '../jobs.ts'
import {
  type CreateDeps,
  changeShares,
  lockFileOf,
  recountShares,
  type ShareChange,
  type ShareChangeDeps,
} from '../shares/changes.ts'
import { isReachable } from '../shares/contract.ts'
import { GUESSES_PER_NETWORK, GUESSES_PER_SHARE } from '../shares/service.ts'
import { createProofs } from '../shares/visits.ts'
import type { UploadsService } from '../uploads/contract.ts'
import { createPasswords, createThrottle, type ThrottleRule } from '../users/passwords.ts'
import type { Viewer } from '../viewer.ts'
import { openUploadsOf, reconcileAllClaims } from './claims.ts'
import {
  getLinks,
  linksOfFolders,
  listLinks,
  NOT_ENDED,
  requireLink,
  type UploadLink,
  type UploadLinkInput,
  type UploadLinkPatch,
  type UploadLinksService,
} from './contract.ts'
import {
  appendBytes,
  beginUpload,
  cancelUpload,
  createUploadLinkLog,
  endUpload,
  type ReceiveDeps,
  readProgress,
  receiveWhole,
  type UploadLinkLogDeps,
} from './receive.ts'
import { createLinkGate, describeLink } from './visits.ts'

export type UploadLinksDeps = UploadLinkLogDeps &
  Pick<ReceiveDeps, 'uploads' | 'files'> & {
    readonly pool: pg.Pool
    readonly events: Events
    readonly enqueue: Enqueue
    readonly encryption: Pick<Encryption, 'sign' | 'verify'>
    /** Counts over all servers. Absent: this process is the only one. */
    readonly calls?: SharedCalls | null
  }

export function createUploadLinksService(given: UploadLinksDeps): UploadLinksService {
  const { pool } = given
  const passwords = createPasswords()
  const throttle = createThrottle(pool)
  const proofs = createProofs(given.encryption)
  const gate = createLinkGate({ pool, proofs, calls: given.calls ?? null })
  const log = createUploadLinkLog(given)
  const deps = { ...given, passwords, gate, log }
  const ofFolders = createGroupedRead<UploadLink[]>((userId, ids) => linksOfFolders(pool, { userId }, ids))

  return {
    async create(viewer, input, idempotencyKey) {
      const { id, isNew } = await createLink(deps, viewer, input, idempotencyKey)
      if (isNew) log.owner(viewer, 'UPLOAD_LINK_CREATED', id)
      return requireLink(pool, viewer, id)
    },
    list: (viewer, options) => listLinks(pool, viewer, options),
    getMany: (viewer, ids) => getLinks(pool, viewer, ids),
    ofFolders: ({ userId }, folderIds) => ofFolders(userId, folderIds),
    async update(viewer, id, patch) {
      await updateLink(deps, viewer, id, patch)
      log.owner(viewer, 'UPLOAD_LINK_CHANGED', id)
      return requireLink(pool, viewer, id)
    },
    async revoke(viewer, id) {
      if (await revokeLink(deps, viewer, id)) {
        log.owner(viewer, 'UPLOAD_LINK_REVOKED', id)
        await endUploads(deps, viewer.userId, id)
      }
      return requireLink(pool, viewer, id)
    },

    async visit(visitor, id) {
      const link = await gate.find(visitor, id, 'PAGE')
      return gate.isUnlocked(visitor, link) ? describeLink(link) : { id, needsPassword: true }
    },
    async unlock(visitor, id, password) {
      const link = await gate.find(visitor, id, 'PAGE')
      if (link.passwordHash === null) return proofs.issue(link, link.now)
      const known = proofs.visitorOf(link, visitor.proof)
      const rules: [key: string, rule: ThrottleRule][] = known
        ? [[`upload-link:${id}:${known}`, GUESSES_PER_SHARE]]
        : [
            [`share-network:${networkOf(visitor.address)}`, GUESSES_PER_NETWORK],
            [`upload-link:${id}`, GUESSES_PER_SHARE],
          ]
      for (const [key, rule] of rules) await throttle.take(key, rule)
      if (!(await passwords.verify(link.passwordHash, password))) {
        log.refused(visitor, link)
        throw new WrongPasswordError()
      }
      for (const [key] of rules) await throttle.refund(key)
      return proofs.issue(link, link.now)
    },
    begin: (visitor, id, file) => beginUpload(deps, visitor, id, file),
    progress: (visitor, id, uploadId) => readProgress(deps, visitor, id, uploadId),
    append: (visitor, id, uploadId, offset, body, checksum, bodyBytes) =>
      appendBytes(deps, visitor, id, uploadId, offset, body, checksum, bodyBytes),
    cancel: (visitor, id, uploadId) => cancelUpload(deps, visitor, id, uploadId),
    receive: (visitor, id, file, body) => receiveWhole(deps, visitor, id, file, body),
  }
}

type EndDeps = { readonly pool: pg.Pool; readonly uploads: Pick<UploadsService, 'remove'> }

/** Ends the uploads in progress of a link that has ended, and frees the room that they reserved. */
async function endUploads(deps: EndDeps, userId: string, linkId: string): Promise<void> {
  for (const upload of await openUploadsOf(deps.pool, linkId)) await endUpload(deps, { userId, id: linkId }, upload)
}

/** Ends expired links with their uploads, and reconciles claims that a crash has left. */
export async function endDueUploadLinks(deps: ShareChangeDeps & EndDeps, signal: AbortSignal): Promise<void> {
  for (const { id, userId } of await endDueLinks(deps, signal)) await endUploads(deps, userId, id)
  await reconcileAllClaims(deps.pool, signal)
}

const LONGEST_TITLE = 120
const LONGEST_MESSAGE = 1000
const LONGEST_PASSWORD = 1000
const MOST_FILES = 1_000_000

/** Per folder, because its list is read completely. */
const MOST_LIVE_LINKS = 100

/** Checks that need neither clock nor database. @throws InvalidInputError */
function checkSettings(input: UploadLinkPatch): void {
  const errors = [...textErrors(input), ...limitErrors(input)]
  const { expiresAt } = input
  if (expiresAt && !isStorable(expiresAt)) errors.push(notInFuture())
  if (errors.length > 0) throw new InvalidInputError(errors)
}

function textErrors({ title, message, password }: UploadLinkPatch): FieldError[] {
  const errors: FieldError[] = []
  if (title !== undefined && !isText(title.trim(), 1, LONGEST_TITLE)) {
    errors.push({ path: 'title', message: `Please enter a title of 1 to ${LONGEST_TITLE} characters.` })
  }
  if (message !== undefined && !isText(message.replace(/[\r\n\t]/g, ' '), 0, LONGEST_MESSAGE)) {
    errors.push({ path: 'message', message: `Please enter a message of up to ${LONGEST_MESSAGE} characters.` })
  }
  if (typeof password === 'string' && (password.length === 0 || password.length > LONGEST_PASSWORD)) {
    errors.push({ path: 'password', message: `Please enter a password of 1 to ${LONGEST_PASSWORD} characters.` })
  }
  return errors
}

/** Without control characters and lone surrogates, which PostgreSQL or people could not read. */
function isText(text: string, shortest: number, longest: number): boolean {
  return text.length >= shortest && text.length <= longest && !/[\p{Cc}\p{Cs}]/u.test(text)
}

function limitErrors({ maxFiles, maxBytes, maxFileBytes }: UploadLinkPatch): FieldError[] {
  const errors: FieldError[] = []
  if (!isLimit(maxFiles, MOST_FILES)) {
    const message = `Please enter a whole number from 1 to ${MOST_FILES.toLocaleString('en')}.`
    errors.push({ path: 'maxFiles', message })
  }
  for (const [path, value] of Object.entries({ maxBytes, maxFileBytes })) {
    if (isLimit(value, Number.MAX_SAFE_INTEGER)) continue
    errors.push({ path, message: 'Please enter a whole number of bytes, at least 1.' })
  }
  return errors
}

function isLimit(value: number | null | undefined, most: number): boolean {
  return value == null || (Number.isInteger(value) && value >= 1 && value <= most)
}

function notInFuture(): FieldError {
  return { path: 'expiresAt', message: 'Please choose a time in the future.' }
}

/** A four-digit year, which both ISO 8601 input and PostgreSQL accept. */
function isStorable(date: Date): boolean {
  return !Number.isNaN(date.getTime()) && date.getUTCFullYear() <= 9999 && date.getUTCFullYear() >= 1970
}

/** `isNew` false: an earlier request with the same key created it. @throws InvalidInputError, NotFoundError, ConflictError */
async function createLink(
  deps: CreateDeps,
  viewer: Viewer,
  input: UploadLinkInput,
  key?: string,
): Promise<{ id: string; isNew: boolean }> {
  checkSettings(input)
  const passwordHash = typeof input.password === 'string' ? await deps.passwords.hash(input.password) : null
  return changeShares(deps, async (change) => {
    await lockOwnFolder(change, viewer, input.folderId)
    const id = newSecretId()
    const earlier = key === undefined ? null : await earlierResult(change, viewer, id, key, meaningOf(deps, input))
    if (earlier) return { id: earlier, isNew: false }
    await insertLink(change, viewer, input, id, passwordHash)
    await recountShares(change, viewer.userId, input.folderId)
    return { id, isNew: true }
  })
}

async function lockOwnFolder({ tx }: ShareChange, { userId }: Viewer, folderId: string): Promise<void> {
  const { rows: found } = await tx.query<{ kind: string }>(
    'select kind from files where id = $1 and user_id = $2 and purged_at is null for no key update',
    [folderId, userId],
  )
  if (!found[0]) throw new NotFoundError()
  if (found[0].kind !== 'FOLDER') {
    throw new InvalidInputError([{ path: 'folderId', message: 'Visitors can send files to a folder only.' }])
  }
  const { rows } = await tx.query<{ reachable: boolean; count: number }>(
    `select ${isReachable('$1::uuid')} as reachable,
       (select count(*)::int from upload_links where folder_id = $1 and ended_at is null) as count`,
    [folderId],
  )
  if (!rows[0]?.reachable) throw new ConflictError('This folder is in the trash. Please restore it first.')
  if (rows[0].count >= MOST_LIVE_LINKS) {
    throw new ConflictError(`This folder has ${MOST_LIVE_LINKS} upload links already. Please end one of them first.`)
  }
}

async function earlierResult(
  { tx }: ShareChange,
  { userId }: Viewer,
  resultId: string,
  key: string,
  fingerprint: Buffer,
): Promise<string | null> {
  const claim = { userId, key, operation: 'createUploadLink', fingerprint, resultId }
  return claimKey(async (text, values) => (await tx.query(text, [...values])).rows, claim)
}

/** As with shares: a keyed signature of the password, because a plain fast hash of it could be guessed. */
function meaningOf({ encryption }: CreateDeps, { password, expiresAt, ...input }: UploadLinkInput): Buffer {
  const secret =
    typeof password === 'string' ? encryption.sign(password, 'upload link password of a repeated request') : null
  const { folderId, title, message = '', maxFiles = null, maxBytes = null, maxFileBytes = null } = input
  const { asksName = false, notifies = false } = input
  const settings = [maxFiles, maxBytes, maxFileBytes, asksName, notifies]
  return fingerprintOf([folderId, title, message, secret, expiresAt?.toISOString() ?? null, ...settings])
}

/** The expiry is compared with the database's clock, which is used later, too. */
async function insertLink(
  { tx }: ShareChange,
  { userId }: Viewer,
  input: UploadLinkInput,
  id: string,
  passwordHash: string | null,
): Promise<void> {
  const { folderId, title, message = '', expiresAt = null, maxFiles = null, maxBytes = null } = input
  const { maxFileBytes = null, asksName = false, notifies = false } = input
  const { rowCount } = await tx.query(
    `insert into upload_links (id, user_id, folder_id, title, message, password_hash, expires_at, max_files, max_bytes, max_file_bytes,
       asks_name, notifies)
     select $1, $2, $3, $4, $5, $6, $7::timestamptz, $8, $9, $10, $11, $12 where $7::timestamptz is null or $7::timestamptz > now()`,
    [
      ...[id, userId, folderId, title.trim(), message.trim(), passwordHash, expiresAt],
      ...[maxFiles, maxBytes, maxFileBytes, asksName, notifies],
    ],
  )
  if (rowCount === 0) throw new InvalidInputError([notInFuture()])
}

/** @throws NotFoundError, InvalidInputError */
async function updateLink(deps: CreateDeps, viewer: Viewer, id: string, patch: UploadLinkPatch): Promise<void> {
  checkSettings(patch)
  const { password } = patch
  const passwordHash = typeof password === 'string' ? await deps.passwords.hash(password) : password
  await changeShares(deps, async (change) => {
    const folderId = await lockOwn(change, viewer, id)
    const { rows } = await change.tx.query<Claimed>(
      `select l.claimed_files, l.claimed_bytes::float8 as claimed_bytes from upload_links l
       where l.id = $1 and ${NOT_ENDED} for no key update`,
      [id],
    )
    const [claimed] = rows
    if (!claimed) throw new NotFoundError()
    checkLimitsAgainst(claimed, patch)
    await write(change, id, patch, passwordHash)
    change.fileIds.set(folderId, viewer.userId)
  })
}

type Claimed = { readonly claimed_files: number; readonly claimed_bytes: number }

/** @throws InvalidInputError when a new limit is exceeded already */
function checkLimitsAgainst({ claimed_files: files, claimed_bytes: bytes }: Claimed, patch: UploadLinkPatch): void {
  const errors: FieldError[] = []
  const or = 'Please allow more, or end the link.'
  if (patch.maxFiles != null && patch.maxFiles < files) {
    errors.push({ path: 'maxFiles', message: `Visitors have sent ${files} files already. ${or}` })
  }
  if (patch.maxBytes != null && patch.maxBytes < bytes) {
    errors.push({ path: 'maxBytes', message: `Visitors have sent ${bytes} bytes already. ${or}` })
  }
  if (errors.length > 0) throw new InvalidInputError(errors)
}

/** `$2` has a bit for each setting that changes. */
const WRITE = `update upload_links set
    title = case when $2::int & 1 <> 0 then $3::text else title end,
    message = case when $2::int & 2 <> 0 then $4::text else message end,
    password_hash = case when $2::int & 4 <> 0 then $5::text else password_hash end,
    expires_at = case when $2::int & 8 <> 0 then $6::timestamptz else expires_at end,
    max_files = case when $2::int & 16 <> 0 then $7::int else max_files end,
    max_bytes = case when $2::int & 32 <> 0 then $8::bigint else max_bytes end,
    max_file_bytes = case when $2::int & 64 <> 0 then $9::bigint else max_file_bytes end,
    asks_name = case when $2::int & 128 <> 0 then $10::boolean else asks_name end,
    notifies = case when $2::int & 256 <> 0 then $11::boolean else notifies end
  where id = $1 and ($6::timestamptz is null or $6::timestamptz > now())`

async function write(
  { tx }: ShareChange,
  id: string,
  patch: UploadLinkPatch,
  passwordHash: string | null | undefined,
): Promise<void> {
  const { title, message, expiresAt, maxFiles, maxBytes, maxFileBytes, asksName, notifies } = patch
  const limits = [maxFiles, maxBytes, maxFileBytes]
  const values = [title?.trim(), message?.trim(), passwordHash, expiresAt, ...limits, asksName, notifies]
  const given = values.reduce<number>((sum, value, index) => (value === undefined ? sum : sum | (1 << index)), 0)
  const { rowCount } = await tx.query(WRITE, [id, given, ...values.map((value) => value ?? null)])
  if (rowCount === 0) throw new InvalidInputError([notInFuture()])
}

/** @returns whether it had not ended before. @throws NotFoundError */
async function revokeLink(deps: ShareChangeDeps, viewer: Viewer, id: string): Promise<boolean> {
  return changeShares(deps, async (change) => {
    const folderId = await lockOwn(change, viewer, id)
    return endLink(change, viewer.userId, folderId, id)
  })
}

/** Locks the folder of the viewer's link. @returns its id. @throws NotFoundError */
async function lockOwn(change: ShareChange, { userId }: Viewer, id: string): Promise<string> {
  const { rows } = await change.tx.query<{ folder_id: string }>(
    'select folder_id from upload_links where id = $1 and user_id = $2',
    [id, userId],
  )
  const [link] = rows
  if (!link) throw new NotFoundError()
  await lockFileOf(change, link.folder_id)
  return link.folder_id
}

/** The folder is locked. @returns whether the link had not ended before */
async function endLink(change: ShareChange, userId: string, folderId: string, id: string): Promise<boolean> {
  const ended = await change.tx.query(
    'update upload_links set ended_at = now() where id = $1 and user_id = $2 and ended_at is null',
    [id, userId],
  )
  if (!ended.rowCount) return false
  await recountShares(change, userId, folderId)
  return true
}

type DueLink = { readonly id: string; readonly user_id: string; readonly folder_id: string }

const DUE = `select l.id, l.user_id, l.folder_id from upload_links l join files f on f.id = l.folder_id
  where l.ended_at is null and (l.expires_at <= now() or f.purged_at is not null) order by l.id limit 100`

/** Marks expired links, and those of deleted folders, as ended. @returns those that this call has ended */
async function endDueLinks(
  deps: ShareChangeDeps,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly userId: string }[]> {
  const ended: { id: string; userId: string }[] = []
  const { rows } = await deps.pool.query<DueLink>(DUE)
  for (const { id, user_id: userId, folder_id: folderId } of rows) {
    signal.throwIfAborted()
    const isEnded = await changeShares(deps, async (change) => {
      await lockFileOf(change, folderId)
      // Checked again: the owner may have changed it since.
      const { rowCount } = await change.tx.query(
        `select from upload_links l join files f on f.id = l.folder_id
         where l.id = $1 and (l.expires_at <= now() or f.purged_at is not null)`,
        [id],
      )
      return rowCount ? endLink(change, userId, folderId, id) : false
    })
    if (isEnded) ended.push({ id, userId })
  }
  return ended
}
