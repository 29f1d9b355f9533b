import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createContentHash } from '../../lib/contentHash.ts'
import { formatBytes } from '../../lib/format.ts'
import { newId } from '../../lib/ids.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { StagingWriter } from '../../storage/stagingWriter.ts'
import {
  ChecksumMismatchError,
  ConflictError,
  InvalidInputError,
  StorageFullError,
  TooLargeError,
  TypeRefusedError,
  UploadIncompleteError,
  UploadOffsetMismatchError,
} from '../errors.ts'
import type { ReportedHash } from '../files/content/inPlace.ts'
import { judgeType } from '../files/content/types.ts'
import { authorOf } from '../files/content/versions.ts'
import type { File } from '../files/contract.ts'
import { findAccountTarget } from '../groupClouds/members.ts'
import { roomBytes } from '../groupClouds/placement.ts'
import { checkKey, fingerprintOf } from '../idempotency/keys.ts'
import type { Viewer } from '../viewer.ts'
import { type AfterCommitDeps, afterCommit, type Commit, toDomainError } from './commit.ts'
import type { Checksum, NewUpload, Upload, UploadsService } from './contract.ts'
import { type AdmissionDeps, admit, disconnected } from './destination.ts'
import type { CommitItem } from './insertFiles.ts'
import {
  deleteUpload,
  findUpload,
  keyOf,
  measuredOf,
  protectingOf,
  type ReportProgress,
  saveReceivedBytes,
  toUpload,
  touchUpload,
  type UploadLock,
  type UploadLocks,
  type UploadRow,
  uploadGone,
} from './openUploads.ts'
import { changeReservation, type Reservation, type Reserve } from './reserve.ts'
import {
  type ContentHasher,
  type DurableProgress,
  ignoreStreamError,
  noteOf,
  type Progress,
  readHead,
  readTail,
  writeBody,
} from './stagedBytes.ts'

export type ResumableDeps = AdmissionDeps &
  AfterCommitDeps & {
    readonly locks: UploadLocks
    readonly progress: DurableProgress
    readonly report: ReportProgress
    readonly reserve: Reserve
    readonly commit: Commit
    /** No other server can continue an upload. */
    readonly alone: boolean
  }

/**
 * Uploads in several requests, to any of the servers that share a database and a DATA_DIR. Their bytes are the staging
 * object of the same id, their offset is the durable size of it.
 */
export function createResumable(deps: ResumableDeps): Omit<UploadsService, 'receive' | 'concatenate'> {
  return {
    create: (viewer, input, key) => create(deps, viewer, input, key),
    get: (viewer, id) => get(deps, viewer, id),
    find: (viewer, id) => find(deps, viewer, id),
    append: (viewer, id, offset, body, checksum, size, bodyBytes) =>
      append(deps, viewer, id, offset, body, checksum, size, bodyBytes),
    finish: (viewer, id, expected) => finish(deps, viewer, id, expected),
    remove: (viewer, id) => remove(deps, viewer, id),
  }
}

async function create(deps: ResumableDeps, viewer: Viewer, input: NewUpload, idempotencyKey?: string): Promise<Upload> {
  const { size, isPart } = input
  const reservation = await reservationOf(deps, viewer, input, idempotencyKey, {
    size,
    concat: isPart ? 'partial' : null,
  })
  const { id } = reservation
  const reserved = await deps.reserve({ ...reservation, reservedBytes: size ?? 0 })
  // No other request knows a new upload, so it needs no lock.
  return reserved === id ? toUpload(await findUpload(deps.pool, viewer.userId, id), 0) : get(deps, viewer, reserved)
}

/** The row of a new upload, after all checks that come before its bytes. @throws as UploadsService.create */
export async function reservationOf(
  deps: AdmissionDeps,
  viewer: Viewer,
  input: NewUpload,
  idempotencyKey: string | undefined,
  { size, concat }: Pick<Reservation, 'size' | 'concat'>,
): Promise<Omit<Reservation, 'reservedBytes'>> {
  if (idempotencyKey !== undefined) checkKey(idempotencyKey)
  const { name, groupCloudId, accountId, parentId, onConflict } = await admit(deps, viewer, input)
  const { mimeType = null, metadata = {} } = input
  const more = concat === null ? [] : [concat]
  const fingerprint = fingerprintOf([name, parentId, groupCloudId, onConflict, size, ...more])
  const idempotency = idempotencyKey === undefined ? null : { key: idempotencyKey, fingerprint }
  const where = { userId: viewer.userId, groupCloudId, accountId, parentId, onConflict }
  const { protecting, linkId = null } = input
  return { id: newId(), ...where, name, mimeType, size, concat, metadata, idempotency, protecting, linkId }
}

