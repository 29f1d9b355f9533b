import type { ClientBase, Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import { NotFoundError, TooManyRequestsError } from '../errors.ts'
import type { OnConflict } from '../files/contract.ts'
import { bytesByAccount, lockTargets } from '../groupClouds/members.ts'
import { claimForItem, type RequestKey, releaseClaims } from '../idempotency/keys.ts'
import { isolating, toDomainError } from './commit.ts'
import type { Protecting } from './contract.ts'
import { type Placed, placeAmong } from './destination.ts'

/** A new resumable upload, and the bytes to reserve for it. */
export type Reservation = {
  readonly id: string
  readonly userId: string
  readonly groupCloudId: string | null
  readonly accountId: string | null
  readonly parentId: string | null
  readonly name: string
  readonly mimeType: string | null
  readonly size: number | null
  /** 0 for the upload that parts are concatenated into: it uses their reservations. */
  readonly reservedBytes: number
  readonly concat: string | null
  readonly metadata: Readonly<Record<string, string | null>>
  readonly onConflict: OnConflict
  readonly idempotency: RequestKey | null
  readonly protecting?: Protecting | undefined
  /** As in NewUpload. */
  readonly linkId: string | null
}

/** Unfinished uploads of one user. They expire a day after their last byte. */
const MOST_OPEN_UPLOADS = 100
const RETRY_AFTER_SECONDS = 60

type Draft = { readonly item: Reservation; plan: Placed | null; outcome: Outcome<string> | null }

/**
 * Resolves with the id of the upload: an earlier one's if the idempotency key was used before.
 * @throws what an Outcome of `reserveBatch` can hold
 */
export type Reserve = (item: Reservation) => Promise<string>

/** Most uploads in one transaction. */
const BATCH = 100

/** Reservations that are requested meanwhile are batched. */
export function createReserve(pool: Pool): Reserve {
  const run = isolating((items: readonly Reservation[]) => reserveBatch(pool, items))
  const reserve = createBatcher({ run, limit: BATCH })
  return (item) =>
    reserve(item).catch((error: unknown) => {
      throw toDomainError(error, item.reservedBytes)
    })
}

/** Inserts uploads and reserves their bytes in one transaction. */
async function reserveBatch(pool: Pool, items: readonly Reservation[]): Promise<Outcome<string>[]> {
  return transaction(pool, async (client) => {
    const drafts = items.map((item): Draft => ({ item, plan: null, outcome: null }))
    for (const draft of drafts) draft.outcome = await claimForItem(client, draft.item, 'createUpload', draft.item.id)
    await refuseTooMany(client, drafts)
    await placeAll(client, drafts)
    await insertPlaced(client, drafts)
    await releaseClaims(client, drafts)
    return drafts.map(({ item, outcome }) => outcome ?? { ok: true, value: item.id })
  })
}

const COUNT_OPEN = {
  name: 'uploads-count-open',
  text: `select user_id, count(*)::int as open from uploads where user_id = any($1::uuid[]) and file_id is null and link_id is null
    and expires_at > now() group by user_id`,
}

/**
 * Each process runs one batch at a time, so only several processes together can exceed the limit, and only slightly.
 */
async function refuseTooMany(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  // The limits of an upload link apply to those of visitors.
  const asked = drafts.filter(({ item, outcome }) => outcome === null && item.linkId === null)
  const userIds = [...new Set(asked.map(({ item }) => item.userId))]
  if (userIds.length === 0) return
  const { rows } = await client.query<{ user_id: string; open: number }>({ ...COUNT_OPEN, values: [userIds] })
  const open = new Map(rows.map((row) => [row.user_id, row.open]))
  for (const draft of asked) {
    const { userId } = draft.item
    const count = open.get(userId) ?? 0
    if (count < MOST_OPEN_UPLOADS) open.set(userId, count + 1)
    else draft.outcome = { ok: false, error: tooMany(count) }
  }
}

function tooMany(count: number): TooManyRequestsError {
  const message = `You have ${count} unfinished uploads. Finish or cancel some first; idle ones expire after 24 hours.`
  return new TooManyRequestsError(RETRY_AFTER_SECONDS, message)
}

async function placeAll(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const open = drafts.filter(({ outcome }) => outcome === null)
  const groupClouds = await lockTargets(
    client,
    open.map(({ item }) => item),
  )
  for (const draft of open) {
    try {
      const { groupCloudId, accountId, reservedBytes: size, protecting } = draft.item
      draft.plan = placeAmong(groupClouds, { groupCloudId, accountId, size, protecting })
    } catch (error) {
      draft.outcome = { ok: false, error }
    }
  }
}

const INSERT = {
  name: 'uploads-reserve',
  text: `insert into uploads (id, user_id, group_cloud_id, account_id, parent_id, name, mime_type, size, metadata, concat, on_conflict,
      protected_account_id, wanted_copies, link_id, expires_at)
    select id, user_id, group_cloud_id, account_id, parent_id, name, mime_type, size, metadata, concat, on_conflict::"OnConflict",
      protected_account_id, wanted_copies, link_id, now() + interval '24 hours'
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::jsonb[], $9::text[], $10::text[],
      $11::uuid[], $12::uuid[], $13::int[], $14::uuid[])
    as i(id, user_id, group_cloud_id, parent_id, name, mime_type, size, metadata, concat, on_conflict, account_id,
      protected_account_id, wanted_copies, link_id)`,
}

async function insertPlaced(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const placed = drafts.flatMap(({ item, plan }) => (plan ? [{ item, plan }] : []))
  if (placed.length === 0) return
  const rows = placed.map(({ item }) => item)
  const column = <Key extends keyof Reservation>(key: Key) => rows.map((row) => row[key])
  await client.query({
    ...INSERT,
    values: [
      column('id'),
      column('userId'),
      column('groupCloudId'),
      column('parentId'),
      column('name'),
      column('mimeType'),
      column('size'),
      rows.map(({ metadata }) => JSON.stringify(metadata)),
      column('concat'),
      column('onConflict'),
      column('accountId'),
      rows.map(({ protecting }) => protecting?.accountId ?? null),
      rows.map(({ protecting }) => protecting?.copies ?? null),
      column('linkId'),
    ],
  })
  await countReserved(
    client,
    placed.map(({ item, plan }) => ({ id: item.id, plan })),
  )
}

const COUNT = {
  name: 'uploads-count-reserved',
  text: `with reserved as (
      insert into upload_reservations (upload_id, account_id, bytes)
      select * from unnest($1::uuid[], $2::uuid[], $3::bigint[]) returning account_id, bytes
    )
    update accounts set reserved_bytes = reserved_bytes + i.bytes, updated_at = now()
    from (select account_id, sum(bytes)::bigint as bytes from reserved group by account_id) as i
    where accounts.id = i.account_id`,
}

/** Inserts the reservations of uploads that have none yet. */
async function countReserved(
  client: ClientBase,
  placed: readonly { readonly id: string; readonly plan: Placed }[],
): Promise<void> {
  const reserved = placed.flatMap(({ id, plan }) =>
    [...bytesByAccount(plan.copies)].map(([accountId, bytes]) => ({ uploadId: id, accountId, bytes })),
  )
  await client.query({
    ...COUNT,
    values: [
      reserved.map(({ uploadId }) => uploadId),
      reserved.map(({ accountId }) => accountId),
      reserved.map(({ bytes }) => bytes),
    ],
  })
}

const LOCK_HELD = `select group_cloud_id, account_id, size::float8 as size, coalesce((
    select jsonb_object_agg(r.account_id, r.bytes) from upload_reservations r where r.upload_id = u.id), '{}') as reserved
  from uploads u where id = $1 and file_id is null for update`
const FREE_HELD = `with gone as (delete from upload_reservations where upload_id = $1 returning account_id, bytes)
  update accounts set reserved_bytes = reserved_bytes - gone.bytes, updated_at = now()
  from gone where accounts.id = gone.account_id`

type Held = {
  group_cloud_id: string | null
  account_id: string | null
  size: number | null
  reserved: Record<string, number>
}

/**
 * Reserves `bytes` for an upload instead of its present reservation; `isSize`: they are its final size, which is stored
 * too. If there is no room for them, nothing changes. @throws StorageFullError, NotFoundError
 */
export async function changeReservation(pool: Pool, id: string, bytes: number, isSize: boolean): Promise<void> {
  await transaction(pool, async (client) => {
    const { rows } = await client.query<Held>(LOCK_HELD, [id])
    const [upload] = rows
    if (!upload) throw new NotFoundError('This upload has expired or was removed.')
    const target = { groupCloudId: upload.group_cloud_id, accountId: upload.account_id }
    const groupClouds = await lockTargets(client, [target])
    const held = new Map(Object.entries(upload.reserved))
    const plan = placeAmong(groupClouds, { ...target, size: bytes }, held)
    await client.query(FREE_HELD, [id])
    await countReserved(client, [{ id, plan }])
    if (isSize) await client.query('update uploads set size = $2 where id = $1', [id, bytes])
  }).catch((error: unknown) => {
    throw toDomainError(error, bytes)
  })
}
