import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import type { File, FileCategory } from '../files/contract.ts'
import { requireLiveFolder } from '../files/tree/change.ts'
import { getFiles, pathsTo, ROOT } from '../files/tree/entries.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import {
  findWasted,
  type Home,
  IS_STALE,
  MOST_READ,
  type Place,
  type StoredAnswer,
  sumNow,
  type Wasted,
} from './read.ts'
import type { FolderSum, Item } from './tally.ts'

export type { Home, Wasted }

export type RoomQuestion = {
  readonly accountId: string
  /** A folder in the account, or one of Skypool's own; absent: the root. */
  readonly parentId?: string | undefined
  /** At the root: what the account holds under its own names, or what Skypool stores in it. Default: the first one that is shown. */
  readonly home?: Home | undefined
}

/** What takes room directly in a folder, with everything below it. */
export type RoomEntry = {
  readonly file: File
  readonly bytes: number
  /** Number of files with a size: 1 for a file. */
  readonly files: number
  /** Last change of a file below it. */
  readonly changedAt: Date | null
}

/** A file in a list of files. `path`: names of the folders above it, below the root that was asked about. */
export type RoomFile = RoomEntry & { readonly path: readonly string[] }

export type RoomType = { readonly category: FileCategory; readonly files: number; readonly bytes: number }

/**
 * What fills one folder, with everything below it. Sums are exact: `children` and `others` together are the whole, and so are `types`.
 * Documents without a size never count. Pooled files count with their bytes on this account: a file with copies on two accounts
 * counts at both.
 */
export type RoomContent = {
  readonly bytes: number
  readonly files: number
  readonly folders: number
  /** Number of documents without a size. */
  readonly unsized: number
  readonly changedAt: Date | null
  /** Files that no one changed for five years. */
  readonly untouched: { readonly files: number; readonly bytes: number }
  readonly types: readonly RoomType[]
  /** The largest entries, largest first, at most 100; the first 12 with their own largest 8. */
  readonly children: readonly (RoomEntry & { readonly children: readonly RoomEntry[] })[]
  readonly others: { readonly count: number; readonly files: number; readonly bytes: number }
  /** At most 50, largest first. */
  readonly biggest: readonly RoomFile[]
  /** At most 50, unchanged longest first. */
  readonly oldest: readonly RoomFile[]
}

/** What the used space of an account consists of. Null: not known. */
export type RoomParts = {
  readonly usedBytes: number
  /** In the account under its own names; null where that is not shown, and until it is computed. */
  readonly inPlaceBytes: number | null
  /** Stored by Skypool, including its trash. */
  readonly pooledBytes: number
  /** In Skypool's trash, part of `pooledBytes`. */
  readonly pooledTrashBytes: number
  /** In the provider's trash; null where the provider does not report it. */
  readonly trashBytes: number | null
  /** Everything else that the provider counts; null until the other parts are known. */
  readonly otherBytes: number | null
}

export type Room = {
  readonly accountId: string
  readonly home: Home
  /** Null: the root of what Skypool stores. */
  readonly folder: File | null
  /** When `content` was computed; null with it. */
  readonly asOf: Date | null
  /** It is being computed in the background; `accountsChanged` is published at the end. */
  readonly isComputing: boolean
  /** Null while it is computed for the first time. */
  readonly content: RoomContent | null
  readonly parts: RoomParts
  /** Of the whole account, among the entries of this home: equal files with the same hash, all but one. Null until it is computed. */
  readonly wasted: Wasted | null
}

export interface RoomService {
  /**
   * What fills an account or a folder of it. Small folders are added up now. Large ones are answered as last computed, and computed
   * again in the background when that is long ago.
   * @throws NotFoundError (account, folder), InvalidInputError (the folder is elsewhere, or nothing else is shown of the account)
   */
  find(viewer: Viewer, question: RoomQuestion): Promise<Room>
}

type Deps = { readonly pool: Pool; readonly enqueue: Enqueue }

export function createRoomService(deps: Deps): RoomService {
  const { pool } = deps
  return {
    async find(viewer, question) {
      const account = await requireAccount(pool, viewer, question.accountId)
      const { place, folderId } = await placeOf(pool, viewer, account, question)
      const stored = await readStored(pool, place, folderId)
      const answer = stored.folder?.answer ?? (await sumNow(pool, place, folderId))
      const isComputing = answer === null || stored.folder?.isStale === true
      if (isComputing) await measureLater(deps, place)
      const root = stored.root?.answer ?? (folderId === place.rootId && place.home === 'ACCOUNT' ? answer : null)
      const [parts, wasted, content] = await Promise.all([
        partsOf(pool, account, root && place.home === 'ACCOUNT' ? root.bytes : null),
        stored.root?.answer.wasted ?? wastedNow(pool, account, place),
        answer && contentOf(pool, viewer, place, folderId, answer),
      ])
      const folder = folderId === ROOT ? null : ((await getFiles(pool, viewer, [folderId]))[0] ?? null)
      const asOf = answer && (stored.folder?.asOf ?? new Date())
      return { accountId: account.id, home: place.home, folder, asOf, isComputing, content, parts, wasted }
    },
  }
}

