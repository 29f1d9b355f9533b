import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { createStagedRows } from './db/stagedObjects.ts'
import {
  beginStorageMove,
  countOtherServers,
  createMoveRows,
  finishStorageMove,
  lockStorageMove,
  readStorageMove,
  restoreStorageMove,
  type StorageMove,
  unlockStorageMove,
} from './db/storageMoves.ts'
import type { Config } from './env.ts'
import { formatBytes } from './lib/format.ts'
import { bothStorages, DIRECTION_MS, nameStorages } from './openStorage.ts'
import { isSameStorage, openBucketPlace } from './storage/move/bucketPlace.ts'
import { openDiskPlace } from './storage/move/diskPlace.ts'
import { finishInterrupted, type Moved, moveObjects } from './storage/move/mover.ts'
import type { MovePlace } from './storage/move/places.ts'
import type { MoveRows } from './storage/move/rows.ts'
import type { S3Limits } from './storage/s3/context.ts'
import { checkBucket } from './storage/s3/store.ts'

/** The settings, the servers or the target are not ready for a move; the message says what to do. Nothing was changed. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError'
}

export type Amount = { readonly objects: number; readonly bytes: number }

export type StorageMoveOptions = {
  readonly config: Pick<Config, 'bucket' | 'storageFrom' | 'dataDir' | 'diskReserveBytes'>
  /** With at least three connections, not through PgBouncer. */
  readonly pool: Pool
  /** Objects that are copied at the same time. */
  readonly parallel: number
  /** Only counts. */
  readonly isDryRun: boolean
  /** How long (ms) to wait for uploads that are in progress at the source. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  readonly say: (line: string) => void
  readonly onProgress: (done: Amount, all: Amount) => void
  /** Of the bucket; for tests. */
  readonly limits?: Partial<S3Limits>
}

export type StorageMoveResult = Moved & {
  readonly source: string
  readonly target: string
  /** Uploads in progress that are still at the source. */
  readonly uploads: number
  /** The source is empty, and servers do not need it any more. */
  readonly isFinished: boolean
}

const POLL_MS = 500
const WATCH_MS = 5_000
/** After the beginning. By then every server knows where new objects go. */
const KNOWN_AFTER_SECONDS = (5 * DIRECTION_MS) / 1000
const BATCH = 500

/**
 * Moves all files between the folder and the bucket of the settings, while servers that use both are running.
 * @throws NotReadyError, WrongStorageError, and what moveObjects throws; everything that was moved until then stays where it is
 */
export async function runStorageMove(options: StorageMoveOptions): Promise<StorageMoveResult> {
  const lock = await options.pool.connect()
  const lost = new AbortController()
  const onLost = () => lost.abort(new Error('The connection to the database broke.'))
  lock.on('error', onLost)
  lock.on('end', onLost)
  try {
    if (!(await lockStorageMove(lock)))
      throw new NotReadyError('Another "npm run move-storage" is running on this database.')
    return await moveLocked({ ...options, signal: AbortSignal.any([options.signal, lost.signal]) })
  } finally {
    lock.off('error', onLost)
    lock.off('end', onLost)
    await unlockStorageMove(lock).catch(() => undefined)
    // A broken connection releases the lock, too.
    lock.release(true)
  }
}

type Ends = { readonly from: MovePlace; readonly to: MovePlace }

