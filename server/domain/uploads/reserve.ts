import type { ClientBase, Pool } from 'pg'
import { transaction } from '../../db/transaction.ts'
import type { Outcome } from '../../lib/batcher.ts'
import { NotFoundError } from '../errors.ts'
import type { OnConflict } from '../services.ts'
import { claim, forgetClaims, type RequestKey } from './keys.ts'
import { lockGroupClouds, place, withTaken } from './pools.ts'

/** A resumable upload that asks for room. */
export type Reservation = {
  readonly id: string
  readonly userId: string
  readonly groupCloudId: string
  readonly parentId: string | null
  readonly name: string
  readonly mimeType: string | null
  readonly size: number
  readonly metadata: Readonly<Record<string, string | null>>
  readonly onConflict: OnConflict
  readonly idempotency: RequestKey | null
}

type Draft = { readonly item: Reservation; accountId: string | null; outcome: Outcome<string> | null }

const INSERT = {
  name: 'uploads-reserve',
  text: `insert into uploads (id, user_id, group_cloud_id, parent_id, account_id, name, mime_type, size, metadata, on_conflict, expires_at)
    select id, user_id, group_cloud_id, parent_id, account_id, name, mime_type, size, metadata, on_conflict::"OnConflict",
      now() + interval '24 hours'
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::jsonb[], $10::text[])
    as i(id, user_id, group_cloud_id, parent_id, account_id, name, mime_type, size, metadata, on_conflict)`,
}
const COUNT = {
  name: 'uploads-count-reserved',
  text: `update accounts set reserved_bytes = reserved_bytes + i.size, updated_at = now()
    from (select id, sum(size)::bigint as size from unnest($1::uuid[], $2::bigint[]) as u(id, size) group by id) as i
    where accounts.id = i.id`,
}

/** Opens uploads and reserves their bytes in one transaction; an item's outcome is its upload's id, an earlier one's under the same key. */
export async function reserveBatch(pool: Pool, items: readonly Reservation[]): Promise<Outcome<string>[]> {
  return transaction(pool, async (client) => {
    const drafts = items.map((item): Draft => ({ item, accountId: null, outcome: null }))
    for (const draft of drafts) draft.outcome = await claim(client, draft, 'createUpload', draft.item.id)
    await placeAll(client, drafts)
    await insertPlaced(client, drafts)
    await forgetClaims(client, drafts)
    return drafts.map(({ item, outcome }) => outcome ?? { ok: true, value: item.id })
  })
}

async function placeAll(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const open = drafts.filter(({ outcome }) => outcome === null)
  const pools = await lockGroupClouds(
    client,
    open.map(({ item }) => item.groupCloudId),
  )
  for (const draft of open) {
    const { groupCloudId, size } = draft.item
    try {
      const pool = pools.get(groupCloudId)
      if (!pool) throw new NotFoundError('This group cloud has no account that can take files.')
      const { accountId } = place(pool, size)
      draft.accountId = accountId
      for (const [id, other] of pools) pools.set(id, withTaken(other, accountId, { reserved: size }))
    } catch (error) {
      draft.outcome = { ok: false, error }
    }
  }
}

async function insertPlaced(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const rows = drafts.flatMap(({ item, accountId }) => (accountId === null ? [] : [{ ...item, accountId }]))
  if (rows.length === 0) return
  const column = <Key extends keyof (typeof rows)[number]>(key: Key) => rows.map((row) => row[key])
  await client.query({
    ...INSERT,
    values: [
      column('id'),
      column('userId'),
      column('groupCloudId'),
      column('parentId'),
      column('accountId'),
      column('name'),
      column('mimeType'),
      column('size'),
      rows.map(({ metadata }) => JSON.stringify(metadata)),
      column('onConflict'),
    ],
  })
  await client.query({ ...COUNT, values: [column('accountId'), column('size')] })
}
