import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  type JsonWebKey,
  pbkdf2Sync,
  randomBytes,
} from 'node:crypto'

/** What MEGA's programs compute, written a second time: the emulated MEGA must not share the mistakes of the driver. */

export const encode = (bytes: Buffer): string => bytes.toString('base64url')
export const decode = (text: string): Buffer => Buffer.from(text, 'base64url')

/** One block after the other. */
export function ecb(key: Buffer, bytes: Buffer, direction: 'encrypt' | 'decrypt'): Buffer {
  const cipher =
    direction === 'encrypt' ? createCipheriv('aes-128-ecb', key, null) : createDecipheriv('aes-128-ecb', key, null)
  cipher.setAutoPadding(false)
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

const words = (bytes: Buffer): number[] =>
  Array.from({ length: Math.ceil(bytes.length / 4) }, (_, index) => {
    const word = Buffer.alloc(4)
    bytes.copy(word, 0, index * 4)
    return word.readInt32BE(0)
  })

const bytesOf = (numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number | 0, index * 4)
  return bytes
}

/** What a login sends instead of the password, and the key of the master key. */
export type Derived = { readonly key: Buffer; readonly proof: string }

export function derive(password: string, salt: Buffer): Derived {
  const both = pbkdf2Sync(password, salt, 100_000, 32, 'sha512')
  return { key: both.subarray(0, 16), proof: encode(both.subarray(16)) }
}

/** Of accounts of the first version. */
export function deriveOld(password: string, email: string): Derived {
  const all = words(Buffer.from(password))
  const keys: Buffer[] = []
  for (let at = 0; at < all.length; at += 4) keys.push(bytesOf([0, 1, 2, 3].map((index) => all[at + index] ?? 0)))
  let key: Buffer = bytesOf([0x93c467e3, 0x7db0c7a4, 0xd1be3f81, 0x0152cb56])
  const ciphers = keys.map((one) => createCipheriv('aes-128-ecb', one, null).setAutoPadding(false))
  for (let round = 0; round < 0x10000; round += 1) for (const cipher of ciphers) key = cipher.update(key)
  const hash = [0, 0, 0, 0]
  for (const [index, word] of words(Buffer.from(email)).entries()) hash[index & 3] = (hash[index & 3] ?? 0) ^ word
  let block: Buffer = bytesOf(hash)
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  for (let round = 0; round < 0x4000; round += 1) block = cipher.update(block)
  const [first = 0, , third = 0] = words(block)
  return { key, proof: encode(bytesOf([first, third])) }
}

export type Rsa = { readonly n: bigint; readonly e: bigint; readonly privateKey: Buffer; readonly messageBytes: number }

const number = (text: string | undefined): bigint => BigInt(`0x${decode(text ?? '').toString('hex')}`)

/** A multi-precision integer: its length in bits, then its bytes. */
function integer(value: bigint): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(value.toString(2).length)
  return Buffer.concat([length, bytes])
}

let pair: Rsa | null = null

/** All emulated accounts have the same pair: it takes long to make one. */
export function rsa(): Rsa {
  if (pair) return pair
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { n, e, d, p, q, qi } = privateKey.export({ format: 'jwk' }) as JsonWebKey
  const parts = [number(p), number(q), number(d), number(qi)].map(integer)
  const bytes = Buffer.concat(parts)
  const padded = Buffer.concat([bytes, randomBytes((16 - (bytes.length % 16)) % 16)])
  pair = { n: number(n), e: number(e), privateKey: padded, messageBytes: 254 }
  return pair
}

/** A session id for whoever has the private key: its bytes come first in a message of two bytes less than the key. */
export function encryptSession(session: Buffer, { n, e, messageBytes }: Rsa): string {
  const message = Buffer.concat([session, randomBytes(messageBytes - session.length)])
  let [result, square, left] = [1n, BigInt(`0x${message.toString('hex')}`), e]
  for (; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % n
    square = (square * square) % n
  }
  return encode(integer(result))
}

/** The 32 bytes of a file's key: 8 words, of which the first 4 are mixed with the others. */
export function splitFileKey(packed: Buffer): { key: Buffer; nonce: Buffer; mac: Buffer } {
  const all = words(packed)
  const key = bytesOf([0, 1, 2, 3].map((index) => (all[index] ?? 0) ^ (all[index + 4] ?? 0)))
  return { key, nonce: packed.subarray(16, 24), mac: packed.subarray(24, 32) }
}

export function joinFileKey(key: Buffer, nonce: Buffer, mac: Buffer): Buffer {
  const [own, rest] = [words(key), words(Buffer.concat([nonce, mac]))]
  return bytesOf([...own.map((word, index) => word ^ (rest[index] ?? 0)), ...rest])
}

/** The sizes of the parts that have a MAC of their own. */
export function chunkSizes(size: number): number[] {
  const sizes: number[] = []
  for (let left = size, step = 1; left > 0; step += 1) {
    const chunk = Math.min(left, 131_072 * Math.min(step, 8))
    sizes.push(chunk)
    left -= chunk
  }
  return sizes
}

/** The MAC of a whole content, block by block as MEGA describes it; of no bytes, zeros. */
export function macOf(key: Buffer, nonce: Buffer, plain: Buffer): Buffer {
  const macs: Buffer[] = []
  let at = 0
  for (const size of chunkSizes(plain.length)) {
    const part = plain.subarray(at, at + size)
    const padded = Buffer.concat([part, Buffer.alloc((16 - (part.length % 16)) % 16)])
    const cbc = createCipheriv('aes-128-cbc', key, Buffer.concat([nonce, nonce])).setAutoPadding(false)
    macs.push(cbc.update(padded).subarray(-16))
    at += size
  }
  let all: Buffer = Buffer.alloc(16)
  for (const mac of macs)
    all = ecb(key, bytesOf(words(all).map((word, index) => word ^ (words(mac)[index] ?? 0))), 'encrypt')
  const [a = 0, b = 0, c = 0, d = 0] = words(all)
  return bytesOf([a ^ b, c ^ d])
}

/** Encrypts and decrypts a whole content. */
export function ctr(key: Buffer, nonce: Buffer, bytes: Buffer): Buffer {
  return createCipheriv('aes-128-ctr', key, Buffer.concat([nonce, Buffer.alloc(8)])).update(bytes)
}

export type Attributes = Readonly<Record<string, unknown>> & { readonly n: string }

export function sealAttributes(key: Buffer, attributes: Attributes): string {
  const text = Buffer.from(`MEGA${JSON.stringify(attributes)}`)
  const padded = Buffer.concat([text, Buffer.alloc((16 - (text.length % 16)) % 16)])
  return encode(createCipheriv('aes-128-cbc', key, Buffer.alloc(16)).setAutoPadding(false).update(padded))
}

/** Null when they are not what a program of MEGA could read. */
export function readAttributes(key: Buffer, sealed: string): Attributes | null {
  const bytes = decode(sealed)
  if (bytes.length === 0 || bytes.length % 16 !== 0) return null
  const text = createDecipheriv('aes-128-cbc', key, Buffer.alloc(16)).setAutoPadding(false).update(bytes).toString()
  const [, json] = /^MEGA(\{.*\})\0*$/s.exec(text) ?? []
  try {
    const value = JSON.parse(json ?? 'null') as Attributes | null
    return typeof value?.n === 'string' ? value : null
  } catch {
    return null
  }
}
