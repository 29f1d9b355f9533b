import { randomUUID } from 'node:crypto'
import { close, closeSync, constants, fdatasync, fstatSync, fsync, open, read } from 'node:fs'
import { link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type ByteReader, type ByteSource, readRange } from './byteSource.ts'
import type { DiskSpace } from './diskSpace.ts'
import { errorCode, ObjectMissingError, ObjectStoredError } from './errors.ts'
import { flattenOnce, isFolder } from './flatten.ts'
import { createNewWriter, createStagingWriter, type NewWriter, type StagingWriter } from './stagingWriter.ts'

/**
 * The server's own byte storage, which several servers may share. An object has an id (UUID). It is in `staging` while it is being
 * received and in `objects` once a row refers to it; readers find it in either. Ids are validated: client input never becomes a path.
 */
export interface ObjectStore {
  /**
   * Opens the staging object for writing at `offset` and truncates it there. With offset 0 it is created if missing.
   * @throws ObjectMissingError when offset > 0 and there are fewer bytes than that, ObjectStoredError when it was published
   */
  stage(objectId: string, offset: number): Promise<StagingWriter>
  /**
   * Writes a staging object with a new id: cheaper than `stage`, which has to check for an existing one. The object exists from
   * its first write to the disk, which fails if the id is in use.
   */
  create(objectId: string): NewWriter
  /** Size of the staging object in bytes; null when there is none. */
  stagedSize(objectId: string): Promise<number | null>
  /** Size of the object in bytes, in either place; null when there is none. */
  size(objectId: string): Promise<number | null>
  /** Makes the staging object durable. @returns its size in bytes; null when there is none */
  syncStaged(objectId: string): Promise<number | null>
  /** Makes the names of all staging objects durable, with one fsync of the folder. */
  syncStaging(): Promise<void>
  /**
   * Moves a staging object to its final place. Idempotent: a stored object is never replaced, a staging object of the same id is
   * removed instead. @throws ObjectMissingError when it is in neither place
   */
  publish(objectId: string): Promise<void>
  /** Its bytes, in either place. Does no I/O yet: if it is missing, reading fails with ObjectMissingError. */
  open(objectId: string, size: number): ByteSource
  /** Removes the object from both places. Idempotent. */
  delete(objectId: string): Promise<void>
  /** Removes the staging object, not a published one. Idempotent. */
  discard(objectId: string): Promise<void>
  /**
   * Ids of all staging objects; with `idleMs` only of those last written at least that long ago, by the clock of the file
   * system, which on a shared folder may differ from ours.
   */
  listStaged(idleMs?: number): Promise<string[]>
  /** Ids of all published objects. For checks; reads all folders. */
  listStored(): AsyncIterable<string>
  /** Whether notes are stored; without, `stagedNote` has none. */
  readonly keepsNotes: boolean
  /**
   * The note of the last `sync`, durable together with the bytes of that; null where there is none. It may belong to fewer bytes than
   * there are.
   */
  stagedNote(objectId: string): Promise<Buffer | null>
  /** Removes what a stopped server left that no other method finds. May read long lists. */
  sweep(signal: AbortSignal): Promise<void>
}

// Raw descriptors: a FileHandle costs as much as the rest of a small download.
const closeFile = promisify(close)
const readFile = promisify(read)

/** @returns a descriptor, which the caller closes */
const openDescriptor: (path: string, flags: number, mode?: number) => Promise<number> = promisify(open)
const syncData = promisify(fdatasync)
const syncDescriptor = promisify(fsync)

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** No limit except the disk itself. */
const UNBOUNDED: DiskSpace = { take: () => undefined }

type Paths = { readonly staging: string; readonly objects: string }

