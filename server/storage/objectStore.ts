import { randomUUID } from 'node:crypto'
import { closeSync, constants, fdatasync, fstatSync, open as openFile } from 'node:fs'
import { link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ByteSource } from './byteSource.ts'
import type { DiskSpace } from './diskSpace.ts'
import { errorCode, ObjectMissingError, ObjectStoredError } from './errors.ts'
import { createFileReader, openDescriptor } from './fileReader.ts'
import { flattenOnce, isFolder } from './flatten.ts'
import { createFolderSync } from './folderSync.ts'
import { readRange } from './readRange.ts'
import { createNewWriter, createStagingWriter, type NewWriter, type StagingWriter } from './stagingWriter.ts'

/**
 * Bytes of this server's own storage, which several servers may share. An object has an id (UUID) and lives in staging while it is
 * received and in objects once a row refers to it; readers need not know which. Ids are checked: nothing a client sends becomes a path.
 */
export interface ObjectStore {
  /**
   * Opens the staging object for writing at `offset` and drops what lies behind it. With offset 0 it is made when absent.
   * @throws ObjectMissingError when offset > 0 and there are fewer bytes than that, ObjectStoredError when it was published
   */
  stage(objectId: string, offset: number): Promise<StagingWriter>
  /**
   * Writes a staging object under an id that was never used: cheaper than `stage`, which has to look whether it was. The
   * object is there from the first write to the disk on; an id that was used after all is an error then.
   */
  create(objectId: string): NewWriter
  /** Bytes in staging; null when there is no such staging object. */
  stagedSize(objectId: string): Promise<number | null>
  /** Bytes of the object, wherever it is; null when there is none. */
  size(objectId: string): Promise<number | null>
  /** Makes what is in staging of the object durable. @returns how many bytes that are; null when there is no such staging object */
  syncStaged(objectId: string): Promise<number | null>
  /** Makes the names of all staging objects durable: one fsync of the folder, for as many objects as wait. */
  syncStaging(): Promise<void>
  /**
   * Moves a staging object to its final place. Doing it again changes nothing: what is stored is never replaced, a staging object
   * of the same id is removed instead. @throws ObjectMissingError when it is in neither place
   */
  publish(objectId: string): Promise<void>
  /** The bytes, wherever they are. No I/O yet: a missing object is an ObjectMissingError on the stream. */
  open(objectId: string, size: number): ByteSource
  /** Removes the object wherever it is. Idempotent. */
  delete(objectId: string): Promise<void>
  /** Removes the staging object; what was published stays. Idempotent. */
  discard(objectId: string): Promise<void>
  /**
   * Ids of everything in staging; with `idleMs` only of what was last written at least that long ago, by the clock of the file
   * system: on a shared folder it may not agree with ours.
   */
  listStaged(idleMs?: number): Promise<string[]>
  /** Ids of everything stored for good. For checks; walks the whole tree. */
  listStored(): AsyncIterable<string>
}

const openForOwner: (path: string, flags: number, mode: number) => Promise<number> = promisify(openFile)

const syncData = promisify(fdatasync)

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What file systems without hard links say. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** As far as the disk goes. */
const UNBOUNDED: DiskSpace = { take: () => undefined }

type Paths = { readonly staging: string; readonly objects: string }

/** Makes `<dataDir>/staging` and `<dataDir>/objects` when they are absent. */
export async function createObjectStore(dataDir: string, space: DiskSpace = UNBOUNDED): Promise<ObjectStore> {
  const paths = { staging: join(dataDir, 'staging'), objects: join(dataDir, 'objects') }
  await mkdir(paths.staging, { recursive: true, mode: 0o700 })
  await mkdir(paths.objects, { recursive: true, mode: 0o700 })
  await flattenOnce(paths.objects)
  const madeFolders = new Set<string>()
  const publishing = new Map<string, Promise<void>>()
  /** Of `create`, and still in staging: nothing can be stored under their ids. */
  const fresh = new Set<string>()

  return {
    stage: (objectId, offset) => openForWriting(paths, space, objectId, offset),
    create(objectId) {
      const path = stagedPath(paths, objectId)
      const flags = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_CREAT | constants.O_EXCL
      fresh.add(objectId)
      return createNewWriter((more) => openForOwner(path, flags | more, 0o600), space)
    },
    stagedSize: async (objectId) => sizeOfOpened(stagedPath(paths, objectId)),
    syncStaged: async (objectId) => syncFile(stagedPath(paths, objectId)),
    size: (objectId) => sizeAnywhere(paths, objectId),
    syncStaging: createFolderSync(paths.staging),
    async publish(objectId) {
      // One at a time for each object: between the look and the move of one, another could have stored it.
      const underWay =
        publishing.get(objectId) ??
        publish(paths, madeFolders, objectId, fresh.delete(objectId)).finally(() => publishing.delete(objectId))
      publishing.set(objectId, underWay)
      await underWay
    },
    open(objectId, size) {
      const open = async () => createFileReader(await openForReading(paths, objectId))
      return { size, open, read: (start, end) => readRange(open, start, end) }
    },
    async delete(objectId) {
      fresh.delete(objectId)
      // Staging last: a concurrent publish only moves that way, so the object cannot slip by between the two.
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
  }
}

function stagedPath({ staging }: Paths, objectId: string): string {
  return join(staging, checked(objectId))
}

/** By the random tail of the id: its head is the time, which would put a day's files into one folder. */
function storedPath({ objects }: Paths, objectId: string): string {
  return join(objects, checked(objectId).slice(-2), objectId)
}

function checked(objectId: string): string {
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
  const descriptor = await openForOwner(staged, mode, 0o600).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? new ObjectMissingError(objectId) : error
  })
  try {
    // Looked for after the open and before anything is cut: a publish in between has stored the very file that is open.
    if ((await sizeOf(storedPath(paths, objectId))) !== null) {
      await rm(staged, { force: true })
      throw new ObjectStoredError(objectId)
    }
    // Of an open file, this waits for no disk.
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

/** Looks again in objects at the end: the file may have been published between the first two looks. */
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

/** By opening it: over a network, only that asks the file server for what other machines have written. */
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

/** Compared with a file that is written now. */
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

/** Looks again in objects at the end, as reading does. */
async function sizeAnywhere(paths: Paths, objectId: string): Promise<number | null> {
  const stored = storedPath(paths, objectId)
  return (await sizeOf(stored)) ?? (await sizeOf(stagedPath(paths, objectId))) ?? (await sizeOf(stored))
}

async function publish(paths: Paths, madeFolders: Set<string>, objectId: string, isFresh: boolean): Promise<void> {
  const target = storedPath(paths, objectId)
  const folder = dirname(target)
  if (!madeFolders.has(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    madeFolders.add(folder)
  }
  const staged = stagedPath(paths, objectId)
  // Nothing can be stored under the id of a fresh one but the very same file, by the sweep of another server.
  const moved = await (isFresh ? rename(staged, target) : moveUnlessThere(staged, target)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return 'absent' as const
    throw error
  })
  if (moved === 'absent' && (await sizeOf(target)) === null) throw new ObjectMissingError(objectId)
}

/** Without a moment between the look and the move, in which another server could have stored the object. */
async function moveUnlessThere(staged: string, target: string): Promise<void> {
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
