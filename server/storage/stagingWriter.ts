import { closeSync, constants, fdatasync, fstatSync, ftruncate, writev } from 'node:fs'
import { promisify } from 'node:util'
import type { DiskSpace } from './diskSpace.ts'
import { DiskFullError, errorCode } from './errors.ts'

// Bare descriptors, as in fileReader: many uploads are small.
const writeParts: (
  descriptor: number,
  parts: readonly Buffer[],
  position: number,
) => Promise<{ bytesWritten: number }> = promisify(writev)
const syncData = promisify(fdatasync)
const truncateTo: (descriptor: number, size: number) => Promise<void> = promisify(ftruncate)

/** Small network chunks are gathered into writes of this size; one is written while the next is gathered. */
const WRITE_SIZE = 512 * 1024
const MOST_CHUNKS = 256
/** The disk starts to work this early, so that the last flush of a big file is short. */
const FLUSH_EVERY = 64 * 1024 * 1024

/** Appends to one staging object. Not for two callers at once. */
export interface StagingWriter {
  /** Bytes given so far, from the start of the object. */
  readonly position: number
  /** Resolves when more may be given (back-pressure); the chunk must not be changed afterwards. @throws DiskFullError */
  write(chunk: Buffer): Promise<void>
  /** Everything given is on the disk. @throws DiskFullError, and whatever fdatasync reports */
  sync(): Promise<void>
  /** Cuts the object back to `size`. */
  truncate(size: number): Promise<void>
  /** Idempotent; without `sync` before it nothing is promised. */
  close(): Promise<void>
}

/** Of an object that nobody has begun, so that there is nothing to cut back. */
export type NewWriter = Omit<StagingWriter, 'truncate'> & {
  /** What was synced can still be found by its name: nobody has deleted it. Asks the open file, so it waits for no disk. */
  isThere(): boolean
}

/**
 * Writes a new object from its start. `open` makes and opens it, with more flags of open(2), when there is something to write.
 * What is synced while it still fits into one write is opened, written and durable by two calls to the disk instead of three.
 */
export function createNewWriter(open: (flags: number) => Promise<number>, space: DiskSpace): NewWriter {
  const gathered: Buffer[] = []
  let gatheredBytes = 0
  let writer: StagingWriter | null = null
  let descriptor: number | null = null

  async function start(flags = 0): Promise<StagingWriter> {
    descriptor = await open(flags).catch(sayFull)
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
      if (gatheredBytes >= WRITE_SIZE || gathered.length >= MOST_CHUNKS) await start()
    },
    async sync() {
      const started = writer ?? (await start(constants.O_DSYNC))
      await started.sync()
    },
    isThere() {
      if (descriptor === null) return false
      try {
        return fstatSync(descriptor).nlink > 0
      } catch (error) {
        // Of a file server whose file was deleted by another machine.
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

/** Takes over the descriptor: `close` closes it. `isSynchronous`: it was opened with O_DSYNC, so what is written is durable. */
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
  let flushesUnderWay = 0
  let closed = false

  /** Hands the gathered chunks to the disk once the write before them is done. */
  async function flush(): Promise<void> {
    await writing
    const room = space.take(gatheredBytes)
    if (room) await room
    const chunks = gathered
    gathered = []
    gatheredBytes = 0
    const at = written
    written = position
    writing = writeAll(descriptor, chunks, at).then(startFlush)
    // A failure is reported by whoever awaits next; until then it must not count as unhandled.
    writing.catch(() => undefined)
  }

  function startFlush(): void {
    if (flushesUnderWay > 0 || closed || written - flushedAt < FLUSH_EVERY) return
    flushedAt = written
    flushesUnderWay += 1
    flushing = syncData(descriptor).then(() => {
      flushesUnderWay -= 1
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
      if (gatheredBytes >= WRITE_SIZE || gathered.length >= MOST_CHUNKS) await flush()
    },
    async sync() {
      await flush()
      await writing
      // Linux reports a write-back error once: when a background flush saw it, `flushing` stays rejected for good.
      await flushing
      // Of nothing written, the making of the object itself.
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
      // Waits for no disk, so it is not worth a thread.
      closeSync(descriptor)
    },
  }
}

/** Writes all chunks at `at`, also when the system takes only a part of them. @throws DiskFullError */
async function writeAll(descriptor: number, chunks: readonly Buffer[], at: number): Promise<void> {
  let rest = chunks
  let offset = at
  while (rest.length > 0) {
    const { bytesWritten } = await writeParts(descriptor, rest, offset).catch(sayFull)
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

function sayFull(error: unknown): never {
  throw ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errorCode(error) ?? '') ? new DiskFullError(error) : error
}
