import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { formatBytes } from '../../lib/formatBytes.ts'
import { newId } from '../../lib/ids.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
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
import { judgeType } from '../files/content/types.ts'
import type { File } from '../files/contract.ts'
import { roomBytes } from '../groupClouds/placement.ts'
import { checkKey, fingerprintOf } from '../idempotency.ts'
import type { Viewer } from '../viewer.ts'
import { admit } from './admission.ts'
import type { Checksum, Concatenation, NewUpload, Upload, UploadsService } from './contract.ts'
import { type CommitItem, isUncommitted, translate } from './draft.ts'
import { type ContentHasher, createContentHasher, ignoreStreamError, readHead, readTail, takeIn } from './intake.ts'
import type { LiveUploads, Progress, Turn } from './liveUploads.ts'
import type { FinishDeps } from './receive.ts'
import { type Reservation, reserveAgain } from './reserve.ts'
import {
  claimParts,
  createProgressReports,
  deleteUpload,
  findParts,
  findUpload,
  keyOf,
  measuredOf,
  noteReceived,
  sizeOfParts,
  toUpload,
  touchUpload,
  type UploadRow,
  wholeOf,
} from './rows.ts'

export type ResumableDeps = FinishDeps & {
  readonly live: LiveUploads
  readonly reserve: (item: Reservation) => Promise<string>
}

/**
 * Uploads in several requests, to whatever server of one database and one DATA_DIR. Their bytes are the staging object of the same
 * id, their offset is what is durable of it.
 */
