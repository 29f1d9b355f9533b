import type pg from 'pg'
import { newId } from '../../server/lib/ids.ts'

export type PlantedProtection = { readonly folderId: string; readonly versionId: string }

/** A protected account that cannot be used now, with an earlier version of one file. */
export async function createProtection(pool: pg.Pool, userId: string): Promise<PlantedProtection> {
  const [accountId, folderId, containerId, contentId, protectionId] = [newId(), newId(), newId(), newId(), newId()]
  const { rows } = await pool.query<{ id: string }>('select id from group_clouds where user_id = $1 limit 1', [userId])
  const groupCloudId = rows[0]?.id
  await pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, status) values ($1::uuid, $2, 'google-drive', $1::uuid::text, 'Lost', 'EXPIRED')`,
    [accountId, userId],
  )
  await pool.query(
    `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
     values ($1, $2, $3, 'FOLDER', 'Lost', 'lost', 'lost', 'lost', 'FOLDER')`,
    [folderId, userId, accountId],
  )
  await pool.query('insert into account_indexes (account_id, root_file_id) values ($1, $2)', [accountId, folderId])
  await pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, group_cloud_id,
       protected_account_id, trash_root_id)
     values ($1::uuid, $3, null, 'FOLDER', 'Lost', $1::uuid::text, '', '', 'FOLDER', null, $4, $1::uuid),
       ($2::uuid, $3, $1::uuid, 'FILE', 'old.txt', $2::uuid::text, '', '', 'TEXT', $5, $4, $2::uuid)`,
    [containerId, contentId, userId, accountId, groupCloudId],
  )
  await pool.query(
    `insert into protections (id, user_id, account_id, folder_id, group_cloud_id, container_id, copies, keep_versions_days)
     values ($1, $2, $3, $4, $5, $6, 1, 30)`,
    [protectionId, userId, accountId, folderId, groupCloudId, containerId],
  )
  const version = await pool.query<{ id: string }>(
    `insert into protected_versions (protection_id, account_id, file_id, content_id, version, size, ended_at, reason, name, parent_id)
     values ($1, $2, $3, $4, 'v', 0, now(), 'DELETED', 'old.txt', $5) returning id`,
    [protectionId, accountId, newId(), contentId, folderId],
  )
  return { folderId, versionId: version.rows[0]?.id ?? '' }
}