type AccountRow = {
  readonly id: string
  readonly provider: string
  readonly usedBytes: number
  readonly trashBytes: number | null
  readonly rootFileId: string | null
  /** Entries in its index. */
  readonly entries: number | null
}

/** @throws NotFoundError */
async function requireAccount(pool: Pool, { userId }: Viewer, id: string): Promise<AccountRow> {
  const { rows } = await pool.query<AccountRow>(
    `select a.id, a.provider, a.used_bytes::float8 as "usedBytes", a.trash_bytes::float8 as "trashBytes",
       i.root_file_id as "rootFileId", i.entries
     from accounts a left join account_indexes i on i.account_id = a.id
     where a.id = $1 and a.user_id = $2 and a.disconnected_at is null`,
    [id, userId],
  )
  const [row] = rows
  if (!row) throw new NotFoundError('There is no such account. It may have been disconnected.')
  return row
}

type Asked = { readonly place: Place; readonly folderId: string }

/** @throws NotFoundError, InvalidInputError */
async function placeOf(pool: Pool, viewer: Viewer, account: AccountRow, question: RoomQuestion): Promise<Asked> {
  const { userId } = viewer
  const at = (home: Home, rootId: string) => ({ accountId: account.id, userId, home, rootId })
  const { parentId, home = account.rootFileId ? 'ACCOUNT' : 'POOL' } = question
  if (parentId === undefined) {
    const rootId = home === 'POOL' ? ROOT : account.rootFileId
    if (!rootId) throw invalid('home', 'Only what Skypool stores is shown of this account.')
    return { place: at(home, rootId), folderId: rootId }
  }
  await requireLiveFolder({ tx: pool, userId }, parentId)
  const [folder] = await getFiles(pool, viewer, [parentId])
  const actual = folder?.accountId == null ? 'POOL' : 'ACCOUNT'
  if (folder?.accountId && folder.accountId !== account.id)
    throw invalid('parentId', 'This folder is in another account.')
  if (question.home && question.home !== actual) {
    const message = actual === 'POOL' ? 'This folder is not in the account.' : 'This folder is in the account.'
    throw invalid('parentId', message)
  }
  return { place: at(actual, actual === 'POOL' ? ROOT : (account.rootFileId ?? parentId)), folderId: parentId }
}

function invalid(path: string, message: string): InvalidInputError {
  return new InvalidInputError([{ path, message }])
}

type Stored = {
  readonly folderId: string
  readonly answer: StoredAnswer
  readonly asOf: Date
  readonly isStale: boolean
}

const STORED = `select folder_id as "folderId", answer, as_of as "asOf", ${IS_STALE} as "isStale"
  from room_answers where account_id = $1 and folder_id = any($2::uuid[])`

/** What was computed in the background, of the folder and of the root. */
async function readStored(pool: Pool, { accountId, rootId }: Place, folderId: string) {
  const { rows } = await pool.query<Stored>(STORED, [accountId, [rootId, folderId]])
  return { root: rows.find((row) => row.folderId === rootId), folder: rows.find((row) => row.folderId === folderId) }
}

async function measureLater({ pool, enqueue }: Deps, { accountId, home }: Place): Promise<void> {
  await transaction(pool, (tx) => enqueue(tx, 'measureRoom', { accountId, home }, { key: `room ${accountId} ${home}` }))
}

const POOLED = `select coalesce(sum(size), 0)::float8 as bytes from pieces where account_id = $1 and state = 'STORED'`

const POOLED_TRASH = `select coalesce(sum(p.size), 0)::float8 as bytes
  from accounts a join files f on f.user_id = a.user_id and f.trash_root_id is not null and f.account_id is null and f.purged_at is null
      and f.protected_account_id is null and not f.is_version
    join copies c on c.file_id = f.id join pieces p on p.copy_id = c.id and p.account_id = a.id and p.state = 'STORED'
  where a.id = $1`

const IN_PLACE = `select coalesce(sum(f.size), 0)::float8 as bytes from account_entries e join files f on f.id = e.file_id
  where e.account_id = $1 and f.purged_at is null and f.trash_root_id is null`

