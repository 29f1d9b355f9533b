import { createHash } from 'node:crypto'
import type { Blobs } from '../core/blobs.ts'

/** Content that does not change; there until each of its holders has let go. Its maker is the first of them. */
export type Bytes = {
  readonly size: number
  /** Up to but not including `end`. */
  read(start: number, end: number): AsyncIterable<Buffer>
  keep(): Bytes
  letGo(): Promise<void>
}

/** All that the source gives; nothing is left of it when the source fails. */
export async function receive(blobs: Blobs, source: AsyncIterable<Buffer>): Promise<Bytes> {
  const blob = blobs.create()
  try {
    for await (const chunk of source) await blob.append(chunk)
  } catch (error) {
    await blob.remove()
    throw error
  }
  let holders = 1
  const bytes: Bytes = {
    size: blob.size,
    read: (start, end) => blob.read(start, end),
    keep() {
      holders += 1
      return bytes
    },
    async letGo() {
      holders -= 1
      if (holders === 0) await blob.remove()
    },
  }
  return bytes
}

/** One content after the other. Whoever holds the whole holds each. */
export function joined(parts: readonly Bytes[]): Bytes {
  const bytes: Bytes = {
    size: parts.reduce((sum, part) => sum + part.size, 0),
    async *read(start, end) {
      let at = 0
      for (const part of parts) {
        const [from, to] = [Math.max(start - at, 0), Math.min(end - at, part.size)]
        if (from < to) yield* part.read(from, to)
        at += part.size
      }
    },
    keep() {
      for (const part of parts) part.keep()
      return bytes
    },
    async letGo() {
      for (const part of parts) await part.letGo()
    },
  }
  return bytes
}

/** The beginning of a content, which it takes over. */
export function shortened(bytes: Bytes, size: number): Bytes {
  const part: Bytes = {
    ...bytes,
    size,
    read: (start, end) => bytes.read(start, Math.min(end, size)),
    keep() {
      bytes.keep()
      return part
    },
  }
  return part
}

const hashes = new WeakMap<Bytes, Promise<string>>()

/** Computed once for each content. */
export function sha256Of(bytes: Bytes): Promise<string> {
  const hash = hashes.get(bytes) ?? readHash(bytes)
  hashes.set(bytes, hash)
  return hash
}

async function readHash(bytes: Bytes): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of bytes.read(0, bytes.size)) hash.update(part)
  return hash.digest('hex')
}
