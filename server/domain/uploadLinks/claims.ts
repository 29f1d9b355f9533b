import type pg from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import { formatBytes } from '../../lib/format.ts'
import { newSecretId } from '../../lib/ids.ts'
import { NotFoundError, TooLargeError, TooManyRequestsError } from '../errors.ts'
import { NOT_ENDED } from './contract.ts'
import { linkGone } from './visits.ts'

// A claim is a row of link_uploads: it takes its file and its bytes from the limits of the link while the row of the link is locked,
// before any byte arrives. So what has arrived and what is in progress never exceed the limits together. It is released if the upload
// becomes no file. `upload_links.claimed_files` and `claimed_bytes` are the sums of all claims.

/** Unfinished uploads of one link, and of one network among them. They expire a day after their last byte. */
const MOST_OPEN = 1_000
const MOST_OPEN_OF_NETWORK = 50
const RETRY_AFTER_SECONDS = 60

export type NewClaim = {
  readonly linkId: string
  readonly name: string
  readonly network: string
  readonly visitor: string
  /** `isExact` false: an upper bound, or Infinity; then the claim is as large as the limits allow. */
  readonly bytes: number
  readonly isExact: boolean
}

/** A claim; `bytes` null: the link has no limit that applies. */
export type Claim = { readonly id: string; readonly bytes: number | null }

type Limits = {
  readonly max_files: number | null
  readonly max_bytes: number | null
  readonly max_file_bytes: number | null
  readonly claimed_files: number
  readonly claimed_bytes: number
}

const LOCK = {
  name: 'upload link limits',
  text: `select l.max_files, l.max_bytes::float8 as max_bytes, l.max_file_bytes::float8 as max_file_bytes, l.claimed_files,
      l.claimed_bytes::float8 as claimed_bytes from upload_links l where l.id = $1 and ${NOT_ENDED} for update`,
}
const OPEN = {
  name: 'upload link open uploads',
  text: `select count(*)::int as open, count(*) filter (where network = $2)::int as of_network
    from link_uploads where link_id = $1 and file_id is null`,
}
const INSERT = {
  name: 'upload link claim',
  text: `with claim as (
      insert into link_uploads (id, link_id, name, bytes, network, visitor) values ($1, $2, $3, $4, $5, $6)
    )
    update upload_links set claimed_files = claimed_files + 1, claimed_bytes = claimed_bytes + $4 where id = $2`,
}

/** @throws NotFoundError when the link has ended, TooLargeError, TooManyRequestsError */
export async function takeClaim(pool: pg.Pool, claim: NewClaim): Promise<Claim> {
  return transaction(pool, async (tx) => {
    const { linkId, name, network, visitor } = claim
    const { rows } = await tx.query<Limits>({ ...LOCK, values: [linkId] })
    const [limits] = rows
    if (!limits) throw linkGone()
    const bytes = bytesWithin(limits, claim)
    const { rows: counts } = await tx.query<{ open: number; of_network: number }>({
      ...OPEN,
      values: [linkId, network],
    })
    const { open = 0, of_network: ofNetwork = 0 } = counts[0] ?? {}
    if (open >= MOST_OPEN || ofNetwork >= MOST_OPEN_OF_NETWORK) throw tooManyOpen()
    const id = newSecretId()
    await tx.query({ ...INSERT, values: [id, linkId, name, bytes ?? 0, network, visitor] })
    return { id, bytes }
  })
}

