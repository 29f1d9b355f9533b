import type { PoolClient } from 'pg'
import { freeName, nameKey, searchKey, sortKey, storableName, takenKeys } from '../files/tree/names.ts'
import { type Enqueue, enqueueReconcile } from '../jobs.ts'
import { endProtections } from './service.ts'

// What happens to protecting copies when their account leaves.

export type Leaving = {
  readonly userId: string
  readonly accountId: string
  /** What is protected becomes ordinary files, in the folders that it was in. */
  readonly keep: boolean
}

/**
 * To be called before the index of an account ends. Earlier versions are removed. With `keep`, the account's folder stays as one of
 * Skypool's own, with what was protected in it; stars and links stay too.
 */
export async function leaveProtection(
  tx: PoolClient,
  enqueue: Enqueue,
  { userId, accountId, keep }: Leaving,
): Promise<void> {
  const groupCloudIds = keep ? await keepFiles(tx, userId, accountId) : []
  if (groupCloudIds.length > 0) {
    await tx.query('update files set purged_at = now() where account_id = $1 and user_id = $2 and purged_at is null', [
      accountId,
      userId,
    ])
    await tx.query('delete from account_indexes where account_id = $1', [accountId])
    await enqueue(tx, 'forgetEntries', { accountId }, { key: `forget ${accountId}` })
  }
  await endProtections({ tx, userId, enqueue, transferIds: new Set() }, { accountId })
  for (const groupCloudId of groupCloudIds) await enqueueReconcile(tx, enqueue, { userId, groupCloudId })
}

/** The newest stored version of each file that is still there. */
const KEPT = `kept as materialized (
    select distinct on (v.file_id) v.file_id, v.content_id, f.parent_id from protected_versions v join files f on f.id = v.file_id
      join files c on c.id = v.content_id
    where v.account_id = $1 and f.purged_at is null and f.trash_root_id is null and c.purged_at is null
    order by v.file_id, v.ended_at desc nulls first)`

/** Their folders, up to the account's own. */
const FOLDERS = `with recursive ${KEPT}, folder (id, parent_id) as (
    select f.id, f.parent_id from files f where f.id in (select parent_id from kept)
    union select p.id, p.parent_id from folder join files p on p.id = folder.parent_id)`

/** Each first gets its id as its key, because names in accounts need not be unique. */
const KEEP_FOLDERS = `${FOLDERS}, entry as (delete from account_entries e using folder where e.file_id = folder.id)
  update files f set account_id = null, name_key = f.id::text from folder where f.id = folder.id returning f.id`

const SHOW = `with ${KEPT}, link as (
    update shares s set file_id = kept.content_id from kept where s.file_id = kept.file_id),
  tag as (insert into file_tags (tag_id, file_id)
    select t.tag_id, kept.content_id from kept join file_tags t on t.file_id = kept.file_id on conflict do nothing)
  update files c set parent_id = f.parent_id, name = f.name, name_key = c.id::text, sort_key = f.sort_key, search_key = f.search_key,
    starred = f.starred, share_count = f.share_count, trash_root_id = null, protected_account_id = null, wanted_copies = null
  from kept join files f on f.id = kept.file_id where c.id = kept.content_id
  returning c.id, c.group_cloud_id as "groupCloudId"`

/** Names that are valid and the only ones of their key. Others are numbered or corrected one by one. */
const NAME = `with named as (
    select f.id, k.key, row_number() over (partition by f.parent_id, k.key order by f.id) as number
    from files f join unnest($2::uuid[], $3::text[]) as k (id, key) on k.id = f.id)
  update files f set name_key = named.key from named where f.id = named.id and named.number = 1 and f.user_id = $1
    and not exists (select from files o where o.user_id = $1 and o.parent_id is not distinct from f.parent_id and o.name_key = named.key
      and o.id <> f.id and o.account_id is null and o.trashed_at is null and o.purged_at is null)
  returning f.id`

const COUNT = `update files f set child_count = (
    select count(*) from files c where c.parent_id = f.id and c.trashed_at is null and c.purged_at is null and c.account_id is null)
  where f.id = any($1::uuid[])`

/** @returns the group clouds that have their bytes; empty if nothing was stored */
async function keepFiles(tx: PoolClient, userId: string, accountId: string): Promise<string[]> {
  const folders = await tx.query<{ id: string }>(KEEP_FOLDERS, [accountId])
  const files = await tx.query<{ id: string; groupCloudId: string }>(SHOW, [accountId])
  const folderIds = folders.rows.map(({ id }) => id)
  await nameAll(tx, userId, [...folderIds, ...files.rows.map(({ id }) => id)])
  await tx.query(COUNT, [folderIds])
  return [...new Set(files.rows.map(({ groupCloudId }) => groupCloudId))]
}

/** Entries per statement. */
const BATCH = 5_000

async function nameAll(tx: PoolClient, userId: string, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH) {
    const { rows } = await tx.query<Named>(
      `select f.id, f.name, f.kind, f.parent_id as "parentId" from files f where f.id = any($1::uuid[]) order by f.id`,
      [ids.slice(at, at + BATCH)],
    )
    const valid = rows.filter(({ name }) => storableName(name) === name)
    const done = await tx.query<{ id: string }>(NAME, [
      userId,
      valid.map(({ id }) => id),
      valid.map(({ name }) => nameKey(name)),
    ])
    const named = new Set(done.rows.map(({ id }) => id))
    for (const row of rows) if (!named.has(row.id)) await nameOne(tx, userId, row)
    await tx.query(
      'update files set sort_key = i.key from unnest($1::uuid[], $2::text[]) as i(id, key) where files.id = i.id',
      [
        rows.filter(({ parentId }) => parentId === null).map(({ id }) => id),
        rows.filter(({ parentId }) => parentId === null).map(({ name }) => sortKey(name)),
      ],
    )
  }
}

type Named = {
  readonly id: string
  readonly name: string
  readonly kind: 'FILE' | 'FOLDER'
  readonly parentId: string | null
}

async function nameOne(tx: PoolClient, userId: string, { id, name, kind, parentId }: Named): Promise<void> {
  const wanted = storableName(name)
  const space = { userId, parentId }
  const isTaken = (await takenKeys(tx, space, [nameKey(wanted)])).size > 0
  const free = isTaken ? await freeName(tx, space, wanted, kind) : wanted
  await tx.query('update files set name = $2, name_key = $3, sort_key = $4, search_key = $5 where id = $1', [
    id,
    free,
    nameKey(free),
    sortKey(free),
    searchKey(free),
  ])
}
