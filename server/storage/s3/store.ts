import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createSemaphore } from '../../lib/concurrency.ts'
import { type S3Bucket, s3Address, signedAddress } from '../../lib/s3/sign.ts'
import { readRange } from '../byteSource.ts'
import { ObjectMissingError, WrongStorageError } from '../errors.ts'
import { isFolder } from '../flatten.ts'
import { checkedId, type ObjectStore } from '../objectStore.ts'
import { createS3Client, type S3Client } from './client.ts'
import { DEFAULT_S3_LIMITS, type S3Context, type S3Limits } from './context.ts'
import { S3Error } from './errors.ts'
import { bodyOf, createS3Objects, idIn, pages, type S3Objects } from './objects.ts'
import { openS3Reader } from './reader.ts'
import type { StagedRow, StagedRows } from './rows.ts'
import { assemble, removeParts } from './session.ts'
import { createNewS3Writer, createStagedS3Writer } from './writer.ts'

export type BucketPlace = S3Bucket & {
  /** Before all keys; empty, or without slashes at its ends. */
  readonly prefix: string
}

export type S3StoreOptions = {
  readonly place: BucketPlace
  readonly rows: StagedRows
  /** Whether the contents have addresses at the service. */
  readonly redirect?: boolean
  readonly limits?: Partial<S3Limits>
  readonly client?: S3Client
  /**
   * Whether a later sweep repeats deletions that the service confirmed within a minute after a failure. Not where a deleted object can be
   * stored again, as when objects are moved.
   */
  readonly repeatsDeletions?: boolean
}

/**
 * The objects of a bucket, for any number of servers: one key per object, whether it is staged or not; `rows` say what is staged. An
 * object that is written in several sessions is a multipart upload until it is read or published.
 */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { place, rows, redirect = false, repeatsDeletions = false } = options
  const limits = { ...DEFAULT_S3_LIMITS, ...options.limits }
  const client = options.client ?? createS3Client({ bucket: place })
  const objects = createS3Objects(client)
  const base = place.prefix === '' ? '' : `${place.prefix}/`
  const context: S3Context = {
    objects,
    rows,
    limits,
    sending: createSemaphore(limits.parallelPartsOfAll),
    whole: new Map(),
    keyOf: (id) => `${base}objects/${checkedId(id).slice(-2)}/${id}`,
    tailKeyOf: (name) => `${base}tails/${name}`,
  }
  const { keyOf } = context
  const assembleOnce = onceAtATime((id) => assemble(context, id))
  const publishOnce = onceAtATime((id) => publish(context, assembleOnce, id))

  /**
   * A service that is only partly running can confirm a deletion and keep the object: Swift does so while its account server starts.
   */
  const mayHaveKept = (): boolean => repeatsDeletions && client.failedWithin(limits.lateMs)

  /**
   * Deletes the object and its parts, then the row: until then, a sweep finds it again. If its writer was active less than `lateMs` ago,
   * the row stays for a later sweep, because the service could still create the object; also if it may have kept the object.
   */
  async function remove(id: string, row: StagedRow): Promise<void> {
    await removeParts(context, id, row)
    await objects.delete(keyOf(id))
    if (!mayHaveKept()) await rows.forget(id, limits.lateMs)
  }

  async function discard(id: string): Promise<boolean> {
    context.whole.delete(id)
    const row = await rows.discard(checkedId(id))
    if (row) await remove(id, row)
    return row !== null
  }

  async function sizeOf(id: string, row: StagedRow | null): Promise<number | null> {
    return row?.size ?? (await objects.head(keyOf(id)))?.size ?? null
  }

  return {
    stage: async (id, offset) => createStagedS3Writer(context, checkedId(id), offset),
    create: (id) => createNewS3Writer(context, checkedId(id)),
    async stagedSize(id) {
      const row = await rows.find(checkedId(id))
      return row && !row.discarded ? sizeOf(id, row) : null
    },
    async size(id) {
      const row = await rows.find(checkedId(id))
      return row?.discarded ? null : sizeOf(id, row)
    },
    async syncStaged(id) {
      return this.stagedSize(id)
    },
    syncStaging: async () => undefined,
    keepsNotes: true,
    stagedNote: async (id) => (await rows.find(checkedId(id)))?.note ?? null,
    publish: async (id) => publishOnce(checkedId(id)),
    open(id, size) {
      const prepare = async () => {
        const row = await rows.find(id)
        if (!row || row.discarded) return false
        if (row.size !== null) await assembleOnce(id)
        return true
      }
      const opening = { objects, id, key: keyOf(id), size, prepare }
      return {
        size,
        address: redirect ? (as) => addressOf(place, opening.key, as) : undefined,
        open: (reading) => openS3Reader(opening, reading),
        read: (start, end) => readRange(() => openS3Reader(opening, { start, end }), start, end),
      }
    },
    async delete(id) {
      if (await discard(id)) return
      await objects.delete(keyOf(id))
      if (mayHaveKept()) await rows.addDiscarded(id)
    },
    async discard(id) {
      await discard(id)
    },
    listStaged: (idleMs = 0) => rows.list(idleMs),
    async *listStored() {
      for await (const keys of pages((marker) => objects.list(`${base}objects/`, marker))) {
        const ids = keys.flatMap(({ key }) => idIn(key) ?? [])
        const staged = await rows.among(ids)
        yield* ids.filter((id) => !staged.has(id))
      }
    },
    async sweep(signal) {
      await sweepUploads(context, base, signal)
      await sweepTails(context, base, signal)
    },
  }
}