async function moveLocked(options: StorageMoveOptions): Promise<StorageMoveResult> {
  const { config, pool, isDryRun } = options
  const both = bothStorages(config)
  if (!both) throw new NotReadyError(HOW)
  await checkBucket(both.bucket, both.setting)
  const storages = await nameStorages(both, config.dataDir)
  if (await isSameStorage(both.bucket))
    throw new NotReadyError('The bucket is the folder with the files in DATA_DIR, under another name.')
  const target = both.from === 'DISK' ? 'BUCKET' : 'DISK'
  const wanted = { target, storages } as const
  const disk = await openDiskPlace({ dataDir: config.dataDir, reserveBytes: config.diskReserveBytes })
  const { limits } = options
  const bucket = openBucketPlace({ place: both.bucket, rows: createStagedRows(pool), ...(limits && { limits }) })
  const ends: Ends = both.from === 'DISK' ? { from: disk, to: bucket } : { from: bucket, to: disk }
  const rows = createMoveRows(pool)
  try {
    const earlier = await readStorageMove(pool)
    await requireReady(options, { ends, rows, wanted, earlier })
    const all = await count(options, ends)
    if (isDryRun) return { ...NOTHING, source: ends.from.name, target: ends.to.name, uploads: 0, isFinished: false }
    await begin(pool, wanted, earlier)
    // What the other direction was doing is finished in that direction.
    if (earlier && earlier.target !== target) await finishInterrupted({ from: ends.to, to: ends.from, rows })
    await finishInterrupted({ ...ends, rows })
    return await watchingServers(options, storages, (signal) => moveAll({ ...options, signal }, ends, rows, all))
  } finally {
    bucket.close()
  }
}

const NOTHING: Moved = { objects: 0, bytes: 0, deleted: 0, unknown: 0, problems: [] }

const HOW = `Please set where files are and where they are to be, on all servers and for this command:
  from the disk to a bucket: STORAGE_FROM=disk and STORAGE_URL=s3://key:secret@host/bucket
  from a bucket to the disk: STORAGE_FROM=s3://key:secret@host/bucket and no STORAGE_URL
Then restart the servers one after the other, and run this command with the same settings.`

type Readiness = {
  readonly ends: Ends
  readonly rows: MoveRows
  readonly wanted: Pick<StorageMove, 'target' | 'storages'>
  readonly earlier: StorageMove | null
}

/** @throws NotReadyError */
async function requireReady({ pool }: StorageMoveOptions, { ends, rows, wanted, earlier }: Readiness): Promise<void> {
  await requireServers(pool, wanted.storages)
  if (earlier && !earlier.isFinished && earlier.storages !== wanted.storages)
    throw new NotReadyError(
      `Files are being moved between other storages: ${earlier.storages}. Please finish that first, with DATA_DIR and the bucket that were used then.`,
    )
  const isContinued = earlier !== null && !(earlier.isFinished && earlier.target !== wanted.target)
  if (isContinued) return
  const foreign = await countForeign(ends.to, rows)
  if (foreign > 0)
    throw new NotReadyError(
      `${capital(ends.to.name)} is not empty: it has ${objectsOf(foreign)} that belong to no file of this database. Please use another prefix or bucket, or an empty DATA_DIR.`,
    )
}

async function requireServers(pool: Pool, storages: string): Promise<void> {
  const others = await countOtherServers(pool, storages)
  if (others === 0) return
  const servers = others === 1 ? 'A server is running' : `${others} servers are running`
  throw new NotReadyError(
    `${servers} without these settings, and would not find moved files. Please restart it with the same STORAGE_FROM, STORAGE_URL and folder as this command.`,
  )
}

/** Objects at the target that no file has: of another installation, or a file system that was not meant. */
async function countForeign(place: MovePlace, rows: MoveRows): Promise<number> {
  let foreign = 0
  let ids: string[] = []
  const countBatch = async () => {
    foreign += ids.length - (await rows.known(ids)).size
    ids = []
  }
  for await (const { id } of place.list()) if (ids.push(id) === BATCH) await countBatch()
  if (ids.length > 0) await countBatch()
  return foreign
}

/** @throws NotReadyError when the target has no room */
async function count({ say }: StorageMoveOptions, { from, to }: Ends): Promise<Amount> {
  let objects = 0
  let bytes = 0
  for await (const { size } of from.list()) {
    objects += 1
    bytes += size
  }
  const staged = await from.store.listStaged()
  const uploads = staged.length === 0 ? '' : `, and ${uploadsOf(staged.length)} in progress`
  say(`${capital(from.name)} has ${objectsOf(objects)}, ${formatBytes(bytes)}${uploads}. They are moved to ${to.name}.`)
  const free = await to.freeBytes()
  if (free !== null && free < bytes)
    throw new NotReadyError(
      `${capital(to.name)} has no room for them: ${formatBytes(free)} are free beyond DISK_RESERVE.`,
    )
  return { objects, bytes }
}

