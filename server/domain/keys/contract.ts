import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Encryption, EncryptionError } from '../../lib/encryption.ts'
import { type FieldError, InvalidInputError } from '../errors.ts'
import { SCOPES, type Scope, type Viewer } from '../viewer.ts'

export type ApiKeyStatus = 'ACTIVE' | 'REVOKED' | 'EXPIRED'

export type ApiKey = {
  readonly id: string
  readonly name: string
  /** The whole key for its owner's session; masked (`sky_live_…` and the last four characters) for other callers and once it is revoked. */
  readonly key: string
  readonly status: ApiKeyStatus
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
  readonly createdAt: Date
}

export type ApiKeyInput = {
  /** 1 to 100 characters after trimming. */
  readonly name: string
  /** At least one; default: all. WRITE and SHARE include READ. */
  readonly scopes?: readonly Scope[] | undefined
  /** In the future; null: never. */
  readonly expiresAt?: Date | null | undefined
}

export type ListKeys = { readonly limit: number; readonly after?: string | undefined }

export type KeyPage = {
  readonly items: readonly { readonly key: ApiKey; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

/** API keys. All methods but `current` and `viewerOf` are for sessions only. @throws KeyRefusedError for a viewer with a key */
export interface KeysService {
  /** Newest first, at most 500. */
  list(viewer: Viewer): Promise<ApiKey[]>
  /** Newest first, in pages. @throws InvalidInputError for a cursor of another list */
  page(viewer: Viewer, options: ListKeys): Promise<KeyPage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(ApiKey | null)[]>
  /** The key that the viewer has come with, masked; null for a session. */
  current(viewer: Viewer): Promise<ApiKey | null>
  /** @throws InvalidInputError */
  create(viewer: Viewer, input: ApiKeyInput, idempotencyKey?: string): Promise<ApiKey>
  /** A new key with the same id; the old one stops working immediately. @throws NotFoundError, ConflictError unless it is ACTIVE */
  regenerate(viewer: Viewer, id: string): Promise<ApiKey>
  /** Stops working immediately; its downloads and streams end within 5 s. Idempotent. @throws NotFoundError */
  revoke(viewer: Viewer, id: string): Promise<ApiKey>
  /** Calls of the last 30 days by key id, oldest day first; days without calls are omitted. */
  usage(viewer: Viewer, ids: readonly string[]): Promise<Map<string, { readonly day: Date; readonly calls: number }[]>>
  /**
   * The viewer of a key from the Authorization header; null for a key that is unknown, revoked or expired. A wrong checksum is
   * detected without a statement. Counts the call. `address`: IP address of the caller. @throws TooManyRequestsError
   */
  viewerOf(key: string, address: string): Promise<Viewer | null>
}

const PREFIX = 'sky_live_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const HINT_LENGTH = 4
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new key: 178 random bits and a checksum, so that typos, and keys in leaked text, can be recognised without a database. */
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

/** The masked form of a key. */
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

/** Condition on `api_keys k`: neither revoked nor expired, by the database's clock. */
export const IS_LIVE = 'k.revoked_at is null and (k.expires_at is null or k.expires_at > now())'

/** Columns of a `KeyRow` of `api_keys k`. The scopes are cast to text[], because pg does not parse arrays of custom enums. */
export const KEY_COLUMNS = `k.id, k.name, k.sealed_key, k.hint, k.scopes::text[] as scopes, k.expires_at, k.last_used_at,
  k.revoked_at, k.created_at,
  case when k.revoked_at is not null then 'REVOKED' when ${IS_LIVE} then 'ACTIVE' else 'EXPIRED' end as status`

/** Encryption context of a key: it can only be decrypted in the same row. */
export function encryptionContext(id: string): string {
  return `api_keys:${id}`
}

/** For its owner's session: with the whole key, unless it is revoked. */
export function toApiKey(row: KeyRow, encryption: Encryption): ApiKey {
  const key = toMaskedKey(row)
  return row.status === 'REVOKED' ? key : { ...key, key: decrypted(row, encryption) }
}

/** For every other caller. */
export function toMaskedKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    key: masked(row.hint),
    status: row.status,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  }
}

/** The whole key; masked when this server's secret key cannot decrypt it: the key still works and can be regenerated. */
function decrypted({ id, sealed_key, hint }: KeyRow, encryption: Encryption): string {
  try {
    return encryption.decrypt(sealed_key, encryptionContext(id))
  } catch (error) {
    if (error instanceof EncryptionError) return masked(hint)
    throw error
  }
}

const LONGEST_NAME = 100

export type CheckedInput = { readonly name: string; readonly scopes: readonly Scope[]; readonly expiresAt: Date | null }

/** The input as stored; the database checks that `expiresAt` is in the future. @throws InvalidInputError */
export function checkedInput({ name, scopes = SCOPES, expiresAt = null }: ApiKeyInput): CheckedInput {
  const trimmed = name.trim().normalize('NFC')
  const errors = [
    ...fieldError('name', nameProblem(trimmed)),
    ...fieldError('scopes', scopes.length === 0 ? 'Please choose at least one permission.' : null),
    ...fieldError('expiresAt', expiresAt && Number.isNaN(expiresAt.getTime()) ? 'This is not a date.' : null),
  ]
  if (errors.length > 0) throw new InvalidInputError(errors)
  // WRITE and SHARE include READ.
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
