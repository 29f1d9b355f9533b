import { createHash } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import type { Outcome } from '../../lib/concurrency.ts'
import { DomainError, IdempotencyKeyReusedError, InvalidInputError, NotFoundError } from '../errors.ts'

/** One SQL statement inside the caller's transaction: a pg client's or a Prisma transaction's `$queryRawUnsafe`. */
export type Sql = (text: string, values: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>

export type KeyClaim = {
  readonly userId: string
  readonly key: string
  /** What is created ("createFolder"): the same key for another operation is refused. */
  readonly operation: string
  readonly fingerprint: Buffer
  /** Id of the object to be created; null for a request that creates none. */
  readonly resultId: string | null
}

export const LONGEST_KEY = 255

/**
 * Claims an Idempotency-Key in the transaction that creates the object, so that both are committed together. A second request with
 * the same key waits for the first one's transaction. Keys are valid for 24 hours.
 * @returns null when the caller has to create `resultId`; otherwise the id of the object that the first request created
 * @throws IdempotencyKeyReusedError when the key was used for another operation or other content, InvalidInputError
 */
export async function claimKey(sql: Sql, claim: KeyClaim): Promise<string | null> {
  checkKey(claim.key)
  const claimed = await sql(
    `insert into idempotency_keys (user_id, key, operation, fingerprint, result_id) values ($1::uuid, $2, $3, $4, $5::uuid)
     on conflict (user_id, key) do update set operation = excluded.operation, fingerprint = excluded.fingerprint,
       result_id = excluded.result_id, created_at = now()
     where idempotency_keys.created_at < now() - interval '24 hours'
     returning 1 as claimed`,
    [claim.userId, claim.key, claim.operation, claim.fingerprint, claim.resultId],
  )
  return claimed.length > 0 ? null : firstResult(sql, claim)
}

async function firstResult(sql: Sql, { userId, key, operation, fingerprint }: KeyClaim): Promise<string | null> {
  const [row] = await sql(
    `select result_id::text as result_id, operation = $3 and fingerprint = $4 as same
     from idempotency_keys where user_id = $1::uuid and key = $2`,
    [userId, key, operation, fingerprint],
  )
  if (row?.same !== true) throw new IdempotencyKeyReusedError()
  return typeof row.result_id === 'string' ? row.result_id : null
}

/**
 * When a request with this key was sent for the first time, by the database's clock, so that the same request sent again changes what was
 * there then, and not what has come since. @throws as claimKey
 */
export async function firstSentAt(pool: Pool, claim: Omit<KeyClaim, 'resultId'>): Promise<Date> {
  const sql: Sql = async (text, values) => (await pool.query(text, [...values])).rows
  await claimKey(sql, { ...claim, resultId: null })
  const { rows } = await pool.query<{ at: Date }>(
    'select created_at as at from idempotency_keys where user_id = $1 and key = $2',
    [claim.userId, claim.key],
  )
  const [row] = rows
  // Only deleting the user deletes a key so soon.
  if (!row) throw new NotFoundError()
  return row.at
}

/** An Idempotency-Key, and `fingerprintOf` its request. */
export type RequestKey = { readonly key: string; readonly fingerprint: Buffer }

type BatchItem = { readonly userId: string; readonly idempotency: RequestKey | null }

/** `claimKey` for one item of a batch: a key used before refuses this item alone. Null: the item is to be created. */
export async function claimForItem(
  client: ClientBase,
  { userId, idempotency }: BatchItem,
  operation: string,
  resultId: string,
): Promise<Outcome<string> | null> {
  if (!idempotency) return null
  const sql = async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows
  try {
    const earlier = await claimKey(sql, { userId, ...idempotency, operation, resultId })
    return earlier === null ? null : { ok: true, value: earlier }
  } catch (error) {
    if (error instanceof DomainError) return { ok: false, error }
    throw error
  }
}

const RELEASE = `delete from idempotency_keys k using unnest($1::uuid[], $2::text[]) as i(user_id, key)
  where k.user_id = i.user_id and k.key = i.key`

/** Deletes the keys that refused items have claimed, so that the same request can be sent again. */
export async function releaseClaims(
  client: ClientBase,
  items: readonly { readonly item: BatchItem; readonly outcome: Outcome<unknown> | null }[],
): Promise<void> {
  const refused = items.flatMap(({ item, outcome }) =>
    item.idempotency && outcome?.ok === false && !(outcome.error instanceof IdempotencyKeyReusedError)
      ? [{ userId: item.userId, key: item.idempotency.key }]
      : [],
  )
  if (refused.length === 0) return
  await client.query(RELEASE, [refused.map(({ userId }) => userId), refused.map(({ key }) => key)])
}

/** Deletes keys older than 24 hours. */
export async function forgetKeys(pool: Pool): Promise<void> {
  await pool.query(`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
}

/** @throws InvalidInputError */
export function checkKey(key: string): void {
  if (key.length > 0 && key.length <= LONGEST_KEY && /^[\x20-\x7e]+$/.test(key)) return
  const message = `An Idempotency-Key has 1 to ${LONGEST_KEY} printable ASCII characters.`
  throw new InvalidInputError([{ path: 'Idempotency-Key', message }])
}

/** Fingerprint of a request (SHA-256): equal for equal parts in the same order. */
export function fingerprintOf(parts: readonly (string | number | boolean | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}
