import type { Readable } from 'node:stream'
import { formatBytes } from '../../lib/formatBytes.ts'
import { newId } from '../../lib/ids.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { NewWriter } from '../../storage/stagingWriter.ts'
import { ChecksumMismatchError, NotFoundError, StorageFullError, UploadIncompleteError } from '../errors.ts'
import type { Events } from '../events.ts'
import { HEAD_BYTES, judgeType } from '../files/content/types.ts'
import type { Copy, File } from '../files/contract.ts'
import { checkKey, fingerprintOf } from '../idempotency.ts'
import type { Viewer } from '../viewer.ts'
import { type Admission, admit } from './admission.ts'
import type { StoredFile, UploadInput, UploadsService } from './contract.ts'
import type { UploadsDeps } from './deps.ts'
import { type CommitItem, type Committed, isUncommitted, OutdatedError, translate } from './draft.ts'
import {
  type ContentHasher,
  createContentHasher,
  headCollector,
  ignoreStreamError,
  readTail,
  takeIn,
} from './intake.ts'
import type { FindGroupCloud, SingleAccountGroupClouds } from './placing.ts'
import { createGrowing, type Growing } from './reserve.ts'

export type FinishDeps = UploadsDeps & {
  readonly commit: (item: CommitItem) => Promise<Committed>
  readonly conclude: Conclude
  readonly findGroupCloud: FindGroupCloud
}

type Received = ReturnType<ContentHasher['finish']> & { readonly size: number; readonly head: Buffer }

/** Uploads that are one request: they reserve as their bytes come, and leave nothing behind unless they become a file. */
export function createReceive(
  deps: FinishDeps & { receiving: Set<string>; singleAccounts: SingleAccountGroupClouds },
): Pick<UploadsService, 'receive'> {
  const { store, anyType, receiving, commit, conclude, singleAccounts } = deps

  async function receive(viewer: Viewer, input: UploadInput, body: Readable, idempotencyKey?: string) {
    ignoreStreamError(body)
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
      const item = growing.uploadId === null ? found : { ...found, uploadId: growing.uploadId, singleAccount: null }
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
    const recalled = isOneStatement
      ? singleAccounts.recall({ userId: viewer.userId, id: input.groupCloudId }, atMost)
      : null
    return recalled ? admit(deps, viewer, input, recalled) : look(viewer, input)
  }

  async function look(viewer: Viewer, input: UploadInput): Promise<Admission> {
    const admission = await admit(deps, viewer, input)
    singleAccounts.note({ userId: viewer.userId, id: input.groupCloudId }, admission.singleAccount)
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
      const found = { ...item, groupCloudId, singleAccount: null }
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
    const { name, groupCloudId, parentId, onConflict, singleAccount } = admission
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
      singleAccount,
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

type ConcludeDeps = {
  readonly store: ObjectStore
  readonly events: Events
  readonly getFile: (viewer: Viewer, id: string) => Promise<File>
  readonly getCopies: (viewer: Viewer, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Copy[]>>
  /** Told of every new file, once. */
  readonly onStored?: (viewer: Viewer, file: File) => void
  readonly onError: (error: unknown) => void
}

export type Conclude = (viewer: Viewer, item: CommitItem, committed: Committed) => Promise<StoredFile>

/**
 * What follows a commit: the bytes move to their final place while the answer is on its way (readers find them in staging
 * meanwhile, and a sweep does it otherwise), subscribers are told, and the file is returned.
 */
export function createConclude({ store, events, getFile, getCopies, onStored, onError }: ConcludeDeps): Conclude {
  const isListed = async (viewer: Viewer, fileId: string): Promise<boolean> =>
    getFile(viewer, fileId).then(
      () => true,
      (error: unknown) => {
        if (error instanceof NotFoundError) return false
        throw error
      },
    )

  return async (viewer, item, committed) => {
    if (!committed.created) {
      const { fileId } = committed
      const [file, copies] = await Promise.all([getFile(viewer, fileId), getCopies(viewer, [fileId])])
      return { ...file, copies: copies.get(fileId) ?? [] }
    }
    const publishing = store.publish(item.objectId).catch(async (error: unknown) => {
      // Its owner may have deleted it for good in the meantime.
      if (!(error instanceof ObjectMissingError) || (await isListed(viewer, committed.fileId))) throw error
    })
    publishing.catch(onError)
    const { fileId, parentId, replacedId } = committed
    const file = fileOf(item, committed)
    onStored?.(viewer, file)
    const fileIds = replacedId === null ? [fileId] : [fileId, replacedId]
    events.publish('filesChanged', viewer.userId, { fileIds, removedIds: [], parentIds: [parentId], truncated: false })
    return { ...file, copies: committed.copies }
  }
}

function fileOf(item: CommitItem, committed: Extract<Committed, { created: true }>): File {
  const { fileId, name, parentId, createdAt, state, stateReason } = committed
  return {
    id: fileId,
    parentId,
    kind: 'FILE',
    name,
    category: item.type.category,
    mimeType: item.type.mimeType,
    size: item.size,
    sha256: item.sha256.toString('hex'),
    state,
    stateReason,
    groupCloudId: item.groupCloudId,
    starred: false,
    childCount: 0,
    trashedAt: null,
    createdAt,
    updatedAt: createdAt,
  }
}
