import type { PoolClient } from 'pg'
import { ConflictError } from '../../errors.ts'
import { type Enqueue, enqueueReconcile } from '../../jobs.ts'
import { dropPieces } from '../content/removals.ts'
import { type Change, lockAccounts, recount } from './change.ts'
import type { Queryable } from './entries.ts'
import { freeName, nameKey, searchKey, sortKey, takenKeys } from './names.ts'

// Files that are being stored in a folder of an account: their bytes are on this server, and the account does not have them yet.

export type Arriving = {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly accountName: string
}

const FIND = `select f.id, f.name, f.parent_id as "parentId", a.name as "accountName"
  from account_uploads u join files f on f.id = u.file_id join accounts a on a.id = u.account_id
  where f.user_id = $1 and f.purged_at is null and `
const FIND_BY_ID = `${FIND} f.id = any($2::uuid[])`
const FIND_BY_ACCOUNT = `${FIND} u.account_id = $2`

/** Those among these files of a user. */
export async function findArriving(sql: Queryable, userId: string, ids: readonly string[]): Promise<Arriving[]> {
  return (await sql.query<Arriving>(FIND_BY_ID, [userId, ids])).rows
}

/** The account has to have a file before its owner can change it there. */
export function stillArriving({ name, accountName }: Pick<Arriving, 'name' | 'accountName'>): ConflictError {
  return new ConflictError(
    `“${name}” is still being stored in “${accountName}”. Please wait until it is there, or cancel its transfer.`,
  )
}

const PIECES = `select p.id from copies c join pieces p on p.copy_id = c.id where c.file_id = any($1::uuid[])`
/** New entries that were not shown because they could have been one of these files. */
const REVEAL = `update account_entries e set unlisted = true from account_uploads u join files f on f.id = u.file_id
  where u.file_id = any($1::uuid[]) and u.deferred <> '{}' and e.file_id = f.parent_id and e.gone_at is null`
const REVEAL_TOP = `update account_indexes i set pass = pass + 1, cursor = null, listed = false, pass_started_at = now()
  from account_uploads u join files f on f.id = u.file_id
  where u.file_id = any($1::uuid[]) and u.deferred <> '{}' and f.parent_id = i.root_file_id
    and i.pass_started_at is null and i.passed_at is not null`

/** Frees their room; what was sent of them is removed from their accounts. The caller has locked the accounts. */
async function stopSending(tx: PoolClient, enqueue: Enqueue, ids: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(PIECES, [ids])
  await dropPieces(
    tx,
    enqueue,
    rows.map(({ id }) => id),
  )
  await tx.query('delete from copies where file_id = any($1::uuid[])', [ids])
  await tx.query(REVEAL, [ids])
  await tx.query(REVEAL_TOP, [ids])
}

const END_TRANSFERS = `update transfers set state = 'CANCELLED', ended_at = now(), next_try_at = null
  where file_id = any($1::uuid[]) and state not in ('DONE', 'CANCELLED') returning id`

/** Deletes the files before their accounts have them; a job removes their bytes. Others among the ids are left alone. */
export async function cancelArriving(change: Change, ids: readonly string[]): Promise<void> {
  const { tx, userId, enqueue, removedIds, transferIds } = change
  await lockAccounts(change)
  await tx.query('select from files where id = any($1::uuid[]) order by id for update', [ids])
  const files = await findArriving(tx, userId, ids)
  const found = files.map(({ id }) => id)
  if (found.length === 0) return
  await stopSending(tx, enqueue, found)
  const ended = await tx.query<{ id: string }>(END_TRANSFERS, [found])
  for (const { id } of ended.rows) transferIds.add(id)
  await tx.query('update files set purged_at = now() where id = any($1::uuid[])', [found])
  for (const id of found) removedIds.add(id)
  await recount(
    change,
    [],
    files.map(({ parentId }) => parentId),
  )
  await enqueue(tx, 'purgeFiles', { userId }, { key: `purge ${userId}` })
}

const TO_GROUP_CLOUD = `with gone as (delete from account_uploads where file_id = $1),
    ended as (delete from transfers where file_id = $1)
  update files set account_id = null, parent_id = $2, name = $3, name_key = $4, sort_key = $5, search_key = $6,
    state = 'RECEIVED', state_reason = null,
    group_cloud_id = (select id from group_clouds where user_id = $7 order by default_upload_group desc, created_at, id limit 1)
  where id = $1`

type StoringInstead = { readonly tx: PoolClient; readonly userId: string; readonly enqueue: Enqueue }

/**
 * Stores files in the default group cloud instead, in a folder of Skypool's own; a taken name gets a number. The caller has locked
 * the accounts, and counts the files in their folders.
 */
export async function storeInGroupCloud(
  { tx, userId, enqueue }: StoringInstead,
  files: readonly Arriving[],
  parentId: string | null,
): Promise<void> {
  const ids = files.map(({ id }) => id)
  if (ids.length === 0) return
  await tx.query('select from files where id = any($1::uuid[]) order by id for update', [ids])
  await stopSending(tx, enqueue, ids)
  for (const { id, name: wanted } of files) {
    const space = { userId, parentId }
    const isTaken = (await takenKeys(tx, space, [nameKey(wanted)])).size > 0
    const name = isTaken ? await freeName(tx, space, wanted, 'FILE') : wanted
    await tx.query(TO_GROUP_CLOUD, [id, parentId, name, nameKey(name), sortKey(name), searchKey(name), userId])
  }
  await enqueueReconcile(tx, enqueue, { userId, fileIds: ids })
}

/** Files that an account will never get, because it is shown no longer, go to the root. @returns their ids */
export async function storeAllInGroupCloud(storing: StoringInstead, accountId: string): Promise<string[]> {
  const { rows } = await storing.tx.query<Arriving>(FIND_BY_ACCOUNT, [storing.userId, accountId])
  await storeInGroupCloud(storing, rows, null)
  return rows.map(({ id }) => id)
}
