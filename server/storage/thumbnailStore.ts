import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, futimes, open, read } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DiskSpace } from './diskSpace.ts'
import { DiskFullError, errorCode } from './errors.ts'

/**
 * Thumbnails on disk, by the SHA-256 of the content, or by that and `.text` for what is read of a document. It is a cache: several servers may share the folder or have one each, and it can be
 * deleted at any time. Each content is one file with its thumbnails of all sizes and what is
 * known of the original, or a note that there are none.
 */
export interface ThumbnailStore {
  /**
   * @param index which of the parts that were written; one that is empty or was left out is NONE
   * @returns NONE: it is known that there are none; null: nothing is known
   */
  read(key: string, index: number): Promise<Buffer | 'NONE' | null>
  /** At most four parts; `null`: there are none. Does nothing when the disk is full. */
  write(key: string, parts: readonly Buffer[] | null): Promise<void>
  /** As `write` with null, but forgotten after a day: the cause may have been this server and not the content. */
  writeStopped(key: string): Promise<void>
  /** Also what was written for `<key>.text`. */
  remove(keys: readonly string[]): Promise<void>
  /** Removes what was used least recently, as far as the limit requires. */
  trim(signal?: AbortSignal): Promise<void>
}

export type ThumbnailStoreOptions = {
  readonly dataDir: string
  /** Bytes on disk; null: unlimited. */
  readonly limitBytes: number | null
  readonly space: DiskSpace
  /** Called with errors of trimming in the background. */
  readonly onError: (error: unknown) => void
  readonly now?: () => number
}

const KEY = /^[0-9a-f]{64}(?:\.text)?$/
/** Changed whenever thumbnails are made differently, so that earlier ones are made again. */
const VERSION = 'SKT2'
/** Three sizes, and the facts. */
const PICTURES = 4
const HEADER = VERSION.length + 4 * PICTURES
/** Bytes: all that there is of most contents. */
const FIRST_READ = 96 * 1024
/** In place of the first length. */
const STOPPED = 0xffffffff
const STOPPED_FOR_MS = 24 * 3_600_000
/** Reading does not write more often than this: the order needs no more. */
const USED_EVERY_MS = 3_600_000
/** What a file occupies on common file systems. */
const BLOCK = 4096
/** Trimming goes below the limit, and happens after this part of it was written. */
const SLACK = 0.05
const AT_ONCE = 16

// Handles of node:fs/promises cost twice as much: every picture in a list is read this way.
const openFile = promisify(open)
const readFile = promisify(read)
const setTimes = promisify(futimes)

/** Creates `<dataDir>/thumbnails` with the first write. */
export function createThumbnailStore(options: ThumbnailStoreOptions): ThumbnailStore {
  const { limitBytes, space, onError, now = Date.now } = options
  const root = join(options.dataDir, 'thumbnails')
  // Counts as much as the slack, so that the first write trims what an earlier process left.
  let written = Number.POSITIVE_INFINITY
  let trimming: Promise<void> | null = null

  async function store(key: string, bytes: Buffer): Promise<void> {
    const path = pathOf(root, key)
    const temporary = `${path}.${randomUUID()}`
    try {
      await space.take(bytes.length)
      await mkdir(join(root, key.slice(0, 2)), { recursive: true, mode: 0o700 })
      await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 })
      await utimes(temporary, now() / 1000, now() / 1000)
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      if (!(error instanceof DiskFullError) && errorCode(error) !== 'ENOSPC') throw error
    }
    written += occupied(bytes.length)
    if (limitBytes !== null && !trimming && written > limitBytes * SLACK) trim().catch(onError)
  }

  function trim(signal?: AbortSignal): Promise<void> {
    if (limitBytes === null) return Promise.resolve()
    // What is being removed was chosen before this call: files stored since then count too.
    if (trimming) return trimming.catch(() => undefined).then(() => trim(signal))
    written = 0
    trimming = removeLeastUsed(root, limitBytes, signal).finally(() => {
      trimming = null
    })
    return trimming
  }

  return {
    async read(key, index) {
      const descriptor = await openFile(pathOf(root, key), 'r').catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return null
        throw error
      })
      if (descriptor === null) return null
      try {
        return await readPart(descriptor, index, now)
      } finally {
        // It is small, so this waits for nothing.
        closeSync(descriptor)
      }
    },
    write: (key, pictures) => store(key, encode(pictures ?? [])),
    writeStopped: (key) => store(key, headerOf([STOPPED])),
    async remove(keys) {
      for (let at = 0; at < keys.length; at += AT_ONCE) {
        const paths = keys.slice(at, at + AT_ONCE).flatMap((key) => [pathOf(root, key), pathOf(root, `${key}.text`)])
        await Promise.all(paths.map((path) => rm(path, { force: true })))
      }
    },
    trim,
  }
}

