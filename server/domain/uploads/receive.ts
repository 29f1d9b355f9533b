import type { Readable } from 'node:stream'
import { formatBytes } from '../../lib/formatBytes.ts'
import { newId } from '../../lib/ids.ts'
import { ChecksumMismatchError, StorageFullError, UploadIncompleteError } from '../errors.ts'
import { HEAD_BYTES, judgeType } from '../files/types.ts'
import { checkKey, fingerprintOf } from '../idempotency.ts'
import type { UploadInput, UploadsService } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { type Admission, admit } from './admission.ts'
import type { Conclude } from './conclude.ts'
import { type ContentHasher, createContentHasher } from './contentHasher.ts'
import type { CommitItem, Committed } from './draft.ts'
import { isUncommitted, translate } from './failures.ts'
import { expectBreak, headCollector, takeIn } from './intake.ts'
import type { FindGroupCloud } from './pools.ts'
import type { UploadsDeps } from './service.ts'
import { readTail } from './staged.ts'

export type FinishDeps = UploadsDeps & {
  readonly commit: (item: CommitItem) => Promise<Committed>
  readonly conclude: Conclude
  readonly findGroupCloud: FindGroupCloud
}

type Received = ReturnType<ContentHasher['finish']> & { readonly size: number; readonly head: Buffer }

/** Uploads that are one request: they reserve nothing, and leave nothing behind unless they become a file. */
export function createReceive(deps: FinishDeps & { receiving: Set<string> }): Pick<UploadsService, 'receive'> {
  const { store, anyType, receiving, commit, conclude } = deps

  async function receive(viewer: Viewer, input: UploadInput, body: Readable, idempotencyKey?: string) {
    expectBreak(body)
    if (idempotencyKey !== undefined) checkKey(idempotencyKey)
    const admission = await admit(deps, viewer, input)
    const objectId = newId()
    receiving.add(objectId)
    let keep = false
    try {
      const received = await stage(objectId, body, input.size, admission)
      refuseOther(received, input.sha256)
      const item = await itemOf(viewer, objectId, admission, received, idempotencyKey)
      const committed = await commit(item)
      keep = committed.created
      return await conclude(viewer, item, committed)
    } catch (error) {
      keep ||= !isUncommitted(error)
      throw translate(error, input.size ?? 0)
    } finally {
      if (!keep) await store.discard(objectId)
      receiving.delete(objectId)
    }
  }

  /** Writes the whole body, durable when it resolves. */
  async function stage(
    objectId: string,
    body: Readable,
    declared: number | null,
    admission: Admission,
  ): Promise<Received> {
    const hasher = createContentHasher({ size: declared, withSums: admission.remote })
    const head = headCollector(HEAD_BYTES)
    const writer = store.create(objectId)
    try {
      await takeIn(body, writer, {
        hashers: [hasher],
        onChunk(position, chunk) {
          refuseOverflow(position, declared, admission.roomBytes)
          head.take(chunk)
        },
      })
      if (declared !== null && writer.position !== declared) throw tooShort(writer.position, declared)
      await writer.sync()
      return { size: writer.position, ...hasher.finish(), head: head.head() }
    } finally {
      await writer.close()
    }
  }

  async function itemOf(
    viewer: Viewer,
    objectId: string,
    admission: Admission,
    received: Received,
    key?: string,
  ): Promise<CommitItem> {
    const { name, groupCloudId, parentId, onConflict, sole } = admission
    const { size, sha256, sums, head } = received
    const type = await judgeType(name, { head, tail: () => readTail(store, objectId, size) }, anyType)
    const fingerprint = () => fingerprintOf([name, parentId, groupCloudId, onConflict, sha256.toString('hex')])
    const idempotency = key === undefined ? null : { key, fingerprint: fingerprint() }
    const { userId } = viewer
    const where = { userId, groupCloudId, parentId, onConflict }
    return {
      fileId: newId(),
      objectId,
      ...where,
      name,
      type,
      size,
      sha256,
      sums,
      uploadId: null,
      idempotency,
      sole,
    }
  }

  return { receive }
}

/** @throws ChecksumMismatchError */
function refuseOther({ sha256 }: Received, expected: string | undefined): void {
  if (expected === undefined || sha256.toString('hex') === expected) return
  throw new ChecksumMismatchError('What arrived is not what was sent. Please try again.')
}

function tooShort(received: number, declared: number): UploadIncompleteError {
  return new UploadIncompleteError(`Only ${received} of ${declared} bytes arrived. Please try again.`)
}

/** @throws UploadIncompleteError for more than was declared, StorageFullError for more than there is room */
function refuseOverflow(position: number, declared: number | null, roomBytes: number): void {
  if (declared !== null && position > declared) {
    throw new UploadIncompleteError(`More than the declared ${declared} bytes arrived. Please try again.`)
  }
  if (position <= roomBytes) return
  const message = `There is no room for this file: only ${formatBytes(roomBytes)} are free in this group cloud.`
  throw new StorageFullError(position, roomBytes, message)
}
