import type { ClientBase } from 'pg'

const LOCK = `select id from files where id = any($1::uuid[]) and kind = 'FOLDER' order by id for no key update`

/** Up from each folder: it is live when nothing at or above it is in the trash or deleted. */
const LIVE = `with recursive up as (
    select id as folder_id, user_id, parent_id, trashed_at is null and purged_at is null as live from files
    where id = any($1::uuid[]) and kind = 'FOLDER'
    union all
    select up.folder_id, up.user_id, f.parent_id, f.trashed_at is null and f.purged_at is null
    from up join files f on f.id = up.parent_id where up.live
  )
  select folder_id, min(user_id::text) as user_id from up group by folder_id having bool_and(live)`

type Folder = { folder_id: string; user_id: string }

/** Which of the folders are live, each with its owner. */
export async function liveFolders(
  client: Pick<ClientBase, 'query'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<Folder>(LIVE, [ids])
  return new Map(rows.map((row) => [row.folder_id, row.user_id]))
}

/** The same, held until the transaction ends: none of them can be trashed before. */
export async function lockLiveFolders(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  await client.query(LOCK, [ids])
  return liveFolders(client, ids)
}
