import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { createStagedRows } from './db/stagedObjects.ts'
import { readStorageMove, type StorageMove } from './db/storageMoves.ts'
import type { Config } from './env.ts'
import type { DiskSpace } from './storage/diskSpace.ts'
import { WrongStorageError } from './storage/errors.ts'
import { idOfBucket } from './storage/move/bucketPlace.ts'
import { idOfFolder } from './storage/move/diskPlace.ts'
import { createMovingStore, type Side } from './storage/move/movingStore.ts'
import { createObjectStore, type ObjectStore } from './storage/objectStore.ts'
import type { S3Limits } from './storage/s3/context.ts'
import {
  type BucketPlace,
  checkBucket,
  createBucketPing,
  createS3Store,
  refuseObjectsOnDisk,
  type S3StoreOptions,
} from './storage/s3/store.ts'

type StorageConfig = Pick<Config, 'bucket' | 'storageFrom' | 'dataDir' | 'downloadRedirect'>

/** How long (ms) a server relies on where new objects go; a move ends later than that after its beginning. */
export const DIRECTION_MS = 1_000

/** The folder and the bucket of a server that uses both. */
type Both = {
  readonly bucket: BucketPlace
  /** Of the setting that has the bucket. */
  readonly setting: 'STORAGE_URL' | 'STORAGE_FROM'
  /** Where STORAGE_FROM says that files are. */
  readonly from: Side
}

/** Null: all files are in one storage. */
export function bothStorages({ bucket, storageFrom }: Pick<Config, 'bucket' | 'storageFrom'>): Both | null {
  if (storageFrom === null) return null
  if (storageFrom !== 'disk') return { bucket: storageFrom, setting: 'STORAGE_FROM', from: 'BUCKET' }
  return bucket && { bucket, setting: 'STORAGE_URL', from: 'DISK' }
}

/** As in `servers.storages` and `storage_moves.storages`. */
export async function nameStorages({ bucket }: Both, dataDir: string): Promise<string> {
  return `${await idOfFolder(dataDir)} ${idOfBucket(bucket)}`
}

/**
 * Tries what can be tried without the database.
 * @returns the name of the two storages, if there are two. @throws WrongStorageError
 */
export async function checkStorage(config: StorageConfig): Promise<string | null> {
  const both = bothStorages(config)
  if (both) {
    await checkBucket(both.bucket, both.setting)
    return nameStorages(both, config.dataDir)
  }
  if (config.bucket) await refuseObjectsOnDisk(config.dataDir)
  if (config.bucket) await checkBucket(config.bucket)
  return null
}

type OpenDeps = { readonly pool: Pool; readonly space: DiskSpace; readonly limits: Partial<S3Limits> }

/** The store of a server for its settings. */
export async function openStorage(config: StorageConfig, { pool, space, limits }: OpenDeps): Promise<ObjectStore> {
  const { dataDir, downloadRedirect: redirect } = config
  const openBucket = (place: BucketPlace, more: Partial<Pick<S3StoreOptions, 'redirect' | 'repeatsDeletions'>> = {}) =>
    createS3Store({ place, rows: createStagedRows(pool), limits, ...more })
  const both = bothStorages(config)
  if (both) {
    const disk = await createObjectStore(dataDir, space)
    const target = createDirection(() => readStorageMove(pool), both.from)
    return createMovingStore({ disk, bucket: openBucket(both.bucket), target })
  }
  return config.bucket
    ? openBucket(config.bucket, { redirect, repeatsDeletions: true })
    : createObjectStore(dataDir, space)
}

/** Where new objects go: where files are, until the command that moves them says otherwise. */
function createDirection(read: () => Promise<StorageMove | null>, before: Side): () => Promise<Side> {
  let known: Promise<Side> | null = null
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (known && performance.now() - readAt < DIRECTION_MS) return known
    readAt = performance.now()
    const reading = read().then((move) => move?.target ?? before)
    known = reading
    reading.catch(() => {
      if (known === reading) known = null
    })
    return reading
  }
}

/** What `/ready` asks. */
export function storageChecks(
  config: Pick<Config, 'bucket' | 'storageFrom' | 'dataDir'>,
): Readonly<Record<string, () => Promise<void>>> {
  const both = bothStorages(config)
  const bucket = both?.bucket ?? config.bucket
  return {
    ...(bucket && { bucket: createBucketPing(bucket) }),
    ...((both || !bucket) && { staging: () => access(join(config.dataDir, 'staging'), constants.W_OK) }),
  }
}

/**
 * Refuses a server that would not find files, because they were moved, or are being moved. It has to be in the register by now: the
 * command first writes what it is going to do, and then looks at the register.
 * @throws WrongStorageError with what to set
 */
export async function requireStorage(pool: Pool, config: StorageConfig, storages: string | null): Promise<void> {
  const move = await readStorageMove(pool)
  if (!move) return
  const inBucket = `the bucket ${move.storages.replace(/^\S+ /, '')}`
  if (move.isFinished) {
    if (storages !== null || (config.bucket ? 'BUCKET' : 'DISK') === move.target) return
    throw new WrongStorageError(
      move.target === 'BUCKET'
        ? `The files of this database were moved to ${inBucket}. Please set STORAGE_URL.`
        : 'The files of this database were moved to DATA_DIR. Please unset STORAGE_URL, or set STORAGE_FROM=disk as well to move them.',
    )
  }
  if (storages === move.storages) return
  const [where, settings] =
    move.target === 'BUCKET'
      ? [`from the disk to ${inBucket}`, 'STORAGE_URL with that bucket, and STORAGE_FROM=disk']
      : [`from ${inBucket} to the disk`, 'STORAGE_FROM with that bucket, and no STORAGE_URL']
  const folder =
    storages === null ? '' : ' DATA_DIR must be the folder that has been used so far, and the bucket the same one.'
  throw new WrongStorageError(
    `Files are being moved ${where}, and are in both. Please set ${settings}, until "npm run move-storage" has finished.${folder}`,
  )
}
