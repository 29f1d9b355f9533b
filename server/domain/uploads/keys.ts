import type { ClientBase } from 'pg'
import type { Outcome } from '../../lib/batcher.ts'
import { DomainError, IdempotencyKeyReusedError } from '../errors.ts'
import { claimKey } from '../idempotency.ts'

/** An Idempotency-Key and what its request means. */
export type RequestKey = { readonly key: string; readonly fingerprint: Buffer }

type Keyed = {
  readonly item: { readonly userId: string; readonly idempotency: RequestKey | null }
  readonly outcome: Outcome<unknown> | null
}

const FORGET = `delete from idempotency_keys k using unnest($1::uuid[], $2::text[]) as i(user_id, key)
  where k.user_id = i.user_id and k.key = i.key`

/** Claims the key of one item of a batch; a reused key refuses this item alone. Null: the item shall be done. */
export async function claim(
  client: ClientBase,
  { item }: Keyed,
  operation: string,
  resultId: string,
): Promise<Outcome<string> | null> {
  if (!item.idempotency) return null
  const sql = async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows
  try {
    const earlier = await claimKey(sql, { userId: item.userId, ...item.idempotency, operation, resultId })
    return earlier === null ? null : { ok: true, value: earlier }
  } catch (error) {
    if (error instanceof DomainError) return { ok: false, error }
    throw error
  }
}

/** Gives back the keys of refused items: the same request may be tried again. */
export async function forgetClaims(client: ClientBase, drafts: readonly Keyed[]): Promise<void> {
  const refused = drafts.flatMap(({ item, outcome }) =>
    item.idempotency && outcome?.ok === false && !(outcome.error instanceof IdempotencyKeyReusedError)
      ? [{ userId: item.userId, key: item.idempotency.key }]
      : [],
  )
  if (refused.length === 0) return
  await client.query(FORGET, [refused.map(({ userId }) => userId), refused.map(({ key }) => key)])
}