/** Makes the received bytes durable, unless another request is active: then the offset is that of the row. */
export async function get({ pool, locks, progress }: ResumableDeps, viewer: Viewer, id: string): Promise<Upload> {
  const found = await findUpload(pool, viewer.userId, id)
  if (found.file_id || !(await locks.waitForRelease(id))) return toUpload(found, found.received_bytes)
  return locks
    .withLock(keyOf(found), null, async () => {
      const upload = await findUpload(pool, viewer.userId, id)
      const offset = upload.file_id ? upload.received_bytes : await progress.offset(id)
      await saveReceivedBytes(pool, upload, offset)
      return toUpload(upload, offset)
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof ConflictError)) throw error
      // Another server receives it: the offset at which that request began is durable.
      const upload = await findUpload(pool, viewer.userId, id)
      return toUpload(upload, upload.received_bytes)
    })
}

async function find({ pool }: ResumableDeps, viewer: Viewer, id: string): Promise<Upload> {
  const found = await findUpload(pool, viewer.userId, id)
  return toUpload(found, found.received_bytes)
}

async function append(
  deps: ResumableDeps,
  viewer: Viewer,
  id: string,
  offset: number,
  body: Readable,
  checksum?: Checksum,
  size?: number,
  bodyBytes?: number,
): Promise<number> {
  const { pool, progress, store, alone } = deps
  ignoreStreamError(body)
  return lockAndFind(deps, viewer, id, body, async (found, lock) => {
    const upload = size === undefined ? found : await withSize(deps, found, size, offset)
    const expected = upload.file_id ? (upload.size ?? offset) : await progress.offset(id)
    if (offset !== expected) throw new UploadOffsetMismatchError(expected)
    if (upload.file_id) return expected
    await saveReceivedBytes(pool, upload, offset)
    const savable = store.keepsNotes && !alone && !isLastOf(upload, offset, bodyBytes)
    const durable = await progress.read({ ...measuredOf(upload), savable }, lock.countBytes)
    return appendAt(deps, upload, durable, body, checksum, lock).catch((error: unknown) => {
      throw toDomainError(error, upload.size ?? durable.offset)
    })
  })
}

/** Bytes that another server reads again, rather than having every upload leave a note: seconds from any bucket. */
const MOST_READ_AGAIN = 4 * 1024 ** 3

/** Whether the body completes the upload and needs no note: what is there of a larger one is not read again after a cut. */
function isLastOf({ size }: UploadRow, offset: number, bodyBytes: number | undefined): boolean {
  return bodyBytes !== undefined && offset + bodyBytes === size && size <= MOST_READ_AGAIN
}

/** Runs `work` with the upload's lock. The row is read under the lock: one read before may have become a file since. */
async function lockAndFind<Result>(
  { pool, locks }: ResumableDeps,
  viewer: Viewer,
  id: string,
  body: Readable | null,
  work: (upload: UploadRow, lock: UploadLock) => Promise<Result>,
): Promise<Result> {
  // Another user is refused here, before the active request, on this or another server, can be interrupted for them.
  const key = keyOf(await findUpload(pool, viewer.userId, id))
  return locks.withLock(key, body, async (lock) => work(await findUpload(pool, viewer.userId, id), lock))
}

/** The upload with the size that a request declares. @throws InvalidInputError, StorageFullError */
async function withSize({ pool }: ResumableDeps, upload: UploadRow, size: number, offset: number): Promise<UploadRow> {
  if (upload.size === size) return upload
  if (upload.size !== null) throw wrongSize(`This upload has ${upload.size} bytes; that cannot be changed.`)
  if (size < offset) throw wrongSize(`This upload has more than ${size} bytes already.`)
  await changeReservation(pool, upload.id, size, true)
  return { ...upload, size }
}

