import type { ClientBase, Pool } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import type { Outcome } from '../../lib/batcher.ts'
import { NotFoundError, StorageFullError, TooManyRequestsError } from '../errors.ts'
import type { OnConflict } from '../files/contract.ts'
import { bytesByAccount, lockMembers } from '../groupClouds/members.ts'
import type { Viewer } from '../viewer.ts'
import type { Admission } from './admission.ts'
import { claim, forgetClaims, type RequestKey } from './draft.ts'
import { type Placed, placeAmong } from './placing.ts'
import { deleteUpload, touchUpload } from './rows.ts'

/** A resumable upload that asks for room. */
export type Reservation = {
  readonly id: string
  readonly userId: string
  readonly groupCloudId: string
  readonly parentId: string | null
  readonly name: string
  readonly mimeType: string | null
  readonly size: number | null
  /** Of its own; what is put together from parts has theirs. */
  readonly reservedBytes: number
  readonly concat: string | null
  readonly metadata: Readonly<Record<string, string | null>>
  readonly onConflict: OnConflict
  readonly idempotency: RequestKey | null
}

/** Uploads of one user that have begun and not ended; what is left alone expires after a day. */
const MOST_OPEN_UPLOADS = 100
const RETRY_AFTER_SECONDS = 60

type Draft = { readonly item: Reservation; plan: Placed | null; outcome: Outcome<string> | null }

const INSERT = {
  name: 'uploads-reserve',
  text: `insert into uploads (id, user_id, group_cloud_id, parent_id, name, mime_type, size, metadata, concat, on_conflict, expires_at)
    select id, user_id, group_cloud_id, parent_id, name, mime_type, size, metadata, concat, on_conflict::"OnConflict",
      now() + interval '24 hours'
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::jsonb[], $9::text[], $10::text[])
    as i(id, user_id, group_cloud_id, parent_id, name, mime_type, size, metadata, concat, on_conflict)`,
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

const LOCK_HELD = `select group_cloud_id, size::float8 as size, coalesce((
    select jsonb_object_agg(r.account_id, r.bytes) from upload_reservations r where r.upload_id = u.id), '{}') as reserved
  from uploads u where id = $1 and file_id is null for update`
const FREE_HELD = `with gone as (delete from upload_reservations where upload_id = $1 returning account_id, bytes)
  update accounts set reserved_bytes = reserved_bytes - gone.bytes, updated_at = now()
  from gone where accounts.id = gone.account_id`

/** Opens uploads and reserves their bytes in one transaction; an item's outcome is its upload's id, an earlier one's under the same key. */
export async function reserveBatch(pool: Pool, items: readonly Reservation[]): Promise<Outcome<string>[]> {
  return transaction(pool, async (client) => {
    const drafts = items.map((item): Draft => ({ item, plan: null, outcome: null }))
    for (const draft of drafts) draft.outcome = await claim(client, draft, 'createUpload', draft.item.id)
    await refuseTooMany(client, drafts)
    await placeAll(client, drafts)
    await insertPlaced(client, drafts)
    await forgetClaims(client, drafts)
    return drafts.map(({ item, outcome }) => outcome ?? { ok: true, value: item.id })
  })
}

const COUNT_OPEN = {
  name: 'uploads-count-open',
  text: `select user_id, count(*)::int as open from uploads where user_id = any($1::uuid[]) and file_id is null and expires_at > now()
    group by user_id`,
}

/** A batch is one at a time in each process, so that only several processes together can go past the bound, and not by much. */
async function refuseTooMany(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const asked = drafts.filter(({ outcome }) => outcome === null)
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
  const what = `You have ${count} unfinished uploads. Finish or cancel some of them first; what is left alone expires after 24 hours.`
  return new TooManyRequestsError(RETRY_AFTER_SECONDS, what)
}

async function placeAll(client: ClientBase, drafts: readonly Draft[]): Promise<void> {
  const open = drafts.filter(({ outcome }) => outcome === null)
  const pools = await lockMembers(
    client,
    open.map(({ item }) => item.groupCloudId),
  )
  for (const draft of open) {
    try {
      const { groupCloudId, reservedBytes } = draft.item
      draft.plan = placeAmong(pools, { groupCloudId, size: reservedBytes })
    } catch (error) {
      draft.outcome = { ok: false, error }
    }
  }
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
    ],
  })
  await countReserved(
    client,
    placed.map(({ item, plan }) => ({ id: item.id, plan })),
  )
}

/** Writes down what uploads without a reservation hold on their accounts. */
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

type Held = { group_cloud_id: string; size: number | null; reserved: Record<string, number> }

/**
 * Reserves `bytes` for an upload instead of what it has now; `isSize` says that it will have no more. Nothing changes when there
 * is no room for them. @throws StorageFullError, NotFoundError
 */
