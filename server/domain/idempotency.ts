import { createHash } from 'node:crypto'
import { IdempotencyKeyReusedError, InvalidInputError } from './errors.ts'

/** One SQL statement inside the caller's transaction: a pg client's or a Prisma transaction's `$queryRawUnsafe`. */
export type Sql = (text: string, values: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>

export type KeyClaim = {
  readonly userId: string
  readonly key: string
  /** What is created ("createFolder"): the same key for another operation is refused. */
  readonly operation: string
  readonly fingerprint: Buffer
  /** Id that the new thing will have. */
  readonly resultId: string
}

export const LONGEST_KEY = 255

/**
 * Claims an Idempotency-Key in the transaction that creates the thing, so that key and thing appear together or not at all.
 * A second request under the same key waits for the first one's transaction. Keys count for 24 hours.
 * @returns null when the caller shall create `resultId`; otherwise the id of what the first request created
 * @throws IdempotencyKeyReusedError when the key was used for another operation or another content, InvalidInputError
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

/** Forgets the keys that count no more. */
export async function forgetKeys(sql: Sql): Promise<void> {
  await sql(`delete from idempotency_keys where created_at < now() - interval '24 hours'`, [])
}

/** @throws InvalidInputError */
export function checkKey(key: string): void {
  if (key.length > 0 && key.length <= LONGEST_KEY && /^[\x20-\x7e]+$/.test(key)) return
  const message = `An Idempotency-Key has 1 to ${LONGEST_KEY} printable ASCII characters.`
  throw new InvalidInputError([{ path: 'Idempotency-Key', message }])
}

/** What a request means, as 32 bytes: equal for equal parts in equal order. */
export function fingerprintOf(parts: readonly (string | number | boolean | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}
