import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { ClientBase } from 'pg'
import { transaction } from '../../../db/pool.ts'
import { newId } from '../../../lib/ids.ts'
import type { Call, Capabilities, Driver, Entry, EntryRef } from '../../../providers/driver.ts'
import { nothingWhen, ProviderError } from '../../../providers/errors.ts'
import type { Enqueue } from '../../jobs.ts'
import { leaveRemnants, type RemoveObjectsDeps } from './removals.ts'
import { findRenamed, hashObject, isSame } from './seenObjects.ts'

// The names of objects in accounts, and their renaming after files were renamed.

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
