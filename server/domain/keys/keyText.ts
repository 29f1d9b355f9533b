import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'sky_live_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const HINT_LENGTH = 4
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new key: 178 random bits and a checksum, so that a mistyped one and one found in a text can be told without a database. */
export function newKeyText(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => DIGITS.charAt(randomInt(DIGITS.length))).join('')
  return PREFIX + secret + checksumOf(PREFIX + secret)
}

export function hasChecksum(text: string): boolean {
  return FORM.test(text) && text.slice(-CHECKSUM_LENGTH) === checksumOf(text.slice(0, -CHECKSUM_LENGTH))
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Its last four characters. */
export function hintOf(text: string): string {
  return text.slice(-HINT_LENGTH)
}

/** What is shown of a key to those who may not read it. */
export function masked(hint: string): string {
  return `${PREFIX}····${hint}`
}

/** CRC-32 in base 62: 62^6 is more than 2^32. */
function checksumOf(text: string): string {
  let left = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = DIGITS.charAt(left % DIGITS.length) + digits
    left = Math.floor(left / DIGITS.length)
  }
  return digits
}
