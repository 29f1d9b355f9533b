import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Blob } from '../core/blobs.ts'

export type Algorithm = 'md5' | 'sha1' | 'sha256'

/** The bytes of a file, shared by its copies. */
export type Content = {
  readonly size: number
  read(start?: number, end?: number): Readable
  /** In hexadecimal; made when first asked for. */
  digest(algorithm: Algorithm): Promise<string>
  share(): Content
  /** Whoever holds it lets go; the last one drops the bytes. */
  release(): Promise<void>
}

/** `blob` grows no more. */
export function createContent(blob: Blob): Content {
  let holders = 1
  const made = new Map<Algorithm, Promise<string>>()
  const content: Content = {
    size: blob.size,
    read: (start, end) => blob.read(start, end),
    digest(algorithm) {
      const digest = made.get(algorithm) ?? digestOf(blob, algorithm)
      made.set(algorithm, digest)
      return digest
    },
    share() {
      holders += 1
      return content
    },
    async release() {
      holders -= 1
      if (holders === 0) await blob.remove()
    },
  }
  return content
}

async function digestOf(blob: Blob, algorithm: Algorithm): Promise<string> {
  const hash = createHash(algorithm)
  for await (const chunk of blob.read() as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}
