import type { ClientBase, Pool } from 'pg'
import { NotFoundError } from '../errors.ts'
import type { OnConflict, Upload } from '../services.ts'
import type { Measured } from './liveUploads.ts'

export type UploadRow = {
  readonly id: string
  readonly user_id: string
  readonly group_cloud_id: string
  readonly parent_id: string | null
  readonly name: string
  readonly size: number
  readonly metadata: Readonly<Record<string, string | null>>
  readonly on_conflict: OnConflict
  readonly file_id: string | null
  readonly expires_at: Date
  /** Its group cloud has accounts at providers. */
  readonly remote: boolean
}

const COLUMNS = `id, user_id, group_cloud_id, parent_id, name, size::float8 as size, metadata, on_conflict, file_id, expires_at,
  exists (select from group_cloud_members m join accounts a on a.id = m.account_id
    where m.group_cloud_id = uploads.group_cloud_id and a.provider <> 'local') as remote`

const FIND = {
  name: 'uploads-find',
  text: `select ${COLUMNS} from uploads where id = $1 and user_id = $2 and expires_at > now()`,
}
const TOUCH = {
  name: 'uploads-touch',
  text: `update uploads set expires_at = now() + interval '24 hours' where id = $1 and file_id is null`,
}
/** Rows go, and with them what they still reserve: nothing, once they have become files. Accounts are locked in one order everywhere. */
const DELETE = `with gone as (delete from uploads where %WHERE% returning id, file_id),
  freed as (
    select r.account_id, sum(r.bytes)::bigint as bytes from gone join upload_reservations r on r.upload_id = gone.id
    group by r.account_id
  ), locked as (
    select a.id, freed.bytes from accounts a join freed on freed.account_id = a.id order by a.id for no key update of a
  ), counted as (
    update accounts set reserved_bytes = reserved_bytes - locked.bytes, updated_at = now()
    from locked where accounts.id = locked.id
  )
  select id, file_id from gone`
const DELETE_ONE = DELETE.replace('%WHERE%', 'id = $1 and user_id = $2')
const DELETE_EXPIRED = DELETE.replace(
  '%WHERE%',
  'id in (select id from uploads where expires_at <= now() and id <> all($1::uuid[]) order by id limit $2 for update skip locked)',
)

export type Gone = { readonly id: string; readonly file_id: string | null }

/** A live upload of the user. @throws NotFoundError */
export async function findUpload(client: Pool | ClientBase, userId: string, id: string): Promise<UploadRow> {
  const { rows } = await client.query<UploadRow>({ ...FIND, values: [id, userId] })
  if (!rows[0]) throw new NotFoundError('This upload does not exist, or it has expired. Please start it again.')
  return rows[0]
}

/** Another 24 hours. */
export async function touchUpload(pool: Pool, id: string): Promise<void> {
  await pool.query({ ...TOUCH, values: [id] })
}

/** Null when there was none. */
export async function deleteUpload(pool: Pool, userId: string, id: string): Promise<Gone | null> {
  const { rows } = await pool.query<Gone>(DELETE_ONE, [id, userId])
  return rows[0] ?? null
}

/** At most `limit` of those whose time is over, but none of `except`. */
export async function deleteExpired(pool: Pool, except: readonly string[], limit: number): Promise<Gone[]> {
  return (await pool.query<Gone>(DELETE_EXPIRED, [except, limit])).rows
}

/** As its bytes are measured. */
export function measuredOf({ id, size, remote }: UploadRow): Measured {
  return { id, size, withSums: remote }
}

export function toUpload(row: UploadRow, offset: number): Upload {
  const { id, name, size, metadata, expires_at, file_id } = row
  return { id, name, size, offset: file_id ? size : offset, metadata, expiresAt: expires_at, fileId: file_id }
}
