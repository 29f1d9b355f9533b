import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { FileCategory } from '../../server/domain/files/contract.ts'
import { nameKey, searchKey, sortKey } from '../../server/domain/files/tree/names.ts'
import { newId } from '../../server/lib/ids.ts'
import type { ObjectStore } from '../../server/storage/objectStore.ts'

export type FileOverrides = {
  readonly userId: string
  readonly parentId?: string | null
  readonly name?: string
  readonly kind?: 'FILE' | 'FOLDER'
  readonly category?: FileCategory
  readonly mimeType?: string
  /** Stored as one piece on the user's first account; a folder has none. */
  readonly content?: Buffer | string
  /** Instead of `content`: pieces that are read in this order. */
  readonly pieces?: readonly (Buffer | string)[]
  /** Instead of content: counted, but not on disk. */
  readonly size?: number
  readonly starred?: boolean
  readonly shareCount?: number
  readonly updatedAt?: Date
}

/** A user with a `local` account and the default group cloud that holds it, without a session or a way to sign in. */
export async function createOwner(pool: pg.Pool, quotaBytes = 15 * 1024 ** 3) {
  const [userId, accountId, groupCloudId] = [newId(), newId(), newId()]
  const email = `${userId}@example.org`
  await pool.query(
    `insert into users (id, full_name, email, email_key, password_hash) values ($1, 'Ada Lovelace', $2, $2, '')`,
    [userId, email],
  )
  await pool.query(
    `insert into accounts (id, user_id, provider, name, quota_bytes) values ($1, $2, 'local', 'This server', $3)`,
    [accountId, userId, quotaBytes],
  )
  await pool.query(
    `insert into group_clouds (id, user_id, name, default_upload_group) values ($1, $2, 'My pool', true)`,
    [groupCloudId, userId],
  )
  await pool.query('insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, 0)', [
    groupCloudId,
    accountId,
  ])
  return { viewer: { userId, sessionId: newId() }, accountId, groupCloudId }
}

/** An entry as an upload or a new folder leaves it, counted in its folder and on its account. @returns its id */
export async function createFile(
  { pool, store }: { pool: pg.Pool; store: ObjectStore },
  overrides: FileOverrides,
): Promise<string> {
  const { userId, parentId = null, kind = 'FILE', name = `${kind} ${newId()}` } = overrides
  const pieces =
    kind === 'FOLDER' ? [] : (overrides.pieces ?? [overrides.content ?? '']).map((piece) => Buffer.from(piece))
  const content = Buffer.concat(pieces)
  const id = newId()
  await pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type, size, sha256,
       starred, share_count, updated_at, group_cloud_id)
     values ($1, $2, $3, $4::"FileKind", $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
       (select id from group_clouds where user_id = $2 and default_upload_group and $4::"FileKind" = 'FILE'))`,
    [
      id,
      userId,
      parentId,
      kind,
      name,
      nameKey(name),
      sortKey(name),
      searchKey(name),
      overrides.category ?? (kind === 'FOLDER' ? 'FOLDER' : 'TEXT'),
      kind === 'FOLDER' ? null : (overrides.mimeType ?? 'text/plain'),
      overrides.size ?? content.length,
      kind === 'FOLDER' ? null : createHash('sha256').update(content).digest(),
      overrides.starred ?? false,
      overrides.shareCount ?? 0,
      overrides.updatedAt ?? new Date(),
    ],
  )
  if (parentId) await pool.query('update files set child_count = child_count + 1 where id = $1', [parentId])
  if (kind === 'FILE')
    await storeContent({ pool, store }, { id, userId, pieces, size: overrides.size ?? content.length })
  return id
}

export const createFolder = (deps: { pool: pg.Pool; store: ObjectStore }, overrides: FileOverrides) =>
  createFile(deps, { ...overrides, kind: 'FOLDER' })

type StoredContent = { id: string; userId: string; pieces: readonly Buffer[]; size: number }

/** One copy on the user's first account. */
async function storeContent(
  { pool, store }: { pool: pg.Pool; store: ObjectStore },
  { id, userId, pieces, size }: StoredContent,
): Promise<void> {
  const copyId = newId()
  await pool.query('insert into copies (id, file_id, why) values ($1, $2, $3)', [copyId, id, 'It is the only one.'])
  let offset = 0
  for (const [index, piece] of pieces.entries()) {
    const objectId = newId()
    const writer = await store.stage(objectId, 0)
    await writer.write(piece)
    await writer.sync()
    await writer.close()
    await store.publish(objectId)
    const pieceSize = pieces.length === 1 ? size : piece.length
    await pool.query(
      `insert into pieces (id, copy_id, account_id, index, "offset", size, object_ref)
       select $1, $2, a.id, $4, $5, $6, $7 from accounts a where a.user_id = $3 order by a.id limit 1`,
      [newId(), copyId, userId, index, offset, pieceSize, objectId],
    )
    offset += pieceSize
  }
  await pool.query(
    `update accounts set used_bytes = used_bytes + $2
     where id = (select id from accounts where user_id = $1 order by id limit 1)`,
    [userId, size],
  )
}
