import type { Readable } from 'node:stream'
import { formatBytes } from '../../lib/formatBytes.ts'
import { newId } from '../../lib/ids.ts'
import type { NewWriter } from '../../storage/stagingWriter.ts'
import { ChecksumMismatchError, StorageFullError, UploadIncompleteError } from '../errors.ts'
import { HEAD_BYTES, judgeType } from '../files/types.ts'
import { checkKey, fingerprintOf } from '../idempotency.ts'
import type { UploadInput, UploadsService } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { type Admission, admit } from './admission.ts'
import type { Conclude } from './conclude.ts'
import { type ContentHasher, createContentHasher } from './contentHasher.ts'
import { type CommitItem, type Committed, OutdatedError } from './draft.ts'
import { isUncommitted, translate } from './failures.ts'
import { createGrowing, type Growing } from './growing.ts'
import { expectBreak, headCollector, takeIn } from './intake.ts'
import type { FindGroupCloud } from './pools.ts'
import type { UploadsDeps } from './service.ts'
import type { SoleGroupClouds } from './soleGroupClouds.ts'
import { readTail } from './staged.ts'

export type FinishDeps = UploadsDeps & {
  readonly commit: (item: CommitItem) => Promise<Committed>
  readonly conclude: Conclude
  readonly findGroupCloud: FindGroupCloud
}

type Received = ReturnType<ContentHasher['finish']> & { readonly size: number; readonly head: Buffer }

/** Uploads that are one request: they reserve as their bytes come, and leave nothing behind unless they become a file. */
export function createReceive(
  deps: FinishDeps & { receiving: Set<string>; soles: SoleGroupClouds },
): Pick<UploadsService, 'receive'> {
  const { store, anyType, receiving, commit, conclude, soles } = deps

  async function receive(viewer: Viewer, input: UploadInput, body: Readable, idempotencyKey?: string) {
    expectBreak(body)
    if (idempotencyKey !== undefined) checkKey(idempotencyKey)
    const admission = await begin(viewer, input, idempotencyKey)
    const objectId = newId()
    const expected = input.size ?? input.atMostBytes
    const growing = createGrowing(deps.pool, { ...admission, id: objectId, viewer, expected })
    receiving.add(objectId)
    const writer = store.create(objectId)
    let keep = false
    try {
      const received = await stage(writer, body, input.size, admission, growing)
      refuseOther(received, input.sha256)
      const isThere = () => writer.isThere()
      const { copiedFrom = null } = input
      const found = { ...(await itemOf(viewer, objectId, admission, received, idempotencyKey)), copiedFrom, isThere }
      const item = growing.uploadId === null ? found : { ...found, uploadId: growing.uploadId, sole: null }
      const done = await commitFound(viewer, input, item)
      keep = done.committed.created
      return await conclude(viewer, done.item, done.committed)
    } catch (error) {
      keep ||= !isUncommitted(error)
      throw translate(error, input.size ?? 0)
    } finally {
      await writer.close()
      if (!keep) await letGo(objectId, growing)
      receiving.delete(objectId)
    }
  }

  /** The bytes go whatever becomes of the row: that one expires. */
  async function letGo(objectId: string, growing: Growing): Promise<void> {
    await store.discard(objectId)
    await growing.release().catch(deps.onError)
  }

  /** By a group cloud that is recalled, where one statement will do: only that can judge it. */
  function begin(viewer: Viewer, input: UploadInput, idempotencyKey?: string): Promise<Admission> {
    const atMost = input.size ?? input.atMostBytes
    const isOneStatement = atMost !== undefined && !input.parentId && idempotencyKey === undefined
    const recalled = isOneStatement ? soles.recall({ userId: viewer.userId, id: input.groupCloudId }, atMost) : null
    return recalled ? admit(deps, viewer, input, recalled) : look(viewer, input)
  }

  async function look(viewer: Viewer, input: UploadInput): Promise<Admission> {
    const admission = await admit(deps, viewer, input)
    soles.note({ userId: viewer.userId, id: input.groupCloudId }, admission.sole)
    return admission
  }

  /** Where what was recalled does not hold, it is looked up, and refused for what would have refused it at the beginning. */
  async function commitFound(
    viewer: Viewer,
    input: UploadInput,
    item: CommitItem,
  ): Promise<{ readonly item: CommitItem; readonly committed: Committed }> {
    try {
      return { item, committed: await commit(item) }
    } catch (error) {
      if (!(error instanceof OutdatedError)) throw error
      const { groupCloudId } = await look(viewer, { ...input, size: item.size })
      const found = { ...item, groupCloudId, sole: null }
      return { item: found, committed: await commit(found) }
    }
  }

  /** Writes the whole body, durable when it resolves. The writer stays open: by it the bytes are known to be there still. */
  async function stage(
    writer: NewWriter,
    body: Readable,
    declared: number | null,
    admission: Admission,
    growing: Growing,
  ): Promise<Received> {
    const hasher = createContentHasher({ size: declared, withSums: admission.remote })
    const head = headCollector(HEAD_BYTES)
    await takeIn(body, writer, {
      hashers: [hasher],
      onChunk(position, chunk) {
        refuseOverflow(position, declared, admission.roomBytes)
        head.take(chunk)
        return growing.hold(position)
      },
    })
    if (declared !== null && writer.position !== declared) throw tooShort(writer.position, declared)
    await writer.sync()
    return { size: writer.position, ...hasher.finish(), head: head.head() }
  }

  async function itemOf(
    viewer: Viewer,
    objectId: string,
    admission: Admission,
    received: Received,
    key?: string,
  ): Promise<Omit<CommitItem, 'isThere' | 'copiedFrom'>> {
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
      partIds: [],
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
