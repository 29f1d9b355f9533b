import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { ClientBase } from 'pg'
import { transaction } from '../../../db/pool.ts'
import { type Encryption, EncryptionError } from '../../../lib/encryption.ts'
import { newId } from '../../../lib/ids.ts'
import type { Call, Capabilities, Driver, Entry, EntryRef, IsNeeded, Page } from '../../../providers/driver.ts'
import { nothingWhen, ProviderError } from '../../../providers/errors.ts'
import type { Enqueue } from '../../jobs.ts'
import type { Queryable } from '../tree/entries.ts'
import {
  enqueueRemovals,
  hashObject,
  isSame,
  leaveRemnants,
  openRemovalSession,
  type SavedSession,
  type Unverified,
} from './seenObjects.ts'

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

/** Whether a piece is stored as this object of the account. */
export function isReferredTo(pool: pg.Pool, accountId: string): IsNeeded {
  return async (ref) => {
    const text = 'select from pieces where account_id = $1 and object_ref = $2 limit 1'
    return (await pool.query(text, [accountId, ref])).rowCount === 1
  }
}

/**
 * Whether a piece is stored as this object of the account, or its removal is queued: then no other piece may use it.
 */
export function isTaken(pool: pg.Pool, accountId: string): IsNeeded {
  return async (ref) => {
    const text = `select from pieces where account_id = $1 and object_ref = $2
      union all select from object_removals where account_id = $1 and object_ref = $2 limit 1`
    return (await pool.query(text, [accountId, ref])).rowCount === 1
  }
}

/**
 * Whether an account's own files show an object, other than as the file `own`: then what has stored something equal must not delete it. It
 * can be what another upload or job has stored, or the user.
 */
export function isShown(pool: pg.Pool, accountId: string, own: string | null): IsNeeded {
  return async (ref) => {
    const text = `select from account_entries where account_id = $1 and ref = $2 and gone_at is null and file_id is distinct from $3::uuid`
    return (await pool.query(text, [accountId, ref, own])).rowCount === 1
  }
}

/**
 * Whether an object that an account's own files show is something else than what a file or job with the id `since` has stored, as the
 * file `own` or as one that the index knows only from the account: it was there before, or another upload or job has stored it. Ids are
 * ordered by time.
 */
export function isShownBefore(
  sql: Queryable,
  accountId: string,
  { since, own }: { readonly since: string; readonly own: string | null },
): IsNeeded {
  return async (ref) => {
    const text = `select from account_entries e join files f on f.id = e.file_id
      where e.account_id = $1 and e.ref = $2 and e.gone_at is null and e.file_id is distinct from $4::uuid
        and (e.file_id < $3 or exists (select from transfers t where t.file_id = e.file_id)
          or exists (select from file_jobs j join file_job_items i on i.job_id = j.id where j.user_id = f.user_id and i.made_id = e.file_id))`
    return (await sql.query(text, [accountId, ref, since, own])).rowCount === 1
  }
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

export type RenameObjectsDeps = Pick<RemoveObjectsDeps, 'pool' | 'enqueue' | 'openDriver' | 'report'>

/** Number of names to try: the file's own, then with a marker if another object has that name. */
const MOST_NAMES = 5

type Whole = {
  readonly pieceId: string
  readonly copyId: string
  readonly accountId: string
  readonly fileName: string
  readonly ref: string
  /** The folder with such objects; null while it is not known. */
  readonly folderRef: string | null
  readonly size: number
  readonly hash: string | null
  /** Of the file's content, in hex. */
  readonly sha256: string | null
  /** A name that an earlier attempt may have given it. */
  readonly renamedTo: string | null
}

/**
 * Objects that hold a whole file have its name; pieces have other names. Missing copies count too: an object that was renamed just before a
 * crash is not found under its old path.
 */
const WHOLE = `from files f join copies c on c.file_id = f.id and c.state <> 'STORING' join pieces p on p.copy_id = c.id
    join accounts a on a.id = p.account_id and a.provider <> 'local' and a.disconnected_at is null
  where p.state = 'STORED' and p.object_ref is not null and f.purged_at is null
    and not exists (select from pieces o where o.copy_id = c.id and o.id <> p.id)`

/** Queues renames of objects after files were renamed: only for accounts that show file names. */
export async function enqueueRenames(tx: ClientBase, enqueue: Enqueue, fileIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(`select distinct f.id ${WHOLE} and f.id = any($1::uuid[])`, [fileIds])
  for (const { id } of rows) await enqueue(tx, 'renameObjects', { fileId: id }, { key: `rename ${id}` })
}

/**
 * Renames the objects of a file in their accounts. Objects that were changed there by others are left alone.
 * @throws ProviderError, after all were tried, when a retry may succeed
 */
export async function renameObjects(deps: RenameObjectsDeps, fileId: string, signal: AbortSignal): Promise<void> {
  const { rows } = await deps.pool.query<Whole>(
    `select p.id as "pieceId", c.id as "copyId", p.account_id as "accountId", f.name as "fileName", p.object_ref as ref,
       a.home_ref as "folderRef", p.size::float8 as size, p.hash, encode(f.sha256, 'hex') as sha256, p.renamed_to as "renamedTo"
     ${WHOLE} and f.id = $1`,
    [fileId],
  )
  let failed: ProviderError | null = null
  for (const whole of rows) {
    try {
      await renameOne(deps, whole, { signal, requestId: newId() })
      deps.report.worked(whole.accountId)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ProviderError)) throw error
      deps.report.failed(whole.accountId, error)
      if (!PERMANENT_CODES.has(error.code)) failed = error
    }
  }
  if (failed) throw failed
}