/** The bytes to claim; null: no limit, and the size is not known. @throws TooLargeError */
function bytesWithin(limits: Limits, { bytes, isExact }: NewClaim): number | null {
  const { max_files: maxFiles, max_bytes: maxBytes, max_file_bytes: maxFileBytes } = limits
  if (maxFiles !== null && limits.claimed_files >= maxFiles) throw noMoreFiles()
  const left = maxBytes === null ? Number.POSITIVE_INFINITY : maxBytes - limits.claimed_bytes
  if (left <= 0 && bytes > 0) throw noMoreBytes()
  if (isExact && bytes > (maxFileBytes ?? Number.POSITIVE_INFINITY)) throw tooLarge(maxFileBytes)
  if (isExact && bytes > left) throw noMoreBytes()
  const most = Math.min(bytes, left, maxFileBytes ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(most) ? most : null
}

/** Not a conflict: clients would try again for a while. */
function noMoreFiles(): TooLargeError {
  return new TooLargeError('This link takes no more files.')
}

function noMoreBytes(): TooLargeError {
  return new TooLargeError('This file is larger than what this link still takes.')
}

function tooLarge(most: number | null): TooLargeError {
  return new TooLargeError(`This link takes files of at most ${formatBytes(most ?? 0)}.`)
}

function tooManyOpen(): TooManyRequestsError {
  const message = 'There are too many unfinished uploads on this link. Please finish or cancel some first.'
  return new TooManyRequestsError(RETRY_AFTER_SECONDS, message)
}

/** A body that is longer than its claim. */
export function longerThanClaim(): TooLargeError {
  return new TooLargeError('This file is larger than what this link takes.')
}

export async function nameUpload(pool: pg.Pool, claimId: string, uploadId: string): Promise<void> {
  await pool.query('update link_uploads set upload_id = $2 where id = $1', [claimId, uploadId])
}

/** Keeps the claim of a single request that takes long. */
export async function touchClaim(pool: pg.Pool, claimId: string): Promise<void> {
  await pool.query('update link_uploads set seen_at = now() where id = $1', [claimId])
}

export type ClaimRow = {
  readonly id: string
  readonly upload_id: string | null
  readonly name: string
  readonly bytes: number
  readonly visitor: string
  readonly file_id: string | null
}

const FIND = {
  name: 'upload link upload',
  text: `select id, upload_id, name, bytes::float8 as bytes, visitor, file_id from link_uploads where id = $1 and link_id = $2`,
}

/** The upload of this link. @throws NotFoundError */
export async function findClaim(pool: pg.Pool, linkId: string, id: string): Promise<ClaimRow> {
  const { rows } = await pool.query<ClaimRow>({ ...FIND, values: [id, linkId] })
  if (!rows[0]) throw uploadGone()
  return rows[0]
}

export function uploadGone(): NotFoundError {
  return new NotFoundError('This upload does not exist, or it has expired. Please start it again.')
}

const ARRIVE = {
  name: 'upload link arrival',
  text: `with claim as (
      select id, bytes from link_uploads where id = $1 and link_id = $4 and file_id is null
    ), arrived as (
      update link_uploads c set file_id = $2, bytes = $3 from claim where c.id = claim.id returning claim.bytes as claimed
    )
    update upload_links l set files = l.files + 1, bytes = l.bytes + $3, claimed_bytes = l.claimed_bytes + $3 - arrived.claimed,
      last_file_at = now()
    from arrived where l.id = $4`,
}

/** The claim has become a file of `size` bytes. @returns whether this call has counted it */
export async function arrive(
  pool: pg.Pool,
  linkId: string,
  claimId: string,
  file: { readonly id: string; readonly size: number },
): Promise<boolean> {
  return changeClaims(pool, linkId, async (tx) => {
    const { rowCount } = await tx.query({ ...ARRIVE, values: [claimId, file.id, file.size, linkId] })
    return (rowCount ?? 0) > 0
  })
}

/** Locks the link first, in a separate statement: the next one then sees what others have committed before. */
async function changeClaims<Result>(
  pool: pg.Pool,
  linkId: string,
  work: (tx: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return retryConflicts(() =>
    transaction(pool, async (tx) => {
      await tx.query('select from upload_links where id = $1 for update', [linkId])
      return work(tx)
    }),
  )
}

/**
 * Open claims of a link whose end a request did not see. `$2`: of these ids only. An upload has a row until a day after its last byte
 * or its end, a single request an idempotency key for as long.
 */
const OUTCOMES = `select c.id, coalesce(u.file_id, k.result_id) as file_id, f.size::float8 as size,
    u.id is null and k.key is null and (c.upload_id is not null or $2::uuid[] is not null or c.seen_at < now() - interval '1 day') as over
  from link_uploads c join upload_links l on l.id = c.link_id
    left join uploads u on u.id = c.upload_id
    left join idempotency_keys k on k.user_id = l.user_id and k.key = c.id::text
    left join files f on f.id = coalesce(u.file_id, k.result_id)
  where c.link_id = $1 and c.file_id is null and ($2::uuid[] is null or c.id = any($2))`

type ClaimOutcome = {
  readonly id: string
  readonly file_id: string | null
  readonly size: number | null
  readonly over: boolean
}

const RELEASE = `with gone as (
    delete from link_uploads where id = any($1::uuid[]) and link_id = $2 and file_id is null returning bytes
  )
  update upload_links set claimed_files = claimed_files - (select count(*) from gone),
    claimed_bytes = claimed_bytes - (select coalesce(sum(bytes), 0) from gone)
  where id = $2`

/** Counts what became a file, and releases what cannot become one any more. `ids`: uploads whose request has just ended; null: all. */
export async function reconcileClaims(pool: pg.Pool, linkId: string, ids: readonly string[] | null): Promise<void> {
  const { rows } = await pool.query<ClaimOutcome>(OUTCOMES, [linkId, ids])
  for (const { id, file_id: fileId, size } of rows)
    if (fileId) await arrive(pool, linkId, id, { id: fileId, size: size ?? 0 })
  const over = rows.flatMap(({ id, over: isOver }) => (isOver ? [id] : []))
  if (over.length > 0) await releaseClaims(pool, linkId, over)
}

async function releaseClaims(pool: pg.Pool, linkId: string, ids: readonly string[]): Promise<void> {
  await changeClaims(pool, linkId, (tx) => tx.query(RELEASE, [ids, linkId]))
}

const UNSETTLED = `select distinct c.link_id as id from link_uploads c left join uploads u on u.id = c.upload_id
  where c.file_id is null and c.seen_at < now() - interval '10 minutes' and (u.id is null or u.file_id is not null) limit 1000`

/** For claims that a crash has left. */
export async function reconcileAllClaims(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(UNSETTLED)
  for (const { id } of rows) {
    signal.throwIfAborted()
    await reconcileClaims(pool, id, null)
  }
}

/** `claim` null: not named yet (`nameUpload`). */
export type OpenUpload = { readonly id: string; readonly claim: Pick<ClaimRow, 'id' | 'bytes'> | null }

const OPEN_UPLOADS = `select u.id, case when c.id is not null then jsonb_build_object('id', c.id, 'bytes', c.bytes) end as claim
  from uploads u left join link_uploads c on c.upload_id = u.id
  where u.link_id = $1 and u.file_id is null and u.expires_at > now()`

/** The unfinished resumable uploads of a link. */
export async function openUploadsOf(pool: pg.Pool, linkId: string): Promise<OpenUpload[]> {
  return (await pool.query<OpenUpload>(OPEN_UPLOADS, [linkId])).rows
}