export async function reserveAgain(pool: Pool, id: string, bytes: number, isSize: boolean): Promise<void> {
  await transaction(pool, async (client) => {
    const { rows } = await client.query<Held>(LOCK_HELD, [id])
    const [upload] = rows
    if (!upload) throw new NotFoundError('This upload has expired or was removed.')
    const pools = await lockMembers(client, [upload.group_cloud_id])
    const held = new Map(Object.entries(upload.reserved))
    const plan = placeAmong(pools, { groupCloudId: upload.group_cloud_id, size: bytes }, held)
    await client.query(FREE_HELD, [id])
    await countReserved(client, [{ id, plan }])
    if (isSize) await client.query('update uploads set size = $2 where id = $1', [id, bytes])
  })
}

/** Bodies up to this size reserve nothing: small files stay one statement, and hold little between them. */
const FREE_BYTES = 1024 * 1024
const STEP = 1024 * 1024
/** Far within the day after which an upload expires. */
const TOUCH_EVERY_MS = 60 * 60 * 1000

export type Growing = {
  /** Waits until so many bytes have room. @throws StorageFullError, NotFoundError */
  hold(bytes: number): void | Promise<void>
  /** The row that holds the reservation; null while there is none. */
  readonly uploadId: string | null
  /** What is reserved is free again. Not for an upload that became a file: that has freed it. */
  release(): Promise<void>
}

type Of = Pick<Admission, 'name' | 'groupCloudId' | 'parentId' | 'onConflict'> & {
  /** Of the object, and of the row. */
  readonly id: string
  readonly viewer: Viewer
  /** What the body will have, or a little more, where it says so. */
  readonly expected: number | undefined
}

const SAVE = {
  name: 'uploads-save-growing',
  text: `insert into uploads (id, user_id, group_cloud_id, parent_id, name, size, on_conflict, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7::"OnConflict", now() + interval '24 hours')
    on conflict (id) do update set size = excluded.size, expires_at = excluded.expires_at`,
}
const RESERVED = {
  name: 'uploads-growing-reserved',
  text: 'select account_id, bytes::float8 as bytes from upload_reservations where upload_id = $1',
}
/** `$2` and `$3`: what is reserved from now on. Accounts are locked already. */
const RESERVE = {
  name: 'uploads-reserve-growing',
  text: `with wanted as (
      select * from unnest($2::uuid[], $3::bigint[]) as w(account_id, bytes)
    ), before as (
      select account_id, bytes from upload_reservations where upload_id = $1
    ), gone as (
      delete from upload_reservations where upload_id = $1 and account_id not in (select account_id from wanted)
    ), saved as (
      insert into upload_reservations (upload_id, account_id, bytes) select $1::uuid, account_id, bytes from wanted
      on conflict (upload_id, account_id) do update set bytes = excluded.bytes
    )
    update accounts set reserved_bytes = reserved_bytes + c.change, updated_at = now()
    from (
      select account_id, sum(bytes)::bigint as change from (
        select account_id, bytes from wanted union all select account_id, -bytes from before
      ) as both_of group by account_id
    ) as c where accounts.id = c.account_id`,
}

/**
 * Room for a body whose length is known only at its end, reserved as it comes: all that it may have (or twice what
 * has come), where that has room, else a step at a time. So bodies that come at once cannot fill the staging folder with more than there is room for.
 */
export function createGrowing(pool: Pool, of: Of): Growing {
  let held = FREE_BYTES
  let isSaved = false
  let touchedAt = 0

  async function reserve(bytes: number): Promise<void> {
    await retrying(() => transaction(pool, (client) => reserveIn(client, of, bytes)))
    isSaved = true
    touchedAt = performance.now()
    held = bytes
  }

  async function grow(bytes: number): Promise<void> {
    const tries = [of.expected ?? bytes * 2, bytes + STEP, bytes].filter((size) => size >= bytes)
    for (const [index, size] of tries.entries()) {
      try {
        return await reserve(size)
      } catch (error) {
        if (!(error instanceof StorageFullError) || index === tries.length - 1) throw error
      }
    }
  }

  async function touch(bytes: number): Promise<void> {
    touchedAt = performance.now()
    await touchUpload(pool, of.id, bytes)
  }

  return {
    hold(bytes) {
      if (bytes > held) return grow(bytes)
      if (isSaved && performance.now() - touchedAt > TOUCH_EVERY_MS) return touch(bytes)
    },
    get uploadId() {
      return isSaved ? of.id : null
    },
    async release() {
      if (isSaved) await deleteUpload(pool, of.viewer.userId, of.id)
    },
  }
}

async function reserveIn(client: ClientBase, of: Of, bytes: number): Promise<void> {
  const { id, viewer, groupCloudId, parentId, name, onConflict } = of
  const pools = await lockMembers(client, [groupCloudId])
  const { rows } = await client.query<{ account_id: string; bytes: number }>({ ...RESERVED, values: [id] })
  const before = new Map(rows.map((row) => [row.account_id, row.bytes]))
  const plan = placeAmong(pools, { groupCloudId, size: bytes }, before)
  await client.query({ ...SAVE, values: [id, viewer.userId, groupCloudId, parentId, name, bytes, onConflict] })
  const wanted = [...bytesByAccount(plan.copies)]
  await client.query({
    ...RESERVE,
    values: [id, wanted.map(([accountId]) => accountId), wanted.map(([, size]) => size)],
  })
}
