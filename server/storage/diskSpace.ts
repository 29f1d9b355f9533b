import { randomBytes } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskFullError, errorCode } from './errors.ts'

/** The reserve is at most 1/10 of the disk, so that small disks remain usable. */
const RESERVE_DIVISOR = 10
/** How long (ms) a measurement of the disk is used; bytes taken meanwhile are subtracted. */
const MAX_AGE_MS = 1_000
const CHECK_INTERVAL_MS = 1_000
/** Freed for the database when the disk is full: deleting files needs some space first. At most 1/20 of the disk. */
const BALLAST_BYTES = 64 * 1024 * 1024
const BALLAST_DIVISOR = 20
const BLOCK = 1024 * 1024

export type DiskSpace = {
  /** Reserves space for `bytes`. Returns a promise only when the disk has to be measured. @throws DiskFullError */
  take(bytes: number): void | Promise<void>
}

/** Bytes of a file system. */
export type Disk = { readonly free: number; readonly total: number }

export type DiskSpaceOptions = {
  /** Of DATA_DIR. */
  readonly directory: string
  /** Not available to uploads; at most a tenth of the disk is used. */
  readonly reserveBytes: number
  readonly logger: { warn(details: object, message: string): void; info(details: object, message: string): void }
  readonly measure?: () => Promise<Disk>
  readonly now?: () => number
}

export type WatchedDiskSpace = DiskSpace & {
  /** Deletes the ballast file when the disk is full, and recreates it when there is space again. */
  check(): Promise<void>
  start(): void
  stop(): void
}

/**
 * Keeps part of the disk free for the database: uploads that would need it are refused. Against other programs that fill the disk,
 * a file (`ballast`) occupies some space and is deleted when the disk is full.
 */
export function createDiskSpace(options: DiskSpaceOptions): WatchedDiskSpace {
  const { directory, reserveBytes, logger, now = () => performance.now() } = options
  const measure = options.measure ?? (() => readDisk(directory))
  const ballast = join(directory, 'ballast')
  let left = 0
  let measuredAt = Number.NEGATIVE_INFINITY
  let measuring: Promise<void> | null = null
  let checking: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  async function refresh(): Promise<void> {
    const disk = await measure()
    left = Math.floor(disk.free - reserveOf(disk, reserveBytes))
    measuredAt = now()
  }

  async function measureAndTake(bytes: number): Promise<void> {
    measuring ??= refresh().finally(() => {
      measuring = null
    })
    await measuring
    if (left < bytes) throw new DiskFullError(null, Math.max(0, left))
    left -= bytes
  }

  async function checkNow(): Promise<void> {
    const disk = await measure()
    const size = Math.floor(Math.min(BALLAST_BYTES, disk.total / BALLAST_DIVISOR) / BLOCK) * BLOCK
    const held = await sizeOf(ballast)
    if (held > 0 && disk.free < size / 4) {
      await rm(ballast, { force: true })
      logger.warn(
        { freeBytes: disk.free },
        'The disk is full. The space reserved for the database was released: please free disk space',
      )
    } else if (held < size && disk.free > reserveOf(disk, reserveBytes) + 2 * size) {
      await fill(ballast, size)
    }
  }

  const space: WatchedDiskSpace = {
    take(bytes) {
      if (now() - measuredAt > MAX_AGE_MS || left < bytes) return measureAndTake(bytes)
      left -= bytes
    },
    check() {
      checking ??= checkNow().finally(() => {
        checking = null
      })
      return checking
    },
    start() {
      const onError = (error: unknown) =>
        logger.warn({ reason: String(error) }, 'Free disk space could not be measured')
      timer = setInterval(() => void space.check().catch(onError), CHECK_INTERVAL_MS).unref()
    },
    stop: () => clearInterval(timer),
  }
  return space
}

/** Bytes that can be written to the disk of a folder without the reserve. */
export async function freeBytes({
  directory,
  reserveBytes,
}: Pick<DiskSpaceOptions, 'directory' | 'reserveBytes'>): Promise<number> {
  const disk = await readDisk(directory)
  return Math.max(0, Math.floor(disk.free - reserveOf(disk, reserveBytes)))
}

function reserveOf({ total }: Disk, reserveBytes: number): number {
  return Math.min(reserveBytes, total / RESERVE_DIVISOR)
}

/** Space available to non-root users. */
async function readDisk(directory: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { free: bavail * bsize, total: blocks * bsize }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return 0
      throw error
    },
  )
}

/** With random bytes: a compressing file system would reserve no space for zeros. */
async function fill(path: string, size: number): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for (let written = 0; written < size; written += BLOCK) await file.write(randomBytes(BLOCK))
    await file.datasync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
