import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** Large reads are what makes a download fast; one in flight and one waiting keep a slow reader at 1 MiB. */
const CHUNK = 512 * 1024

/** Bytes `start` to `end` inclusive of what `openFile` opens; it is opened on the first read and closed with the stream. */
export function readRange(openFile: () => Promise<FileHandle>, start: number, end: number): Readable {
  let handle: FileHandle | undefined
  let position = start

  return new Readable({
    // With a mark of one chunk the stream asks for the next one only when the last was taken.
    highWaterMark: CHUNK,
    construct(callback) {
      openFile().then(
        (opened) => {
          handle = opened
          callback()
        },
        (error: Error) => callback(error),
      )
    },
    read() {
      readChunk(handle, position, end).then(
        (chunk) => {
          position += chunk?.length ?? 0
          this.push(chunk)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, callback) {
      if (!handle) return callback(error)
      handle.close().then(
        () => callback(error),
        (closeError: Error) => callback(error ?? closeError),
      )
    },
  })
}

/** The next bytes; null at the end of the range. @throws when the file is shorter than the range */
async function readChunk(handle: FileHandle | undefined, position: number, end: number): Promise<Buffer | null> {
  const length = Math.min(CHUNK, end - position + 1)
  if (!handle || length <= 0) return null
  const buffer = Buffer.allocUnsafeSlow(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  if (bytesRead === 0) throw new Error('The stored file is shorter than its row says.')
  return bytesRead === length ? buffer : buffer.subarray(0, bytesRead)
}
