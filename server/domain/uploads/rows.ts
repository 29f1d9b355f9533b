import type { ClientBase, Pool } from 'pg'
import { LEASE_KINDS } from '../../db/leases.ts'
import { transaction } from '../../db/transaction.ts'
import { ConflictError, InvalidInputError, NotFoundError, UploadIncompleteError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { OnConflict } from '../files/contract.ts'
import type { Upload } from './contract.ts'
import type { Measured, UploadKey } from './liveUploads.ts'

export type UploadRow = {
  readonly id: string
  readonly user_id: string
  readonly group_cloud_id: string
  readonly parent_id: string | null
  readonly name: string
  /** null: the client has not said it yet. */
  readonly size: number | null
  /** What is durable of it, as long as nobody works on it. */
  readonly received_bytes: number
  readonly metadata: Readonly<Record<string, string | null>>
  readonly concat: string | null
  readonly final_id: string | null
  readonly on_conflict: OnConflict
  readonly file_id: string | null
  readonly expires_at: Date
  /** Its group cloud has accounts at providers. */
  readonly remote: boolean
}

const COLUMNS = `id, user_id, group_cloud_id, parent_id, name, size::float8 as size,
  received_bytes::float8 as received_bytes, metadata, concat, final_id, on_conflict, file_id, expires_at,
  exists (select from group_cloud_members m join accounts a on a.id = m.account_id
    where m.group_cloud_id = uploads.group_cloud_id and a.provider <> 'local') as remote`

const FIND = {
  name: 'uploads-find',
  text: `select ${COLUMNS} from uploads where id = $1 and user_id = $2 and expires_at > now()`,
}
const TOUCH = {
  name: 'uploads-touch',
  text: `update uploads set expires_at = now() + interval '24 hours', received_bytes = $2 where id = $1 and file_id is null`,
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
  `id in (select id from uploads where expires_at <= now() and hashtext(id::text) <> all($1::int[])
    order by id limit $2 for update skip locked)`,
)
/** What requests of all servers work on at the moment, as the second halves of their locks (db/leases.ts). */
const BUSY = `select objid::int8::bit(32)::int4 as key from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    and classid = $1::int4::oid and granted`

export type Gone = { readonly id: string; readonly file_id: string | null }

/** A live upload of the user. @throws NotFoundError */
export async function findUpload(client: Pool | ClientBase, userId: string, id: string): Promise<UploadRow> {
  const { rows } = await client.query<UploadRow>({ ...FIND, values: [id, userId] })
  if (!rows[0]) throw new NotFoundError('This upload does not exist, or it has expired. Please start it again.')
  return rows[0]
}

/** Another 24 hours, and how far it is for whoever asks while the next request works on it. */
export async function touchUpload(pool: Pool, id: string, receivedBytes: number): Promise<void> {
  await pool.query({ ...TOUCH, values: [id, receivedBytes] })
}

/** How far it is, where that is not what its row says: a server died while it received. */
export async function noteReceived(pool: Pool, { id, received_bytes }: UploadRow, bytes: number): Promise<void> {
  if (received_bytes === bytes) return
  await pool.query('update uploads set received_bytes = $2 where id = $1 and file_id is null', [id, bytes])
}

/** Null when there was none. */
export async function deleteUpload(pool: Pool, userId: string, id: string): Promise<Gone | null> {
  const { rows } = await pool.query<Gone>(DELETE_ONE, [id, userId])
  return rows[0] ?? null
}

/** At most `limit` of those whose time is over, but none that a request works on. */
export async function deleteExpired(pool: Pool, limit: number): Promise<Gone[]> {
  const { rows } = await pool.query<{ key: number }>(BUSY, [LEASE_KINDS.upload])
  return (await pool.query<Gone>(DELETE_EXPIRED, [rows.map(({ key }) => key), limit])).rows
}

/** As its bytes are measured. */
export function measuredOf({ id, size, remote }: UploadRow): Measured {
  return { id, size, withSums: remote }
}

/** As it is worked on. */
export function keyOf({ id, user_id: userId }: UploadRow): UploadKey {
  return { id, userId }
}

export function toUpload(row: UploadRow, offset: number): Upload {
  const { id, name, size, metadata, concat, expires_at, file_id } = row
  const received = file_id ? (size ?? offset) : offset
  return { id, name, size, offset: received, metadata, concat, expiresAt: expires_at, fileId: file_id }
}

// Parts of an upload (tus concatenation). Each keeps its bytes and its room until their whole has become a file; then it counts
// as done as well, so that repeating the request finds the whole.

/** The whole of parts and those that other requests may be putting together from them now: one commits, the others are refused. */
const LOCK_WHOLES = `select from uploads where file_id is null
  and (id = $1 or id in (select final_id from uploads where id = any($2::uuid[]))) order by id for update`
const CLAIM = `update uploads set final_id = $1, expires_at = now() + interval '24 hours'
  where id = any($2::uuid[]) and concat = 'partial' and file_id is null`

/** In the order asked. @throws NotFoundError, InvalidInputError for what is no part or is named twice */
export async function findParts(pool: Pool, userId: string, ids: readonly string[]): Promise<UploadRow[]> {
  if (new Set(ids).size < ids.length) throw refusal('Each part can be used once.')
  const rows: UploadRow[] = []
  for (const id of ids) {
    const row = await findUpload(pool, userId, id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error
      throw new NotFoundError('A part of this upload does not exist, or it has expired. Please send it again.')
    })
    if (row.concat !== 'partial') throw refusal('Only uploads that were created as partial can be put together.')
    rows.push(row)
  }
  return rows
}

