import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase, Pool } from 'pg'
import { createLeases, LEASE_KINDS, type Lease, type Leases, type LockSession } from '../../db/locks.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { OnConflict } from '../files/contract.ts'
import type { Protecting, Upload } from './contract.ts'
import type { Measured } from './stagedBytes.ts'

// An open upload is a row, and a lock that one request at a time holds while it works on the upload.

export type UploadRow = {
  readonly id: string
  readonly user_id: string
  readonly group_cloud_id: string | null
  readonly account_id: string | null
  readonly parent_id: string | null
  readonly name: string
  /** null: the client has not sent it yet. */
  readonly size: number | null
  /** Durable bytes, as of the last request that ended. */
  readonly received_bytes: number
  readonly metadata: Readonly<Record<string, string | null>>
  readonly concat: string | null
  readonly final_id: string | null
  readonly on_conflict: OnConflict
  readonly file_id: string | null
  readonly expires_at: Date
  /** It goes to an account, or its group cloud has accounts at providers. */
  readonly remote: boolean
  readonly protected_account_id: string | null
  readonly wanted_copies: number | null
}

const COLUMNS = `id, user_id, group_cloud_id, account_id, parent_id, name, size::float8 as size,
  received_bytes::float8 as received_bytes, metadata, concat, final_id, on_conflict, file_id, expires_at,
  protected_account_id, wanted_copies,
  account_id is not null or exists (select from group_cloud_members m join accounts a on a.id = m.account_id
    where m.group_cloud_id = uploads.group_cloud_id and a.provider <> 'local') as remote`

const FIND = {
  name: 'uploads-find',
  text: `select ${COLUMNS} from uploads where id = $1 and user_id = $2 and expires_at > now()`,
}
const TOUCH = {
  name: 'uploads-touch',
  text: `update uploads set expires_at = now() + interval '24 hours', received_bytes = $2 where id = $1 and file_id is null`,
}
/**
 * Deletes rows and frees what they still reserve: nothing, once they have become files. Accounts are locked in the same
 * order everywhere.
 */
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
/** `$1`: those that this server receives; `$2`: how long ago they last grew, in seconds; `$3`: there is no other server. */
const DELETE_ABANDONED = DELETE.replace(
  '%WHERE%',
  `id in (select id from uploads where not resumable and file_id is null and id <> all($1::uuid[])
    and expires_at <= now() + interval '24 hours' - make_interval(secs => $2)
    and ($3::boolean or not exists (select from servers where uploads.id = any(receiving)))
    order by id limit $4 for update skip locked)`,
)
/** The uploads that requests on any server work on now, as the second halves of their locks (db/locks.ts). */
const BUSY = `select objid::int8::bit(32)::int4 as key from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    and classid = $1::int4::oid and granted`

/** The user's upload, unless it has expired. @throws NotFoundError */
export async function findUpload(client: Pool | ClientBase, userId: string, id: string): Promise<UploadRow> {
  const { rows } = await client.query<UploadRow>({ ...FIND, values: [id, userId] })
  if (!rows[0]) throw uploadGone()
  return rows[0]
}

export function uploadGone(): NotFoundError {
  return new NotFoundError('This upload does not exist, or it has expired. Please start it again.')
}

/**
 * Extends the expiry by 24 hours and stores the offset, which others read while the next request works on the upload.
 * @returns false if the upload does not exist any more
 */
export async function touchUpload(pool: Pool, id: string, receivedBytes: number): Promise<boolean> {
  const { rowCount } = await pool.query({ ...TOUCH, values: [id, receivedBytes] })
  return rowCount === 1
}

/** Corrects the offset in the row, which is outdated when a server died while it received. */
export async function saveReceivedBytes(pool: Pool, { id, received_bytes }: UploadRow, bytes: number): Promise<void> {
  if (received_bytes === bytes) return
  await pool.query('update uploads set received_bytes = $2 where id = $1 and file_id is null', [id, bytes])
}

export type DeletedUpload = { readonly id: string; readonly file_id: string | null }

/** Null when there was none. */
export async function deleteUpload(pool: Pool, userId: string, id: string): Promise<DeletedUpload | null> {
  const { rows } = await pool.query<DeletedUpload>(DELETE_ONE, [id, userId])
  return rows[0] ?? null
}

