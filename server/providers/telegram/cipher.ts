import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'

// The documents in the channel. Each is `SKY1`, a salt of 16 bytes, and the content in blocks of 64 KiB (the last one may be shorter),
// each encrypted with AES-256-GCM and followed by its tag of 16 bytes. The key of a document is HKDF-SHA256 of the account's key, the
// salt, and what the document is; the nonce of a block is its number and whether it is the last one. So documents and blocks cannot be
// exchanged, repeated, reordered or cut without being noticed, and no key is used with two contents.

const MAGIC = Buffer.from('SKY1')
const SALT_BYTES = 16
const TAG_BYTES = 16
const BLOCK_BYTES = 64 * 1024
const HEADER_BYTES = MAGIC.length + SALT_BYTES
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

/** The account's key (base64url), from the passphrase that its owner keeps. */
export async function deriveKey(passphrase: string, chatId: number): Promise<string> {
  const derive = promisify<string, string, number, object, Buffer>(scrypt)
  const key = await derive(passphrase.normalize('NFKC'), `skypool telegram ${chatId}`, 32, SCRYPT)
  return key.toString('base64url')
}

/** Identifies a key without revealing it: another passphrase is another account. */
export function fingerprintOf(key: Buffer): string {
  return createHmac('sha256', key).update('skypool telegram fingerprint').digest('hex').slice(0, 16)
}

export const newSalt = (): Buffer => randomBytes(SALT_BYTES)

export function encryptedLength(length: number): number {
  return HEADER_BYTES + length + TAG_BYTES * blocksOf(length)
}

/** The most content that fits into a document of `bytes`, in whole blocks. */
export function contentLength(bytes: number): number {
  return Math.floor((bytes - HEADER_BYTES) / (BLOCK_BYTES + TAG_BYTES)) * BLOCK_BYTES
}

/** Length of the content of a document of `bytes`. */
export function contentIn(bytes: number): number {
  const blocks = Math.max(1, Math.ceil((bytes - HEADER_BYTES) / (BLOCK_BYTES + TAG_BYTES)))
  return bytes - HEADER_BYTES - blocks * TAG_BYTES
}

/** `purpose`: what the document is, unique for each. */
export type DocumentKey = { readonly key: Buffer; readonly purpose: string }
/** A content in a document. */
export type Stored = { readonly length: number; readonly where: ProviderErrorWhere }

/** The document of exactly `length` bytes of content. */
export async function* encrypt(
  by: DocumentKey,
  salt: Buffer,
  length: number,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.concat([MAGIC, salt])
  const key = keyOf(by, salt)
  const last = blocksOf(length) - 1
  let block = 0
  let waiting: Uint8Array[] = []
  let size = 0
  const encryptBlock = (): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(block, block === last))
    const encrypted = [...waiting.map((bytes) => cipher.update(bytes)), cipher.final(), cipher.getAuthTag()]
    block += 1
    waiting = []
    size = 0
    return Buffer.concat(encrypted)
  }
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + BLOCK_BYTES - size)
      at += part.length
      size += part.length
      waiting.push(part)
      if (size === BLOCK_BYTES) yield encryptBlock()
    }
  }
  if (size > 0 || length === 0) yield encryptBlock()
}

/** Where in a document to begin, to read its content from `start` on: at a block. */
export function placeOf(start: number): { readonly block: number; readonly offset: number } {
  const block = Math.floor(start / BLOCK_BYTES)
  return { block, offset: block === 0 ? 0 : HEADER_BYTES + block * (BLOCK_BYTES + TAG_BYTES) }
}

/**
 * The content from `start` to `end` (exclusive). `body` begins at `from` in the document, 0 or the offset of a block before `start`;
 * `salt` is needed where it does not begin at 0. Ends the body. @throws Transient when it ends early, Corrupt when it has other bytes
 */
export async function* decrypt(
  by: DocumentKey,
  { length, where }: Stored,
  { body, from, salt }: { readonly body: Readable; readonly from: number; readonly salt: Buffer | null },
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer> {
  const take = createTaker(body, where)
  try {
    const key = keyOf(by, from === 0 ? readHeader(await take(HEADER_BYTES), where) : (salt ?? Buffer.alloc(SALT_BYTES)))
    const last = blocksOf(length) - 1
    const first = from === 0 ? 0 : Math.floor((from - HEADER_BYTES) / (BLOCK_BYTES + TAG_BYTES))
    for (let block = first; block <= last && (block * BLOCK_BYTES < end || length === 0); block += 1) {
      const at = block * BLOCK_BYTES
      const size = Math.min(BLOCK_BYTES, length - at)
      const encrypted = await take(size + TAG_BYTES)
      if (at + size <= start && length > 0) continue
      const bytes = open(key, nonceOf(block, block === last), encrypted, where)
      yield bytes.subarray(Math.max(0, start - at), end - at)
    }
  } finally {
    body.destroy()
  }
}

function open(key: Buffer, nonce: Buffer, encrypted: Buffer, where: ProviderErrorWhere): Buffer {
  const size = encrypted.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAuthTag(encrypted.subarray(size))
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(0, size)), decipher.final()])
  } catch (cause) {
    throw new ProviderError('Corrupt', where, { message: 'The stored bytes are not what was stored.', cause })
  }
}

function readHeader(header: Buffer, where: ProviderErrorWhere): Buffer {
  if (header.subarray(0, MAGIC.length).equals(MAGIC)) return header.subarray(MAGIC.length)
  throw new ProviderError('Corrupt', where, { message: 'The document is none of Skypool.' })
}

/** Takes exact numbers of bytes from a stream. */
function createTaker(body: Readable, where: ProviderErrorWhere): (length: number) => Promise<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let waiting: Buffer[] = []
  let size = 0
  return async (length) => {
    while (size < length) {
      const { done, value } = await chunks.next()
      if (done) throw new ProviderError('Transient', where, { message: 'The download ended early.' })
      waiting.push(value)
      size += value.length
    }
    const all = Buffer.concat(waiting)
    waiting = [all.subarray(length)]
    size -= length
    return all.subarray(0, length)
  }
}

function keyOf({ key, purpose }: DocumentKey, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `skypool telegram ${purpose}`, 32))
}

function nonceOf(block: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(block, 0)
  nonce[4] = isLast ? 1 : 0
  return nonce
}

function blocksOf(length: number): number {
  return Math.max(1, Math.ceil(length / BLOCK_BYTES))
}
