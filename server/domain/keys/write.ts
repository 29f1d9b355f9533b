import type pg from 'pg'
import { newId } from '../../lib/ids.ts'
import type { Sealing } from '../../lib/sealing.ts'
import { ConflictError, InvalidInputError, NotFoundError, UnauthenticatedError } from '../errors.ts'
import { claimKey, fingerprintOf } from '../idempotency.ts'
import { hashOf, hintOf, newKeyText } from './keyText.ts'
import { IS_LIVE, sealedAs } from './rows.ts'
import type { CheckedInput } from './rules.ts'

/** So that a list is one page of bounded cost. */
const MOST_LIVE_KEYS = 100

export type Write = { readonly tx: pg.ClientBase; readonly userId: string; readonly sealing: Sealing }

/** The columns that hold a key's text: its hash, itself sealed, its hint. */
type Text = readonly [hash: Buffer, sealed: string, hint: string]

export type Inserted = { readonly id: string; readonly isNew: boolean }

/** The new key, or the one that the same request has made before. @throws InvalidInputError, ConflictError, UnauthenticatedError, IdempotencyKeyReusedError */
export async function insertKey(write: Write, input: CheckedInput, idempotencyKey?: string): Promise<Inserted> {
  const id = newId()
  const earlier = idempotencyKey === undefined ? null : await claim(write, input, idempotencyKey, id)
  if (earlier !== null) return { id: earlier, isNew: false }
  await refuseTooMany(write)
  const { name, scopes, expiresAt } = input
  const { rowCount } = await write.tx.query(
    `insert into api_keys (id, user_id, key_hash, sealed_key, hint, name, scopes, expires_at)
     select $1, $2, $3, $4, $5, $6, $7::text[]::"ApiKeyScope"[], $8::timestamptz
     where $8::timestamptz is null or $8::timestamptz > now()`,
    [id, write.userId, ...newText(id, write.sealing), name, scopes, expiresAt],
  )
  if (rowCount === 1) return { id, isNew: true }
  throw new InvalidInputError([{ path: 'expiresAt', message: 'Please choose a time in the future.' }])
}

/** @throws NotFoundError, ConflictError unless it is live */
export async function replaceText({ tx, userId, sealing }: Write, id: string): Promise<void> {
  const { rows } = await tx.query<{ live: boolean }>(
    `select ${IS_LIVE} as live from api_keys k where id = $1 and user_id = $2 for no key update`,
    [id, userId],
  )
  const [key] = rows
  if (!key) throw new NotFoundError()
  if (!key.live) throw new ConflictError('This key is revoked or has expired. Please generate a new one.')
  await tx.query('update api_keys set key_hash = $2, sealed_key = $3, hint = $4 where id = $1', [
    id,
    ...newText(id, sealing),
  ])
}

/** @returns whether it was not revoked before @throws NotFoundError */
export async function markRevoked({ tx, userId }: Write, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update api_keys set revoked_at = now() where id = $1 and user_id = $2 and revoked_at is null',
    [id, userId],
  )
  if (rowCount === 1) return true
  const known = await tx.query('select from api_keys where id = $1 and user_id = $2', [id, userId])
  if (known.rowCount === 0) throw new NotFoundError()
  return false
}

function newText(id: string, sealing: Sealing): Text {
  const text = newKeyText()
  return [hashOf(text), sealing.seal(text, sealedAs(id)), hintOf(text)]
}

function claim({ tx, userId }: Write, { name, scopes, expiresAt }: CheckedInput, key: string, resultId: string) {
  const fingerprint = fingerprintOf([name, scopes.join(), expiresAt?.toISOString() ?? null])
  const claimed = { userId, key, operation: 'createApiKey', fingerprint, resultId }
  return claimKey(async (text, values) => (await tx.query(text, [...values])).rows, claimed)
}

/** Keys of one user are made one after the other, so that the count is right; and none once the user is deleted. */
async function refuseTooMany({ tx, userId }: Write): Promise<void> {
  const lock = 'select 1 from users where id = $1 and deleted_at is null for no key update'
  if ((await tx.query(lock, [userId])).rowCount === 0) throw new UnauthenticatedError()
  const { rows } = await tx.query<{ live: number }>(
    `select count(*)::int as live from api_keys k where user_id = $1 and ${IS_LIVE}`,
    [userId],
  )
  if ((rows[0]?.live ?? 0) < MOST_LIVE_KEYS) return
  throw new ConflictError(`You have ${MOST_LIVE_KEYS} keys. Please revoke one that you do not need any more.`)
}
