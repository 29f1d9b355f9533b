import type pg from 'pg'
import type { ClientBase } from 'pg'
import { transaction } from '../../../db/pool.ts'
import { type Encryption, EncryptionError } from '../../../lib/encryption.ts'
import { newId } from '../../../lib/ids.ts'
import type { Call, Driver, EntryRef, IsNeeded } from '../../../providers/driver.ts'
import { nothingWhen, ProviderError } from '../../../providers/errors.ts'
import type { Enqueue } from '../../jobs.ts'
import type { Queryable } from '../tree/entries.ts'
import { findRenamed, isReferredTo, isSame, isShown } from './seenObjects.ts'
import { presentSql } from './states.ts'

// What nothing refers to any more, and its removal from accounts: objects, and the sessions of uploads that were not completed.

/**
 * A driver's upload session, and the name of the object that it creates. The next attempt uses the same name, even if
 * the file was renamed: otherwise what the session has stored would not be found.
 */
export type SavedSession = {
  readonly name: string
  readonly session: string
  /** The object that the driver has returned, which is not verified yet. */
  readonly unverified?: Unverified
}
export type Unverified = {
  readonly ref: EntryRef
  readonly path: string | null
  readonly size: number | null
  /** `<algorithm>:<digest>` as the provider reported it; null where it reports none. */
  readonly hash: string | null
}

/** The encryption context of a session. */
function sessionContext(pieceId: string): string {
  return `pieces:${pieceId}`
}

/** As it is stored for a piece. */
export function encryptSession(encryption: Pick<Encryption, 'encrypt'>, pieceId: string, saved: SavedSession): string {
  return encryption.encrypt(JSON.stringify(saved), sessionContext(pieceId))
}

/** @throws EncryptionError */
export function openSession(
  encryption: Pick<Encryption, 'decrypt'>,
  { id, session }: { readonly id: string; readonly session: string | null },
): SavedSession | null {
  return session === null ? null : parseSession(encryption.decrypt(session, sessionContext(id)))
}

/** From a decrypted text. */
function parseSession(text: string): SavedSession {
  return JSON.parse(text) as SavedSession
}

/** The value of `object_removals.session`: a session can be decrypted only in the context that it was encrypted for. */
function removalSession(pieceId: string, encrypted: string): string {
  return `${sessionContext(pieceId)} ${encrypted}`
}

/** Decrypts such a value. @throws EncryptionError */
function openRemovalSession(encryption: Pick<Encryption, 'decrypt'>, value: string): SavedSession {
  const [context = '', encrypted = ''] = value.split(' ')
  return parseSession(encryption.decrypt(encrypted, context))
}

/**
 * An object, or a started session, that nothing refers to any more. `pieceId`: the piece that the session was encrypted
 * for.
 */
export type Remnant = {
  readonly accountId: string
  readonly pieceId: string
  readonly objectRef: string | null
  /** Encrypted. */
  readonly session: string | null
  /** Size and hash of `objectRef` as stored: an object that differs when it is to be removed is kept. */
  readonly size: number | null
  readonly hash: string | null
}

/**
 * Deletes pieces in any state and frees their bytes; a job removes their objects and sessions at providers. The caller
 * has locked the accounts, and after its commit deletes the returned objects of this server's own storage.
 */
export async function dropPieces(tx: ClientBase, enqueue: Enqueue, pieceIds: readonly string[]): Promise<string[]> {
  if (pieceIds.length === 0) return []
  const { rows } = await tx.query<{ account_ids: string[]; local_refs: string[] }>({
    name: 'files drop pieces',
    text: DROP_PIECES,
    values: [pieceIds],
  })
  const [dropped] = rows
  if (!dropped) return []
  await enqueueRemovals(tx, enqueue, dropped.account_ids)
  return dropped.local_refs
}

/**
 * Bytes of a purged file were freed when it was purged. An adopted staging object is kept while the file refers to it.
 */
