import { type Cipher, createCipheriv } from 'node:crypto'
import { BLOCK, encryptKey, type FileKey } from './crypto.ts'

const STEP = 128 * 1024
const GROWING = 8
const GROWN = STEP * ((GROWING * (GROWING + 1)) / 2)
const LARGEST = GROWING * STEP

/**
 * The end of the chunk that contains byte `offset`. Chunks of 128 KiB, 256 KiB, … up to 1 MiB, then of 1 MiB each: each has a
 * separate MAC, and uploads may be divided only between them.
 */
export function chunkEnd(offset: number): number {
  if (offset >= GROWN) return GROWN + (Math.floor((offset - GROWN) / LARGEST) + 1) * LARGEST
  let end = STEP
  for (let size = 2 * STEP; end <= offset; size += STEP) end += size
  return end
}

/** The end of a part of an upload that begins with a chunk: as many chunks as `most` bytes can hold, and one at least. */
export function partEnd(start: number, size: number, most: number): number {
  let end = chunkEnd(start)
  while (end < size && chunkEnd(end) - start <= most) end = chunkEnd(end)
  return Math.min(end, size)
}

/** AES-128-CTR from byte `offset` of the content; encrypts and decrypts. */
export function createContentCipher({ key, nonce }: Pick<FileKey, 'key' | 'nonce'>, offset = 0): Cipher {
  const counter = Buffer.alloc(BLOCK)
  nonce.copy(counter)
  counter.writeBigUInt64BE(BigInt(Math.floor(offset / BLOCK)), 8)
  const cipher = createCipheriv('aes-128-ctr', key, counter)
  cipher.update(Buffer.alloc(offset % BLOCK))
  return cipher
}

/** The MAC of a content, from its plain bytes in order. */
export type ContentMac = {
  update(bytes: Uint8Array): void
  /** The state at the end of a chunk, from which another process can continue. */
  readonly state: Buffer
  /** The MAC of everything, which is stored in the file's key. */
  digest(): Buffer
}

/**
 * CBC-MAC of each chunk with the nonce twice as the IV, chained in a CBC-MAC over all of them, and folded to 8 bytes. `from`: the state
 * at `offset`, which begins a chunk.
 */
export function createContentMac(
  { key, nonce }: Pick<FileKey, 'key' | 'nonce'>,
  from: { readonly offset: number; readonly state: Buffer } = { offset: 0, state: Buffer.alloc(BLOCK) },
): ContentMac {
  const start = Buffer.concat([nonce, nonce])
  let { offset, state } = from
  let end = chunkEnd(offset)
  let chain: Cipher | null = null
  let last: Buffer = start

  const feed = (bytes: Uint8Array): void => {
    chain ??= createCipheriv('aes-128-cbc', key, start).setAutoPadding(false)
    const encrypted = chain.update(bytes)
    if (encrypted.length > 0) last = encrypted.subarray(-BLOCK)
  }
  const closeChunk = (): void => {
    if (chain === null) return
    state = encryptKey(key, Buffer.from(state.map((byte, index) => byte ^ (last[index] ?? 0))))
    chain = null
  }
  return {
    update(bytes) {
      for (let rest = bytes; rest.length > 0; ) {
        const part = rest.subarray(0, end - offset)
        feed(part)
        offset += part.length
        rest = rest.subarray(part.length)
        if (offset < end) return
        closeChunk()
        end = chunkEnd(offset)
      }
    },
    get state() {
      return state
    },
    digest() {
      const missing = (BLOCK - (offset % BLOCK)) % BLOCK
      if (missing > 0) feed(Buffer.alloc(missing))
      closeChunk()
      const words = [0, 4, 8, 12].map((at) => state.readUInt32BE(at))
      const folded = Buffer.alloc(8)
      folded.writeUInt32BE(((words[0] ?? 0) ^ (words[1] ?? 0)) >>> 0, 0)
      folded.writeUInt32BE(((words[2] ?? 0) ^ (words[3] ?? 0)) >>> 0, 4)
      return folded
    },
  }
}
