import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'
import type { ByteReader } from './byteSource.ts'

// Bare descriptors: a FileHandle costs as much as all else that a small download takes.
const closeFile = promisify(close)
const readFile = promisify(read)

/** @returns a descriptor, which belongs to the caller */
export const openDescriptor: (path: string, flags: number) => Promise<number> = promisify(open)

/** Takes over the descriptor: `close` closes it. */
export function createFileReader(descriptor: number): ByteReader {
  return {
    async read(target, position) {
      const { bytesRead } = await readFile(descriptor, target, 0, target.length, position)
      if (bytesRead === 0) throw new Error('The stored file is shorter than its row says.')
      return bytesRead
    },
    close: () => closeFile(descriptor),
  }
}
