import type { FileHandle } from 'node:fs/promises'
import type { ByteReader } from './byteSource.ts'

/** Takes over the handle: `close` closes it. */
export function createFileReader(handle: FileHandle): ByteReader {
  return {
    async read(target, position) {
      const { bytesRead } = await handle.read(target, 0, target.length, position)
      if (bytesRead === 0) throw new Error('The stored file is shorter than its row says.')
      return bytesRead
    },
    close: () => handle.close(),
  }
}
