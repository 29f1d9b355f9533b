import type { PoolClient } from 'pg'
import { eachWithPauses } from '../../lib/concurrency.ts'
import type { Entry, HashAlgorithm, NativeKind } from '../../providers/driver.ts'
import { reportedType } from '../files/content/types.ts'
import type { FileCategory, FileKind } from '../files/contract.ts'
import { rightsToBits } from '../files/tree/entries.ts'
import { nameKey, searchKey, sortKey } from '../files/tree/names.ts'

// The rows of entries in place: a row in `files`, which lists and searches read, and one in `account_entries`.

/** What the index stores of an entry. Two equal ones are the same state of the entry. */
export type Mirror = {
  readonly parentId: string
  readonly kind: FileKind
  readonly name: string
  readonly size: number
  readonly mimeType: string | null
  readonly category: FileCategory
  /** ISO 8601. */
  readonly updatedAt: string
  readonly createdAt: string
  readonly path: string | null
  readonly revision: string | null
  readonly hash: string | null
  readonly webUrl: string | null
  readonly nativeKind: NativeKind | null
  /** Separated by commas; null: none. */
  readonly exportTypes: string | null
  readonly target: string | null
  readonly rights: number
}

/** A row of the index. */
export type Known = Mirror & {
  readonly fileId: string
  readonly ref: string
  readonly pass: number
  readonly changedIn: number
  readonly isGone: boolean
  readonly held: boolean
  /** The entry with which it was moved to the trash here: itself or a folder above. Such entries are gone for the account. */
  readonly trashRootId: string | null
}

const NATIVE_CATEGORY: Partial<Record<NativeKind, FileCategory>> = {
  DOCUMENT: 'DOCUMENT',
  SPREADSHEET: 'SPREADSHEET',
  PRESENTATION: 'PRESENTATION',
}

/** The state to store of an entry in this folder. `firstSeen`: its time where the provider reports none. */
export function mirrorOf(entry: Entry, parentId: string, algorithm: HashAlgorithm | null, firstSeen: string): Mirror {
  const { details } = entry
  const kind = entry.kind === 'folder' ? 'FOLDER' : 'FILE'
  const name = nameOf(entry)
  const native = details?.nativeKind ?? null
  const type = reportedType(name, details?.mimeType ?? null)
  const updatedAt = entry.modifiedAt?.toISOString() ?? details?.createdAt?.toISOString() ?? firstSeen
  return {
    parentId,
    kind,
    name,
    size: entry.size ?? 0,
    mimeType: kind === 'FOLDER' ? null : (type.mimeType ?? null),
    category: kind === 'FOLDER' ? 'FOLDER' : ((native && (NATIVE_CATEGORY[native] ?? 'OTHER')) ?? type.category),
    updatedAt,
    createdAt: details?.createdAt?.toISOString() ?? updatedAt,
    path: entry.path ?? null,
    revision: details?.revision ?? null,
    hash: entry.hash !== null && algorithm !== null ? `${algorithm}:${entry.hash}` : null,
    webUrl: details?.webUrl ?? null,
    nativeKind: native,
    exportTypes: details?.exportTypes.join() || null,
    target: details?.target ?? null,
    rights: details ? rightsToBits(details.rights) : 0,
  }
}

const MAX_NAME = 1_000

/** Half of a character, which is no text. */
const HALVES = /\p{Cs}/gu

/** PostgreSQL stores no NUL. Some services allow empty names. */
function nameOf({ name }: Entry): string {
  const text = name.replaceAll('\0', '').slice(0, MAX_NAME).replace(HALVES, '\ufffd')
  return text === '' ? 'Untitled' : text
}

const KNOWN = `select e.file_id as "fileId", e.ref, e.pass, e.changed_in as "changedIn", e.gone_at is not null as "isGone", e.held,
    f.trash_root_id as "trashRootId",
    f.parent_id as "parentId", f.kind, f.name, f.size::float8 as size, f.mime_type as "mimeType", f.category,
    to_char(f.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt",
    to_char(f.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
    e.path, e.revision, e.hash, e.web_url as "webUrl", e.native_kind as "nativeKind", e.export_types as "exportTypes", e.target,
    e.rights
  from account_entries e join files f on f.id = e.file_id where e.account_id = $1`