const DROP_PIECES = `with gone as (
    delete from pieces p using copies c, files f, accounts a
    where p.id = any($1::uuid[]) and c.id = p.copy_id and f.id = c.file_id and a.id = p.account_id
    returning p.id, p.account_id, p.size, p.state, p.object_ref, p.hash, p.session, p.renamed_to, a.provider,
      f.purged_at, f.sha256),
  freed as (select account_id, coalesce(sum(size) filter (where state = 'STORED'), 0)::bigint as used,
      coalesce(sum(size) filter (where state = 'PLANNED'), 0)::bigint as reserved
    from gone where purged_at is null group by account_id),
  paid as (update accounts a set used_bytes = greatest(a.used_bytes - f.used, 0), reserved_bytes = a.reserved_bytes - f.reserved
    from freed f where a.id = f.account_id),
  kept as (insert into object_removals (id, account_id, object_ref, size, hash, session, renamed_to, sha256)
    select gen_random_uuid(), account_id, object_ref, size, hash, 'pieces:' || id || ' ' || session, renamed_to, sha256 from gone
    where session is not null or provider <> 'local' and object_ref is not null returning account_id)
  select coalesce((select array_agg(distinct account_id)::text[] from kept), '{}') as account_ids,
    coalesce((select array_agg(distinct object_ref) from gone g where provider = 'local' and object_ref is not null
      and not exists (select from pieces o where o.object_ref = g.object_ref and o.id <> all($1::uuid[]))
      and not exists (select from files f where f.staged_ref = g.object_ref)), '{}') as local_refs`

/** Queues for removal what was stored for a piece that was deleted while it was stored, except in accounts that are deleted. */
export async function leaveRemnants(tx: ClientBase, enqueue: Enqueue, remnants: readonly Remnant[]): Promise<void> {
  const left = remnants.filter(({ objectRef, session }) => objectRef !== null || session !== null)
  if (left.length === 0) return
  await tx.query(
    `insert into object_removals (id, account_id, object_ref, size, hash, session)
     select gen_random_uuid(), left_over.* from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[])
         as left_over(account_id, object_ref, size, hash, session)
       join accounts a on a.id = left_over.account_id`,
    [
      left.map(({ accountId }) => accountId),
      left.map(({ objectRef }) => objectRef),
      left.map(({ size }) => size),
      left.map(({ hash }) => hash),
      left.map(({ pieceId, session }) => session && removalSession(pieceId, session)),
    ],
  )
  await enqueueRemovals(tx, enqueue, [...new Set(left.map(({ accountId }) => accountId))])
}

export async function enqueueRemovals(
  tx: ClientBase,
  enqueue: Enqueue,
  accountIds: readonly string[],
  delaySeconds = 0,
): Promise<void> {
  for (const accountId of accountIds) {
    await enqueue(tx, 'removeObjects', { accountId }, { key: `remove ${accountId}`, delaySeconds })
  }
}

/**
 * Queues jobs for the removals that are due, including those whose job was lost in a crash. Accounts that are
 * disconnected or expired are skipped.
 */
export async function wakeRemovals(tx: ClientBase & Queryable, enqueue: Enqueue): Promise<void> {
  const { rows } = await tx.query<{ account_id: string }>(
    `select distinct r.account_id from object_removals r join accounts a on a.id = r.account_id
     where r.next_try_at <= now() and a.disconnected_at is null and a.status = 'CONNECTED'`,
  )
  await enqueueRemovals(
    tx,
    enqueue,
    rows.map((row) => row.account_id),
  )
}

/** The account is reachable again: its waiting removals are due now. */
export async function wakeRemovalsOf(tx: ClientBase, enqueue: Enqueue, accountId: string): Promise<void> {
  const { rowCount } = await tx.query(
    `update object_removals r set next_try_at = least(r.next_try_at, now()) from accounts a
     where r.account_id = $1 and a.id = $1 and a.provider <> 'local' and ${presentSql('a')}`,
    [accountId],
  )
  if (rowCount) await enqueueRemovals(tx, enqueue, [accountId])
}

export type RemoveObjectsDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  readonly encryption: Pick<Encryption, 'decrypt'>
}