function wrongSize(message: string): InvalidInputError {
  return new InvalidInputError([{ path: 'upload-length', message }])
}

/** Keeps what arrived of a body that broke off, and nothing of one that is too long or does not match its checksum. */
async function appendAt(
  deps: ResumableDeps,
  upload: UploadRow,
  { offset, hasher }: Progress,
  body: Readable,
  checksum: Checksum | undefined,
  lock: UploadLock,
): Promise<number> {
  const mostBytes = await mostBytesOf(deps, upload, offset)
  const next = hasher.copy()
  const sum = checksum && createHash(checksum.algorithm)
  const writer = await deps.store.stage(upload.id, offset)
  let kept = false
  try {
    const interrupted = await writeBody(body, writer, {
      hashers: sum ? [next, sum] : [next],
      onChunk(position, chunk) {
        if (position > mostBytes) throw overflow(upload, position, mostBytes)
        lock.countBytes(chunk.length)
        deps.report(upload, position)
      },
    }).catch(asInterruption)
    if (sum && !(interrupted ?? matches(sum, checksum)))
      throw new ChecksumMismatchError('The bytes do not match their checksum.')
    if (sum && interrupted) throw interrupted
    const isThere = await makeDurable(deps, upload, writer, next, lock)
    kept = true
    // Its bytes are swept. To answer that they are kept would be wrong, and the client would learn it only with the next ones.
    if (!isThere) throw uploadGone()
    if (interrupted) throw interrupted
    return writer.position
  } finally {
    // Without the lock, bytes that arrived at another server meanwhile must not be cut off.
    if (!kept && (await lock.isHeld())) await writer.truncate(offset)
    await writer.close()
  }
}

/** The most bytes an upload may have: its declared size, otherwise the room there is. */
async function mostBytesOf(
  { pool, findGroupCloud }: ResumableDeps,
  { size, user_id: userId, group_cloud_id: id, account_id: accountId }: UploadRow,
  offset: number,
): Promise<number> {
  if (size !== null) return size
  const groupCloud =
    accountId === null
      ? await findGroupCloud({ userId, id: id ?? undefined })
      : await findAccountTarget(pool, accountId)
  if (!groupCloud) throw disconnected()
  return offset + roomBytes(groupCloud.members, groupCloud)
}

function overflow({ size }: UploadRow, position: number, mostBytes: number): Error {
  if (size !== null) return new TooLargeError(`This upload was announced with ${size} bytes.`)
  return new StorageFullError(position, mostBytes, `There is no room for this file: ${formatBytes(mostBytes)} at most.`)
}

/** A body that broke off is a result, not a failure: what arrived is kept. */
function asInterruption(error: unknown): UploadIncompleteError {
  if (error instanceof UploadIncompleteError) return error
  throw error
}

function matches(sum: Hash, checksum: Checksum | undefined): boolean {
  return checksum !== undefined && sum.digest().equals(checksum.digest)
}

/**
 * Makes the bytes, and after the first of them the name of the object, durable before the new offset counts.
 * @returns false if the upload was removed while they came
 */
async function makeDurable(
  { pool, store, progress }: ResumableDeps,
  upload: UploadRow,
  writer: StagingWriter,
  hasher: ContentHasher,
  lock: UploadLock,
): Promise<boolean> {
  await writer.sync(noteOf({ offset: writer.position, hasher }))
  if (!(await lock.isHeldOrRetaken(writer.position))) {
    throw new ConflictError('Another request has continued this upload. Please read its offset again.')
  }
  if (upload.size === null) await changeReservation(pool, upload.id, writer.position, false)
  // The commit of a complete upload syncs the names itself, once for many; a part is not committed on its own.
  if (upload.size === null || writer.position < upload.size || upload.concat === 'partial') {
    await store.syncStaging()
    if (!(await touchUpload(pool, upload.id, writer.position))) return false
  }
  progress.remember(upload.id, { offset: writer.position, hasher })
  return true
}

async function finish(deps: ResumableDeps, viewer: Viewer, id: string, expected?: ReportedHash): Promise<File> {
  return lockAndFind(deps, viewer, id, null, (upload, lock) => commitUpload(deps, viewer, upload, lock, { expected }))
}

