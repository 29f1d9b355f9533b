import type pg from 'pg'
import type { Viewer } from '../../viewer.ts'
import {
  type CategoryUsage,
  FILE_CATEGORIES,
  type FilesSummary,
  type PhotoMonth,
  type WhichFiles,
} from '../contract.ts'
import { distinctIds, requireLiveFolder } from './change.ts'
import { type Statement, selectionSql } from './listing.ts'

type Row = CategoryUsage & { readonly asOf: Date }

/** @throws as FilesService.summarize */
export async function summarize(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<FilesSummary> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<Row & { readonly category: Row['category'] | null }>(
    `select now()::timestamptz(3) as "asOf", category, coalesce(files, 0)::int as files, coalesce(bytes, 0)::float8 as bytes
     from (select 1) as always left join (
       select f.category, count(*) as files, sum(f.size) as bytes from files f where ${text} group by f.category) as found on true`,
    [...values],
  )
  const categories = FILE_CATEGORIES.flatMap((category) => {
    const row = rows.find((one) => one.category === category)
    return row ? [{ category, files: row.files, bytes: row.bytes }] : []
  })
  const count = categories.reduce((sum, { files }) => sum + files, 0)
  const folders = categories.find(({ category }) => category === 'FOLDER')?.files ?? 0
  const bytes = categories.reduce((sum, one) => sum + one.bytes, 0)
  return { asOf: rows[0]?.asOf ?? new Date(0), count, files: count - folders, folders, bytes, categories }
}

/** Walks everything below the selected folders. @throws as FilesService.bytesOf */
export async function bytesOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<number> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<{ bytes: number }>(
    `with recursive tree as (
       select f.id, f.kind, f.size from files f where ${text}
       union select c.id, c.kind, c.size from tree join files c on c.parent_id = tree.id
         where tree.kind = 'FOLDER' and c.trashed_at is null and c.purged_at is null)
     select coalesce(sum(size), 0)::float8 as bytes from tree`,
    [...values],
  )
  return rows[0]?.bytes ?? 0
}

/** The same definition as `storedIn`. @throws as FilesService.accountsOf */
export async function accountsOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<string[]> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<{ id: string }>(
    `select a.id from accounts a where a.user_id = $1 and a.disconnected_at is null and exists (
       select from files f join copies c on c.file_id = f.id and c.state <> 'MISSING'
         join pieces p on p.copy_id = c.id and p.account_id = a.id where ${text})
     order by a.id`,
    [...values],
  )
  return rows.map(({ id }) => id)
}

/** @throws as FilesService.monthsOf */
export async function monthsOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<PhotoMonth[]> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<PhotoMonth>(
    `select to_char(coalesce(f.taken_at, f.updated_at) at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as count
     from files f where ${text} and f.category in ('IMAGE', 'VIDEO') group by 1 order by 1 desc`,
    [...values],
  )
  return rows
}

async function whereOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<Statement> {
  if ('ids' in which) {
    const values = [viewer.userId, distinctIds(which.ids)]
    return { text: 'f.user_id = $1 and f.purged_at is null and f.id = any($2::uuid[])', values }
  }
  const { view, parentId, query } = which.list
  if (view === 'DRIVE' && parentId && !query) await requireLiveFolder({ tx: pool, userId: viewer.userId }, parentId)
  return selectionSql(viewer, which.list)
}

/** Exported for the tests of its plan. */
export const USAGE = {
  name: 'storage-by-type',
  text: `select category, count(*)::int as files, sum(size)::float8 as bytes from files
    where user_id = $1 and kind = 'FILE' and purged_at is null and account_id is null and not is_version group by category`,
}

/** Exported for the tests of its plan. */
export const AT_RISK = {
  name: 'count-at-risk',
  text: `select count(*)::int as files from files
    where user_id = $1 and kind = 'FILE' and state = 'AT_RISK' and trash_root_id is null and purged_at is null`,
}

/** Space used by files of each type, in the order of the categories, including the trash. */
export async function storageByType(pool: pg.Pool, { userId }: Viewer): Promise<CategoryUsage[]> {
  const { rows } = await pool.query<CategoryUsage>({ ...USAGE, values: [userId] })
  return FILE_CATEGORIES.flatMap((category) => rows.find((row) => row.category === category) ?? [])
}

export async function countAtRisk(pool: pg.Pool, { userId }: Viewer): Promise<number> {
  const { rows } = await pool.query<{ files: number }>({ ...AT_RISK, values: [userId] })
  return rows[0]?.files ?? 0
}