/** Enough to begin a download, also for a browser that asks before it saves. */
const ADDRESS_SECONDS = 120

function addressOf(place: BucketPlace, key: string, as: { readonly type: string; readonly disposition: string }): URL {
  const query = { 'response-content-type': as.type, 'response-content-disposition': as.disposition }
  return signedAddress(s3Address(place, key, query), place, new Date(), ADDRESS_SECONDS)
}

async function publish(context: S3Context, assembleOnce: (id: string) => Promise<void>, id: string): Promise<void> {
  const { objects, rows, keyOf, whole } = context
  const session = whole.get(id)
  whole.delete(id)
  if (session !== undefined && (await rows.release(id, session))) return
  const row = await rows.find(id)
  if (row?.discarded) throw new ObjectMissingError(id)
  if (row && row.size !== null) await assembleOnce(id)
  else if ((await objects.head(keyOf(id))) === null) throw new ObjectMissingError(id)
  if (row) await rows.release(id, null)
}

/** Calls for the same object share the one that is running. */
function onceAtATime(work: (id: string) => Promise<void>): (id: string) => Promise<void> {
  const running = new Map<string, Promise<void>>()
  return (id) => {
    const started = running.get(id) ?? work(id).finally(() => running.delete(id))
    running.set(id, started)
    return started
  }
}

/** Uploads that were begun by a server that stopped before it noted them. */
async function sweepUploads({ objects, rows, limits }: S3Context, base: string, signal: AbortSignal): Promise<void> {
  const before = Date.now() - limits.leftOverMs
  for await (const uploads of pages((marker) => objects.listUploads(`${base}objects/`, marker))) {
    signal.throwIfAborted()
    const old = uploads.filter(({ begunAt }) => begunAt < before)
    const known = await rows.among(old.flatMap(({ key }) => idIn(key) ?? []))
    for (const upload of old) {
      const id = idIn(upload.key)
      if (id !== null && known.get(id)?.uploadId !== upload.uploadId) await objects.abortUpload(upload)
    }
  }
}

async function sweepTails({ objects, rows, limits }: S3Context, base: string, signal: AbortSignal): Promise<void> {
  const before = Date.now() - limits.leftOverMs
  for await (const tails of pages((marker) => objects.list(`${base}tails/`, marker))) {
    signal.throwIfAborted()
    const old = tails.filter(({ modifiedAt }) => modifiedAt < before)
    const known = await rows.among(old.flatMap(({ key }) => idIn(key) ?? []))
    for (const { key } of old) {
      const name = key.slice(`${base}tails/`.length)
      const id = idIn(key)
      if (id !== null && known.get(id)?.tail?.name !== name) await objects.delete(key)
    }
  }
}

/** @throws WrongStorageError when the folder has stored objects: with a bucket, they would be missing */
export async function refuseObjectsOnDisk(dataDir: string): Promise<void> {
  const objects = join(dataDir, 'objects')
  const folders = (await readdir(objects).catch(() => [])).filter(isFolder)
  for (const folder of folders) {
    if ((await readdir(join(objects, folder))).length === 0) continue
    throw new WrongStorageError(
      `${objects} has stored files, which a server with STORAGE_URL does not read. Please unset STORAGE_URL, use another DATA_DIR, or set STORAGE_FROM=disk and move them with "npm run move-storage".`,
    )
  }
}

/** How long a server that starts waits for the object store (ms). */
const START_MS = 5_000

/** Writes, reads and deletes a small object. @throws WrongStorageError with the setting, and what to correct */
export async function checkBucket(place: BucketPlace, setting = 'STORAGE_URL'): Promise<void> {
  const client = createS3Client({ bucket: place, retryMs: START_MS })
  const objects = createS3Objects(client)
  const key = `${place.prefix === '' ? '' : `${place.prefix}/`}checks/${randomUUID()}`
  try {
    await tryObject(objects, key)
  } catch (error) {
    throw new WrongStorageError(`${setting}: ${problemOf(place, error)}`, { cause: error })
  } finally {
    client.close()
  }
}

async function tryObject(objects: S3Objects, key: string): Promise<void> {
  const bytes = Buffer.from('Skypool')
  await objects.put(key, bodyOf(bytes))
  const size = (await objects.head(key))?.size
  await objects.delete(key)
  if (size !== bytes.length) throw new Error('What was stored cannot be read.')
}

/** Asks whether the bucket can be reached. */
export function createBucketPing(place: BucketPlace): () => Promise<void> {
  const client = createS3Client({ bucket: place, retryMs: 0 })
  return async () => {
    await client.send({ operation: 'ping', method: 'HEAD' })
  }
}

const WRONG_KEYS: ReadonlySet<string> = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken'])

function problemOf({ bucket, endpoint, region }: BucketPlace, error: unknown): string {
  if (!(error instanceof S3Error)) return String(error)
  const { status, code } = error
  if (status === null) return `${endpoint} does not answer. ${error.message}`
  if (code === 'NoSuchBucket') return `The bucket "${bucket}" does not exist at ${endpoint}. Please create it.`
  if (WRONG_KEYS.has(code ?? '')) return `${endpoint} refuses the access key or its secret (${code}).`
  if (code === 'AuthorizationHeaderMalformed' || code === 'PermanentRedirect')
    return `The bucket "${bucket}" is not in the region "${region}" (${code}).`
  if (status === 403) return `The access key may not write to the bucket "${bucket}" (${code ?? 'AccessDenied'}).`
  return `The bucket "${bucket}" at ${endpoint} cannot be written to. ${error.message}`
}
