import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type pg from 'pg'
import { newId, parsePublicId } from '../../../server/lib/ids.ts'
import type { Client } from './skypool.ts'

export type Owner = { readonly userId: string; readonly groupCloudId: string }

/** The database ids behind a signed-in client. */
export async function ownerOf(client: Client): Promise<Owner> {
  const me = await client.json<{ id: string }>('/api/v1/auth/me')
  const clouds = await client.json<{ items: { id: string }[] }>('/api/v1/group-clouds')
  const userId = parsePublicId(me.id)?.id
  const groupCloudId = parsePublicId(clouds.items[0]?.id ?? '')?.id
  if (!userId || !groupCloudId) throw new Error('the new user has no group cloud')
  return { userId, groupCloudId }
}

/** A folder at the root with `count` file rows in it, written straight into the table: listing does not read bytes. */
export async function seedFolder(pool: pg.Pool, owner: Owner, name: string, count: number): Promise<string> {
  const id = newId()
  await pool.query(
    `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, child_count)
     values ($1, $2, 'FOLDER', $3, lower($3), lower($3), lower($3), 'FOLDER', $4)`,
    [id, owner.userId, name, count],
  )
  await pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type, size,
       group_cloud_id, updated_at)
     select gen_random_uuid(), $1, $2, 'FILE', n, lower(n), lower(n), lower(n), 'IMAGE', 'image/jpeg', (i::bigint * 7919) % 10000000,
       $3, now() - i * interval '1 second'
     from (select i, $5 || ' ' || substr(md5(i::text), 1, 10) || ' ' || lpad(i::text, 7, '0') || '.jpg' as n
           from generate_series(1, $4::int) i) as names`,
    [owner.userId, id, owner.groupCloudId, count, `Photo ${name}`],
  )
  // Autovacuum would analyze this many new rows within a minute.
  await pool.query('analyze files')
  return id
}

/** What `make` returned when the file was written, which is as JSON now. */
export async function remember<Value>(path: string, make: () => Promise<Value>): Promise<Value> {
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Value
  const value = await make()
  writeFileSync(path, JSON.stringify(value))
  return value
}