/** Errors that a retry would not fix: the object is gone, or its service refuses the name. */
const PERMANENT_CODES: ReadonlySet<string> = new Set(['NotFound', 'BadName', 'Conflict', 'Forbidden', 'Permanent'])

async function renameOne(deps: RenameObjectsDeps, whole: Whole, call: Call): Promise<void> {
  const driver = await deps.openDriver(whole.accountId)
  // Only refs that this driver has issued are stored.
  const entry = await driver.stat(call, whole.ref as EntryRef).catch(nothingWhen('NotFound'))
  const names = new Set([...(whole.renamedTo === null ? [] : [whole.renamedTo]), ...namesFor(whole, driver)])
  const isInterrupted = entry === null || whole.renamedTo !== null
  const renamed = isInterrupted ? await findRenamed(deps.pool, driver, { ...whole, names }, call) : null
  const found = renamed ?? entry
  if (found === null) return
  // Services that copy to rename have both when that is interrupted.
  const isTwice = renamed && entry && isSame(whole, entry, driver.capabilities.hash)
  if (isTwice && (await hashObject(driver, call, entry, 'sha256')) === whole.sha256)
    await driver.delete(call, entry.ref)
  if (renamed && !(await keepRef(deps.pool, whole, renamed))) return
  const current = { ...whole, ref: found.ref }
  const moved = await renameEntry(deps.pool, driver, current, call, found)
  if (moved === null || (await keepRef(deps.pool, current, moved))) return
  // The file was deleted during the rename, and its removal may have looked for the object before it was there.
  const { accountId, pieceId, size, hash } = whole
  const remnant = { accountId, pieceId, objectRef: moved.ref, session: null, size, hash }
  await transaction(deps.pool, (tx) => leaveRemnants(tx, deps.enqueue, [remnant]))
}

/** @returns whether the piece still had the earlier ref */
async function keepRef(pool: pg.Pool, { pieceId, ref }: Whole, now: Entry): Promise<boolean> {
  const text =
    'update pieces set object_ref = $3, object_path = $4, renamed_to = null where id = $1 and object_ref = $2'
  return (await pool.query(text, [pieceId, ref, now.ref, now.path ?? null])).rowCount === 1
}

/** @returns the entry as it is now; null if it has such a name, was changed by others, or is not needed any more */
async function renameEntry(
  pool: pg.Pool,
  driver: Driver,
  whole: Whole,
  call: Call,
  entry: Entry,
): Promise<Entry | null> {
  const { move } = driver
  if (!move || !isSame(whole, entry, driver.capabilities.hash) || hasName(whole, entry, driver)) return null
  const names = namesFor(whole, driver)
  for (const [index, name] of names.entries()) {
    if (driver.capabilities.pathRefs && !(await noteRename(pool, whole, name))) return null
    try {
      return await move(call, entry.ref, { name })
    } catch (error) {
      call.signal.throwIfAborted()
      const isRefused = error instanceof ProviderError && REFUSED_CODES.has(error.code)
      if (isRefused && driver.capabilities.pathRefs) await noteRename(pool, whole, null)
      if (!isRefused || error.code !== 'Conflict' || index === names.length - 1) throw error
    }
  }
  return null
}

/** Errors after which the object certainly has its earlier name. */
const REFUSED_CODES: ReadonlySet<string> = new Set(['BadName', 'Conflict', 'Forbidden', 'Permanent'])

