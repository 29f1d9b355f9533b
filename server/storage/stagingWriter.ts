import { closeSync, constants, fdatasync, fstatSync, ftruncate, writev } from 'node:fs'
import { promisify } from 'node:util'
import type { DiskSpace } from './diskSpace.ts'
import { DiskFullError, errorCode } from './errors.ts'

// Raw descriptors, as in objectStore.ts: many uploads are small.
const writeParts: (
  descriptor: number,
  parts: readonly Buffer[],
  position: number,
) => Promise<{ bytesWritten: number }> = promisify(writev)
const syncData = promisify(fdatasync)
const truncateTo: (descriptor: number, size: number) => Promise<void> = promisify(ftruncate)

/** Small network chunks are collected into writes of at least this size. */
const WRITE_SIZE = 512 * 1024
/**
 * So much is collected while the previous write is in progress: larger writes take less time per byte. Uploads of slow clients, of which
 * there can be many, do not need as much memory, because their writes are done by then.
 */
const LARGEST_WRITE = 1024 * 1024
const MAX_CHUNKS = 256
/** Bytes between background flushes, so that the last flush of a large file is short. */
const FLUSH_EVERY = 64 * 1024 * 1024

/** Appends to one staging object. Not for concurrent callers. */
export interface StagingWriter {
  /** Offset after the last chunk passed to `write`. */
  readonly position: number
  /** Resolves when the next chunk may follow (back-pressure). The chunk must not be modified afterwards. @throws DiskFullError */
  write(chunk: Buffer): Promise<void>
  /**
   * Makes everything written durable. `note`: see ObjectStore.stagedNote; ignored where the store keeps none.
   * @throws DiskFullError, and errors of the store
   */
  sync(note?: Buffer | null): Promise<void>
  /** Cuts the object back to `size`. */
  truncate(size: number): Promise<void>
  /** Idempotent. Data is only durable after `sync`. */
  close(): Promise<void>
}

/** Writer of a new object, which needs no `truncate`. */
export type NewWriter = Omit<StagingWriter, 'truncate'> & {
  /** Whether the object still has its name, i.e. was not deleted. On the disk this checks the open descriptor, without disk access. */
  exists(): boolean | Promise<boolean>
}

/**
 * Writes a new object from its start. `open` creates it, with additional flags of open(2), on the first write to the disk.
 * Content that fits into one write is created, written and made durable by two system calls instead of three.
 */
export function createNewWriter(open: (flags: number) => Promise<number>, space: DiskSpace): NewWriter {
  const gathered: Buffer[] = []
  let gatheredBytes = 0
  let writer: StagingWriter | null = null
  let descriptor: number | null = null

  async function start(flags = 0): Promise<StagingWriter> {
    descriptor = await open(flags).catch(throwDiskFull)
    writer = createStagingWriter(descriptor, 0, space, (flags & constants.O_DSYNC) !== 0)
    for (const chunk of gathered.splice(0)) await writer.write(chunk)
    return writer
  }

  return {
    get position() {
      return writer?.position ?? gatheredBytes
    },
    async write(chunk) {
      if (writer) return writer.write(chunk)
      gathered.push(chunk)
      gatheredBytes += chunk.length
      if (gatheredBytes >= WRITE_SIZE || gathered.length >= MAX_CHUNKS) await start()
    },
    async sync() {
      const started = writer ?? (await start(constants.O_DSYNC))
      await started.sync()
    },
    exists() {
      if (descriptor === null) return false
      try {
        return fstatSync(descriptor).nlink > 0
      } catch (error) {
        // On a network file system, when another machine has deleted the file.
        if (errorCode(error) === 'ESTALE') return false
        throw error
      }
    },
    async close() {
      descriptor = null
      await writer?.close()
    },
  }
}

/** Takes ownership of the descriptor: `close` closes it. `isSynchronous`: opened with O_DSYNC, so writes are durable. */
export function createStagingWriter(
  descriptor: number,
  start: number,
  space: DiskSpace,
  isSynchronous = false,
): StagingWriter {
  let position = start
  let written = start
  let flushedAt = start
  let gathered: Buffer[] = []
  let gatheredBytes = 0
  let writing: Promise<void> = Promise.resolve()
  let flushing: Promise<void> = Promise.resolve()
  let isWriting = false
  let isFlushing = false
  let closed = false

  /** Starts writing the collected chunks after the previous write is done. */
  async function flush(): Promise<void> {
    await writing
    const room = space.take(gatheredBytes)
    if (room) await room
    const chunks = gathered
    gathered = []
    gatheredBytes = 0
    const at = written
    written = position
    isWriting = true
    writing = writeAll(descriptor, chunks, at).then(() => {
      isWriting = false
      startFlush()
    })
    // The next await reports a failure; until then it must not count as unhandled.
    writing.catch(() => undefined)
  }

  function startFlush(): void {
    if (isFlushing || closed || written - flushedAt < FLUSH_EVERY) return
    flushedAt = written
    isFlushing = true
    flushing = syncData(descriptor).then(() => {
      isFlushing = false
    })
    flushing.catch(() => undefined)
  }

  return {
    get position() {
      return position
    },
    async write(chunk) {
      gathered.push(chunk)
      gatheredBytes += chunk.length
      position += chunk.length
      const enough = isWriting ? LARGEST_WRITE : WRITE_SIZE
      if (gatheredBytes >= enough || gathered.length >= MAX_CHUNKS) await flush()
    },
    async sync() {
      await flush()
      await writing
      // Linux reports a write-back error once: after one in a background flush, `flushing` stays rejected.
      await flushing
      // If nothing was written, the creation of the object.
      if (!isSynchronous || written === start) await syncData(descriptor)
    },
    async truncate(size) {
      await writing.catch(() => undefined)
      gathered = []
      gatheredBytes = 0
      position = size
      written = size
      await truncateTo(descriptor, size)
    },
    async close() {
      if (closed) return
      closed = true
      await writing.catch(() => undefined)
      await flushing.catch(() => undefined)
      // Does not wait for the disk, so it needs no thread.
      closeSync(descriptor)
    },
  }
}

/** Writes all chunks at offset `at`, also when the system accepts only part of them. @throws DiskFullError */
async function writeAll(descriptor: number, chunks: readonly Buffer[], at: number): Promise<void> {
  let rest = chunks
  let offset = at
  while (rest.length > 0) {
    const { bytesWritten } = await writeParts(descriptor, rest, offset).catch(throwDiskFull)
    offset += bytesWritten
    rest = dropBytes(rest, bytesWritten)
  }
}

function dropBytes(chunks: readonly Buffer[], count: number): readonly Buffer[] {
  let left = count
  for (const [index, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)]
    left -= chunk.length
  }
  return []
}

/** @throws DiskFullError for errors of a full disk, others as they are */
function throwDiskFull(error: unknown): never {
  throw ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errorCode(error) ?? '') ? new DiskFullError(error) : error
}
