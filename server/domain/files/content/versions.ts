import type { ClientBase } from 'pg'
import type { Viewer } from '../../viewer.ts'
import type { Queryable } from '../tree/entries.ts'

// A file keeps its id when its content is replaced: the old content goes to a hidden row below it (`is_version`), with its copies, their
// transfers and their checksums. So everything that looks after the content of files looks after versions too.

export const VERSION_SOURCES = ['UPLOAD', 'EDITOR', 'RESTORE'] as const
/** How a version came about: by an upload, from the editor, or by restoring an earlier one. */
export type VersionSource = (typeof VERSION_SOURCES)[number]

/** Who made a version, and how. */
export type Author = {
  readonly source: VersionSource
  /** The API key that was used; null: a signed-in browser. */
  readonly keyId: string | null
}

export function authorOf({ key }: Viewer, source: VersionSource): Author {
  return { source, keyId: key?.id ?? null }
}

const LOCK = 'select from files where id = any($1::uuid[]) order by id for update'

const EXCHANGE = `update files f set category = o.category, mime_type = o.mime_type, size = o.size, sha256 = o.sha256, state = o.state,
    state_reason = o.state_reason, staged_ref = o.staged_ref, copied_from = o.copied_from,
    taken_at = o.taken_at, picture_width = o.picture_width, picture_height = o.picture_height,
    group_cloud_id = case when $3::boolean then o.group_cloud_id else f.group_cloud_id end,
    updated_at = case when f.id = $1 then clock_timestamp() else f.updated_at end
  from files o where f.id = $1 and o.id = $2 or f.id = $2 and o.id = $1`

const repoint = (
  table: string,
  column: string,
) => `update ${table} set ${column} = case when ${column} = $1::uuid then $2::uuid else $1::uuid end
  where ${column} in ($1::uuid, $2::uuid)`
const REPOINT = [repoint('copies', 'file_id'), repoint('transfers', 'file_id'), repoint('file_versions', 'content_id')]

/** What has the id of its row as its key: in two statements, because the keys would meet for a moment. */
const TAKE_SUMS = 'delete from block_sums where file_id in ($1, $2) returning file_id, block_size, sums'
const PUT_SUMS = 'insert into block_sums (file_id, block_size, sums) values ($1, $2, $3)'
const TAKE_HASHES = `delete from content_hashes where file_id in ($1, $2) returning file_id, version, sha256, md5, sha1, dropbox, quickxor`
const PUT_HASHES = `insert into content_hashes (file_id, version, sha256, md5, sha1, dropbox, quickxor) values ($1, $2, $3, $4, $5, $6, $7)`

type Sums = { readonly file_id: string; readonly block_size: number; readonly sums: Buffer }
type Hashes = { readonly file_id: string; readonly version: string } & {
  readonly [Algorithm in 'sha256' | 'md5' | 'sha1' | 'dropbox' | 'quickxor']: Buffer | null
}

/**
 * Exchanges the contents of a file and of a hidden row below it, with everything that belongs to them. `withGroupCloud`: each content
 * stays in its group cloud; otherwise each row keeps its own. The caller has locked the accounts, or changes no state of a copy.
 */
async function exchangeContents(
  tx: ClientBase,
  fileId: string,
  contentId: string,
  { withGroupCloud }: { readonly withGroupCloud: boolean },
): Promise<void> {
  const ids = [fileId, contentId]
  await tx.query(LOCK, [ids])
  await tx.query(EXCHANGE, [...ids, withGroupCloud])
  for (const statement of REPOINT) await tx.query(statement, ids)
  const otherOf = (id: string) => (id === fileId ? contentId : fileId)
  const sums = await tx.query<Sums>(TAKE_SUMS, ids)
  for (const row of sums.rows) await tx.query(PUT_SUMS, [otherOf(row.file_id), row.block_size, row.sums])
  const hashes = await tx.query<Hashes>(TAKE_HASHES, ids)
  for (const { file_id: id, version, sha256, md5, sha1, dropbox, quickxor } of hashes.rows) {
    await tx.query(PUT_HASHES, [otherOf(id), version, sha256, md5, sha1, dropbox, quickxor])
  }
}

/** A file that was not replaced before: its content becomes a version, by the key that the activity log names, if any. */
const BEGIN = `insert into file_versions (user_id, file_id, content_id, size, sha256, created_at, source, key_name)
  select f.user_id, f.id, f.id, f.size, f.sha256, f.created_at, 'UPLOAD', (
    select a.actor_name from activities a where a.subject_id = f.id and a.user_id = f.user_id and a.action = 'FILE_UPLOADED'
      and a.actor_kind = 'KEY' order by a.at limit 1)
  from files f where f.id = $1 and f.sha256 is not null
    and not exists (select from file_versions v where v.file_id = f.id and v.ended_at is null)`
const END = `update file_versions set ended_at = clock_timestamp() where file_id = $1 and ended_at is null returning id`
const ADD = `insert into file_versions (user_id, file_id, content_id, size, sha256, created_at, source, key_name, restored_from)
  select f.user_id, f.id, f.id, f.size, f.sha256, f.updated_at, $2, (select k.name from api_keys k where k.id = $3 and k.user_id = f.user_id), $4
  from files f where f.id = $1`

/**
 * Gives a file the content of a hidden row, as its new current version. What it had becomes an earlier version, whose id is returned.
 * `restoredFrom`: since when the restored version was the file's content.
 */
export async function addVersion(
  tx: ClientBase,
  fileId: string,
  contentId: string,
  author: Author & { readonly restoredFrom?: Date },
): Promise<string | null> {
  await tx.query(BEGIN, [fileId])
  const ended = await tx.query<{ id: string }>(END, [fileId])
  const withGroupCloud = author.source !== 'RESTORE'
  await exchangeContents(tx, fileId, contentId, { withGroupCloud })
  await tx.query(ADD, [fileId, author.source, author.keyId, author.restoredFrom ?? null])
  return ended.rows[0]?.id ?? null
}

/** Whether a file has more earlier versions than its owner keeps. */
export async function hasTooMany(sql: Queryable, fileId: string): Promise<boolean> {
  const { rows } = await sql.query<{ tooMany: boolean }>(
    `select (select count(*) from file_versions v where v.file_id = f.id and v.ended_at is not null) > u.most_versions as "tooMany"
     from files f join users u on u.id = f.user_id where f.id = $1`,
    [fileId],
  )
  return rows[0]?.tooMany ?? false
}