/** Creates `<dataDir>/staging` and `<dataDir>/objects` if missing. */
export async function createObjectStore(dataDir: string, space: DiskSpace = UNBOUNDED): Promise<ObjectStore> {
  const paths = { staging: join(dataDir, 'staging'), objects: join(dataDir, 'objects') }
  await mkdir(paths.staging, { recursive: true, mode: 0o700 })
  await mkdir(paths.objects, { recursive: true, mode: 0o700 })
  await flattenOnce(paths.objects)
  const createdFolders = new Set<string>()
  const publishing = new Map<string, Promise<void>>()
  /** Created by `create` and still in staging: nothing can be published under their ids. */
  const fresh = new Set<string>()

  return {
    stage: (objectId, offset) => openForWriting(paths, space, objectId, offset),
    create(objectId) {
      const path = stagedPath(paths, objectId)
      const flags = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_CREAT | constants.O_EXCL
      fresh.add(objectId)
      return createNewWriter((more) => openDescriptor(path, flags | more, 0o600), space)
    },
    stagedSize: async (objectId) => sizeOfOpened(stagedPath(paths, objectId)),
    syncStaged: async (objectId) => syncFile(stagedPath(paths, objectId)),
    size: (objectId) => sizeAnywhere(paths, objectId),
    syncStaging: createFolderSync(paths.staging),
    async publish(objectId) {
      // One at a time per object: another call could publish it between the check and the move.
      const running =
        publishing.get(objectId) ??
        publish(paths, createdFolders, objectId, fresh.delete(objectId)).finally(() => publishing.delete(objectId))
      publishing.set(objectId, running)
      await running
    },
    open(objectId, size) {
      const open = async () => createFileReader(await openForReading(paths, objectId), size)
      return { size, open, read: (start, end) => readRange(open, start, end) }
    },
    async delete(objectId) {
      fresh.delete(objectId)
      // Staging first, because a concurrent publish moves objects in this direction only.
      await rm(stagedPath(paths, objectId), { force: true })
      await rm(storedPath(paths, objectId), { force: true })
    },
    async discard(objectId) {
      fresh.delete(objectId)
      await rm(stagedPath(paths, objectId), { force: true })
    },
    async listStaged(idleMs = 0) {
      const ids = (await readdir(paths.staging)).filter((name) => ID.test(name))
      return idleMs === 0 || ids.length === 0 ? ids : idleFor(paths, ids, idleMs)
    },
    listStored: () => listStored(paths.objects),
    keepsNotes: false,
    stagedNote: async () => null,
    sweep: async () => undefined,
  }
}

function stagedPath({ staging }: Paths, objectId: string): string {
  return join(staging, checkedId(objectId))
}

/** By the random end of the id: its start is the time, which would put all files of a day into one folder. */
function storedPath({ objects }: Paths, objectId: string): string {
  return join(objects, checkedId(objectId).slice(-2), objectId)
}

/** @throws Error for anything but a UUID */
export function checkedId(objectId: string): string {
  if (!ID.test(objectId)) throw new Error('An object id must be a UUID.')
  return objectId
}

