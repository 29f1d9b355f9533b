import type { Readable } from 'node:stream'

/** A stored content that can be read from any byte. The one shape in which bytes leave the domain. */
export type ByteSource = {
  readonly size: number
  /** Bytes `start` to `end` inclusive, as in HTTP. The caller consumes or destroys the stream. At most 1 MiB is buffered. */
  read(start: number, end: number): Readable
  /** For callers that bring their own buffers, which is what makes a download fast. The caller closes the reader. */
  open(reading?: Reading): Promise<ByteReader>
}

/** What a reader will be used for, so that nothing else is fetched from afar. */
export type Reading = {
  /** First and last byte, inclusive. */
  readonly start: number
  readonly end: number
  /** Aborted when nobody waits for the bytes any more. */
  readonly signal?: AbortSignal
}

/** One way through a content, forward and one call at a time. */
export type ByteReader = {
  /** Reads into `target` from byte `position` on. @returns how many bytes: at least one, and fewer than it holds only where the content, a piece or a block of it ends */
  read(target: Buffer, position: number): Promise<number>
  close(): Promise<void>
}
