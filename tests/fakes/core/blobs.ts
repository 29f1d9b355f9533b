import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/** Bytes that grow at their end alone. Small ones are kept in memory, others in a temporary file. */
export type Blob = {
  readonly size: number
  append(chunk: Buffer): Promise<void>
  /** From `start` up to but not including `end`. A blob may be read while it grows. */
  read(start?: number, end?: number): Readable
  remove(): Promise<void>
}

export type Blobs = {
  create(): Blob
  /** Drops all. */
  close(): Promise<void>
}

const IN_MEMORY = 1024 * 1024
const READ_STEP = 256 * 1024

export function createBlobs(): Blobs {
  let folder: string | null = null
  let next = 0
  const openHandles = new Set<FileHandle>()
  const newPath = (): string => {
    folder ??= mkdtempSync(join(tmpdir(), 'skypool-emulator-'))
    next += 1
    return join(folder, String(next))
  }
  return {
    create: () => createBlob(newPath, openHandles),
    async close() {
      await Promise.all([...openHandles].map((handle) => handle.close()))
      openHandles.clear()
      if (folder) rmSync(folder, { recursive: true, force: true })
      folder = null
    },
  }
}

function createBlob(newPath: () => string, openHandles: Set<FileHandle>): Blob {
  let parts: Buffer[] = []
  let size = 0
  let file: { readonly handle: FileHandle; readonly path: string } | null = null

  const toFile = async (): Promise<FileHandle> => {
    if (file) return file.handle
    const path = newPath()
    file = { path, handle: await open(path, 'w+') }
    openHandles.add(file.handle)
    await file.handle.write(Buffer.concat(parts), 0, undefined, 0)
    parts = []
    return file.handle
  }
  async function* pieces(start: number, end: number): AsyncGenerator<Buffer> {
    if (!file) {
      const whole = Buffer.concat(parts)
      if (end > start) yield whole.subarray(start, end)
      return
    }
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_STEP, end - at))
      const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
  return {
    get size() {
      return size
    },
    async append(chunk) {
      if (!file && size + chunk.length <= IN_MEMORY) parts.push(Buffer.from(chunk))
      else await (await toFile()).write(chunk, 0, chunk.length, size)
      size += chunk.length
    },
    read: (start = 0, end = size) => Readable.from(pieces(start, Math.min(end, size)), { objectMode: false }),
    async remove() {
      parts = []
      if (!file) return
      const { handle, path } = file
      file = null
      openHandles.delete(handle)
      await handle.close()
      await rm(path, { force: true })
    },
  }
}
