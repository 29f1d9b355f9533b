import type pg from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newSecretId } from '../../lib/ids.ts'
import { ConflictError, type FieldError, InvalidInputError, NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import type { Enqueue } from '../jobs.ts'
import type { Passwords } from '../users/passwords.ts'
import type { Viewer } from '../viewer.ts'
import { isReachable, NOT_ENDED, type ShareInput, type SharePatch } from './contract.ts'

const LONGEST_PASSWORD = 1000
const MOST_DOWNLOADS = 1_000_000

/** Per file, because its list is read completely. */
const MOST_LIVE_SHARES = 100

/** Checks that need neither clock nor database. @throws InvalidInputError */
function checkSettings(input: SharePatch & Pick<ShareInput, 'providerLink'>): void {
  const { password, maxDownloads, expiresAt, providerLink } = input
  const errors: FieldError[] = []
  if (typeof password === 'string' && (password.length === 0 || password.length > LONGEST_PASSWORD)) {
    errors.push({ path: 'password', message: `Please enter a password of 1 to ${LONGEST_PASSWORD} characters.` })
  }
  if (typeof maxDownloads === 'number' && !isCount(maxDownloads)) {
    const most = MOST_DOWNLOADS.toLocaleString('en')
    errors.push({ path: 'maxDownloads', message: `Please enter a whole number from 1 to ${most}.` })
  }
  if (expiresAt && !isStorable(expiresAt)) errors.push(notInFuture())
  if (providerLink && (typeof password === 'string' || typeof maxDownloads === 'number')) {
    const message =
      'A cloud drive’s own link cannot have a password or a download limit. Please choose one or the other.'
    errors.push({ path: 'providerLink', message })
  }
  if (errors.length > 0) throw new InvalidInputError(errors)
}

function notInFuture(): FieldError {
  return { path: 'expiresAt', message: 'Please choose a time in the future.' }
}

/** @throws InvalidInputError when the new limit is reached already */
function checkLimitAgainst(downloads: number, maxDownloads: number | null | undefined): void {
  if (typeof maxDownloads !== 'number' || maxDownloads > downloads) return
  const message = `There were ${downloads} downloads already. Please allow more, or end the link.`
  throw new InvalidInputError([{ path: 'maxDownloads', message }])
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MOST_DOWNLOADS
}

/** A four-digit year, which both ISO 8601 input and PostgreSQL accept. */
function isStorable(date: Date): boolean {
  return !Number.isNaN(date.getTime()) && date.getUTCFullYear() <= 9999 && date.getUTCFullYear() >= 1970
}

export type CreateDeps = ShareChangeDeps & {
  readonly passwords: Pick<Passwords, 'hash'>
  readonly encryption: Pick<Encryption, 'sign'>
}

/** `isNew` false: an earlier request with the same key created it. @throws InvalidInputError, NotFoundError, ConflictError */
export async function createShare(
  deps: CreateDeps,
  viewer: Viewer,
  input: ShareInput,
  key?: string,
): Promise<{ id: string; isNew: boolean }> {
  checkSettings(input)
  const passwordHash = typeof input.password === 'string' ? await deps.passwords.hash(input.password) : null
  return changeShares(deps, async (change) => {
    await lockOwnFile(change, viewer, input)
    const id = newSecretId()
    const earlier = key === undefined ? null : await earlierResult(change, viewer, id, key, meaningOf(deps, input))
    if (earlier) return { id: earlier, isNew: false }
    await insertShare(change, viewer, input, id, passwordHash)
    await recountShares(change, viewer.userId, input.fileId)
    return { id, isNew: true }
  })
}

async function lockOwnFile({ tx }: ShareChange, { userId }: Viewer, { fileId, copyId }: ShareInput): Promise<void> {
  const { rowCount } = await tx.query(
    'select from files where id = $1 and user_id = $2 and purged_at is null for no key update',
    [fileId, userId],
  )
  if (rowCount === 0) throw new NotFoundError()
  const { rows } = await tx.query<{ reachable: boolean; of_it: boolean; count: number }>(
    `select ${isReachable('$1::uuid')} as reachable,
       $2::uuid is null or exists (select from copies where id = $2 and file_id = $1) as of_it,
       (select count(*)::int from shares where file_id = $1 and ended_at is null) as count`,
    [fileId, copyId ?? null],
  )
  const [file] = rows
  if (!file?.of_it) throw new NotFoundError()
  if (!file.reachable) throw new ConflictError('What is in the trash cannot be shared. Please restore it first.')
  if (file.count >= MOST_LIVE_SHARES) {
    throw new ConflictError(`This has ${MOST_LIVE_SHARES} links already. Please end one of them first.`)
  }
}

async function earlierResult(
  { tx }: ShareChange,
  { userId }: Viewer,
  resultId: string,
  key: string,
  fingerprint: Buffer,
): Promise<string | null> {
  const claim = { userId, key, operation: 'createShare', fingerprint, resultId }
  return claimKey(async (text, values) => (await tx.query(text, [...values])).rows, claim)
}

/** The stored fingerprint contains a keyed signature of the password: a plain fast hash of it could be guessed. */
function meaningOf({ encryption }: CreateDeps, input: ShareInput): Buffer {
  const { fileId, copyId = null, password, expiresAt, maxDownloads = null, providerLink = false } = input
  const secret = typeof password === 'string' ? encryption.sign(password, 'share password of a repeated request') : null
  return fingerprintOf([fileId, copyId, secret, expiresAt?.toISOString() ?? null, maxDownloads, providerLink])
}

/** The expiry is compared with the database's clock, which is used later, too. */
async function insertShare(
  { tx }: ShareChange,
  { userId }: Viewer,
  { fileId, copyId, expiresAt, maxDownloads }: ShareInput,
  id: string,
  passwordHash: string | null,
): Promise<void> {
  const { rowCount } = await tx.query(
    `insert into shares (id, user_id, file_id, copy_id, password_hash, expires_at, max_downloads)
     select $1, $2, $3, $4, $5, $6::timestamptz, $7 where $6::timestamptz is null or $6::timestamptz > now()`,
    [id, userId, fileId, copyId ?? null, passwordHash, expiresAt ?? null, maxDownloads ?? null],
  )
  if (rowCount === 0) throw new InvalidInputError([notInFuture()])
}

/** @throws NotFoundError, InvalidInputError */
export async function updateShare(deps: CreateDeps, viewer: Viewer, id: string, patch: SharePatch): Promise<void> {
  checkSettings(patch)
  const { password } = patch
  const passwordHash = typeof password === 'string' ? await deps.passwords.hash(password) : password
  await changeShares(deps, async (change) => {
    const fileId = await lockOwn(change, viewer, id)
    const { rows } = await change.tx.query<{ downloads: number }>(
      `select s.downloads from shares s where s.id = $1 and ${NOT_ENDED} for no key update`,
      [id],
    )
    const [share] = rows
    if (!share) throw new NotFoundError()
    checkLimitAgainst(share.downloads, patch.maxDownloads)
    await write(change, id, { ...patch, passwordHash })
    change.fileIds.set(fileId, viewer.userId)
    // The provider's link would neither ask for the password nor count downloads.
    if (typeof password === 'string' || typeof patch.maxDownloads === 'number') await enqueueRevokingLinks(change)
  })
}

type Written = Pick<SharePatch, 'expiresAt' | 'maxDownloads'> & { readonly passwordHash: string | null | undefined }

async function write({ tx }: ShareChange, id: string, { passwordHash, expiresAt, maxDownloads }: Written) {
  const { rowCount } = await tx.query(
    `update shares set password_hash = case when $2 then $3 else password_hash end,
       expires_at = case when $4 then $5::timestamptz else expires_at end,
       max_downloads = case when $6 then $7::int else max_downloads end
     where id = $1 and ($5::timestamptz is null or $5::timestamptz > now())`,
    [
      id,
      passwordHash !== undefined,
      passwordHash ?? null,
      expiresAt !== undefined,
      expiresAt ?? null,
      maxDownloads !== undefined,
      maxDownloads ?? null,
    ],
  )
  if (rowCount === 0) throw new InvalidInputError([notInFuture()])
}

/** @returns whether it had not ended before. @throws NotFoundError */
export async function revokeShare(deps: ShareChangeDeps, viewer: Viewer, id: string): Promise<boolean> {
  return changeShares(deps, async (change) => {
    const fileId = await lockOwn(change, viewer, id)
    return (await endShares(change, viewer.userId, fileId, [id])).length > 0
  })
}

/** @returns the ids of the revoked shares. @throws NotFoundError when there was none */
export async function revokeSharesOfCopy(
  deps: ShareChangeDeps,
  viewer: Viewer,
  fileId: string,
  copyId: string,
): Promise<string[]> {
  return changeShares(deps, async (change) => {
    const { rows } = await change.tx.query<{ id: string }>(
      `select s.id from shares s where s.user_id = $1 and s.file_id = $2 and s.copy_id = $3 and ${NOT_ENDED}`,
      [viewer.userId, fileId, copyId],
    )
    if (rows.length === 0) throw new NotFoundError()
    await lockFileOf(change, fileId)
    return endShares(
      change,
      viewer.userId,
      fileId,
      rows.map(({ id }) => id),
    )
  })
}

/** Locks the file of the viewer's share. @returns its id. @throws NotFoundError */
async function lockOwn(change: ShareChange, { userId }: Viewer, id: string): Promise<string> {
  const { rows } = await change.tx.query<{ file_id: string }>(
    'select file_id from shares where id = $1 and user_id = $2',
    [id, userId],
  )
  const [share] = rows
  if (!share) throw new NotFoundError()
  await lockFileOf(change, share.file_id)
  return share.file_id
}

export type ShareChangeDeps = { readonly pool: pg.Pool; readonly events: Events; readonly enqueue: Enqueue }

/** An open transaction on shares; `fileIds` (owner by file id) are published as changed after its commit. */
export type ShareChange = {
  readonly tx: pg.PoolClient
  readonly enqueue: Enqueue
  readonly fileIds: Map<string, string>
}

/** Runs `work` in a transaction and then publishes the files that it added to `fileIds`. */
export async function changeShares<Result>(
  { pool, events, enqueue }: ShareChangeDeps,
  work: (change: ShareChange) => Promise<Result>,
): Promise<Result> {
  const { change, result } = await retryConflicts(() =>
    transaction(pool, async (tx) => {
      const fresh: ShareChange = { tx, enqueue, fileIds: new Map() }
      return { change: fresh, result: await work(fresh) }
    }),
  )
  for (const [fileId, userId] of change.fileIds) {
    events.publish('filesChanged', userId, { fileIds: [fileId], removedIds: [], parentIds: [], truncated: false })
  }
  return result
}

/** Must be called before a share of the file is changed: keeps the share count exact and the lock order uniform. */
export async function lockFileOf({ tx }: ShareChange, fileId: string): Promise<void> {
  await tx.query('select from files where id = $1 for no key update', [fileId])
}

/** Must be called after shares or upload links were created or ended. The file is locked. */
export async function recountShares({ tx, fileIds }: ShareChange, userId: string, fileId: string): Promise<void> {
  await tx.query(
    `update files f set share_count = (select count(*) from shares s where s.file_id = f.id and s.ended_at is null)
       + (select count(*) from upload_links l where l.folder_id = f.id and l.ended_at is null)
     where f.id = $1`,
    [fileId],
  )
  fileIds.set(fileId, userId)
}

/** Ends shares of one file; a job revokes their provider links. The file is locked. @returns the ids that had not ended before */
export async function endShares(
  change: ShareChange,
  userId: string,
  fileId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await change.tx.query<{ id: string }>(
    'update shares set ended_at = now() where id = any($1::uuid[]) and file_id = $2 and ended_at is null returning id',
    [ids, fileId],
  )
  if (rows.length === 0) return []
  await recountShares(change, userId, fileId)
  await enqueueRevokingLinks(change)
  return rows.map(({ id }) => id)
}

/** One job run revokes all due links. */
async function enqueueRevokingLinks({ tx, enqueue }: ShareChange): Promise<void> {
  await enqueue(tx, 'endShares', {}, { key: 'endShares' })
}