/** As `ThumbnailStore.read`, of an open file. Each call of the file system costs more than to read a little too much. */
async function readPart(descriptor: number, index: number, now: () => number): Promise<Buffer | 'NONE' | null> {
  // On an open file, this does not wait for the disk.
  const { size, mtimeMs } = fstatSync(descriptor)
  const start = Buffer.allocUnsafeSlow(Math.min(size, FIRST_READ))
  const { bytesRead } = await readFile(descriptor, start, 0, start.length, 0)
  const found = bytesRead < HEADER ? null : placeOf(start, size, index)
  if (found === 'STOPPED') return now() - mtimeMs < STOPPED_FOR_MS ? 'NONE' : null
  if (found === null) return null
  if (now() - mtimeMs > USED_EVERY_MS) await setTimes(descriptor, now() / 1000, now() / 1000)
  if (found === 'NONE') return 'NONE'
  const { at, length } = found
  if (at + length <= bytesRead) return start.subarray(at, at + length)
  const bytes = Buffer.allocUnsafeSlow(length)
  await readFile(descriptor, bytes, 0, length, at)
  return bytes
}

/** @throws for anything but a SHA-256: client input never becomes a path */
function pathOf(root: string, key: string): string {
  if (!KEY.test(key)) throw new Error('Not a key of a thumbnail.')
  return join(root, key.slice(0, 2), key)
}

function encode(pictures: readonly Buffer[]): Buffer {
  return Buffer.concat([headerOf(pictures.map(({ length }) => length)), ...pictures])
}

function headerOf(lengths: readonly number[]): Buffer {
  const header = Buffer.alloc(HEADER)
  header.write(VERSION, 'latin1')
  lengths.forEach((length, index) => {
    header.writeUInt32LE(length, VERSION.length + 4 * index)
  })
  return header
}

/** Where a picture is in the file; null for a file of another version, or one that was cut off by a crash. */
function placeOf(header: Buffer, size: number, index: number) {
  if (header.toString('latin1', 0, VERSION.length) !== VERSION) return null
  const lengths = Array.from({ length: PICTURES }, (_, each) => header.readUInt32LE(VERSION.length + 4 * each))
  if (lengths[0] === STOPPED) return 'STOPPED'
  const sum = (end: number) => lengths.slice(0, end).reduce((total, length) => total + length, 0)
  if (HEADER + sum(PICTURES) !== size) return null
  const length = lengths[index] ?? 0
  return length === 0 ? 'NONE' : { at: HEADER + sum(index), length }
}

function occupied(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK
}

async function removeLeastUsed(root: string, limitBytes: number, signal?: AbortSignal): Promise<void> {
  const files = await listFiles(root, signal)
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= limitBytes) return
  for (const { path, bytes } of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (total <= limitBytes * (1 - SLACK)) return
    signal?.throwIfAborted()
    await rm(path, { force: true })
    total -= bytes
  }
}

type StoredFile = { readonly path: string; readonly bytes: number; readonly usedAt: number }

/** Everything in the folder, also what a crash left under a temporary name. */
async function listFiles(root: string, signal?: AbortSignal): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for (const folder of await namesIn(root)) {
    signal?.throwIfAborted()
    const paths = (await namesIn(join(root, folder))).map((name) => join(root, folder, name))
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      const found = await Promise.all(paths.slice(at, at + AT_ONCE).map(readFacts))
      files.push(...found.filter((file) => file !== null))
    }
  }
  return files
}

/** Empty for a folder that does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
}

/** null: another server has removed it. */
async function readFacts(path: string): Promise<StoredFile | null> {
  return stat(path).then(
    ({ size, mtimeMs }) => ({ path, bytes: occupied(size), usedAt: mtimeMs }),
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null
      throw error
    },
  )
}