const BATCH = 20
const AT_ONCE = 4

type Removal = {
  readonly id: string
  readonly object_ref: string | null
  readonly session: string | null
  /** Size and hash of the object as stored, if known. */
  readonly size: number | null
  readonly hash: string | null
  /** A piece refers to it again. */
  readonly needed: boolean
  /** Another name that the object may have (`pieces.renamed_to`). */
  readonly renamed_to: string | null
  /** Of the file's content, in hex. */
  readonly sha256: string | null
  /** The folder with such objects; null while it is not known. */
  readonly folder_ref: string | null
}

/**
 * Claiming reserves removals for 30 seconds: after a crash a later run takes them. It does not count as an attempt, or a server that
 * is killed repeatedly would leave objects at the provider for hours. A slow run can overlap with the next one, which does no harm:
 * what is deleted already counts as done.
 */
const CLAIM = `with due as (
    select id from object_removals where account_id = $1 and next_try_at <= now()
    order by next_try_at limit ${BATCH} for update skip locked)
  update object_removals r set next_try_at = now() + interval '30 seconds'
  from due, accounts a where r.id = due.id and a.id = r.account_id
  returning r.id, r.object_ref, r.session, r.size::float8 as size, r.hash, r.renamed_to, encode(r.sha256, 'hex') as sha256,
    a.home_ref as folder_ref, exists (
    select from pieces p where p.account_id = r.account_id and p.object_ref = r.object_ref) as needed`

/** After a failure: waits twice as long each time, at most six hours. */
const POSTPONE = `update object_removals set attempts = attempts + 1,
    next_try_at = now() + make_interval(secs => least(30 * power(2, least(attempts, 20)), 21600))
  where id = any($1::uuid[])`

/**
 * Deletes the due objects of one account: only objects whose refs are stored, that are still unchanged, and that no
 * piece refers to. An unreachable account does not delay others; a disconnected one is tried again when it is
 * connected.
 */
export async function removeObjects(deps: RemoveObjectsDeps, accountId: string, signal: AbortSignal): Promise<void> {
  const { pool } = deps
  const { rows } = await pool.query<{ status: string; disconnected: boolean }>(
    'select status, disconnected_at is not null as disconnected from accounts where id = $1',
    [accountId],
  )
  const [account] = rows
  if (!account || account.disconnected || account.status === 'EXPIRED') return
  let isGoing = true
  while (isGoing) {
    signal.throwIfAborted()
    isGoing = await removeBatch(deps, accountId, signal)
  }
  await scheduleNextRemoval(deps, accountId)
}

/** @returns whether there may be more to do now */
async function removeBatch(deps: RemoveObjectsDeps, accountId: string, signal: AbortSignal): Promise<boolean> {
  const claimed = await transaction(deps.pool, async (tx) => (await tx.query<Removal>(CLAIM, [accountId])).rows)
  for (let at = 0; at < claimed.length; at += AT_ONCE) {
    const some = claimed.slice(at, at + AT_ONCE)
    const outcomes = await Promise.all(some.map((removal) => removeOne(deps, accountId, removal, signal)))
    const done = some.filter((_, index) => outcomes[index] === 'done').map(({ id }) => id)
    await deps.pool.query('delete from object_removals where id = any($1::uuid[])', [done])
    const isStopped = outcomes.includes('stop')
    const failed = (isStopped ? claimed.slice(at) : some).filter(({ id }) => !done.includes(id))
    if (failed.length > 0) await deps.pool.query(POSTPONE, [failed.map(({ id }) => id)])
    if (isStopped) return false
  }
  return claimed.length === BATCH
}