async function openForWriting(
  paths: Paths,
  space: DiskSpace,
  objectId: string,
  offset: number,
): Promise<StagingWriter> {
  const staged = stagedPath(paths, objectId)
  const mode = constants.O_WRONLY | constants.O_NOFOLLOW | (offset === 0 ? constants.O_CREAT : 0)
  const descriptor = await openDescriptor(staged, mode, 0o600).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? new ObjectMissingError(objectId) : error
  })
  try {
    // Checked after opening and before truncating: a publish in between stored the file that is now open.
    if ((await sizeOf(storedPath(paths, objectId))) !== null) {
      await rm(staged, { force: true })
      throw new ObjectStoredError(objectId)
    }
    // On an open file, this does not wait for the disk.
    const { size } = fstatSync(descriptor)
    if (size < offset) throw new ObjectMissingError(objectId)
    const writer = createStagingWriter(descriptor, offset, space)
    if (size > offset) await writer.truncate(offset)
    return writer
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Checks `objects` twice: the file may be published between the first two attempts. */
async function openForReading(paths: Paths, objectId: string): Promise<number> {
  const stored = storedPath(paths, objectId)
  for (const path of [stored, stagedPath(paths, objectId), stored]) {
    try {
      return await openDescriptor(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  throw new ObjectMissingError(objectId)
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Opens the file: on a network file system, only that returns what other machines have written. */
async function sizeOfOpened(path: string): Promise<number | null> {
  return onDescriptor(path, async (descriptor) => fstatSync(descriptor).size)
}

function syncFile(path: string): Promise<number | null> {
  return onDescriptor(path, async (descriptor) => {
    const { size } = fstatSync(descriptor)
    await syncData(descriptor)
    return size
  })
}

/** Null when there is no such file. */
async function onDescriptor<Result>(
  path: string,
  work: (descriptor: number) => Promise<Result>,
): Promise<Result | null> {
  const descriptor = await openDescriptor(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (descriptor === null) return null
  try {
    return await work(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Files up to this size (bytes) are closed synchronously: for those, handing the call to a thread takes longer than the call. Closing a
 * larger file can block the event loop: if the file was deleted while it was open, the file system frees its blocks then.
 */
const CLOSED_AT_ONCE_BYTES = 1024 * 1024

/** Reads a file of `size` bytes. Takes ownership of the descriptor: `close` closes it. */
export function createFileReader(descriptor: number, size: number): ByteReader {
  return {
    async read(target, position) {
      const { bytesRead } = await readFile(descriptor, target, 0, target.length, position)
      if (bytesRead === 0) throw new Error('The stored file is shorter than its row says.')
      return bytesRead
    },
    close: async () => (size > CLOSED_AT_ONCE_BYTES ? closeFile(descriptor) : closeSync(descriptor)),
  }
}

/**
 * Returns a function that makes the names in a folder durable. The folder stays open until the process exits: opening and closing
 * it for each batch of small uploads would be two of three system calls.
 */
function createFolderSync(path: string): () => Promise<void> {
  let descriptor: Promise<number> | null = null

  return async () => {
    descriptor ??= openDescriptor(path, constants.O_RDONLY)
    const opened = await descriptor.catch((error: unknown) => {
      descriptor = null
      throw error
    })
    await syncDescriptor(opened)
  }
}

/** Compares modification times with that of a file written now. */
async function idleFor({ staging }: Paths, ids: readonly string[], idleMs: number): Promise<string[]> {
  const probe = join(staging, `.now-${randomUUID()}`)
  await writeFile(probe, '', { flag: 'wx', mode: 0o600 })
  const { mtimeMs: now } = await stat(probe).finally(() => rm(probe, { force: true }))
  const idle: string[] = []
  for (const id of ids) {
    const written = await stat(join(staging, id)).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null
      throw error
    })
    if (written && now - written.mtimeMs >= idleMs) idle.push(id)
  }
  return idle
}

/** Checks `objects` twice, as openForReading does. */
async function sizeAnywhere(paths: Paths, objectId: string): Promise<number | null> {
  const stored = storedPath(paths, objectId)
  return (await sizeOf(stored)) ?? (await sizeOf(stagedPath(paths, objectId))) ?? (await sizeOf(stored))
}

async function publish(paths: Paths, createdFolders: Set<string>, objectId: string, isFresh: boolean): Promise<void> {
  const target = storedPath(paths, objectId)
  const folder = dirname(target)
  if (!createdFolders.has(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    createdFolders.add(folder)
  }
  const staged = stagedPath(paths, objectId)
  // Under a fresh id only this same file can be published, by the cleanup of another server.
  const moved = await (isFresh ? rename(staged, target) : moveUnlessPublished(staged, target)).catch(
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return 'absent' as const
      throw error
    },
  )
  if (moved === 'absent' && (await sizeOf(target)) === null) throw new ObjectMissingError(objectId)
}

/** Check and move in one system call, so that another server cannot publish the object in between. */
async function moveUnlessPublished(staged: string, target: string): Promise<void> {
  try {
    await link(staged, target)
  } catch (error) {
    if (NO_LINKS.has(errorCode(error) ?? '')) {
      if ((await sizeOf(target)) === null) return rename(staged, target)
    } else if (errorCode(error) !== 'EEXIST') throw error
  }
  await rm(staged, { force: true })
}

async function* listStored(objects: string): AsyncIterable<string> {
  for (const folder of (await readdir(objects)).filter(isFolder)) {
    for (const name of await readdir(join(objects, folder))) if (ID.test(name)) yield name
  }
}
