import { createHash } from 'node:crypto'
import type pg from 'pg'
import { createBlockSummer, saveBlockSums } from '../../server/domain/files/content/blockSums.ts'
import { nameKey, searchKey, sortKey } from '../../server/domain/files/tree/names.ts'
import { newId } from '../../server/lib/ids.ts'
import { type MemoryCloud, ROOT } from '../fakes/memory/cloud.ts'

export type RemotePiece = {
  readonly accountId: string
  readonly size: number
  /** Where it begins; without it right after the one before. */
  readonly offset?: number
  readonly planned?: boolean
}

export type RemoteFile = {
  readonly userId: string
  readonly groupCloudId: string
  readonly content: Buffer
  readonly copies: readonly (readonly RemotePiece[])[]
  readonly name?: string
  readonly parentId?: string | null
  readonly stagedRef?: string
}

/** An account of the memory cloud, whose login is its id, connected and a member of the group cloud. */
export async function connectAccount(
  { pool, cloud }: { pool: pg.Pool; cloud: MemoryCloud },
  { userId, groupCloudId, name }: { userId: string; groupCloudId: string; name: string },
): Promise<string> {
  const id = newId()
  cloud.addAccount({ subject: id })
  await pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, quota_state, quota_bytes)
     values ($1, $2, $3, $5, $4, 'UNLIMITED', null)`,
    [id, userId, cloud.service.kind, name, id],
  )
  await pool.query(
    `insert into group_cloud_members (group_cloud_id, account_id, position)
     select $1, $2, count(*) from group_cloud_members where group_cloud_id = $1`,
    [groupCloudId, id],
  )
  return id
}

/** A file as transfers leave it: objects at its accounts, sums of its blocks, its bytes counted. @returns its id */
export async function createRemoteFile(
  { pool, cloud }: { pool: pg.Pool; cloud: MemoryCloud },
  { userId, groupCloudId, content, copies, name = `file ${newId()}`, parentId = null, stagedRef }: RemoteFile,
): Promise<string> {
  const id = newId()
  await pool.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type, size, sha256,
       group_cloud_id, staged_ref)
     values ($1, $2, $3, 'FILE', $4, $5, $6, $7, 'OTHER', 'application/octet-stream', $8, $9, $10, $11)`,
    [
      id,
      userId,
      parentId,
      name,
      nameKey(name),
      sortKey(name),
      searchKey(name),
      content.length,
      createHash('sha256').update(content).digest(),
      groupCloudId,
      stagedRef ?? null,
    ],
  )
  const summer = createBlockSummer(content.length)
  summer.update(content)
  const client = await pool.connect()
  await saveBlockSums(client, id, summer.result())
  client.release()
  for (const pieces of copies) await addCopy({ pool, cloud }, id, content, pieces)
  return id
}

/** One more copy. */
export async function addCopy(
  { pool, cloud }: { pool: pg.Pool; cloud: MemoryCloud },
  fileId: string,
  content: Buffer,
  pieces: readonly RemotePiece[],
): Promise<void> {
  const copyId = newId()
  const isStored = pieces.every(({ planned }) => !planned)
  const values = [copyId, fileId, isStored ? 'STORED' : 'STORING']
  await pool.query(
    `insert into copies (id, file_id, state, why) values ($1, $2, $3::"CopyState", 'As planned.')`,
    values,
  )
  let next = 0
  for (const [index, { accountId, size, offset = next, planned = false }] of pieces.entries()) {
    next = offset + size
    const bytes = content.subarray(offset, next)
    const object = { kind: 'file', name: `${copyId}.${index}`, bytes, mimeType: null, parent: ROOT } as const
    const ref = planned ? null : cloud.tree(accountId).add(object).ref
    await pool.query(
      `insert into pieces (id, copy_id, account_id, index, "offset", size, state, object_ref)
       values ($1, $2, $3, $4, $5, $6, $7::"PieceState", $8)`,
      [newId(), copyId, accountId, index, offset, size, planned ? 'PLANNED' : 'STORED', ref],
    )
    const column = planned ? 'reserved_bytes' : 'used_bytes'
    await pool.query(`update accounts set ${column} = ${column} + $2 where id = $1`, [accountId, size])
  }
}

/** Pieces of `unit` bytes, dealt to the accounts in turn. */
export function dealt(accountIds: readonly string[], size: number, unit: number): RemotePiece[] {
  return Array.from({ length: Math.ceil(size / unit) }, (_, index) => ({
    accountId: accountIds[index % accountIds.length] ?? '',
    size: Math.min(unit, size - index * unit),
  }))
}
