import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const VERSION = 'v1'
const KEY_BYTES = 32
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A sealed text that cannot be opened: its key is not in the keyring, or it was changed or belongs elsewhere. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError'
}

export type Encryption = {
  /** `context` says which value this is ('account_credentials:<id>'): it opens there and nowhere else. */
  seal(plain: string, context: string): string
  /** @throws EncryptionError */
  open(sealed: string, context: string): string
  /** A proof that this server has said `text`; `purpose` keeps proofs of different things apart. */
  sign(text: string, purpose: string): string
  /** Whether any key of the keyring signed it. Takes the same time wherever the two differ. */
  isSigned(text: string, purpose: string, signature: string): boolean
  /** What every text begins with that the first key sealed; others should be sealed anew. */
  readonly prefix: string
}

type Key = { readonly id: string; readonly bytes: Buffer; readonly signing: Buffer }

/**
 * AES-256-GCM with a random nonce per seal; context and key id are authenticated with it. The first secret of the keyring seals,
 * every one opens. A sealed text is `v1.<key id>.<nonce, cipher text and tag in base64url>`.
 */
export function createEncryption(keyring: readonly [string, ...string[]]): Encryption {
  const keys = keyring.map(keyOf)
  const byId = new Map(keys.map((key) => [key.id, key]))
  const [current] = keys as [Key, ...Key[]]
  return {
    seal: (plain, context) => seal(current, plain, context),
    open(sealed, context) {
      const [version, id = '', text = ''] = sealed.split('.')
      const key = byId.get(id)
      if (version !== VERSION || !key) throw new EncryptionError('It was sealed by a key that is not in the keyring.')
      return open(key, Buffer.from(text, 'base64url'), context)
    },
    sign: (text, purpose) => sign(current, text, purpose).toString('base64url'),
    isSigned(text, purpose, signature) {
      const shown = Buffer.from(signature, 'base64url')
      return keys.some((key) => isEqual(sign(key, text, purpose), shown))
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

function seal({ id, bytes }: Key, plain: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
  cipher.setAAD(associated(id, context))
  const text = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return prefixOf({ id }) + text.toString('base64url')
}

function open({ id, bytes }: Key, text: Buffer, context: string): string {
  try {
    const nonce = text.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', bytes, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(associated(id, context))
    decipher.setAuthTag(text.subarray(-TAG_BYTES))
    return decipher.update(text.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw new EncryptionError('It was changed, or it belongs elsewhere.', { cause })
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