/** The rows with these references. Rows of entries that are gone are included. */
export async function findKnown(tx: PoolClient, accountId: string, refs: readonly string[]): Promise<Known[]> {
  return (await tx.query<Known>(`${KNOWN} and e.ref = any($2::text[])`, [accountId, refs])).rows
}

const FOLDERS = `select e.file_id as "fileId", e.ref, e.path from account_entries e join files f on f.id = e.file_id
  where e.account_id = $1 and e.gone_at is null and f.kind = 'FOLDER'`

export type KnownFolder = Pick<Known, 'fileId' | 'ref' | 'path'>

/** The folders with these references, and those at these paths, that are not gone. */
export async function findFolders(
  tx: PoolClient,
  accountId: string,
  refs: readonly string[],
  paths: readonly string[],
): Promise<KnownFolder[]> {
  const text = `${FOLDERS} and e.ref = any($2::text[])`
  const { rows } = await tx.query<KnownFolder>({ name: 'in place folders', text, values: [accountId, refs] })
  if (paths.length === 0) return rows
  const atPaths = await tx.query<KnownFolder>(`${FOLDERS} and e.path collate "C" = any($2::text[])`, [accountId, paths])
  return [...rows, ...atPaths.rows]
}

/** The rows of these files, by their ids. */
export async function getKnown(
  tx: PoolClient,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Known>> {
  const { rows } = await tx.query<Known>(`${KNOWN} and e.file_id = any($2::uuid[])`, [accountId, ids])
  return new Map(rows.map((row) => [row.fileId, row]))
}

export function isSameMirror(known: Known, mirror: Mirror): boolean {
  return (Object.keys(mirror) as (keyof Mirror)[]).every((key) => key === 'createdAt' || known[key] === mirror[key])
}

export type NewEntry = { readonly fileId: string; readonly ref: string; readonly mirror: Mirror }
export type ChangedEntry = { readonly known: Known; readonly mirror: Mirror }

type Place = { readonly userId: string; readonly accountId: string; readonly pass: number; readonly changedIn: number }
/** `foundIn`: the listing that has found them; 0 for what was made here. */
type NewPlace = Place & { readonly foundIn: number }

/** The columns of rows to store, in the order of the parameters of GIVEN. */
const COLUMNS = [
  'id',
  'parentId',
  'kind',
  'name',
  'nameKey',
  'sortKey',
  'searchKey',
  'category',
  'mimeType',
  'size',
  'createdAt',
  'updatedAt',
  'ref',
  'path',
  'revision',
  'hash',
  'webUrl',
  'nativeKind',
  'exportTypes',
  'target',
  'rights',
] as const

/** One array for each column: PostgreSQL takes twice as long to read the same rows from JSON. */
const GIVEN = `unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::bigint[], $11::timestamptz[], $12::timestamptz[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
    $19::text[], $20::text[], $21::int[])
  as g (id, "parentId", kind, name, "nameKey", "sortKey", "searchKey", category, "mimeType", size, "createdAt", "updatedAt", ref, path,
    revision, hash, "webUrl", "nativeKind", "exportTypes", target, rights)`

const INSERT = {
  name: 'in place insert',
  text: `with given as (select * from ${GIVEN}),
    file as (insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type,
        size, native, created_at, updated_at)
      select id, $22, $23, "parentId", kind::"FileKind", name, "nameKey", "sortKey", "searchKey", category::"FileCategory", "mimeType",
        size, "nativeKind" is not null, "createdAt", "updatedAt" from given)
    insert into account_entries (file_id, account_id, ref, path, revision, hash, web_url, native_kind, export_types, target, rights, pass,
      changed_in, found_in)
    select id, $23, ref, path, revision, hash, "webUrl", "nativeKind", "exportTypes", target, rights, $24, $25, $26 from given`,
}

/** Rows of one statement: other requests of this process are answered between two of them. */
const INSERTED_TOGETHER = 250
/** Rows whose keys are computed before others have a turn: about a millisecond. */
const ENCODED_AT_ONCE = 100

export async function insertEntries(tx: PoolClient, place: NewPlace, entries: readonly NewEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += INSERTED_TOGETHER) {
    const part = entries.slice(at, at + INSERTED_TOGETHER)
    const given = await encode(part.map(({ fileId, ref, mirror }) => ({ id: fileId, ref, mirror })))
    const values = [...given, place.userId, place.accountId, place.pass, place.changedIn, place.foundIn]
    await tx.query({ ...INSERT, values })
  }
}

