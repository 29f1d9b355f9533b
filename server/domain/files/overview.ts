import type pg from 'pg'
import { type CategoryUsage, FILE_CATEGORIES } from '../services.ts'
import type { Viewer } from '../viewer.ts'

/** Exported for the tests of its plan. */
export const USAGE = {
  name: 'storage-by-type',
  text: `select category, count(*)::int as files, sum(size)::float8 as bytes from files
    where user_id = $1 and kind = 'FILE' and purged_at is null group by category`,
}

/** Exported for the tests of its plan. */
export const AT_RISK = {
  name: 'count-at-risk',
  text: `select count(*)::int as files from files
    where user_id = $1 and kind = 'FILE' and state = 'AT_RISK' and trash_root_id is null and purged_at is null`,
}

/** What the files of each type take, in the order of the categories; what lies in the trash takes its space too. */
export async function storageByType(pool: pg.Pool, { userId }: Viewer): Promise<CategoryUsage[]> {
  const { rows } = await pool.query<CategoryUsage>({ ...USAGE, values: [userId] })
  return FILE_CATEGORIES.flatMap((category) => rows.find((row) => row.category === category) ?? [])
}

export async function countAtRisk(pool: pg.Pool, { userId }: Viewer): Promise<number> {
  const { rows } = await pool.query<{ files: number }>({ ...AT_RISK, values: [userId] })
  return rows[0]?.files ?? 0
}
