import type { Readable } from 'node:stream'

/** A stored content that can be read from any byte. The one shape in which bytes leave the domain. */
export type ByteSource = {
  readonly size: number
  /** Bytes `start` to `end` inclusive, as in HTTP. The caller consumes or destroys the stream. At most 1 MiB is buffered. */
  read(start: number, end: number): Readable
}
