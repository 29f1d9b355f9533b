import type pg from 'pg'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import type { Queryable } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'
import type { Share, SharePage, ShareState, SharesService } from './contract.ts'

/** Condition on `shares s`: not ended, expired or used up, by the database's clock. */
export const NOT_ENDED = `s.ended_at is null and (s.expires_at is null or s.expires_at > now())
  and (s.max_downloads is null or s.downloads < s.max_downloads)`

/** Condition on `shares s`: expired or used up, but not marked as ended yet. */
export const RUN_OUT = `s.ended_at is null and (s.expires_at <= now() or s.downloads >= s.max_downloads)`

/** SQL: neither the file nor a folder above it is trashed or deleted. Reads the tree itself, because a job updates the marks of descendants later. */
export const isReachable = (fileId: string): string => `not exists (
  with recursive up as (
    select a.parent_id, a.trashed_at, a.purged_at from files a where a.id = ${fileId}
    union all select p.parent_id, p.trashed_at, p.purged_at from up join files p on p.id = up.parent_id)
  select from up where up.trashed_at is not null or up.purged_at is not null)`

const STATE = `case when s.expires_at <= coalesce(s.ended_at, now()) then 'EXPIRED'
  when s.downloads >= s.max_downloads then 'USED_UP'
  when s.ended_at is not null or f.purged_at is not null then 'REVOKED'
  when f.trash_root_id is not null then 'PAUSED' else 'LIVE' end`

/** Columns of a `ShareRow`, of `shares s join files f`. */
const SHARE_COLUMNS = `s.id, s.file_id, s.copy_id, ${STATE} as state, s.password_hash is not null as has_password,
  s.expires_at, s.max_downloads, s.downloads, s.provider_url, s.created_at`

const FROM_SHARES = 'from shares s join files f on f.id = s.file_id and f.purged_at is null'

export type ShareRow = {
  readonly id: string
  readonly file_id: string
  readonly copy_id: string | null
  readonly state: ShareState
  readonly has_password: boolean
  readonly expires_at: Date | null
  readonly max_downloads: number | null
  readonly downloads: number
  readonly provider_url: string | null
  readonly created_at: Date
}

function toShare(row: ShareRow, providerNote: string | null = null): Share {
  return {
    id: row.id,
    fileId: row.file_id,
    copyId: row.copy_id,
    state: row.state,
    hasPassword: row.has_password,
    expiresAt: row.expires_at,
    maxDownloads: row.max_downloads,
    downloads: row.downloads,
    providerUrl: row.provider_url,
    providerNote,
    createdAt: row.created_at,
  }
}

type ListOptions = Parameters<SharesService['list']>[1]

/** Newest first, by keyset. @throws InvalidInputError at `after` */
export async function listShares(pool: pg.Pool, { userId }: Viewer, options: ListOptions): Promise<SharePage> {
  const { limit, after, live } = options
  const place = after === undefined ? null : placeOf(after)
  const { rows } = await pool.query<ShareRow>(
    `select ${SHARE_COLUMNS} ${FROM_SHARES} where s.user_id = $1
     ${live ? `and ${NOT_ENDED} and f.trash_root_id is null` : ''}
     ${place ? 'and (s.created_at, s.id) < ($3::timestamptz, $4::uuid)' : ''}
     order by s.created_at desc, s.id desc limit $2`,
    [userId, limit + 1, ...(place ?? [])],
  )
  const items = rows.slice(0, limit).map((row) => ({ share: toShare(row), cursor: cursorOf(row) }))
  return { items, hasNextPage: rows.length > items.length }
}

/** In the order of `ids`; null for shares that are not the viewer's. */
export async function getShares(
  sql: Queryable,
  { userId }: Pick<Viewer, 'userId'>,
  ids: readonly string[],
): Promise<(Share | null)[]> {
  const { rows } = await sql.query<ShareRow>(
    `select ${SHARE_COLUMNS} ${FROM_SHARES} where s.user_id = $1 and s.id = any($2::uuid[])`,
    [userId, ids],
  )
  const byId = new Map(rows.map((row) => [row.id, toShare(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** @throws NotFoundError */
export async function requireShare(sql: Queryable, viewer: Pick<Viewer, 'userId'>, id: string): Promise<Share> {
  const [share] = await getShares(sql, viewer, [id])
  if (!share) throw new NotFoundError()
  return share
}

const ofFiles = (which: string) => `select ${SHARE_COLUMNS} ${FROM_SHARES}
  where s.user_id = $1 and s.file_id = ${which} and ${NOT_ENDED} order by s.created_at desc, s.id desc`
/** Most calls are for one file: that statement is planned once. */
const SHARES_OF_ONE_FILE = { name: 'shares of one file', text: ofFiles('$2::uuid') }
const SHARES_OF_FILES = { name: 'shares of files', text: ofFiles('any($2::uuid[])') }

/** Shares by file id that have not ended, newest first. */
export async function sharesOfFiles(
  sql: Queryable,
  { userId }: Viewer,
  fileIds: readonly string[],
): Promise<Map<string, Share[]>> {
  const { rows } = await sql.query<ShareRow>(
    fileIds.length === 1
      ? { ...SHARES_OF_ONE_FILE, values: [userId, fileIds[0]] }
      : { ...SHARES_OF_FILES, values: [userId, fileIds] },
  )
  const shares = new Map<string, Share[]>(fileIds.map((id) => [id, []]))
  for (const row of rows) shares.get(row.file_id)?.push(toShare(row))
  return shares
}

function cursorOf({ created_at: createdAt, id }: ShareRow): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url')
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function placeOf(cursor: string): [string, string] {
  const [time, id] = partsOf(cursor)
  const isPlace = typeof time === 'string' && typeof id === 'string' && TIME.test(time) && ID.test(id)
  if (isPlace && !Number.isNaN(Date.parse(time))) return [time, id]
  const message = 'This cursor does not belong to this list. Please read the list from its beginning.'
  throw new InvalidInputError([{ path: 'after', message }])
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