export function createResumable(deps: ResumableDeps): Omit<UploadsService, 'receive'> {
  const { pool, store, anyType, live, reserve, commit, conclude } = deps
  const report = createProgressReports(deps.events)

  async function create(viewer: Viewer, input: NewUpload, idempotencyKey?: string): Promise<Upload> {
    const { size, isPart } = input
    const reservation = await admitted(viewer, input, idempotencyKey, { size, concat: isPart ? 'partial' : null })
    const { id } = reservation
    const reserved = await reserve({ ...reservation, reservedBytes: size ?? 0 })
    // Nobody else knows of a new one.
    return reserved === id ? toUpload(await findUpload(pool, viewer.userId, id), 0) : get(viewer, reserved)
  }

  /** What may be opened, but for its bytes. @throws as UploadsService.create */
  async function admitted(
    viewer: Viewer,
    input: NewUpload,
    idempotencyKey: string | undefined,
    { size, concat }: Pick<Reservation, 'size' | 'concat'>,
  ): Promise<Omit<Reservation, 'reservedBytes'>> {
    if (idempotencyKey !== undefined) checkKey(idempotencyKey)
    const { name, groupCloudId, parentId, onConflict } = await admit(deps, viewer, input)
    const { mimeType = null, metadata = {} } = input
    const more = concat === null ? [] : [concat]
    const fingerprint = fingerprintOf([name, parentId, groupCloudId, onConflict, size, ...more])
    const idempotency = idempotencyKey === undefined ? null : { key: idempotencyKey, fingerprint }
    const where = { userId: viewer.userId, groupCloudId, parentId, onConflict }
    return { id: newId(), ...where, name, mimeType, size, concat, metadata, idempotency }
  }

  async function concatenate(viewer: Viewer, { partIds, concat, ...input }: Concatenation): Promise<Upload> {
    const rows = await findParts(pool, viewer.userId, partIds)
    const done = wholeOf(rows)
    if (done) return get(viewer, done)
    const size = await sizeOfParts(rows, async ({ id }) => (await get(viewer, id)).offset)
    // Their room is its room, so that none is asked for here.
    const whole = await admitted(viewer, { ...input, size: null }, undefined, { size, concat })
    const id = await reserve({ ...whole, reservedBytes: 0 })
    await live.exclusively({ id, userId: viewer.userId }, null, async (turn) => {
      try {
        await join(id, rows, size, turn)
        await finishAlone(viewer, await findUpload(pool, viewer.userId, id), turn, partIds)
      } catch (error) {
        // The parts are still there. What may have been committed stays.
        if (isUncommitted(error)) await discard(viewer, id)
        throw translate(error, size)
      }
    })
    for (const partId of partIds) {
      live.forget(partId)
      await store.discard(partId)
    }
    return get(viewer, id)
  }

  /** Writes the bytes of all parts, one after the other, into the staging object of their whole. */
  async function join(id: string, parts: readonly UploadRow[], size: number, turn: Turn): Promise<void> {
    const upload = await claimParts(pool, id, parts)
    const hasher = createContentHasher(measuredOf(upload))
    const writer = await store.stage(id, 0)
    try {
      for (const part of parts) {
        if (!part.size) continue
        for await (const chunk of store.open(part.id, part.size).read(0, part.size - 1)) {
          hasher.update(chunk)
          turn.count(chunk.length)
          await writer.write(chunk)
          report(upload, writer.position)
        }
      }
      await writer.sync()
      if (writer.position !== size) throw new Error('The parts of an upload are not as long as their rows say.')
      live.remember(id, { offset: size, hasher })
    } catch (error) {
      if (error instanceof ObjectMissingError) throw new ConflictError('A part of this upload has been removed.')
      throw error
    } finally {
      await writer.close()
    }
  }

  async function get(viewer: Viewer, id: string): Promise<Upload> {
    const found = await findUpload(pool, viewer.userId, id)
    if (found.file_id || !(await live.released(id))) return toUpload(found, found.received_bytes)
    return live
      .exclusively(keyOf(found), null, async () => {
        const upload = await findUpload(pool, viewer.userId, id)
        const offset = upload.file_id ? upload.received_bytes : await live.offset(id)
        await noteReceived(pool, upload, offset)
        return toUpload(upload, offset)
      })
      .catch(async (error: unknown) => {
        if (!(error instanceof ConflictError)) throw error
        // Another server receives it: what it began with is durable.
        const upload = await findUpload(pool, viewer.userId, id)
        return toUpload(upload, upload.received_bytes)
      })
  }

  async function find(viewer: Viewer, id: string): Promise<Upload> {
    const found = await findUpload(pool, viewer.userId, id)
    return toUpload(found, found.received_bytes)
  }

  async function append(
    viewer: Viewer,
    id: string,
    offset: number,
    body: Readable,
    checksum?: Checksum,
    size?: number,
  ): Promise<number> {
    ignoreStreamError(body)
    return alone(viewer, id, body, async (found, turn) => {
      const upload = size === undefined ? found : await withSize(found, size, offset)
      const expected = upload.file_id ? (upload.size ?? offset) : await live.offset(id)
      if (offset !== expected) throw new UploadOffsetMismatchError(expected)
      if (upload.file_id) return expected
      await noteReceived(pool, upload, offset)
      const progress = await live.progress(measuredOf(upload), turn.count)
      return appendAt(upload, progress, body, checksum, turn).catch((error: unknown) => {
        throw translate(error, upload.size ?? progress.offset)
      })
    })
  }

  /** The upload with the size that a request says it has. @throws InvalidInputError, StorageFullError */
  async function withSize(upload: UploadRow, size: number, offset: number): Promise<UploadRow> {
    if (upload.size === size) return upload
    if (upload.size !== null) throw wrongSize(`This upload has ${upload.size} bytes; that cannot be changed.`)
    if (size < offset) throw wrongSize(`This upload has more than ${size} bytes already.`)
    await reserveAgain(pool, upload.id, size, true)
    return { ...upload, size }
  }

  /** How many bytes an upload may have: what it was announced with, else what there is room for. */
  async function limitOf({ size, user_id: userId, group_cloud_id: id }: UploadRow, offset: number): Promise<number> {
    if (size !== null) return size
    const groupCloud = await deps.findGroupCloud({ userId, id })
    return offset + roomBytes(groupCloud.members, groupCloud)
  }

  /** Runs `work` as the only one on the upload. Its row is read in there: one read before may since have become a file. */
  async function alone<Result>(
    viewer: Viewer,
    id: string,
    body: Readable | null,
    work: (upload: UploadRow, turn: Turn) => Promise<Result>,
  ): Promise<Result> {
    // A stranger is refused before the request at work, here or elsewhere, is asked to make room.
    const key = keyOf(await findUpload(pool, viewer.userId, id))
    return live.exclusively(key, body, async (turn) => work(await findUpload(pool, viewer.userId, id), turn))
  }

  /** Keeps what came of a body that broke off, and nothing of one that is too long or does not match its checksum. */
  async function appendAt(
    upload: UploadRow,
    { offset, hasher }: Progress,
    body: Readable,
    checksum: Checksum | undefined,
    turn: Turn,
  ): Promise<number> {
    const mostBytes = await limitOf(upload, offset)
    const next = hasher.copy()
    const sum = checksum && createHash(checksum.algorithm)
    const writer = await store.stage(upload.id, offset)
    let kept = false
    try {
      const broken = await takeIn(body, writer, {
        hashers: sum ? [next, sum] : [next],
        onChunk(position, chunk) {
          if (position > mostBytes) throw overflow(upload, position, mostBytes)
          turn.count(chunk.length)
          report(upload, position)
        },
      }).catch(asBroken)
      if (sum && !(broken ?? matches(sum, checksum)))
        throw new ChecksumMismatchError('The bytes do not match their checksum.')
      if (sum && broken) throw broken
      await settle(upload, writer, next, turn)
      kept = true
      if (broken) throw broken
      return writer.position
    } finally {
      // Who has lost the turn must not cut off what came by another server meanwhile.
      if (!kept && (await turn.isMine())) await writer.truncate(offset)
      await writer.close()
    }
  }

  /** Makes the bytes, and for the first of them the name, durable before the new offset counts. */
  async function settle(upload: UploadRow, writer: StagingWriter, hasher: ContentHasher, turn: Turn): Promise<void> {
    await writer.sync()
    if (!(await turn.isStillMine(writer.position))) {
      throw new ConflictError('Another request has gone on with this upload. Please ask how far it is.')
    }
    if (upload.size === null) await reserveAgain(pool, upload.id, writer.position, false)
    // The commit of a complete upload syncs the names itself, once for many; a part is not committed by itself.
    if (upload.size === null || writer.position < upload.size || upload.concat === 'partial') {
      await store.syncStaging()
      await touchUpload(pool, upload.id, writer.position)
    }
    live.remember(upload.id, { offset: writer.position, hasher })
  }

  async function finish(viewer: Viewer, id: string): Promise<File> {
    return alone(viewer, id, null, (upload, turn) => finishAlone(viewer, upload, turn, []))
  }

  async function finishAlone(viewer: Viewer, upload: UploadRow, turn: Turn, partIds: readonly string[]): Promise<File> {
    const { id, size, concat } = upload
    if (upload.file_id) return deps.getFile(viewer, upload.file_id)
    if (concat === 'partial') throw new ConflictError('This upload is a part of another one. It becomes no file.')
    const { offset, hasher } = await live.progress(measuredOf(upload), turn.count)
    if (size === null) throw new UploadIncompleteError('The size of this upload is not known yet.')
    if (offset < size) throw new UploadIncompleteError(`Only ${offset} of ${size} bytes have arrived.`)
    if (size === 0) await (await store.stage(id, 0)).close()
    const item = { ...(await itemOf(viewer, { ...upload, size }, hasher.copy())), partIds }
    const file = await conclude(viewer, item, await commit(item))
    live.forget(id)
    report(upload, size, file.id)
    return file
  }

  async function itemOf(
    viewer: Viewer,
    upload: UploadRow & { readonly size: number },
    hasher: ContentHasher,
  ): Promise<CommitItem> {
    const { id, name, size } = upload
    const content = { head: await readHead(store, id, size), tail: () => readTail(store, id, size) }
    const type = await judgeType(name, content, anyType).catch(async (error: unknown) => {
      // It can never become a file: nothing is gained by keeping its bytes for a day.
      if (error instanceof TypeRefusedError) await discard(viewer, id)
      throw error
    })
    return {
      fileId: newId(),
      objectId: id,
      userId: upload.user_id,
      groupCloudId: upload.group_cloud_id,
      parentId: upload.parent_id,
      name,
      type,
      size,
      ...hasher.finish(),
      copiedFrom: null,
      onConflict: upload.on_conflict,
      uploadId: id,
      partIds: [],
      idempotency: null,
      singleAccount: null,
      isThere: async () => (await store.size(id)) === size,
    }
  }

  async function discard(viewer: Viewer, id: string): Promise<void> {
    const gone = await deleteUpload(pool, viewer.userId, id)
    if (!gone) return
    live.forget(id)
    if (!gone.file_id) await store.discard(id)
  }

  async function remove(viewer: Viewer, id: string): Promise<void> {
    const key = keyOf(await findUpload(pool, viewer.userId, id))
    await live.instead(key, () => discard(viewer, id))
  }

  return { create, concatenate, get, find, append, finish, remove }
}

function wrongSize(message: string): InvalidInputError {
  return new InvalidInputError([{ path: 'upload-length', message }])
}

function overflow({ size }: UploadRow, position: number, mostBytes: number): Error {
  if (size !== null) return new TooLargeError(`This upload was announced with ${size} bytes.`)
  return new StorageFullError(position, mostBytes, `There is no room for this file: ${formatBytes(mostBytes)} at most.`)
}

/** A body that broke off is an outcome, not a failure: what came is kept. */
function asBroken(error: unknown): UploadIncompleteError {
  if (error instanceof UploadIncompleteError) return error
  throw error
}

function matches(sum: Hash, checksum: Checksum | undefined): boolean {
  return checksum !== undefined && sum.digest().equals(checksum.digest)
}
