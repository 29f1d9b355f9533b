import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Encryption, EncryptionError } from '../../lib/encryption.ts'
import { type FieldError, InvalidInputError } from '../errors.ts'
import { SCOPES, type Scope } from '../viewer.ts'
import type { ApiKey, ApiKeyInput, ApiKeyStatus } from './contract.ts'

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
function masked(hint: string): string {
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

export type KeyRow = {
  readonly id: string
  readonly name: string
  readonly sealed_key: string
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly status: ApiKeyStatus
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
  readonly created_at: Date
}

/** Of `api_keys k`: opens while it is neither revoked nor, by the database's clock, expired. */
export const IS_LIVE = 'k.revoked_at is null and (k.expires_at is null or k.expires_at > now())'

/** A `KeyRow` of `api_keys k`. The array goes as text, which the client cannot read by itself for a type of ours. */
export const KEY_COLUMNS = `k.id, k.name, k.sealed_key, k.hint, k.scopes::text[] as scopes, k.expires_at, k.last_used_at,
  k.revoked_at, k.created_at,
  case when k.revoked_at is not null then 'REVOKED' when ${IS_LIVE} then 'ACTIVE' else 'EXPIRED' end as status`

/** What a key is sealed for: it opens in its own row alone. */
export function sealedAs(id: string): string {
  return `api_keys:${id}`
}

/** For its owner's session: the key is whole, unless it is of no use any more. */
export function toApiKey(row: KeyRow, encryption: Encryption): ApiKey {
  return {
    id: row.id,
    name: row.name,
    key: row.status === 'REVOKED' ? masked(row.hint) : opened(row, encryption),
    status: row.status,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  }
}

/** Masked when this server's secret key is not the one that sealed it: it still works, and can be made anew. */
function opened({ id, sealed_key, hint }: KeyRow, encryption: Encryption): string {
  try {
    return encryption.open(sealed_key, sealedAs(id))
  } catch (error) {
    if (error instanceof EncryptionError) return masked(hint)
    throw error
  }
}

const LONGEST_NAME = 100

export type CheckedInput = { readonly name: string; readonly scopes: readonly Scope[]; readonly expiresAt: Date | null }

/** A key's input as it is stored; whether `expiresAt` lies ahead is for the database to say. @throws InvalidInputError */
export function checkedInput({ name, scopes = SCOPES, expiresAt = null }: ApiKeyInput): CheckedInput {
  const trimmed = name.trim().normalize('NFC')
  const errors = [
    ...fieldError('name', nameProblem(trimmed)),
    ...fieldError('scopes', scopes.length === 0 ? 'Please choose at least one permission.' : null),
    ...fieldError('expiresAt', expiresAt && Number.isNaN(expiresAt.getTime()) ? 'This is no date.' : null),
  ]
  if (errors.length > 0) throw new InvalidInputError(errors)
  // Who may change or share something may also look at it.
  return { name: trimmed, scopes: SCOPES.filter((scope) => scope === 'READ' || scopes.includes(scope)), expiresAt }
}

function fieldError(path: string, message: string | null): FieldError[] {
  return message === null ? [] : [{ path, message }]
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please give the key a name.'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}
