import type pg from 'pg'
import type { Viewer } from '../../viewer.ts'
import type { File } from '../contract.ts'

// Pictures of contents that this server cannot draw, made by the browser that uploaded them. They are found by the hash of the content, so
// that copies and earlier versions have them too, and only for files of the same user: another user could have sent anything as one.

type Sql = Pick<pg.Pool, 'query'>

/** A file of which a browser may have made a picture, for `f` (files); as the index `files_browser_pictures` says. */
const MADE_BY_BROWSERS = `f.account_id is null and (f.category = 'VIDEO' or f.mime_type in ('image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'))`

const HEIF = /^image\/hei[cf](?:-sequence)?$/

/** The same of a file that was read. */
export function isMadeByBrowsers({ accountId, sha256, category, mimeType, size }: File): boolean {
  const isKind = category === 'VIDEO' || HEIF.test(mimeType ?? '')
  return accountId === null && sha256 !== null && size > 0 && isKind
}

/** A condition for `f`: it is not of that kind, or its picture is there. */
export const HAS_OTHER_OR_BROWSER_PICTURE = `(not (${MADE_BY_BROWSERS}) or exists (
  select from browser_pictures b where b.user_id = f.user_id and b.sha256 = f.sha256))`

export type BrowserPicture = {
  /** Changes when another picture is sent. */
  readonly revision: string
  readonly durationMs: number | null
}

const FACTS = `select f.id, extract(epoch from b.created_at)::text as revision, b.duration_ms as "durationMs"
  from files f join browser_pictures b on b.user_id = f.user_id and b.sha256 = f.sha256
  where f.user_id = $1 and f.id = any($2::uuid[]) and f.account_id is null and f.purged_at is null`

/** By file; without those that have none. */
export async function browserPicturesOf(
  sql: Sql,
  { userId }: Viewer,
  ids: readonly string[],
): Promise<Map<string, BrowserPicture>> {
  const { rows } = await sql.query<BrowserPicture & { id: string }>(FACTS, [userId, ids])
  return new Map(rows.map(({ id, revision, durationMs }) => [id, { revision, durationMs }]))
}

const BYTES = `select b.small, b.medium, b.large from browser_pictures b where b.user_id = $1 and b.sha256 = decode($2, 'hex')`

/** WebP in the sizes of thumbnails; null: there is none. */
export async function readBrowserPicture(
  sql: Sql,
  { userId }: Viewer,
  sha256: string,
): Promise<{ readonly small: Buffer; readonly medium: Buffer; readonly large: Buffer } | null> {
  const { rows } = await sql.query<{ small: Buffer; medium: Buffer; large: Buffer }>(BYTES, [userId, sha256])
  return rows[0] ?? null
}

const SAVE = `insert into browser_pictures (user_id, sha256, small, medium, large, duration_ms)
  select f.user_id, f.sha256, $4, $5, $6, $7 from files f
    where f.user_id = $1 and f.id = $2 and f.sha256 = decode($3, 'hex') and f.purged_at is null
  on conflict (user_id, sha256) do update set small = excluded.small, medium = excluded.medium, large = excluded.large,
    duration_ms = excluded.duration_ms, created_at = now()`

export type NewBrowserPicture = {
  readonly small: Buffer
  readonly medium: Buffer
  readonly large: Buffer
  readonly durationMs: number | null
}

/** @returns false: the file has another content by now, or is deleted */
export async function saveBrowserPicture(
  sql: Sql,
  { userId }: Viewer,
  { id, sha256 }: File,
  { small, medium, large, durationMs }: NewBrowserPicture,
): Promise<boolean> {
  const { rowCount } = await sql.query(SAVE, [userId, id, sha256, small, medium, large, durationMs])
  return rowCount === 1
}

/** No file of the user has the content any more; of deleted files, the bytes are gone. */
const UNUSED = `not exists (select from files f where f.user_id = b.user_id and f.sha256 = b.sha256 and ${MADE_BY_BROWSERS})`

/** Of contents that these deleted files had. */
export async function dropBrowserPictures(sql: Sql, userId: string, sha256s: readonly string[]): Promise<void> {
  await sql.query(
    `delete from browser_pictures b where b.user_id = $1 and b.sha256 = any(array(select decode(s, 'hex') from unnest($2::text[]) s)) and ${UNUSED}`,
    [userId, sha256s],
  )
}

/** Of contents that were replaced. Those of the last hour may be of a file that is being stored. */
export async function sweepBrowserPictures(sql: Sql): Promise<void> {
  await sql.query(`delete from browser_pictures b where b.created_at < now() - interval '1 hour' and ${UNUSED}`)
}
