import { createHash, type Hash } from 'node:crypto'

/** Hash algorithms that providers report, the most reliable first. */
export const HASH_ALGORITHMS = ['sha256', 'dropbox', 'sha1', 'md5', 'quickxor'] as const

export type HashAlgorithm = (typeof HASH_ALGORITHMS)[number]

export type ContentHash = {
  update(chunk: Uint8Array): void
  /** Lower-case hex of all chunks. Call once, at the end. */
  digest(): string
}

/**
 * `dropbox` is Dropbox's content_hash: SHA-256 of the SHA-256 sums of each 4 MiB. `quickxor` is QuickXorHash of OneDrive, which
 * reports it in base64.
 */
export function createContentHash(algorithm: HashAlgorithm): ContentHash {
  if (algorithm === 'dropbox') return createBlockHash()
  if (algorithm === 'quickxor') return createQuickXor()
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

/** Bytes this far apart are combined at the same position. */
const XOR_PERIOD = 160
const XOR_BITS = 160
/** Distance in bits between the positions of two neighbouring bytes. */
const XOR_SHIFT = 11

/** XOR of all bytes, each rotated by 11 bits more than the one before it, then of the length. */
function createQuickXor(): ContentHash {
  const sums = new Uint8Array(XOR_PERIOD)
  const words = new Int32Array(sums.buffer)
  let length = 0

  function updateBytes(bytes: Uint8Array): void {
    let at = length % XOR_PERIOD
    for (const byte of bytes) {
      sums[at] = (sums[at] ?? 0) ^ byte
      at = at + 1 === XOR_PERIOD ? 0 : at + 1
    }
    length += bytes.length
  }

  /** Whole periods, four bytes at a time. */
  function updatePeriods(bytes: Uint8Array): void {
    // Not `slice`, which is a view of the same bytes where they are in a Buffer.
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
    const input = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
    for (let start = 0; start < input.length; start += words.length) {
      for (let at = 0; at < words.length; at += 1) words[at] = (words[at] as number) ^ (input[start + at] as number)
    }
    length += bytes.length
  }

  return {
    update(chunk) {
      const head = chunk.subarray(0, (XOR_PERIOD - (length % XOR_PERIOD)) % XOR_PERIOD)
      const end = chunk.length - ((chunk.length - head.length) % XOR_PERIOD)
      updateBytes(head)
      if (end > head.length) updatePeriods(chunk.subarray(head.length, end))
      updateBytes(chunk.subarray(Math.max(end, head.length)))
    },
    digest() {
      const digest = Buffer.alloc(XOR_BITS / 8)
      const flip = (index: number, byte: number) => digest.writeUInt8(digest.readUInt8(index) ^ (byte & 0xff), index)
      for (const [index, byte] of sums.entries()) {
        const bit = (index * XOR_SHIFT) % XOR_BITS
        const shifted = byte << (bit % 8)
        flip(bit >> 3, shifted)
        flip(((bit >> 3) + 1) % digest.length, shifted >> 8)
      }
      const size = Buffer.alloc(8)
      size.writeBigUInt64LE(BigInt(length))
      for (const [index, byte] of size.entries()) flip(digest.length - size.length + index, byte)
      return digest.toString('hex')
    },
  }
}
