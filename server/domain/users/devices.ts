import { createHash, randomBytes } from 'node:crypto'
import type { Encryption } from '../../lib/encryption.ts'

const PURPOSE = 'known device'
const NONCE_BYTES = 16

export type Devices = {
  /** A device token for a browser on which the user has just authenticated; keeps the name of a valid earlier `token`. */
  issue(userId: string, token: string | null): string
  /** Name of the device, for counting its attempts; null for a token that was not issued for this user. */
  nameOf(userId: string, token: string | null): string | null
}

/**
 * Known devices: browsers on which a user has signed in before. A device token is `<name>.<signature>`: it grants no access, only
 * a separate rate limit for sign-in attempts, which other clients cannot exhaust.
 */
export function createDevices(encryption: Pick<Encryption, 'sign' | 'verify'>): Devices {
  const textOf = (userId: string, name: string) => JSON.stringify([userId, name])
  const nameOf = (userId: string, token: string | null) => {
    const [, name, signature] = /^([\w-]{22})\.([\w-]{43})$/.exec(token ?? '') ?? []
    if (name === undefined || signature === undefined) return null
    return encryption.verify(textOf(userId, name), PURPOSE, signature) ? name : null
  }
  return {
    issue(userId, token) {
      const name = nameOf(userId, token) ?? randomBytes(NONCE_BYTES).toString('base64url')
      return `${name}.${encryption.sign(textOf(userId, name), PURPOSE)}`
    },
    nameOf,
  }
}

/** Name of a user's device cookie; does not reveal the user. */
export function deviceCookieId(userId: string): string {
  return createHash('sha256').update(userId).digest('hex').slice(0, 16)
}