async function removeOne(
  deps: RemoveObjectsDeps,
  accountId: string,
  removal: Removal,
  signal: AbortSignal,
): Promise<'done' | 'later' | 'stop'> {
  const call: Call = { signal, requestId: newId() }
  const { session } = removal
  try {
    const driver = await deps.openDriver(accountId)
    if (session !== null) {
      const [isPiece, isFile] = [isReferredTo(deps.pool, accountId), isShown(deps.pool, accountId, null)]
      await abandon(deps, driver, call, session, async (kept) => (await isPiece(kept)) || (await isFile(kept)))
    }
    await removeStored(deps.pool, driver, call, accountId, removal)
    deps.report.worked(accountId)
    return 'done'
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ProviderError)) throw error
    if (error.code === 'NotFound') return 'done'
    deps.report.failed(accountId, error)
    return error.reaction === 'other-account' || error.reaction === 'never' ? 'later' : 'stop'
  }
}

/** Also under the name that it may have received in the meantime: services that copy to rename can have both. */
async function removeStored(
  pool: pg.Pool,
  driver: Driver,
  call: Call,
  accountId: string,
  { object_ref, needed, size, hash, renamed_to: name, sha256, folder_ref: folderRef }: Removal,
): Promise<void> {
  if (object_ref === null || needed) return
  // Only refs that this driver has issued are stored.
  const ref = object_ref as EntryRef
  const isThere = await isUnchanged(driver, call, ref, { size, hash }).catch(nothingWhen('NotFound'))
  if (isThere) await driver.delete(call, ref)
  if (name === null) return
  const sought = { accountId, folderRef, size, hash, sha256, names: new Set([name]) }
  const renamed = await findRenamed(pool, driver, sought, call)
  if (renamed) await driver.delete(call, renamed.ref)
}

/**
 * Whether the object is still what was stored. People can change a file in their account: then it is theirs. An object
 * in the provider's trash is left there, where they can restore it.
 */
async function isUnchanged(
  driver: Driver,
  call: Call,
  ref: EntryRef,
  stored: { readonly size: number | null; readonly hash: string | null },
): Promise<boolean> {
  // Entries recorded by older versions have no size and hash.
  if (driver.kind === 'local' || (stored.size === null && stored.hash === null)) return true
  return isSame(stored, await driver.stat(call, ref), driver.capabilities.hash)
}

/**
 * Ends a session that is of no further use. It must be forgotten only afterwards: some services keep what was sent until its session is
 * ended. What a service refuses to end is left to it.
 * @throws ProviderError if it can be ended later, and the signal's reason once it is aborted
 */
export async function dropSession(driver: Driver, call: Call, session: string, isNeeded: IsNeeded): Promise<void> {
  await driver.abandon(call, session, isNeeded).catch((error: unknown) => {
    call.signal.throwIfAborted()
    if (!(error instanceof ProviderError) || error.reaction === 'after-delay') throw error
  })
}

/** A session that cannot be decrypted is left to expire at the provider. */
async function abandon(
  { encryption }: RemoveObjectsDeps,
  driver: Driver,
  call: Call,
  kept: string,
  isNeeded: IsNeeded,
): Promise<void> {
  let saved: SavedSession
  try {
    saved = openRemovalSession(encryption, kept)
  } catch (error) {
    if (error instanceof EncryptionError) return
    throw error
  }
  await driver.abandon(call, saved.session, isNeeded)
  if (saved.unverified) await removeUnverified(driver, call, saved.unverified, isNeeded)
}

/** Deletes what an upload has stored, unless it is gone, has been changed there, or is needed. */
async function removeUnverified(
  driver: Driver,
  call: Call,
  { ref, size, hash }: Unverified,
  isNeeded: IsNeeded,
): Promise<void> {
  if (await isNeeded(ref)) return
  try {
    if (await isUnchanged(driver, call, ref, { size, hash })) await driver.delete(call, ref)
  } catch (error) {
    if (!(error instanceof ProviderError && error.code === 'NotFound')) throw error
  }
}

async function scheduleNextRemoval({ pool, enqueue }: RemoveObjectsDeps, accountId: string): Promise<void> {
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ seconds: number | null }>(
      `select greatest(extract(epoch from min(next_try_at) - now()), 1)::float8 as seconds
       from object_removals where account_id = $1 having count(*) > 0`,
      [accountId],
    )
    const [next] = rows
    if (next?.seconds) await enqueueRemovals(tx, enqueue, [accountId], next.seconds)
  })
}
