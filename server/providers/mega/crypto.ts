import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'

/** MEGA's encoding of bytes: base64url without padding (the SDK's Base64). Reading accepts the other alphabet too. */
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
export const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64url')

export const BLOCK = 16
const NO_IV = Buffer.alloc(BLOCK)

/** AES-128-ECB without padding: how MEGA encrypts keys. `bytes`: whole blocks. */
export function encryptKey(key: Buffer, bytes: Buffer): Buffer {
  return createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(bytes)
}

export function decryptKey(key: Buffer, bytes: Buffer): Buffer {
  return createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(bytes)
}

/** The key of a file's content: the bytes are encrypted with `key` and `nonce`, and `mac` tells whether they are right. */
export type FileKey = { readonly key: Buffer; readonly nonce: Buffer; readonly mac: Buffer }

/** The 32 bytes of a file's node key: the content key, covered by nonce and MAC, which follow. */
export function packFileKey({ key, nonce, mac }: FileKey): Buffer {
  const rest = Buffer.concat([nonce, mac])
  return Buffer.concat([xor(key, rest), rest])
}

export function unpackFileKey(packed: Buffer): FileKey {
  const rest = packed.subarray(BLOCK)
  return { key: xor(packed.subarray(0, BLOCK), rest), nonce: rest.subarray(0, 8), mac: rest.subarray(8, BLOCK) }
}

export function newFileKey(): Omit<FileKey, 'mac'> {
  return { key: randomBytes(BLOCK), nonce: randomBytes(8) }
}

/** The key of a node's attributes: a folder's own key, or that of the file's content. */
export function attributeKey(nodeKey: Buffer): Buffer {
  return nodeKey.length === BLOCK ? nodeKey : unpackFileKey(nodeKey).key
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)))
}

/** `n`: the name. Other programs add more attributes, which must be kept. */
export type Attributes = Readonly<Record<string, unknown>> & { readonly n: string }

const PREFIX = 'MEGA'

/** Attributes are JSON after "MEGA", filled up with zeros, in AES-128-CBC with an IV of zeros. */
export function encryptAttributes(key: Buffer, attributes: Attributes): string {
  const text = Buffer.from(PREFIX + JSON.stringify(attributes))
  const padded = Buffer.concat([text, Buffer.alloc((BLOCK - (text.length % BLOCK)) % BLOCK)])
  return toBase64(createCipheriv('aes-128-cbc', key, NO_IV).setAutoPadding(false).update(padded))
}

/** Null when the key is not that of these attributes. */
export function decryptAttributes(key: Buffer, encrypted: string): Attributes | null {
  const bytes = fromBase64(encrypted)
  if (bytes.length === 0 || bytes.length % BLOCK !== 0) return null
  const text = createDecipheriv('aes-128-cbc', key, NO_IV).setAutoPadding(false).update(bytes).toString()
  if (!text.startsWith(`${PREFIX}{`)) return null
  try {
    const value: unknown = JSON.parse(text.slice(PREFIX.length).replace(/\0+$/, ''))
    const { n } = (value ?? {}) as { n?: unknown }
    return typeof n === 'string' ? (value as Attributes) : null
  } catch {
    return null
  }
}

/** What a password is turned into: `key` decrypts the master key, `proof` is sent to MEGA instead of the password. */
export type PasswordKeys = { readonly key: Buffer; readonly proof: string }

/** Accounts since 2018 (version 2): PBKDF2 with a salt of the account. */
export async function passwordKeys(password: string, salt: Buffer): Promise<PasswordKeys> {
  const derived = await promisify(pbkdf2)(Buffer.from(password), salt, 100_000, 2 * BLOCK, 'sha512')
  return { key: derived.subarray(0, BLOCK), proof: toBase64(derived.subarray(BLOCK)) }
}

const OLD_ROUNDS = 65_536
const OLD_PROOF_ROUNDS = 16_384
const OLD_START = Buffer.from('93c467e37db0c7a4d1be3f810152cb56', 'hex')
/** Rounds between which other work gets its turn. */
const AT_ONCE = 4_096

/** Older accounts (version 1): the password is the key of many rounds of AES. `email` in lower case. */
export async function oldPasswordKeys(password: string, email: string): Promise<PasswordKeys> {
  const keys = blocksOf(Buffer.from(password))
  const ciphers = keys.map((key) => createCipheriv('aes-128-ecb', key, null).setAutoPadding(false))
  let key = OLD_START
  for (let round = 0; round < OLD_ROUNDS; round += 1) {
    for (const cipher of ciphers) key = cipher.update(key)
    if (round % AT_ONCE === 0) await nextTurn()
  }
  return { key, proof: oldProof(email, key) }
}

/** MEGA's hash of an email address. Repeated ECB of one block is CBC of zeros with that block as the IV. */
function oldProof(email: string, key: Buffer): string {
  const start = blocksOf(Buffer.from(email)).reduce(xor, Buffer.alloc(BLOCK))
  const cipher = createCipheriv('aes-128-cbc', key, start).setAutoPadding(false)
  const last = cipher.update(Buffer.alloc(OLD_PROOF_ROUNDS * BLOCK)).subarray(-BLOCK)
  return toBase64(Buffer.concat([last.subarray(0, 4), last.subarray(8, 12)]))
}

function blocksOf(bytes: Buffer): Buffer[] {
  const padded = Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)])
  return Array.from({ length: padded.length / BLOCK }, (_, index) =>
    padded.subarray(index * BLOCK, (index + 1) * BLOCK),
  )
}

const SESSION_BYTES = 43

/**
 * The session id that a login returns encrypted for the account's RSA key. `privateKey`: p, q, d, … as multi-precision integers
 * (RFC 4880 3.2), already decrypted. Throws when the key is damaged.
 */
export function decryptSessionId(encrypted: Buffer, privateKey: Buffer): string {
  const [message] = readIntegers(encrypted, 1)
  const [p, q, d] = readIntegers(privateKey, 3)
  if (!message || !p || !q || !d) throw new Error('The private key is incomplete.')
  const decrypted = powerOf(message.value, d.value, p.value * q.value).toString(16)
  // As in the SDK's AsymmCipher: the message has two bytes less than the key.
  const length = Math.max(p.length + q.length - 2, Math.ceil(decrypted.length / 2))
  return toBase64(Buffer.from(decrypted.padStart(2 * length, '0'), 'hex').subarray(0, SESSION_BYTES))
}

type LongInteger = { readonly value: bigint; readonly length: number }

function readIntegers(bytes: Buffer, count: number): LongInteger[] {
  const found: LongInteger[] = []
  for (let at = 0; found.length < count && at + 2 < bytes.length; ) {
    const length = Math.ceil(bytes.readUInt16BE(at) / 8)
    const digits = bytes.subarray(at + 2, at + 2 + length).toString('hex')
    if (digits.length !== 2 * length || length === 0) break
    found.push({ value: BigInt(`0x${digits}`), length })
    at += 2 + length
  }
  return found
}

function powerOf(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base % modulus
  for (const bit of exponent.toString(2).split('').reverse()) {
    if (bit === '1') result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}
