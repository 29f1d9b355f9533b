import type { Pool } from 'pg'
import type { LockSession } from '../../db/locks.ts'
import { retryConflicts, transaction } from '../../db/pool.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import { ConflictError, InvalidInputError, NotFoundError, UploadIncompleteError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { Copy, File } from '../files/contract.ts'
import type { AccountLabel } from '../groupClouds/members.ts'
import type { Enqueue, UploadsHousekeeping } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import { createCommit, isUncommitted, toDomainError } from './commit.ts'
import type { Concatenation, Upload, UploadsService } from './contract.ts'
import { createFindGroupCloud, createSingleAccountGroupClouds } from './destination.ts'
import {
  createProgressReports,
  createUploadLocks,
  deleteAbandoned,
  deleteExpired,
  deleteUpload,
  findUpload,
  measuredOf,
  type UploadLock,
  type UploadLocks,
  type UploadRow,
} from './openUploads.ts'
import { receive } from './receive.ts'
import { createReserve } from './reserve.ts'
import { commitUpload, createResumable, discard, get, type ResumableDeps, reservationOf } from './resumable.ts'
import { createContentHasher, createDurableProgress, type DurableProgress } from './stagedBytes.ts'

type UploadsDeps = {
  readonly pool: Pool
  /** Of the connection that holds the leases of uploads. */
  readonly leases: Pool | LockSession
  readonly store: ObjectStore
  readonly events: Events
  readonly enqueue: Enqueue
  readonly openDriver: OpenDriver
  /** How reasons name accounts; by default without the provider. */
  readonly accountLabel?: AccountLabel
  /** true: UPLOAD_TYPES=*. */
  readonly anyType: boolean
  /** Reads a file for a repeated request. @throws NotFoundError */
  readonly getFile: (viewer: Viewer, id: string) => Promise<File>
  /** Reads the copies of such a file. */
  readonly getCopies: (viewer: Viewer, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Copy[]>>
  /** Called once per new file. */
  readonly onStored?: (viewer: Viewer, file: File) => void
  /** Called with errors that happen after the request was answered. */
  readonly onError: (error: unknown) => void
  /** Staged objects that other parts of this server are writing. */
  readonly alsoReceiving?: () => ReadonlySet<string>
  /** No other server can be on this database and storage. */
  readonly alone: boolean
}

export type Uploads = {
  readonly service: UploadsService
  readonly housekeeping: UploadsHousekeeping
  /** For content that is already in Skypool or an account: accepts any type, and `onStored` is not called. */
  readonly copies: Omit<UploadsService, 'concatenate'>
  /** For visitors of upload links, in the name of the link's owner: `onStored` is not called. */
  readonly fromVisitors: Omit<UploadsService, 'concatenate'>
  /** Staged objects that are being written and that no row refers to: other servers must not sweep them. */
  readonly receiving: () => readonly string[]
}

/**
 * The uploads service and its housekeeping. One per process; several may share a database and a DATA_DIR. A request is
 * in receive.ts, resumable.ts or concatenate.ts; each writes staged bytes (stagedBytes.ts) and makes a file of them
 * (commit.ts, insertFiles.ts).
 */
export function createUploads(deps: UploadsDeps): Uploads {
  const { pool, store, events, alsoReceiving = () => new Set() } = deps
  /** Objects that one-request uploads are writing: no row refers to them yet. */
  const receiving = new Set<string>()
  const allReceiving = () => [...receiving, ...alsoReceiving()]
  const locks = createUploadLocks(deps)
  const progress = createDurableProgress(store)
  const shared = { ...deps, commit: createCommit(deps), findGroupCloud: createFindGroupCloud(pool, deps.accountLabel) }
  const receiveDeps = { ...shared, receiving, singleAccounts: createSingleAccountGroupClouds() }
  const copyDeps = { ...receiveDeps, anyType: true, onStored: () => {} }
  const report = createProgressReports(events)
  const resumableDeps = { ...shared, locks, progress, report, reserve: createReserve(pool) }

  return {
    receiving: allReceiving,
    copies: {
      ...createResumable({ ...resumableDeps, anyType: true, onStored: () => {} }),
      receive: (viewer, input, body, key) => receive(copyDeps, viewer, input, body, key),
    },
    fromVisitors: {
      ...createResumable({ ...resumableDeps, onStored: () => {} }),
      receive: (viewer, input, body, key) => receive({ ...receiveDeps, onStored: () => {} }, viewer, input, body, key),
    },
    service: {
      ...createResumable(resumableDeps),
      receive: (viewer, input, body, key) => receive(receiveDeps, viewer, input, body, key),
      concatenate: (viewer, input) => concatenate(resumableDeps, viewer, input),
    },
    housekeeping: createHousekeeping({ ...deps, locks, progress, receiving: allReceiving }),
  }
}

// The tus concatenation extension: partial uploads become one file, the final upload. Each part keeps its bytes and its
// reservation until the final upload has become a file; then the part counts as finished too, so that repeating the
// request finds the final one.

async function concatenate(
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
      await commitUpload(deps, viewer, await findUpload(pool, viewer.userId, id), lock, { partIds })
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

type HousekeepingDeps = {
  readonly pool: Pool
  readonly store: ObjectStore
  readonly locks: UploadLocks
  readonly progress: DurableProgress
  /** Staged objects that are being written and that no row refers to yet. */
  readonly receiving: () => readonly string[]
  /** No other server can be on this storage: only this one writes to it. */
  readonly alone: boolean
}

const BATCH = 500
/**
 * An object that another server has begun to write is in the register (db/servers.ts) long before it has been idle for
 * this long.
 */
const GRACE_MS = 120_000

/**
 * Whether a staged object belongs to a file, or to an open upload or an object that a registered server is writing. `$2`: there is no other
 * server, so the register can only name one that was killed.
 */
const CLASSIFY = `select i.id,
    exists (select from pieces where object_ref = i.id) or exists (select from files where staged_ref = i.id) as stored,
    exists (select from uploads where id = i.id::uuid and file_id is null)
      or not $2::boolean and exists (select from servers where i.id::uuid = any(receiving)) as live
  from unnest($1::text[]) as i(id)`

type StagedObject = { id: string; stored: boolean; live: boolean }

function createHousekeeping({ pool, store, locks, progress, receiving, alone }: HousekeepingDeps): UploadsHousekeeping {
  return {
    async expire(signal) {
      for (let removed = BATCH; removed === BATCH && !signal.aborted; ) {
        const gone = await retryConflicts(() => deleteExpired(pool, BATCH))
        for (const { id, file_id } of gone) {
          progress.forget(id)
          if (!file_id) await store.discard(id)
        }
        removed = gone.length
      }
      await store.sweep(signal)
    },

    async removeOf(userId, signal) {
      const { rows } = await pool.query<{ id: string }>('select id from uploads where user_id = $1', [userId])
      for (const { id } of rows) {
        signal.throwIfAborted()
        await locks.interruptAndLock({ id, userId }, async () => {
          const gone = await retryConflicts(() => deleteUpload(pool, userId, id))
          progress.forget(id)
          if (gone && !gone.file_id) await store.discard(id)
        })
      }
    },

    async sweepStaging(signal) {
      const graceMs = alone ? 0 : GRACE_MS
      for (let removed = BATCH; removed === BATCH && !signal.aborted; ) {
        const options = { receiving: receiving(), graceMs, alone }
        removed = await retryConflicts(() => deleteAbandoned(pool, options, BATCH))
      }
      const staged = await store.listStaged(graceMs)
      // Read after the listing and before the query: a listed object is either in here, or its row exists already.
      const busy = new Set(receiving())
      const idle = staged.filter((id) => !busy.has(id))
      for (let start = 0; start < idle.length && !signal.aborted; start += BATCH) {
        const { rows } = await pool.query<StagedObject>(CLASSIFY, [idle.slice(start, start + BATCH), alone])
        for (const row of rows) {
          if (row.stored) await store.publish(row.id).catch(unlessMissing)
          else if (!row.live) await store.discard(row.id)
        }
      }
    },
  }
}

/** For an object that was permanently deleted since the query. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof ObjectMissingError)) throw error
}
