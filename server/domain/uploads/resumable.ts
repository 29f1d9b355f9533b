import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { newId } from '../../lib/ids.ts'
import type { StagingWriter } from '../../storage/stagingWriter.ts'
import {
  ChecksumMismatchError,
  ConflictError,
  TooLargeError,
  TypeRefusedError,
  UploadIncompleteError,
  UploadOffsetMismatchError,
} from '../errors.ts'
import { judgeType } from '../files/types.ts'
import { checkKey, fingerprintOf } from '../idempotency.ts'
import type { Checksum, File, Upload, UploadInput, UploadsService } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { admit } from './admission.ts'
import type { ContentHasher } from './contentHasher.ts'
import type { CommitItem } from './draft.ts'
import { translate } from './failures.ts'
import { expectBreak, takeIn } from './intake.ts'
import type { LiveUploads, Progress, Turn } from './liveUploads.ts'
import { createProgressReports } from './progressReports.ts'
import type { FinishDeps } from './receive.ts'
import type { Reservation } from './reserve.ts'
import {
  deleteUpload,
  findUpload,
  keyOf,
  measuredOf,
  noteReceived,
  toUpload,
  touchUpload,
  type UploadRow,
} from './rows.ts'
import { readHead, readTail } from './staged.ts'

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

  async function create(
    viewer: Viewer,
    input: UploadInput & { size: number; metadata?: Record<string, string | null> },
    idempotencyKey?: string,
  ): Promise<Upload> {
    if (idempotencyKey !== undefined) checkKey(idempotencyKey)
    const { name, groupCloudId, parentId, onConflict } = await admit(deps, viewer, input)
    const { size, mimeType = null, metadata = {} } = input
    const fingerprint = fingerprintOf([name, parentId, groupCloudId, onConflict, size])
    const idempotency = idempotencyKey === undefined ? null : { key: idempotencyKey, fingerprint }
    const where = { userId: viewer.userId, groupCloudId, parentId, onConflict }
    const id = newId()
    const reserved = await reserve({ id, ...where, name, mimeType, size, metadata, idempotency })
    // Nobody else knows of a new one.
    return reserved === id ? toUpload(await findUpload(pool, viewer.userId, id), 0) : get(viewer, reserved)
  }

  async function get(viewer: Viewer, id: string): Promise<Upload> {
    const found = await findUpload(pool, viewer.userId, id)
    if (found.file_id || !(await live.released(id))) return toUpload(found, found.received_bytes)
    return live
      .exclusively(keyOf(found), null, async () => {
        const upload = await findUpload(pool, viewer.userId, id)
        const offset = upload.file_id ? upload.size : await live.offset(id)
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
  ): Promise<number> {
    expectBreak(body)
    return alone(viewer, id, body, async (upload, turn) => {
      const expected = upload.file_id ? upload.size : await live.offset(id)
      if (offset !== expected) throw new UploadOffsetMismatchError(expected)
      if (upload.file_id) return expected
      await noteReceived(pool, upload, offset)
      const progress = await live.progress(measuredOf(upload), turn.count)
      return appendAt(upload, progress, body, checksum, turn).catch((error: unknown) => {
        throw translate(error, upload.size)
      })
    })
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
    const next = hasher.copy()
    const sum = checksum && createHash(checksum.algorithm)
    const writer = await store.stage(upload.id, offset)
    let kept = false
    try {
      const broken = await takeIn(body, writer, {
        hashers: sum ? [next, sum] : [next],
        onChunk(position, chunk) {
          if (position > upload.size) throw new TooLargeError(`This upload was announced with ${upload.size} bytes.`)
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
    // The commit of a complete upload syncs the names itself, once for many.
    if (writer.position < upload.size) {
      await store.syncStaging()
      await touchUpload(pool, upload.id, writer.position)
    }
    live.remember(upload.id, { offset: writer.position, hasher })
  }

  async function finish(viewer: Viewer, id: string): Promise<File> {
    return alone(viewer, id, null, async (upload, turn) => {
      if (upload.file_id) return deps.getFile(viewer, upload.file_id)
      const { offset, hasher } = await live.progress(measuredOf(upload), turn.count)
      if (offset < upload.size) throw new UploadIncompleteError(`Only ${offset} of ${upload.size} bytes have arrived.`)
      if (upload.size === 0) await (await store.stage(id, 0)).close()
      const item = await itemOf(viewer, upload, hasher.copy())
      const file = await conclude(viewer, item, await commit(item))
      live.forget(id)
      report(upload, upload.size, file.id)
      return file
    })
  }

  async function itemOf(viewer: Viewer, upload: UploadRow, hasher: ContentHasher): Promise<CommitItem> {
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
      onConflict: upload.on_conflict,
      uploadId: id,
      idempotency: null,
      sole: null,
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

  return { create, get, find, append, finish, remove }
}

/** A body that broke off is an outcome, not a failure: what came is kept. */
function asBroken(error: unknown): UploadIncompleteError {
  if (error instanceof UploadIncompleteError) return error
  throw error
}

function matches(sum: Hash, checksum: Checksum | undefined): boolean {
  return checksum !== undefined && sum.digest().equals(checksum.digest)
}
