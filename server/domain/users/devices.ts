import { createHash, randomBytes } from 'node:crypto'
import type { Encryption } from '../../lib/encryption.ts'

const PURPOSE = 'known device'
const NONCE_BYTES = 16

export type Devices = {
  /** For a browser on which this user has just proved who they are; `held` is what it showed, which goes on under the same name. */
  give(userId: string, held: string | null): string
  /** By which name its attempts are counted; null for what was not given for this user. */
  nameOf(userId: string, held: string | null): string | null
}

/**
 * Browsers that a user has signed in on. What one holds is `<name>.<signature>`: it opens nothing, and only gives its attempts to
 * sign in an allowance of their own, which strangers cannot use up.
 */
export function createDevices(encryption: Pick<Encryption, 'sign' | 'isSigned'>): Devices {
  const textOf = (userId: string, name: string) => JSON.stringify([userId, name])
  const nameOf = (userId: string, held: string | null) => {
    const [, name, signature] = /^([\w-]{22})\.([\w-]{43})$/.exec(held ?? '') ?? []
    if (name === undefined || signature === undefined) return null
    return encryption.isSigned(textOf(userId, name), PURPOSE, signature) ? name : null
  }
  return {
    give(userId, held) {
      const name = nameOf(userId, held) ?? randomBytes(NONCE_BYTES).toString('base64url')
      return `${name}.${encryption.sign(textOf(userId, name), PURPOSE)}`
    },
    nameOf,
  }
}

/** What the cookie of a user's devices is called: it names no user. */
export function deviceCookieId(userId: string): string {
  return createHash('sha256').update(userId).digest('hex').slice(0, 16)
}
