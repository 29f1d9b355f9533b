import type { FileKind } from '../services.ts'
import type { Change } from './change.ts'
import type { Queryable } from './lookup.ts'

/** So many entries below trashed or restored folders are marked on the request path; a job does the rest. */
export const INLINE_ENTRIES = 2_000

/**
 * Gives the live entries of these folders the folders' own `trash_root_id`, at most `limit` of one kind.
 * What was trashed by itself keeps its own. @returns how many were wrong before
 */
export async function inheritTrashRoot(
  sql: Queryable,
  folderIds: readonly string[],
  kind: FileKind,
  limit: number,
): Promise<number> {
  const { rowCount } = await sql.query(
    `with wrong as (
       select c.id, p.trash_root_id from files p join files c on c.parent_id = p.id
       where p.id = any($1::uuid[]) and c.kind = $2::"FileKind" and c.trashed_at is null and c.purged_at is null
         and c.trash_root_id is distinct from p.trash_root_id limit $3)
     update files f set trash_root_id = wrong.trash_root_id from wrong where f.id = wrong.id`,
    [folderIds, kind, limit],
  )
  return rowCount ?? 0
}

/** Ids of the folders in these folders, without those that were trashed by themselves. */
export async function subfolders(sql: Queryable, folderIds: readonly string[], limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select id from files where parent_id = any($1::uuid[]) and kind = 'FOLDER' and trashed_at is null
     and purged_at is null limit $2`,
    [folderIds, limit],
  )
  return rows.map(({ id }) => id)
}

/**
 * Brings `trash_root_id` below the folders up to date, as far as it goes within the bound, and leaves the rest to jobs.
 * Folders go first: their update waits for uploads into them and refuses later ones, so none of their files is missed.
 */
export async function settleBelow(change: Change, folderIds: readonly string[]): Promise<void> {
  let left = INLINE_ENTRIES
  let level = folderIds
  while (level.length > 0 && left > 0) {
    left -= await inheritTrashRoot(change.tx, level, 'FOLDER', left)
    if (left > 0) left -= await inheritTrashRoot(change.tx, level, 'FILE', left)
    level = await subfolders(change.tx, level, INLINE_ENTRIES)
    if (level.length === INLINE_ENTRIES) left = 0
  }
  if (left > 0) return
  const { userId, tx, enqueue } = change
  await beginSettling(tx, folderIds)
  for (const folderId of folderIds)
    await enqueue(tx, 'propagateTrash', { userId, folderId }, { key: `trash ${folderId}` })
}

/** From now on what is below the folders is judged by them (UNSETTLED), not by its own `trash_root_id` or `purged_at`. */
export async function beginSettling(sql: Queryable, folderIds: readonly string[]): Promise<void> {
  await sql.query("update files set settling = gen_random_uuid() where id = any($1::uuid[]) and kind = 'FOLDER'", [
    folderIds,
  ])
}

/**
 * Folders of the user `$1` that are in the trash or deleted, or below one that is, while a job still marks what is in them. Mostly
 * none, which one look at an index tells.
 */
export const UNSETTLED = `with recursive gone (id) as (
    select s.id from files s where s.user_id = $1 and s.settling is not null
      and (s.trash_root_id is not null or s.purged_at is not null)
    union select c.id from gone join files c on c.parent_id = gone.id and c.kind = 'FOLDER')
  select id from gone`
