import { createHash, type Hash } from 'node:crypto'

/** Hash algorithms that providers report. */
export type HashAlgorithm = 'md5' | 'sha1' | 'sha256' | 'dropbox'

export type ContentHash = {
  update(chunk: Uint8Array): void
  /** Lower-case hex of all chunks. Call once, at the end. */
  digest(): string
}

/** `dropbox` is Dropbox's content_hash: SHA-256 of the SHA-256 sums of each 4 MiB. */
export function createContentHash(algorithm: HashAlgorithm): ContentHash {
  if (algorithm === 'dropbox') return createBlockHash()
  const hash = createHash(algorithm)
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest('hex') }
}

const DROPBOX_BLOCK = 4 * 1024 * 1024

function createBlockHash(): ContentHash {
  const whole = createHash('sha256')
  let block: Hash | null = null
  let inBlock = 0
  const endBlock = (): void => {
    if (block) whole.update(block.digest())
    block = null
    inBlock = 0
  }
  return {
    update(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + DROPBOX_BLOCK - inBlock)
        block ??= createHash('sha256')
        block.update(part)
        inBlock += part.length
        at += part.length
        if (inBlock === DROPBOX_BLOCK) endBlock()
      }
    },
    digest() {
      endBlock()
      return whole.digest('hex')
    },
  }
}