const UPDATE = {
  name: 'in place update',
  text: `with given as (select * from ${GIVEN}),
    file as (update files f set parent_id = g."parentId", kind = g.kind::"FileKind", name = g.name, name_key = g."nameKey",
        sort_key = g."sortKey", search_key = g."searchKey", category = g.category::"FileCategory", mime_type = g."mimeType",
        size = g.size, native = g."nativeKind" is not null, updated_at = g."updatedAt", purged_at = null, trashed_at = null, trash_root_id = null
      from given g where f.id = g.id)
    update account_entries e set path = g.path, revision = g.revision, hash = g.hash, web_url = g."webUrl",
      native_kind = g."nativeKind", export_types = g."exportTypes", target = g.target, rights = g.rights, pass = $22, changed_in = $23, gone_at = null, held = false
    from given g where e.file_id = g.id`,
}

/** Stores new states, also of entries that were gone or in the trash and have returned. */
export async function updateEntries(
  tx: PoolClient,
  { pass, changedIn }: Place,
  entries: readonly ChangedEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const given = await encode(entries.map(({ known: { fileId, ref }, mirror }) => ({ id: fileId, ref, mirror })))
  await tx.query({ ...UPDATE, values: [...given, pass, changedIn] })
}

/** Records that a listing contained these entries unchanged, or that a change of them was reported. */
export async function markSeen(tx: PoolClient, { pass, changedIn }: Place, known: readonly Known[]): Promise<void> {
  const ids = known
    .filter((one) => one.pass !== pass || one.changedIn !== changedIn || one.held)
    .map(({ fileId }) => fileId)
  if (ids.length === 0) return
  await tx.query(
    'update account_entries set pass = $2, changed_in = greatest(changed_in, $3), held = false where file_id = any($1::uuid[])',
    [ids, pass, changedIn],
  )
}

type Row = { readonly id: string; readonly ref: string; readonly mirror: Mirror }

/** The parameters of GIVEN. */
async function encode(given: readonly Row[]): Promise<unknown[]> {
  const rows: Record<(typeof COLUMNS)[number], string | number | null>[] = []
  const add = ({ id, ref, mirror }: Row): void => {
    const { name } = mirror
    rows.push({ ...mirror, id, ref, nameKey: nameKey(name), sortKey: sortKey(name), searchKey: searchKey(name) })
  }
  await eachWithPauses(given, add, ENCODED_AT_ONCE)
  return COLUMNS.map((column) => arrayOf(rows.map((row) => row[column])))
}

/** As text where JSON writes it as PostgreSQL does, which is without a backslash: many times as fast as what `pg` makes of an array. */
function arrayOf(values: readonly unknown[]): unknown {
  const json = JSON.stringify(values)
  return json.includes('\\') ? values : `{${json.slice(1, -1)}}`
}

/** Entries at or below which everything is gone, by reference or case-folded path. */
export type GonePlaces = { readonly refs: readonly string[]; readonly paths: readonly string[] }

const BELOW = `with recursive top (id) as (
    select e.file_id from account_entries e where e.account_id = $1 and e.gone_at is null
      and (e.ref = any($2::text[]) or e.path collate "C" = any($3::text[]))
    union select e.file_id from unnest($3::text[]) as d (path)
      join account_entries e on e.account_id = $1 and e.gone_at is null
        and e.path collate "C" >= d.path || '/' and e.path collate "C" < d.path || '0'),
  below (id) as (
    select id from top
    union select f.id from below join files f on f.parent_id = below.id and f.purged_at is null and f.trash_root_id is null)
  select b.id, f.parent_id as "parentId" from below b join files f on f.id = b.id join account_entries e on e.file_id = b.id
  where e.ref <> all($4::text[])`

export type Below = { readonly id: string; readonly parentId: string | null }

/** The entries at these places and everything below them, without those whose references are in `except`. */
export async function findBelow(
  tx: PoolClient,
  accountId: string,
  gone: GonePlaces,
  except: readonly string[],
): Promise<Below[]> {
  if (gone.refs.length + gone.paths.length === 0) return []
  const { rows } = await tx.query<Below>(BELOW, [accountId, gone.refs, gone.paths, except])
  return rows
}