/**
 * Makes a complete upload a file. Requires its lock. `partIds`: the uploads it was concatenated from. `expected`: as UploadsService.finish.
 * @throws as UploadsService.finish
 */
export async function commitUpload(
  deps: ResumableDeps,
  viewer: Viewer,
  upload: UploadRow,
  lock: UploadLock,
  { partIds = [], expected }: { readonly partIds?: readonly string[]; readonly expected?: ReportedHash | undefined },
): Promise<File> {
  const { store, progress } = deps
  const { id, size, concat } = upload
  if (upload.file_id) return deps.getFile(viewer, upload.file_id)
  if (concat === 'partial') throw new ConflictError('This upload is a part of another one. It becomes no file.')
  const { offset, hasher } = await progress.read(measuredOf(upload), lock.countBytes)
  if (size === null) throw new UploadIncompleteError('The size of this upload is not known yet.')
  if (offset < size) throw new UploadIncompleteError(`Only ${offset} of ${size} bytes have arrived.`)
  if (size === 0) await storeEmpty(store, id)
  if (expected) await requireHash(deps, viewer, { id, size }, expected, lock)
  const item = { ...(await commitItemOf(deps, viewer, { ...upload, size }, hasher.copy())), partIds }
  const file = await afterCommit(deps, viewer, item, await deps.commit(item))
  progress.forget(id)
  deps.report(upload, size, file.id)
  return file
}

/** Checked before the commit, which may replace another file. @throws ChecksumMismatchError after the upload was removed */
async function requireHash(
  deps: ResumableDeps,
  viewer: Viewer,
  { id, size }: { readonly id: string; readonly size: number },
  { algorithm, digest }: ReportedHash,
  lock: UploadLock,
): Promise<void> {
  const hash = createContentHash(algorithm)
  if (size > 0) {
    for await (const chunk of deps.store.open(id, size).read(0, size - 1)) {
      hash.update(chunk)
      lock.countBytes(chunk.length)
    }
  }
  if (hash.digest() === digest) return
  await discard(deps, viewer, id)
  throw new ChecksumMismatchError('It was not received as it is at its source.')
}

async function storeEmpty(store: ObjectStore, id: string): Promise<void> {
  const writer = await store.stage(id, 0)
  try {
    await writer.sync()
  } finally {
    await writer.close()
  }
}

async function commitItemOf(
  deps: ResumableDeps,
  viewer: Viewer,
  upload: UploadRow & { readonly size: number },
  hasher: ContentHasher,
): Promise<CommitItem> {
  const { store, anyType } = deps
  const { id, name, size } = upload
  const content = { head: await readHead(store, id, size), tail: () => readTail(store, id, size) }
  const type = await judgeType(name, content, anyType).catch(async (error: unknown) => {
    // It can never become a file, so its bytes need not be kept for a day.
    if (error instanceof TypeRefusedError) await discard(deps, viewer, id)
    throw error
  })
  return {
    fileId: newId(),
    objectId: id,
    userId: upload.user_id,
    groupCloudId: upload.group_cloud_id,
    accountId: upload.account_id,
    parentId: upload.parent_id,
    name,
    type,
    size,
    ...hasher.finish(),
    copiedFrom: null,
    protecting: protectingOf(upload),
    onConflict: upload.on_conflict,
    author: authorOf(viewer, 'UPLOAD'),
    uploadId: id,
    partIds: [],
    idempotency: null,
    singleAccount: null,
    isThere: async () => (await store.size(id)) === size,
  }
}

async function remove(deps: ResumableDeps, viewer: Viewer, id: string): Promise<string | null> {
  const key = keyOf(await findUpload(deps.pool, viewer.userId, id))
  return deps.locks.interruptAndLock(key, () => discard(deps, viewer, id))
}

/**
 * Deletes the row and the staged bytes; a file that was made of them stays. Requires the upload's lock.
 * @returns the id of that file, otherwise null
 */
export async function discard(
  { pool, store, progress }: ResumableDeps,
  viewer: Viewer,
  id: string,
): Promise<string | null> {
  const deleted = await deleteUpload(pool, viewer.userId, id)
  if (!deleted) return null
  progress.forget(id)
  if (!deleted.file_id) await store.discard(id)
  return deleted.file_id
}
