import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const VERSION = 'v1'
const KEY_BYTES = 32
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A text that cannot be decrypted: its key is not in the keyring, it was changed, or it belongs to another context. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError'
}

export type Encryption = {
  /** `context` identifies the value ('account_credentials:<id>'); the result decrypts with the same context only. */
  encrypt(plain: string, context: string): string
  /** @throws EncryptionError */
  decrypt(encrypted: string, context: string): string
  /** Signs `text` (HMAC). `purpose` separates signatures of different kinds of text. */
  sign(text: string, purpose: string): string
  /** Whether any key of the keyring made the signature. Constant-time comparison. */
  verify(text: string, purpose: string, signature: string): boolean
  /** Prefix of every text encrypted with the first key; others should be re-encrypted. */
  readonly prefix: string
}

type Key = { readonly id: string; readonly bytes: Buffer; readonly signing: Buffer }

/**
 * AES-256-GCM with a random nonce per text; context and key id are authenticated. The first secret of the keyring encrypts, all of
 * them decrypt. An encrypted text is `v1.<key id>.<nonce, cipher text and tag in base64url>`.
 */
export function createEncryption(keyring: readonly [string, ...string[]]): Encryption {
  const keys = keyring.map(keyOf)
  const byId = new Map(keys.map((key) => [key.id, key]))
  const [current] = keys as [Key, ...Key[]]
  return {
    encrypt: (plain, context) => encrypt(current, plain, context),
    decrypt(encrypted, context) {
      const [version, id = '', text = ''] = encrypted.split('.')
      const key = byId.get(id)
      if (version !== VERSION || !key) throw new EncryptionError('Encrypted with a key that is not in the keyring.')
      return decrypt(key, Buffer.from(text, 'base64url'), context)
    },
    sign: (text, purpose) => sign(current, text, purpose).toString('base64url'),
    verify(text, purpose, signature) {
      const given = Buffer.from(signature, 'base64url')
      return keys.some((key) => isEqual(sign(key, text, purpose), given))
    },
    prefix: prefixOf(current),
  }
}

function keyOf(secret: string): Key {
  const derive = (purpose: string, length: number) => Buffer.from(hkdfSync('sha256', secret, '', purpose, length))
  return {
    id: derive('skypool key id', KEY_ID_BYTES).toString('hex'),
    bytes: derive('skypool sealing', KEY_BYTES),
    signing: derive('skypool signing', KEY_BYTES),
  }
}

function encrypt({ id, bytes }: Key, plain: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
  cipher.setAAD(associated(id, context))
  const text = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return prefixOf({ id }) + text.toString('base64url')
}

function decrypt({ id, bytes }: Key, text: Buffer, context: string): string {
  try {
    const nonce = text.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', bytes, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(associated(id, context))
    decipher.setAuthTag(text.subarray(-TAG_BYTES))
    return decipher.update(text.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw new EncryptionError('Changed after encryption, or encrypted for another context.', { cause })
  }
}

function sign({ signing }: Key, text: string, purpose: string): Buffer {
  return createHmac('sha256', signing).update(`${purpose}\0${text}`).digest()
}

function isEqual(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

function prefixOf({ id }: Pick<Key, 'id'>): string {
  return `${VERSION}.${id}.`
}

function associated(keyId: string, context: string): Buffer {
  return Buffer.from(prefixOf({ id: keyId }) + context)
}