/**
 * Where references are paths, saves the name before it is given: after a crash, the object is found under it.
 * @returns whether the piece still exists with that ref
 */
async function noteRename(pool: pg.Pool, { pieceId, ref }: Whole, name: string | null): Promise<boolean> {
  const text = 'update pieces set renamed_to = $3 where id = $1 and object_ref = $2'
  return (await pool.query(text, [pieceId, ref, name])).rowCount === 1
}

type Sought = Pick<Whole, 'accountId' | 'folderRef' | 'hash' | 'sha256'> & {
  readonly size: number | null
  readonly names: ReadonlySet<string>
}

/**
 * The object of a file under one of the names. Where references are paths, a rename changes the reference, which is not stored if the
 * response was lost or the server stopped. The content is compared, because the user can have another file with that name.
 */
async function findRenamed(pool: pg.Pool, driver: Driver, sought: Sought, call: Call): Promise<Entry | null> {
  const { accountId, folderRef, names, sha256 } = sought
  if (!driver.capabilities.pathRefs || folderRef === null || sha256 === null) return null
  const isReferred = isTaken(pool, accountId)
  let cursor: string | null = null
  do {
    const page: Page<Entry> = await driver.list(call, folderRef as EntryRef, cursor)
    for (const entry of page.items) {
      const isCandidate =
        names.has(entry.name) && entry.kind === 'file' && isSame(sought, entry, driver.capabilities.hash)
      if (!isCandidate || (await isReferred(entry.ref))) continue
      if ((await hashObject(driver, call, entry, 'sha256')) === sha256) return entry
    }
    cursor = page.cursor
  } while (cursor !== null)
  return null
}

function namesFor({ fileName, copyId, pieceId }: Whole, { capabilities }: Driver): string[] {
  const named = { fileName, copyId, pieceId, index: 0, spanned: false }
  return Array.from({ length: MOST_NAMES }, (_, attempt) => objectName(named, attempt, capabilities))
}

/**
 * Also a name that differs only by case, if the service ignores case; and a generated one, used because the service
 * refused the file's own.
 */
function hasName(whole: Whole, { name }: Entry, driver: Driver): boolean {
  const key = (text: string) => (driver.capabilities.caseSensitive ? text : text.toLowerCase())
  return name.startsWith(whole.copyId) || namesFor(whole, driver).some((wanted) => key(wanted) === key(name))
}

type Named = {
  readonly fileName: string
  readonly copyId: string
  readonly pieceId: string
  readonly index: number
  /** The copy has several pieces. */
  readonly spanned: boolean
}
type Limits = Pick<Capabilities, 'maxNameLength' | 'nameUnit'>

/** Characters that some services, or the systems that synchronise with them, refuse. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const REFUSED = /[\u0000-\u001f\u007f"*/:<>?\\|]/g

/**
 * The name of a piece's object. A copy in one piece has the file's own name, so that people find it in their account.
 * The names tried after a conflict (`attempt` 1, 2, ...) are the same after every restart.
 */
export function objectName(named: Named, attempt: number, limits: Limits): string {
  const suffix = attempt === 0 ? '' : ` ~${marker(named.pieceId, attempt)}`
  if (named.spanned) return `${named.copyId}.${named.index}${suffix}`
  const clean =
    named.fileName
      .replace(/\p{Surrogate}/gu, '_')
      .replace(REFUSED, '_')
      .replace(/[. ]+$/, '')
      .trimStart() || 'file'
  const dot = clean.lastIndexOf('.')
  const [stem, extension] = dot > 0 && clean.length - dot <= 12 ? [clean.slice(0, dot), clean.slice(dot)] : [clean, '']
  return cut(stem, limits, lengthOf(suffix + extension, limits)) + suffix + extension
}

function marker(pieceId: string, attempt: number): string {
  return createHash('sha256').update(`${pieceId} ${attempt}`).digest('hex').slice(0, 6)
}

function lengthOf(text: string, { nameUnit }: Limits): number {
  return nameUnit === 'bytes' ? Buffer.byteLength(text) : text.length
}

/** Does not split a character. */
function cut(stem: string, limits: Limits, taken: number): string {
  const most = limits.maxNameLength - taken
  if (lengthOf(stem, limits) <= most) return stem
  let kept = ''
  for (const character of stem) {
    if (lengthOf(kept + character, limits) > most) break
    kept += character
  }
  return kept.replace(/[. ]+$/, '')
}