/** @param inPlace bytes in place, where that is known already */
async function partsOf(pool: Pool, account: AccountRow, inPlace: number | null): Promise<RoomParts> {
  const { id, provider, usedBytes, trashBytes, rootFileId } = account
  const bytesOf = async (text: string) => (await pool.query<{ bytes: number }>(text, [id])).rows[0]?.bytes ?? 0
  // What this server stores is the sum of its pieces.
  const pooledBytes = provider === 'local' ? usedBytes : await bytesOf(POOLED)
  const pooledTrashBytes = await bytesOf(POOLED_TRASH)
  const inPlaceBytes = rootFileId === null ? null : (inPlace ?? (await inPlaceBytesOf(pool, account, bytesOf)))
  const isKnown = rootFileId === null || inPlaceBytes !== null
  const rest = usedBytes - (inPlaceBytes ?? 0) - pooledBytes - (trashBytes ?? 0)
  // The provider's figure can be older than the others.
  const otherBytes = isKnown ? Math.max(0, rest) : null
  return { usedBytes, inPlaceBytes, pooledBytes, pooledTrashBytes, trashBytes, otherBytes }
}

async function inPlaceBytesOf(
  pool: Pool,
  { id, rootFileId, entries }: AccountRow,
  bytesOf: (text: string) => Promise<number>,
): Promise<number | null> {
  if ((entries ?? 0) <= MOST_READ) return bytesOf(IN_PLACE)
  const { rows } = await pool.query<Stored>(STORED, [id, [rootFileId]])
  return rows[0]?.answer.bytes ?? null
}

/** Pieces of an account, counted up to $2. */
const COUNT_PIECES = `select count(*)::int as pieces from (select from pieces where account_id = $1 limit $2) p`

async function wastedNow(pool: Pool, account: AccountRow, place: Place): Promise<Wasted | null> {
  if (place.home === 'ACCOUNT') return (account.entries ?? 0) > MOST_READ ? null : findWasted(pool, place)
  const { rows } = await pool.query<{ pieces: number }>(COUNT_PIECES, [account.id, MOST_READ + 1])
  return (rows[0]?.pieces ?? 0) > MOST_READ ? null : findWasted(pool, place)
}

/** Entries that were deleted or moved away since the sums were computed count among the others until they are computed again. */
async function contentOf(
  pool: Pool,
  viewer: Viewer,
  { rootId }: Place,
  folderId: string,
  sum: FolderSum,
): Promise<RoomContent> {
  const { bytes, files, folders, unsized, untouched, types } = sum
  const named = [...sum.children, ...sum.children.flatMap(({ children }) => children), ...sum.biggest, ...sum.oldest]
  const ids = [...new Set(named.map(({ id }) => id))]
  const known = new Map((await getFiles(pool, viewer, ids)).flatMap((file) => (file ? [[file.id, file]] : [])))
  const listed = [...sum.biggest, ...sum.oldest].flatMap(({ id }) => known.get(id)?.parentId ?? [])
  const paths = await pathsTo(pool, viewer, [...new Set(listed)])

  const entriesIn = (parentId: string, items: readonly Item[]): RoomEntry[] =>
    items.flatMap((item) => {
      const file = known.get(item.id)
      const isThere = file && file.trashedAt === null && (file.parentId ?? ROOT) === parentId
      return isThere ? [entryOf(file, item)] : []
    })
  const filesOf = (items: readonly Item[]): RoomFile[] =>
    items.flatMap((item) => {
      const file = known.get(item.id)
      const path = paths.get(file?.parentId ?? '') ?? []
      if (!file || [file, ...path].some(({ trashedAt }) => trashedAt !== null)) return []
      const names = path.filter(({ id }) => id !== rootId).map(({ name }) => name)
      return [{ ...entryOf(file, item), path: names }]
    })

  const children = entriesIn(folderId, sum.children).map((entry) => {
    const below = sum.children.find(({ id }) => id === entry.file.id)?.children ?? []
    return { ...entry, children: entriesIn(entry.file.id, below) }
  })
  const total = (read: (entry: RoomEntry) => number) => children.reduce((all, entry) => all + read(entry), 0)
  return {
    ...{ bytes, files, folders, unsized, untouched, types, children },
    changedAt: timeOf(sum.changed),
    others: {
      count: sum.count - children.length,
      files: files - total((entry) => entry.files),
      bytes: bytes - total((entry) => entry.bytes),
    },
    biggest: filesOf(sum.biggest),
    oldest: filesOf(sum.oldest),
  }
}

function entryOf(file: File, { bytes, files, changed }: Item): RoomEntry {
  return { file, bytes, files, changedAt: timeOf(changed) }
}

function timeOf(time: number | null): Date | null {
  return time === null ? null : new Date(time)
}
