import { Readable } from 'node:stream'

/** Stored content with random access. All bytes leave the domain in this form. */
export type ByteSource = {
  readonly size: number
  /** Bytes `start` to `end` inclusive, as in HTTP. The caller consumes or destroys the stream. At most 512 KiB are buffered. */
  read(start: number, end: number): Readable
  /** For callers with their own buffers, which makes downloads fast. The caller closes the reader. */
  open(reading?: Reading): Promise<ByteReader>
  /**
   * A short-lived address of all bytes at the object store, which answers with these headers. Absent where there is none, or where
   * downloads are not to be redirected (DOWNLOAD_REDIRECT).
   */
  readonly address?: ((as: { readonly type: string; readonly disposition: string }) => URL) | undefined
}

/** The range a reader will be used for, so that nothing else is fetched from a provider. */
export type Reading = {
  /** First and last byte, inclusive. */
  readonly start: number
  readonly end: number
  /** Aborted when the bytes are no longer needed. */
  readonly signal?: AbortSignal
}

/** Sequential access: forward, one call at a time. */
export type ByteReader = {
  /** Reads into `target` from byte `position`. @returns the number of bytes: at least one, and less than `target` holds only at the end of the content, a piece or a block */
  read(target: Buffer, position: number): Promise<number>
  close(): Promise<void>
}

/**
 * Large reads make transfers fast. glibc reuses the memory of buffers up to MALLOC_MMAP_THRESHOLD_; larger ones get new pages from the
 * system each time, which can take longer than the read.
 */
const CHUNK = 256 * 1024

/** Streams bytes `start` to `end` inclusive. `open` is called on the first read, and the reader is closed with the stream. */
export function readRange(open: () => Promise<ByteReader>, start: number, end: number): Readable {
  let reader: ByteReader | undefined
  let position = start

  return new Readable({
    // With a mark of one chunk, the next one is read only after the previous one was consumed.
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

/** A content in memory. */
export function sourceOfBytes(bytes: Buffer): ByteSource {
  const open = async (): Promise<ByteReader> => ({
    read: async (target, position) => bytes.copy(target, 0, position),
    close: async () => undefined,
  })
  return { size: bytes.length, open, read: (start, end) => readRange(open, start, end) }
}

/** The next bytes; null at the end of the range. */
async function readChunk(reader: ByteReader | undefined, position: number, end: number): Promise<Buffer | null> {
  const length = Math.min(CHUNK, end - position + 1)
  if (!reader || length <= 0) return null
  const buffer = Buffer.allocUnsafeSlow(length)
  const bytes = await reader.read(buffer, position)
  return bytes === length ? buffer : buffer.subarray(0, bytes)
}
