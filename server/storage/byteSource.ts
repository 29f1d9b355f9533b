import type { Readable } from 'node:stream'

/** A stored content that can be read from any byte. The one shape in which bytes leave the domain. */
export type ByteSource = {
  readonly size: number
  /** Bytes `start` to `end` inclusive, as in HTTP. The caller consumes or destroys the stream. At most 1 MiB is buffered. */
  read(start: number, end: number): Readable
  /** For callers that bring their own buffers, which is what makes a download fast. The caller closes the reader. */
  open(): Promise<ByteReader>
}

/** One way through a content, one call at a time. */
export type ByteReader = {
  /** Reads into `target` from byte `position` on. @returns how many bytes: at least one, and fewer than it holds only where the content or a piece of it ends */
  read(target: Buffer, position: number): Promise<number>
  close(): Promise<void>
}