/** The upload that parts have become a file in; null while they are unused. @throws ConflictError when it is not one for all of them */
export function wholeOf(parts: readonly UploadRow[]): string | null {
  const wholes = new Set(parts.map(({ file_id, final_id }) => (file_id ? final_id : null)))
  const [whole = null] = wholes
  if (wholes.size > 1) throw new ConflictError('A part has been used for another upload already.')
  return whole
}

/** The bytes of all of them. @throws UploadIncompleteError */
export async function sizeOfParts(
  parts: readonly UploadRow[],
  offsetOf: (part: UploadRow) => Promise<number>,
): Promise<number> {
  let sum = 0
  for (const part of parts) {
    const offset = await offsetOf(part)
    if (offset !== part.size) {
      throw new UploadIncompleteError(`A part has only ${offset} of ${part.size ?? 'an unknown number of'} bytes.`)
    }
    sum += offset
  }
  return sum
}

/** Makes `id` the whole of these parts; another one that was begun with them is refused when it commits. @throws ConflictError */
export async function claimParts(pool: Pool, id: string, parts: readonly UploadRow[]): Promise<UploadRow> {
  const ids = parts.map((part) => part.id)
  const userId = parts[0]?.user_id ?? ''
  return transaction(pool, async (client) => {
    await client.query(LOCK_WHOLES, [id, ids])
    const upload = await findUpload(client, userId, id)
    const { rowCount } = await client.query(CLAIM, [id, ids])
    if (rowCount !== ids.length) throw new ConflictError('A part has been used for another upload already.')
    return upload
  })
}

function refusal(message: string): InvalidInputError {
  return new InvalidInputError([{ path: 'upload-concat', message }])
}

/** At most four reports a second for one upload: a progress bar needs no more. */
const INTERVAL_MS = 250
/** Of so many uploads the time of the last report is remembered. */
const REMEMBERED = 1_000

/** Tells subscribers how far an upload is; the report with a file id is the last one and always sent. */
export function createProgressReports(events: Events) {
  const lastAt = new Map<string, number>()

  return (upload: UploadRow, receivedBytes: number, fileId: string | null = null): void => {
    const now = performance.now()
    if (fileId === null && now - (lastAt.get(upload.id) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return
    lastAt.delete(upload.id)
    if (fileId === null) lastAt.set(upload.id, now)
    const [oldest] = lastAt.keys()
    if (lastAt.size > REMEMBERED && oldest !== undefined) lastAt.delete(oldest)
    events.publish('uploadProgressed', upload.user_id, {
      uploadId: upload.id,
      receivedBytes,
      totalBytes: upload.size ?? receivedBytes,
      fileId,
    })
  }
}