/** Servers that start from now on see it, and those that are running were asked before; so none is missed. */
async function begin(
  pool: Pool,
  wanted: Pick<StorageMove, 'target' | 'storages'>,
  earlier: StorageMove | null,
): Promise<void> {
  await beginStorageMove(pool, wanted)
  try {
    await requireServers(pool, wanted.storages)
  } catch (error) {
    await restoreStorageMove(pool, earlier)
    throw error
  }
}

/** Stops when a server appears that does not use both storages: one of an earlier version, which does not look for a move. */
async function watchingServers<Result>(
  { pool, signal }: StorageMoveOptions,
  storages: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const refused = new AbortController()
  // What fails here fails in the work, too.
  const check = () => void requireServers(pool, storages).catch((error: unknown) => refused.abort(error))
  const timer = setInterval(check, WATCH_MS)
  try {
    return await work(AbortSignal.any([signal, refused.signal]))
  } finally {
    clearInterval(timer)
  }
}

async function moveAll(
  options: StorageMoveOptions,
  { from, to }: Ends,
  rows: MoveRows,
  all: Amount,
): Promise<StorageMoveResult> {
  const { pool, parallel, signal, say, onProgress, patienceMs } = options
  let done: Amount = { objects: 0, bytes: 0 }
  const onObject = (bytes: number) => {
    done = { objects: done.objects + 1, bytes: done.bytes + bytes }
    onProgress(done, all)
  }
  let sum = NOTHING
  let waiting = 0
  const until = performance.now() + patienceMs
  for (;;) {
    const moved = await moveObjects({ from, to, rows, parallel, signal, onObject })
    sum = add(sum, moved)
    await publishStored(from, rows)
    const staged = await from.store.listStaged()
    const hasBegun = ((await readStorageMove(pool))?.seconds ?? 0) > KNOWN_AFTER_SECONDS
    const isEmpty = staged.length === 0 && moved.objects === 0
    const result = { ...sum, source: from.name, target: to.name, uploads: staged.length }
    if (sum.problems.length > 0) return { ...result, isFinished: false }
    if (isEmpty && hasBegun) {
      await finishStorageMove(pool)
      return { ...result, isFinished: true }
    }
    if (staged.length > 0 && hasBegun && performance.now() > until) return { ...result, isFinished: false }
    if (staged.length > 0 && staged.length !== waiting) say(`Waiting for ${uploadsOf(staged.length)} in progress.`)
    waiting = staged.length
    await sleep(POLL_MS, undefined, { signal })
  }
}

function add(sum: Moved, moved: Moved): Moved {
  return {
    objects: sum.objects + moved.objects,
    bytes: sum.bytes + moved.bytes,
    deleted: sum.deleted + moved.deleted,
    unknown: sum.unknown + moved.unknown,
    problems: moved.problems,
  }
}

/** Files of which a server could not publish the object before it ended. */
async function publishStored({ store }: MovePlace, rows: MoveRows): Promise<void> {
  const staged = await store.listStaged()
  for (let at = 0; at < staged.length; at += BATCH) {
    for (const id of (await rows.known(staged.slice(at, at + BATCH))).keys()) {
      // A server may have published or deleted it since.
      if ((await store.stagedSize(id)) !== null) await store.publish(id).catch(unlessGone(store, id))
    }
  }
}

function unlessGone(store: MovePlace['store'], id: string) {
  return async (error: unknown): Promise<void> => {
    if ((await store.size(id)) !== null) throw error
  }
}

export function objectsOf(count: number): string {
  return count === 1 ? '1 object' : `${count} objects`
}

export function uploadsOf(count: number): string {
  return count === 1 ? '1 upload' : `${count} uploads`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