/** Deletes up to `limit` expired uploads, except those that a request works on. */
export async function deleteExpired(pool: Pool, limit: number): Promise<DeletedUpload[]> {
  const { rows } = await pool.query<{ key: number }>(BUSY, [LEASE_KINDS.upload])
  return (await pool.query<DeletedUpload>(DELETE_EXPIRED, [rows.map(({ key }) => key), limit])).rows
}

export type AbandonedOptions = {
  /** Ids of what this server is receiving. */
  readonly receiving: readonly string[]
  /** Longer than another server needs to enter an upload into the register (ms). */
  readonly graceMs: number
  /** No other server can be receiving: the register is not asked, which may still name one that was killed. */
  readonly alone: boolean
}

/**
 * Deletes up to `limit` uploads in one request whose server has died: unlike resumable ones, they cannot be continued. @returns how many
 */
export async function deleteAbandoned(
  pool: Pool,
  { receiving, graceMs, alone }: AbandonedOptions,
  limit: number,
): Promise<number> {
  const { rowCount } = await pool.query(DELETE_ABANDONED, [receiving, graceMs / 1000, alone, limit])
  return rowCount ?? 0
}

export function toUpload(row: UploadRow, offset: number): Upload {
  const { id, name, parent_id: parentId, size, metadata, concat, expires_at, file_id } = row
  const received = file_id ? (size ?? offset) : offset
  return { id, name, parentId, size, offset: received, metadata, concat, expiresAt: expires_at, fileId: file_id }
}

export function protectingOf({
  protected_account_id: accountId,
  wanted_copies: copies,
}: UploadRow): Protecting | undefined {
  return accountId === null ? undefined : { accountId, copies: copies ?? 1 }
}

export function measuredOf({ id, size, remote }: UploadRow): Measured {
  return { id, size, withSums: remote }
}

export function keyOf({ id, user_id: userId }: UploadRow): UploadKey {
  return { id, userId }
}

export type UploadKey = { readonly id: string; readonly userId: string }

/** The exclusive right to work on an upload, among all servers. */
export type UploadLock = {
  /** Reports bytes that were received or read: a request that reports none is considered stalled. */
  countBytes(bytes: number): void
  /** Asks the database, because a server that was suspended may have lost the lock without noticing. */
  isHeld(): Promise<boolean>
  /**
   * As `isHeld`, for a request that has made `size` bytes durable: a lock lost with its connection is taken again if
   * the size is still that.
   */
  isHeldOrRetaken(size: number): Promise<boolean>
}

/** A request on this server that works on an upload. */
type Worker = { readonly body: Readable | null; readonly done: Promise<void>; bytes: number }

/** A request that received nothing for this long, while another request wants the same upload, is considered dead. */
const STALLED_MS = 1_000
/** Time for another server to receive the event, wait STALLED_MS and release its lock, plus a margin. */
const OTHER_SERVER_MS = 2_500
const LEASE_POLL_MS = 50

export type UploadLocksDeps = {
  readonly store: ObjectStore
  /** Of the connection that holds the leases. */
  readonly leases: Pool | LockSession
  readonly events: Events
}

/** One request at a time works on an upload: within this process by a map, among all servers by a lease in the database. */
export type UploadLocks = ReturnType<typeof createUploadLocks>

type Context = {
  readonly store: ObjectStore
  readonly leases: Leases
  readonly events: Events
  readonly workers: Map<string, Worker>
}

type Work<Result> = (lock: UploadLock) => Promise<Result>

export function createUploadLocks({ store, leases, events }: UploadLocksDeps) {
  const context: Context = { store, leases: createLeases(leases, 'upload'), events, workers: new Map() }

  return {
    /** Runs `work` with the lock. @throws ConflictError while another request is active */
    withLock: <Result>(upload: UploadKey, body: Readable | null, work: Work<Result>) =>
      withLock(context, upload, body, work, false),

    /** Ends the request that works on the upload, on any server, then runs `work` with the lock. @throws ConflictError */
    async interruptAndLock<Result>(upload: UploadKey, work: () => Promise<Result>): Promise<Result> {
      await interruptWorker(context, upload.id)
      return withLock(context, upload, null, work, true)
    },

    /**
     * Waits for the request on this server, if any, and ends it if it is stalled; what it received is kept.
     * @returns false if the request is active
     */
    waitForRelease: (id: string) => waitForRelease(context, id),
  }
}

