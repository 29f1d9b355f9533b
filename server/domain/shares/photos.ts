import type pg from 'pg'
import type { PhotoMonth } from '../files/contract.ts'
import { ROOT } from '../files/tree/entries.ts'
import { notInShare, type OpenShare, requireBelow } from './visits.ts'

/** Visitors read them again and again, so that this bounds what one of them costs; a client reads so many pages within a minute. */
export const MOST_COUNTED = 10_000

/** The index of a folder's photos ends the inner scan. A file has no months: what is below it are its versions. */
export const MONTHS = {
  name: 'shared photo months',
  text: `select to_char(taken at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as count
    from (select coalesce(f.taken_at, f.updated_at) as taken from files f
      where f.user_id = $1 and coalesce(f.parent_id, '${ROOT}') = $2::uuid and f.category in ('IMAGE', 'VIDEO')
        and f.trashed_at is null and f.purged_at is null
        and exists (select from files p where p.id = $2::uuid and p.user_id = $1 and p.kind = 'FOLDER')
      order by coalesce(f.taken_at, f.updated_at) desc, f.id desc limit ${MOST_COUNTED}) newest
    group by 1 order by 1 desc`,
}

/**
 * The months of the newest photos and videos directly in the shared folder, or in one below it.
 * @throws NotFoundError when the folder is not in the share
 */
export async function monthsOfShared(
  pool: pg.Pool,
  share: OpenShare,
  folderId: string = share.file.id,
): Promise<PhotoMonth[]> {
  if (share.file.kind !== 'FOLDER') throw notInShare()
  await requireBelow(pool, share, folderId)
  const { rows } = await pool.query<PhotoMonth>({ ...MONTHS, values: [share.userId, folderId] })
  return rows
}
