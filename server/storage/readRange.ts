import { Readable } from 'node:stream'
import type { ByteReader } from './byteSource.ts'

/** Large reads are what makes a download fast; one in flight and one waiting keep a slow reader at 1 MiB. */
const CHUNK = 512 * 1024

/** Bytes `start` to `end` inclusive of what `open` opens; it is opened on the first read and closed with the stream. */
export function readRange(open: () => Promise<ByteReader>, start: number, end: number): Readable {
  let reader: ByteReader | undefined
  let position = start

  return new Readable({
    // With a mark of one chunk the stream asks for the next one only when the last was taken.
    highWaterMark: CHUNK,
    construct(callback) {
      open().then(
        (opened) => {
          reader = opened
          callback()
        },
        (error: Error) => callback(error),
      )
    },
    read() {
      readChunk(reader, position, end).then(
        (chunk) => {
          position += chunk?.length ?? 0
          this.push(chunk)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, callback) {
      if (!reader) return callback(error)
      reader.close().then(
        () => callback(error),
        (closeError: Error) => callback(error ?? closeError),
      )
    },
  })
}

/** The next bytes; null at the end of the range. */
async function readChunk(reader: ByteReader | undefined, position: number, end: number): Promise<Buffer | null> {
  const length = Math.min(CHUNK, end - position + 1)
  if (!reader || length <= 0) return null
  const buffer = Buffer.allocUnsafeSlow(length)
  const bytes = await reader.read(buffer, position)
  return bytes === length ? buffer : buffer.subarray(0, bytes)
}
