import { newSecretId } from '../../lib/ids.ts'
import type { Sealing } from '../../lib/sealing.ts'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import { claimKey, fingerprintOf } from '../idempotency.ts'
import type { ShareInput } from '../services/shares.ts'
import type { Passwords } from '../users/passwords.ts'
import type { Viewer } from '../viewer.ts'
import { changeShares, recountShares, type ShareChange, type ShareChangeDeps } from './changes.ts'
import { isReachable } from './rows.ts'
import { checkSettings, MOST_LIVE_SHARES, notInFuture } from './rules.ts'

export type CreateDeps = ShareChangeDeps & {
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sealing: Pick<Sealing, 'sign'>
}

/** `isNew` false: an earlier request under the same key made it. @throws InvalidInputError, NotFoundError, ConflictError */
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

/** Of the password only what nobody can guess it by: the fingerprint is stored, and is made much faster than the password's hash. */
function meaningOf({ sealing }: CreateDeps, input: ShareInput): Buffer {
  const { fileId, copyId = null, password, expiresAt, maxDownloads = null, providerLink = false } = input
  const secret = typeof password === 'string' ? sealing.sign(password, 'share password of a repeated request') : null
  return fingerprintOf([fileId, copyId, secret, expiresAt?.toISOString() ?? null, maxDownloads, providerLink])
}

/** The end is held against the clock that judges it from then on. */
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
