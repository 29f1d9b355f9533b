import type { ClientBase, Pool, PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { readFeedOfIdleSql } from '../accounts/health.ts'
import { ContentUnavailableError } from '../errors.ts'
import { hashContent, saveHashes } from '../files/content/hashes.ts'
import { enqueueRenames } from '../files/content/objectNames.ts'
import { encryptSession, leaveRemnants, type SavedSession } from '../files/content/removals.ts'
import { presentSql, refreshStates } from '../files/content/states.ts'
import type { OnConflict } from '../files/contract.ts'
import { enqueueReconcile } from '../jobs.ts'
import type { RowDeps, TransferKind, TransferState } from './contract.ts'

/** What is known of an account's quota. A difference means that its free space may have changed. */
export type AccountQuota = {
  readonly quotaBytes: number | null
  readonly usedBytes: number
  /** When the provider was last asked, as PostgreSQL prints it. */
  readonly checkedAt: string | null
}

/** A piece of the copy that a running transfer makes. */
export type PieceWork = {
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly accountUnreachable: boolean
  readonly accountDisconnected: boolean
  /** As known before anything was sent. */
  readonly accountQuota: AccountQuota
  /** Skypool's folder in the account; null until it is known. */
  readonly rootFolderRef: string | null
  readonly index: number
  readonly offset: number
  readonly size: number
  readonly state: 'PLANNED' | 'STORED'
  /** The driver's upload session, encrypted. */
  readonly session: string | null
  readonly sentBytes: number
}

/** A running transfer as its runner sees it. */
export type TransferWork = {
  readonly id: string
  readonly userId: string
  readonly kind: TransferKind
  readonly attempts: number
  readonly copyId: string
  readonly fileId: string
  readonly fileName: string
  readonly fileSize: number
  readonly mimeType: string | null
  readonly groupCloudId: string | null
  /** The file was made as a copy of another file. */
  readonly isCopied: boolean
  /** The sums of its blocks are stored. */
  readonly isSummed: boolean
  readonly pieces: readonly PieceWork[]
  /** It goes into a folder of an account, under its own name; null: a copy among Skypool's objects. */
  readonly arrival: Arrival | null
}

export type Arrival = {
  readonly parentId: string | null
  readonly onConflict: OnConflict
  /** The entry that it replaces, if that still has the revision. */
  readonly replacedId: string | null
  readonly replacedRevision: string | null
}

type Ids = { readonly id: string; readonly userId: string; readonly fileId: string; readonly sent: number }

/** Files up to this size are stored before a client could show that they are being stored, so no event is published at the start. */
const SMALL_BYTES = 1024 * 1024

const BEGIN = `update transfers t set state = 'RUNNING', started_at = coalesce(started_at, $2), next_try_at = null, waits_for = null, refusals = null
  from files f where t.id = $1 and f.id = t.file_id and f.purged_at is null and t.copy_id is not null
    and (t.state = 'RUNNING' or t.state = 'WAITING' and (t.next_try_at is null or t.next_try_at <= $2))
  returning t.id, t.user_id as "userId", f.id as "fileId", t.sent_bytes::float8 as sent, t.total_bytes <= ${SMALL_BYTES} as small`

/** Marks a transfer as running. @returns false unless it is due, or was left RUNNING by a runner that died */
export async function beginTransfer(deps: RowDeps, transferId: string): Promise<boolean> {
  const { rows } = await deps.pool.query<Ids & { small: boolean }>({
    name: 'transfers-begin',
    text: BEGIN,
    values: [transferId, new Date(deps.clock.now())],
  })
  const [begun] = rows
  if (!begun || begun.small) return begun !== undefined
  await changeCopies(deps, async ({ fileIds }) => void fileIds.add(begun.fileId))
  publishTransfer(deps, begun, begun.sent)
  return true
}

const LOAD = {
  name: 'transfers-load',
  text: `select t.id, t.user_id as "userId", t.kind, t.attempts, c.id as "copyId", f.id as "fileId", f.name as "fileName",
      f.size::float8 as "fileSize", f.mime_type as "mimeType", f.group_cloud_id as "groupCloudId",
      f.copied_from is not null as "isCopied", exists (select from block_sums where file_id = f.id) as "isSummed", p.pieces,
      case when u.file_id is not null then json_build_object('parentId', f.parent_id,
        'onConflict', u.on_conflict, 'replacedId', u.replaced_id, 'replacedRevision', u.replaced_revision) end as arrival
    from transfers t join copies c on c.id = t.copy_id join files f on f.id = t.file_id
      left join account_uploads u on u.file_id = f.id
      cross join lateral (
        select coalesce(json_agg(json_build_object('id', p.id, 'accountId', p.account_id, 'accountName', a.name,
          'accountUnreachable', a.unreachable_since is not null, 'accountDisconnected', a.disconnected_at is not null,
          'accountQuota', json_build_object('quotaBytes', a.quota_bytes, 'usedBytes', a.used_bytes, 'checkedAt', a.quota_checked_at::text),
          'rootFolderRef', a.home_ref, 'index', p.index, 'offset', p."offset", 'size', p.size, 'state', p.state,
          'session', p.session, 'sentBytes', p.sent_bytes) order by p.index), '[]') as pieces
        from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id) p
    where t.id = $1 and t.state = 'RUNNING' and f.purged_at is null`,
}

/** The transfer with its pieces; null when it is no longer running, or its copy or file was deleted. */
export async function loadWork(sql: Pool | ClientBase, transferId: string): Promise<TransferWork | null> {
  const { rows } = await sql.query<TransferWork>({ ...LOAD, values: [transferId] })
  return rows[0] ?? null
}

/** Bytes of a piece that the provider has confirmed, according to its row. */
export function sentOf({ state, size, sentBytes }: PieceWork): number {
  return state === 'STORED' ? size : sentBytes
}

/** The piece must not be sent any more: its copy was given up. */
export class PieceGoneError extends Error {
  override readonly name = 'PieceGoneError'
  constructor() {
    super('This piece no longer needs to be sent.')
  }
}

/**
 * Stores how far the driver has come with a piece, so that the next attempt continues there. If the piece was deleted in the meantime, its
 * session is ended later: what was sent after the deletion is not at the provider yet when that first ends the session.
 * @throws PieceGoneError
 */
export async function saveSession(
  { pool, encryption, enqueue }: Pick<RowDeps, 'pool' | 'enqueue'> & { encryption: Pick<Encryption, 'encrypt'> },
  { id, accountId }: Pick<PieceWork, 'id' | 'accountId'>,
  saved: SavedSession,
): Promise<void> {
  const session = encryptSession(encryption, id, saved)
  const { rowCount } = await pool.query(`update pieces set session = $2 where id = $1 and state = 'PLANNED'`, [
    id,
    session,
  ])
  if (rowCount === 1) return
  const isDeleted = (await pool.query('select from pieces where id = $1', [id])).rowCount === 0
  if (isDeleted) {
    const remnant = { accountId, pieceId: id, objectRef: null, session, size: null, hash: null }
    await transaction(pool, (tx) => leaveRemnants(tx, enqueue, [remnant]))
  }
  throw new PieceGoneError()
}

/** A verified object at the provider. `hash`: `<algorithm>:<digest>`, null where the service reports none. */
export type StoredObject = { readonly ref: string; readonly hash: string | null; readonly path: string | null }

const STORE_PIECE = {
  name: 'transfers-store-piece',
  text: `with stored as (
      update pieces set state = 'STORED', object_ref = $2, hash = $3, object_path = $4, session = null, sent_bytes = size
      where id = $1 and state = 'PLANNED' returning account_id, size, copy_id
    ), counted as (
      update accounts a set reserved_bytes = a.reserved_bytes - s.size, used_bytes = a.used_bytes + s.size, updated_at = now()
      from stored s where a.id = s.account_id
    ), followed as (${readFeedOfIdleSql('stored')})
    select copy_id from stored`,
}

const FINISH = {
  name: 'transfers-finish-copy',
  text: `with finished as (
      update copies set state = 'STORED' where id = $1 and state = 'STORING'
        and not exists (select from pieces where copy_id = $1 and state <> 'STORED') returning id
    )
    update transfers set state = 'DONE', sent_bytes = total_bytes, error = null, next_try_at = null, ended_at = $3
    from finished where transfers.id = $2
    returning exists (
      select from copies c join pieces p on p.copy_id = c.id join files f on f.id = c.file_id
        left join group_cloud_members m on m.group_cloud_id = f.group_cloud_id and m.account_id = p.account_id
      where f.id = transfers.file_id and (m.account_id is null or m.draining)) as misplaced,
      (select (select count(*) from copies c where c.file_id = f.id and c.id <> $1 and c.state = 'STORED') >= coalesce(f.wanted_copies, g.copies)
        from files f join group_clouds g on g.id = f.group_cloud_id where f.id = transfers.file_id) is true as surplus,
      (select f.name from files f where f.id = transfers.file_id) as name`,
}

/** FINISHED: it was the last piece. GONE: the piece is no longer wanted, and its object is queued for removal. */
export type PieceOutcome = 'STORED' | 'FINISHED' | 'GONE'

/**
 * Records a verified piece, in one transaction: the last piece also finishes copy and transfer, and the last copy releases the
 * staged bytes.
 */
export async function storePiece(
  deps: RowDeps,
  work: TransferWork,
  piece: PieceWork,
  stored: StoredObject,
): Promise<PieceOutcome> {
  const outcome = await changeCopies(deps, async (change): Promise<PieceOutcome> => {
    const { tx } = change
    await tx.query('select from accounts where id = $1 for no key update', [piece.accountId])
    const fileId = await lockFileOf(tx, work.id)
    const kept = fileId
      ? await tx.query({ ...STORE_PIECE, values: [piece.id, stored.ref, stored.hash, stored.path] })
      : null
    if (!fileId || !kept?.rowCount) {
      const { accountId, id: pieceId, size } = piece
      const { ref: objectRef, hash } = stored
      await leaveRemnants(tx, deps.enqueue, [{ accountId, pieceId, objectRef, session: null, size, hash }])
      return 'GONE'
    }
    const values = [work.copyId, work.id, new Date(deps.clock.now())]
    const finished = await tx.query<{ misplaced: boolean; surplus: boolean; name: string }>({ ...FINISH, values })
    const [end] = finished.rows
    if (!end) return 'STORED'
    change.fileIds.add(fileId)
    // The file was renamed while it was sent.
    if (end.name !== work.fileName) await enqueueRenames(tx, deps.enqueue, [fileId])
    // A copy elsewhere may have been kept only until this one was finished, or this one replaces a copy whose account is back.
    const { userId, kind } = work
    if (end.misplaced || end.surplus || kind !== 'STORE')
      await enqueueReconcile(tx, deps.enqueue, { userId, fileIds: [fileId] })
    return 'FINISHED'
  })
  if (outcome === 'FINISHED') publishTransfer(deps, work, work.fileSize)
  return outcome
}

/**
 * Locks the file that a transfer makes a copy of; null when it was deleted. While it runs, a version can take over that copy with the
 * content that was replaced (FileVersion), so the row is looked up again once it is locked.
 */
export async function lockFileOf(tx: ClientBase, transferId: string): Promise<string | null> {
  for (let locked: string | null = null; ; ) {
    const { rows } = await tx.query<{ id: string }>(
      `select f.id from transfers t join files f on f.id = t.file_id where t.id = $1 and f.purged_at is null`,
      [transferId],
    )
    const [file] = rows
    if (!file || file.id === locked) return file?.id ?? null
    await tx.query('select from files where id = $1 for update', [file.id])
    locked = file.id
  }
}

const DONE = `with stored as (update copies set state = 'STORED' where id = $1 and state = 'STORING')
  update transfers set state = 'DONE', sent_bytes = total_bytes, error = null, next_try_at = null, ended_at = $3
  where id = $2 and state = 'RUNNING'`

/** Finishes a transfer whose pieces are all stored. */
export async function finishTransfer(deps: RowDeps, work: TransferWork): Promise<void> {
  await changeCopies(deps, async ({ tx, fileIds }) => {
    const fileId = await lockFileOf(tx, work.id)
    await tx.query(DONE, [work.copyId, work.id, new Date(deps.clock.now())])
    if (fileId) fileIds.add(fileId)
  })
  publishTransfer(deps, work, work.fileSize)
}

/** How a run that did not finish leaves its transfer. */
export type Verdict = {
  readonly state: Extract<TransferState, 'WAITING' | 'PARKED' | 'FAILED'>
  /** A message for people; null when nothing is wrong. */
  readonly error: string | null
  /** The next attempt is not made before; null: at once for WAITING, otherwise when the reason ends. */
  readonly nextTryAt: Date | null
  readonly attempts: number
  readonly waitsFor?: WaitsFor | null
  /** Accounts that refused a piece. */
  readonly refusals?: readonly Refusal[]
}

/** What a stopped transfer waits for: ROOM on an account, an ACCOUNT that can be used, a SOURCE to read from. */
export type WaitsFor = 'ROOM' | 'ACCOUNT' | 'SOURCE'

/** An account that refused a piece. `quota`: what was known when it said that it was full; null when it refused for another reason. */
export type Refusal = { readonly accountId: string; readonly why: string; readonly quota: AccountQuota | null }

const CONCLUDE = `update transfers set state = $2::"TransferState", error = $3, next_try_at = $4, attempts = $5,
  waits_for = $7, refusals = $8::jsonb, stopped_at = $6, ended_at = case when $2 = 'FAILED' then $6::timestamptz end where id = $1 and state = 'RUNNING'`

/** Stores the verdict of a run, unless the transfer was paused, cancelled or finished meanwhile. */
export async function concludeTransfer(deps: RowDeps, transferId: string, verdict: Verdict): Promise<void> {
  const { state, error, nextTryAt, attempts, waitsFor = null, refusals = [] } = verdict
  const now = new Date(deps.clock.now())
  const concluded = await changeCopies(deps, async ({ tx, fileIds }) => {
    const ids = await lockTransfer(tx, transferId)
    const values = [transferId, state, error, nextTryAt, attempts, now, waitsFor, JSON.stringify(refusals)]
    const { rowCount } = ids ? await tx.query(CONCLUDE, values) : { rowCount: 0 }
    if (!ids || !rowCount) return null
    fileIds.add(ids.fileId)
    return ids
  })
  if (concluded) publishTransfer(deps, concluded, concluded.sent)
}

/** Locks the file first, as all transactions do. */
async function lockTransfer(tx: PoolClient, transferId: string): Promise<Ids | null> {
  await lockFileOf(tx, transferId)
  const { rows } = await tx.query<Ids>(
    `select t.id, t.user_id as "userId", f.id as "fileId", t.sent_bytes::float8 as sent from transfers t join files f on f.id = t.file_id
     where t.id = $1`,
    [transferId],
  )
  return rows[0] ?? null
}

/** A transaction that changes copies, and what to do at its end. */
export type CopiesChange = {
  readonly tx: PoolClient
  /** Before the commit their states are recomputed, and staged bytes that they no longer need are released. */
  readonly fileIds: Set<string>
  /** Objects of this server to delete after the commit. */
  readonly localRefs: Set<string>
}

/**
 * Runs `work` in a transaction. Recomputes the states of the files that it adds to `fileIds` before the commit; after it, deletes
 * local objects and publishes the changed files. `work` locks accounts, then files, then transfers, and may be retried.
 */
export async function changeCopies<Result>(
  deps: RowDeps,
  work: (change: CopiesChange) => Promise<Result>,
): Promise<Result> {
  const { result, localRefs, released, changed } = await retryConflicts(() =>
    transaction(deps.pool, async (tx) => {
      const change: CopiesChange = { tx, fileIds: new Set(), localRefs: new Set() }
      const outcome = await work(change)
      const fileIds = [...change.fileIds]
      const unneeded: Released[] = fileIds.length === 0 ? [] : await releaseStaged(tx, fileIds)
      const states = fileIds.length === 0 ? [] : await refreshStates(tx, { fileIds })
      return { result: outcome, localRefs: change.localRefs, released: unneeded, changed: states }
    }),
  )
  for (const { userId, changedIds } of changed) publishFiles(deps, userId, changedIds)
  for (const ref of localRefs) await deps.storage.delete(ref)
  await deleteReleased(deps, released)
  return result
}

/** Publishes that the state of a transfer, and with it that of its file, has changed. */
export function publishTransfer(
  { events }: Pick<RowDeps, 'events'>,
  ids: { readonly id: string; readonly userId: string; readonly fileId: string },
  sentBytes: number,
): void {
  events.publish('transferProgressed', ids.userId, { transferId: ids.id, sentBytes, bytesPerSecond: null })
  publishFiles({ events }, ids.userId, [ids.fileId])
}

/** An event with more ids than this names none: clients reload everything they show. */
const MAX_IDS_IN_EVENT = 200

/** Publishes that these files have changed; nothing for an empty list. */
export function publishFiles({ events }: Pick<RowDeps, 'events'>, userId: string, fileIds: readonly string[]): void {
  if (fileIds.length === 0) return
  const truncated = fileIds.length > MAX_IDS_IN_EVENT
  const named = truncated ? [] : [...fileIds]
  events.publish('filesChanged', userId, { fileIds: named, removedIds: [], parentIds: [], truncated })
}

/** A staged object that is no longer needed. The row `removalId` makes sure that it is deleted, also after a crash. */
type Released = {
  readonly objectRef: string
  readonly removalId: string
  readonly fileId: string
  readonly size: number
  /** SHA-256 of the content (hex). */
  readonly version: string
  /** The job that computes all hashes has done so. */
  readonly isHashed: boolean
}

/**
 * Releases the staged bytes of files whose copies are all stored on accounts that can be read. They stay while a copy is suspect: they
 * may be the last good ones. The object is recorded for removal in case this process ends before it deletes it. An object that became
 * the copy on this server is kept.
 */
const RELEASE = {
  name: 'transfers-release-staged',
  text: `with released as (
      update files f set staged_ref = null
      from (select id, staged_ref from files where id = any($1::uuid[]) and staged_ref is not null for update) old
      where f.id = old.id
        and exists (select from copies c where c.file_id = f.id and c.state = 'STORED')
        and not exists (select from copies c where c.file_id = f.id and c.state = 'STORING')
        and not exists (
          select from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
          where c.file_id = f.id and c.state = 'STORED' and (not ${presentSql('a')} or c.suspect_since is not null))
      returning f.id, f.user_id, f.size, encode(f.sha256, 'hex') as version, old.staged_ref
    ), removals as (
      insert into object_removals (id, account_id, object_ref, next_try_at)
      select gen_random_uuid(), a.id, r.staged_ref, now() + interval '10 minutes'
      from released r join accounts a on a.user_id = r.user_id and a.provider = 'local'
      where not exists (select from pieces p join accounts l on l.id = p.account_id
        where p.object_ref = r.staged_ref and l.provider = 'local')
      returning id, object_ref
    )
    select m.id as "removalId", m.object_ref as "objectRef", r.id as "fileId", r.size::float8 as size, r.version,
      exists (select from content_hashes h where h.file_id = r.id and h.version = r.version and h.quickxor is not null) as "isHashed"
    from removals m join released r on r.staged_ref = m.object_ref`,
}

async function releaseStaged(client: ClientBase, fileIds: readonly string[]): Promise<Released[]> {
  const { rows } = await client.query<Released>({ ...RELEASE, values: [fileIds] })
  return rows
}

/** Contents up to this size are hashed here when the job for that has not come to them; of larger ones the upload to an account takes longer. */
const MOST_HASHED = 64 * 1024 * 1024

/** After the commit. Afterwards an account knows at most one hash of the content, so the others are computed before. */
async function deleteReleased({ pool, storage }: ReleasedDeps, released: readonly Released[]): Promise<void> {
  if (released.length === 0) return
  for (const object of released) {
    if (!object.isHashed && object.size <= MOST_HASHED) await hashReleased({ pool, storage }, object)
    await storage.delete(object.objectRef)
  }
  await pool.query('delete from object_removals where id = any($1::uuid[])', [
    released.map(({ removalId }) => removalId),
  ])
}

type ReleasedDeps = { readonly pool: Pool; readonly storage: Pick<ObjectStore, 'delete' | 'open'> }

async function hashReleased(
  { pool, storage }: ReleasedDeps,
  { objectRef, fileId, size, version }: Released,
): Promise<void> {
  if (size === 0) return
  try {
    const hashes = await hashContent(storage.open(objectRef, size), new AbortController().signal)
    if (hashes.sha256 === version) await saveHashes(pool, fileId, version, hashes)
  } catch (error) {
    // Deleted since, or unreadable: what accounts report has to do.
    if (!(error instanceof ObjectMissingError || error instanceof ContentUnavailableError)) throw error
  }
}
