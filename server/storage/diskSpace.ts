import { randomBytes } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskFullError, errorCode } from './errors.ts'

/** The part of a disk that the reserve never exceeds, so that a small one can be used at all. */
const LARGEST_PART = 10
/** What is known of the disk is believed for so long; what is written meanwhile is subtracted. */
const KNOWN_MS = 1_000
const LOOK_EVERY_MS = 1_000
/** Given to the database when others have filled the disk: deleting needs a little room before it makes some. */
const BALLAST_BYTES = 64 * 1024 * 1024
const BALLAST_PART = 20
const BLOCK = 1024 * 1024

export type DiskSpace = {
  /** Room for so many bytes is taken. Only where that must be looked up it is a promise. @throws DiskFullError */
  take(bytes: number): void | Promise<void>
}

/** Bytes of a file system. */
export type Disk = { readonly free: number; readonly total: number }

export type DiskSpaceOptions = {
  /** Of DATA_DIR. */
  readonly directory: string
  /** Never given to uploads; at most a tenth of the disk. */
  readonly reserveBytes: number
  readonly logger: { warn(details: object, message: string): void; info(details: object, message: string): void }
  readonly look?: () => Promise<Disk>
  readonly now?: () => number
}

export type WatchedDiskSpace = DiskSpace & {
  /** Gives the ballast to the database when the disk is full, and takes it back when there is room again. */
  check(): Promise<void>
  start(): void
  stop(): void
}

/**
 * Keeps a part of the disk free for the database: uploads are refused before it would be used. What others write to the same disk
 * cannot be refused; for that, a file (`ballast`) holds some room, which is let go when all else is full.
 */
export function createDiskSpace(options: DiskSpaceOptions): WatchedDiskSpace {
  const { directory, reserveBytes, logger, now = () => performance.now() } = options
  const look = options.look ?? (() => readDisk(directory))
  const ballast = join(directory, 'ballast')
  let left = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null
  let checking: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const reserveOf = ({ total }: Disk) => Math.min(reserveBytes, total / LARGEST_PART)

  async function refresh(): Promise<void> {
    const disk = await look()
    left = Math.floor(disk.free - reserveOf(disk))
    lookedAt = now()
  }

  async function takeSlowly(bytes: number): Promise<void> {
    looking ??= refresh().finally(() => {
      looking = null
    })
    await looking
    if (left < bytes) throw new DiskFullError(null, Math.max(0, left))
    left -= bytes
  }

  async function checkNow(): Promise<void> {
    const disk = await look()
    const size = Math.floor(Math.min(BALLAST_BYTES, disk.total / BALLAST_PART) / BLOCK) * BLOCK
    const held = await sizeOf(ballast)
    if (held > 0 && disk.free < size / 4) {
      await rm(ballast, { force: true })
      logger.warn(
        { freeBytes: disk.free },
        'The disk is full. What was kept for this case is free for the database now: please make room',
      )
    } else if (held < size && disk.free > reserveOf(disk) + 2 * size) {
      await fill(ballast, size)
    }
  }

  const space: WatchedDiskSpace = {
    take(bytes) {
      if (now() - lookedAt > KNOWN_MS || left < bytes) return takeSlowly(bytes)
      left -= bytes
    },
    check() {
      checking ??= checkNow().finally(() => {
        checking = null
      })
      return checking
    },
    start() {
      const onError = (error: unknown) => logger.warn({ reason: String(error) }, 'The disk could not be looked at')
      timer = setInterval(() => void space.check().catch(onError), LOOK_EVERY_MS).unref()
    },
    stop: () => clearInterval(timer),
  }
  return space
}

/** What is free for those who are not root. */
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

/** Of random bytes: a file system that compresses would hold nothing for zeros. */
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
