import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Blob } from '../core/blobs.ts'

export type Digests = { readonly md5: string; readonly sha1: string; readonly sha256: string }

/** The bytes of a file, shared by its copies. */
export type Content = {
  readonly size: number
  read(start?: number, end?: number): Readable
  /** Made when first asked for. */
  digests(): Promise<Digests>
  share(): Content
  /** Whoever holds it lets go; the last one drops the bytes. */
  release(): Promise<void>
}

/** `blob` grows no more. */
export function createContent(blob: Blob): Content {
  let holders = 1
  let made: Promise<Digests> | null = null
  const content: Content = {
    size: blob.size,
    read: (start, end) => blob.read(start, end),
    digests() {
      made ??= digestsOf(blob)
      return made
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

async function digestsOf(blob: Blob): Promise<Digests> {
  const [md5, sha1, sha256] = [createHash('md5'), createHash('sha1'), createHash('sha256')]
  for await (const chunk of blob.read() as AsyncIterable<Buffer>)
    for (const hash of [md5, sha1, sha256]) hash.update(chunk)
  return { md5: md5.digest('hex'), sha1: sha1.digest('hex'), sha256: sha256.digest('hex') }
}
