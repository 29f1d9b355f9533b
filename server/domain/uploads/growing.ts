import type { ClientBase, Pool } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import { StorageFullError } from '../errors.ts'
import { bytesByAccount, lockMembers } from '../groupClouds/members.ts'
import type { Viewer } from '../viewer.ts'
import type { Admission } from './admission.ts'
import { placeAmong } from './pools.ts'
import { deleteUpload, touchUpload } from './rows.ts'

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