/** What is gone within this time counts as gone at once. */
const AT_ONCE = "interval '10 minutes'"

/**
 * Hides the entries. They return with their stars and links if the account reports them again within an hour.
 * @param confirmed the user has decided it, so that it does not count for what is gone at once
 */
export async function hideEntries(
  tx: PoolClient,
  ids: readonly string[],
  changedIn: number,
  confirmed: boolean,
): Promise<void> {
  await tx.query('update files set purged_at = now() where id = any($1::uuid[])', [ids])
  await tx.query(
    `update account_entries set gone_at = now() - case when $3 then ${AT_ONCE} else interval '0' end, held = false,
       unlisted = false, changed_in = greatest(changed_in, $2) where file_id = any($1::uuid[])`,
    [ids, changedIn, confirmed],
  )
}

export async function findRecentlyHidden(tx: PoolClient, accountId: string): Promise<Below[]> {
  const { rows } = await tx.query<Below>(
    `select f.id, f.parent_id as "parentId" from account_entries e join files f on f.id = e.file_id
     where e.account_id = $1 and e.gone_at > now() - ${AT_ONCE} and f.trash_root_id is null`,
    [accountId],
  )
  return rows
}

/** Shows the entries, hidden ones again, until the user decides whether they are gone. */
export async function showAsHeld(tx: PoolClient, ids: readonly string[]): Promise<void> {
  await tx.query('update files set purged_at = null where id = any($1::uuid[]) and purged_at is not null', [ids])
  await tx.query('update account_entries set gone_at = null, held = true where file_id = any($1::uuid[])', [ids])
}

/** What went to the trash with a folder above, and now goes by itself, is not in that folder any more when it is restored. */
const TRASH = `with recursive below (id) as (
    select $1::uuid
    union select f.id from below join files f on f.parent_id = below.id and f.purged_at is null
      and (f.trash_root_id is null or f.trash_root_id = (select trash_root_id from files where id = $1))),
  was as (select e.file_id, e.gone_at is null as shown, coalesce(f.trash_root_id <> f.id, false) as with_folder
    from below b join account_entries e on e.file_id = b.id join files f on f.id = b.id),
  entry as (update account_entries e set gone_at = now(), held = false, unlisted = false, changed_in = greatest(changed_in, $2)
    from was where e.file_id = was.file_id),
  file as (update files f set trash_root_id = $1, trashed_at = case when f.id = $1 then now() end, purged_at = null
    from was where f.id = was.file_id)
  select count(*) filter (where shown)::int as count, bool_or((shown or with_folder) and file_id = $1) as "wasCounted" from was`

/**
 * Shows an entry as trashed, with everything below it; for the account they are gone. Child counts do not change.
 * @returns how many shown entries they are, and whether the entry itself was counted in its folder
 */
export async function trashBelow(
  tx: PoolClient,
  id: string,
  changedIn: number,
): Promise<{ count: number; wasCounted: boolean }> {
  const { rows } = await tx.query<{ count: number; wasCounted: boolean | null }>(TRASH, [id, changedIn])
  return { count: rows[0]?.count ?? 0, wasCounted: rows[0]?.wasCounted === true }
}

/**
 * Shows everything again that was moved to the trash with these entries. The folders among it are listed next, as by markUnlisted: the
 * account may have changed them before, and reports only these entries.
 * @returns how many entries they are, without these
 */
export async function restoreBelow(tx: PoolClient, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const { rowCount } = await tx.query(
    `with file as (update files set trash_root_id = null where trash_root_id = any($1::uuid[]) and purged_at is null
       returning id, kind)
     update account_entries e set gone_at = null, unlisted = file.kind = 'FOLDER' and e.path is null
     from file where e.file_id = file.id`,
    [ids],
  )
  return rowCount ?? 0
}

/**
 * Removes an entry from the trash, and everything that was moved there with it.
 * @returns false if it is not in the trash any more
 */
export async function forgetTrashed(tx: PoolClient, id: string): Promise<boolean> {
  await tx.query(
    `update files set purged_at = now()
     where (trash_root_id = $1 or (id = $1 and trashed_at is not null)) and purged_at is null`,
    [id],
  )
  const { rowCount } = await tx.query('select from files where id = $1 and purged_at is null', [id])
  return rowCount === 0
}
