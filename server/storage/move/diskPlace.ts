import { randomUUID } from 'node:crypto'
import { constants, createReadStream, open as openCallback } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createDiskSpace, freeBytes } from '../diskSpace.ts'
import { errorCode, WrongStorageError } from '../errors.ts'
import { isFolder } from '../flatten.ts'
import { createObjectStore } from '../objectStore.ts'
import { createNewWriter } from '../stagingWriter.ts'
import type { Found, MovePlace, Receiving } from './places.ts'

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** In the folder of the objects. */
export const NAME_FILE = 'folder.id'
const CHUNK = 512 * 1024

const openDescriptor: (path: string, flags: number, mode: number) => Promise<number> = promisify(openCallback)

/**
 * An id of the folder with the objects of DATA_DIR, written at the first call. So servers, and the command, notice when they do not
 * see the same folder, or it is not mounted.
 */
export async function idOfFolder(dataDir: string): Promise<string> {
  const objects = join(dataDir, 'objects')
  await mkdir(objects, { recursive: true, mode: 0o700 })
  const known = await readId(objects)
  if (known !== null) return known
  await writeFile(join(objects, NAME_FILE), randomUUID(), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
  const id = await readId(objects)
  if (id === null) throw new WrongStorageError(`${join(objects, NAME_FILE)} cannot be read. Please delete it.`)
  return id
}

async function readId(objects: string): Promise<string | null> {
  const text = await readFile(join(objects, NAME_FILE), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  })
  return ID.test(text) ? text : null
}

type DiskPlaceOptions = {
  readonly dataDir: string
  /** DISK_RESERVE. */
  readonly reserveBytes: number
}

/** The folder of DATA_DIR. Copies are in `<dataDir>/moving` until they were compared. */
export async function openDiskPlace({ dataDir, reserveBytes }: DiskPlaceOptions): Promise<MovePlace> {
  const objects = join(dataDir, 'objects')
  const moving = join(dataDir, 'moving')
  const logger = { warn: () => undefined, info: () => undefined }
  const space = createDiskSpace({ directory: dataDir, reserveBytes, logger })
  const store = await createObjectStore(dataDir, space)
  const id = await idOfFolder(dataDir)

  async function* list(): AsyncIterable<Found> {
    for (const folder of (await readdir(objects)).filter(isFolder)) {
      for (const name of await readdir(join(objects, folder))) {
        if (!ID.test(name)) continue
        const found = await stat(join(objects, folder, name)).catch(unlessGone)
        if (found) yield { id: name, size: found.size }
      }
    }
    // Without its disk, the folder is empty.
    if ((await readId(objects)) !== id) throw new WrongStorageError(`${objects} is not there any more.`)
  }

  return {
    name: `the disk (${objects})`,
    store,
    list,
    async clear(ids) {
      for (const each of ids) await rm(join(moving, each), { force: true })
    },
    receive(objectId) {
      const path = join(moving, objectId)
      return receiveFile(path, join(objects, objectId.slice(-2), objectId), (more) => openNew(path, more))
    },
    freeBytes: () => freeBytes({ directory: dataDir, reserveBytes }),
    close: () => undefined,
  }

  async function openNew(path: string, more: number): Promise<number> {
    await mkdir(moving, { recursive: true, mode: 0o700 })
    const flags = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_CREAT | constants.O_TRUNC
    return openDescriptor(path, flags | more, 0o600)
  }

  function receiveFile(path: string, target: string, openFile: (more: number) => Promise<number>): Receiving {
    const writer = createNewWriter(openFile, space)
    return {
      write: (chunk) => writer.write(chunk),
      async finish() {
        await writer.sync()
        await writer.close()
      },
      read: (size) => (size === 0 ? [] : createReadStream(path, { highWaterMark: CHUNK })) as AsyncIterable<Buffer>,
      async publish() {
        const folder = dirname(target)
        const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined
        await rename(path, target)
        // The source is deleted next: the name must be durable before.
        await syncFolder(folder)
        if (isNew) await syncFolder(objects)
      },
      async drop() {
        await writer.close()
        await rm(path, { force: true })
      },
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function unlessGone(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null
  throw error
}