/** `interrupt`: other servers are to end their request even if it is active. */
async function withLock<Result>(
  context: Context,
  upload: UploadKey,
  body: Readable | null,
  work: Work<Result>,
  interrupt: boolean,
): Promise<Result> {
  const { store, leases, workers } = context
  const { id } = upload
  if (workers.has(id) && (!(await waitForRelease(context, id)) || workers.has(id))) throw busy()
  const { promise, resolve } = withResolvers()
  const worker: Worker = { body, done: promise, bytes: 0 }
  workers.set(id, worker)
  const over = new AbortController()
  let lease: Lease | null = null
  try {
    lease = await takeLease(context, upload, interrupt)
    if (!lease) throw busy()
    if (body) void answerOtherServers(context, upload, over.signal)
    const isHeld = async () => (await lease?.held()) ?? false
    return await work({
      countBytes(bytes) {
        worker.bytes += bytes
      },
      isHeld,
      async isHeldOrRetaken(size) {
        if (await isHeld()) return true
        await lease?.release()
        lease = await leases.take(id)
        return lease !== null && (await store.stagedSize(id)) === size
      },
    })
  } finally {
    over.abort()
    await lease?.release()
    workers.delete(id)
    resolve()
  }
}

async function waitForRelease({ workers }: Context, id: string): Promise<boolean> {
  const other = workers.get(id)
  if (!other) return true
  const before = other.bytes
  await Promise.race([other.done, sleep(STALLED_MS)])
  if (workers.get(id) === other && other.bytes === before) {
    other.body?.destroy()
    await other.done
  }
  return !workers.has(id)
}

/** Ends the request on this server that works on the upload, if any. */
async function interruptWorker({ workers }: Context, id: string): Promise<void> {
  const other = workers.get(id)
  other?.body?.destroy()
  await other?.done
}

/** Null: a request on another server works on the upload and is active. */
async function takeLease({ leases, events }: Context, { id, userId }: UploadKey, end: boolean): Promise<Lease | null> {
  const free = await leases.take(id)
  if (free) return free
  events.publish('uploadWanted', userId, { uploadId: id, end })
  for (const until = performance.now() + OTHER_SERVER_MS; performance.now() < until; ) {
    await sleep(LEASE_POLL_MS)
    const lease = await leases.take(id)
    if (lease) return lease
  }
  return null
}

/** Until the signal aborts: ends the request on this server if another server wants the upload and the request is stalled. */
async function answerOtherServers(context: Context, { id, userId }: UploadKey, signal: AbortSignal): Promise<void> {
  for await (const { uploadId, end } of context.events.subscribe('uploadWanted', userId, signal)) {
    if (uploadId === id) await (end ? interruptWorker(context, id) : waitForRelease(context, id))
  }
}

function busy(): ConflictError {
  return new ConflictError('Another request is sending this upload at the moment. Please wait for it to end.')
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** At most four reports per second and upload are enough for a progress bar. */
const REPORT_INTERVAL_MS = 250
/** Uploads whose last report time is kept. */
const REPORTED_UPLOADS = 1_000

export type ReportProgress = (upload: UploadRow, receivedBytes: number, fileId?: string | null) => void

/** Publishes the progress of uploads. The report with a file id is the last one and always sent. */
export function createProgressReports(events: Events): ReportProgress {
  const lastAt = new Map<string, number>()

  return (upload, receivedBytes, fileId = null) => {
    const now = performance.now()
    if (fileId === null && now - (lastAt.get(upload.id) ?? Number.NEGATIVE_INFINITY) < REPORT_INTERVAL_MS) return
    lastAt.delete(upload.id)
    if (fileId === null) lastAt.set(upload.id, now)
    const [oldest] = lastAt.keys()
    if (lastAt.size > REPORTED_UPLOADS && oldest !== undefined) lastAt.delete(oldest)
    events.publish('uploadProgressed', upload.user_id, {
      uploadId: upload.id,
      receivedBytes,
      totalBytes: upload.size ?? receivedBytes,
      fileId,
    })
  }
}
