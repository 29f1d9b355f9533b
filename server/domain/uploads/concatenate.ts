import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import { ConflictError, InvalidInputError, NotFoundError, UploadIncompleteError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import { isUncommitted, toDomainError } from './commit.ts'
import type { Concatenation, Upload } from './contract.ts'
import { findUpload, measuredOf, type UploadLock, type UploadRow } from './openUploads.ts'
import { commitUpload, discard, get, type ResumableDeps, reservationOf } from './resumable.ts'
import { createContentHasher } from './stagedBytes.ts'

// The tus concatenation extension: partial uploads become one file, the final upload. Each part keeps its bytes and its
// reservation until the final upload has become a file; then the part counts as finished too, so that repeating the
// request finds the final one.

export async function concatenate(
  deps: ResumableDeps,
  viewer: Viewer,
  { partIds, concat, ...input }: Concatenation,
): Promise<Upload> {
  const { pool, store, locks, progress, reserve } = deps
  const parts = await findParts(pool, viewer.userId, partIds)
  const finishedId = finalIdOf(parts)
  if (finishedId) return get(deps, viewer, finishedId)
  const size = await sizeOfParts(parts, async ({ id }) => (await get(deps, viewer, id)).offset)
  // The parts have reserved its bytes already.
  const reservation = await reservationOf(deps, viewer, { ...input, size: null }, undefined, { size, concat })
  const id = await reserve({ ...reservation, reservedBytes: 0 })
  await locks.withLock({ id, userId: viewer.userId }, null, async (lock) => {
    try {
      await joinParts(deps, id, parts, size, lock)
      await commitUpload(deps, viewer, await findUpload(pool, viewer.userId, id), lock, partIds)
    } catch (error) {
      // The parts still exist. What may have been committed is kept.
      if (isUncommitted(error)) await discard(deps, viewer, id)
      throw toDomainError(error, size)
    }
  })
  for (const partId of partIds) {
    progress.forget(partId)
    await store.discard(partId)
  }
  return get(deps, viewer, id)
}

/** In the order of `ids`. @throws NotFoundError, InvalidInputError for an upload that is not a part or occurs twice */
async function findParts(pool: Pool, userId: string, ids: readonly string[]): Promise<UploadRow[]> {
  if (new Set(ids).size < ids.length) throw refusal('Each part can be used once.')
  const rows: UploadRow[] = []
  for (const id of ids) {
    const row = await findUpload(pool, userId, id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error
      throw new NotFoundError('A part of this upload does not exist, or it has expired. Please send it again.')
    })
    if (row.concat !== 'partial') throw refusal('Only uploads that were created as partial can be put together.')
    rows.push(row)
  }
  return rows
}

function refusal(message: string): InvalidInputError {
  return new InvalidInputError([{ path: 'upload-concat', message }])
}

/**
 * The final upload that became a file of these parts; null while they are unused.
 * @throws ConflictError if they belong to several
 */
function finalIdOf(parts: readonly UploadRow[]): string | null {
  const finalIds = new Set(parts.map(({ file_id, final_id }) => (file_id ? final_id : null)))
  const [finalId = null] = finalIds
  if (finalIds.size > 1) throw new ConflictError('A part has been used for another upload already.')
  return finalId
}

/** The bytes of all parts together. @throws UploadIncompleteError */
async function sizeOfParts(
  parts: readonly UploadRow[],
  offsetOf: (part: UploadRow) => Promise<number>,
): Promise<number> {
  let sum = 0
  for (const part of parts) {
    const offset = await offsetOf(part)
    if (offset !== part.size) {
      throw new UploadIncompleteError(`A part has only ${offset} of ${part.size ?? 'an unknown number of'} bytes.`)
    }
    sum += offset
  }
  return sum
}

/** Writes the bytes of all parts, in their order, into the staging object of the final upload. */
async function joinParts(
  { pool, store, progress, report }: ResumableDeps,
  id: string,
  parts: readonly UploadRow[],
  size: number,
  lock: UploadLock,
): Promise<void> {
  const upload = await claimParts(pool, id, parts)
  const hasher = createContentHasher(measuredOf(upload))
  const writer = await store.stage(id, 0)
  try {
    for (const part of parts) {
      if (!part.size) continue
      for await (const chunk of store.open(part.id, part.size).read(0, part.size - 1)) {
        hasher.update(chunk)
        lock.countBytes(chunk.length)
        await writer.write(chunk)
        report(upload, writer.position)
      }
    }
    await writer.sync()
    if (writer.position !== size) throw new Error('The parts of an upload are not as long as their rows say.')
    progress.remember(id, { offset: size, hasher })
  } catch (error) {
    if (error instanceof ObjectMissingError) throw new ConflictError('A part of this upload has been removed.')
    throw error
  } finally {
    await writer.close()
  }
}

/**
 * The final upload, and those that other requests may be making of the same parts now: one commits, the others are
 * refused.
 */
const LOCK_FINALS = `select from uploads where file_id is null
  and (id = $1 or id in (select final_id from uploads where id = any($2::uuid[]))) order by id for update`
const CLAIM = `update uploads set final_id = $1, expires_at = now() + interval '24 hours'
  where id = any($2::uuid[]) and concat = 'partial' and file_id is null`

/**
 * Assigns the parts to the final upload `id`; another one that has claimed them before is refused when it commits.
 * @throws ConflictError
 */
async function claimParts(pool: Pool, id: string, parts: readonly UploadRow[]): Promise<UploadRow> {
  const ids = parts.map((part) => part.id)
  const userId = parts[0]?.user_id ?? ''
  return transaction(pool, async (client) => {
    await client.query(LOCK_FINALS, [id, ids])
    const upload = await findUpload(client, userId, id)
    const { rowCount } = await client.query(CLAIM, [id, ids])
    if (rowCount !== ids.length) throw new ConflictError('A part has been used for another upload already.')
    return upload
  })
}
