import type { PoolClient } from 'pg'
import { ConflictError } from '../../errors.ts'
import { type Enqueue, enqueueReconcile } from '../../jobs.ts'
import { CONTENT_VERSION } from '../content/hashes.ts'
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

// An uploaded file becomes an entry of its account. Its row stays the same.

const SENT = `select u.file_id as "fileId", f.parent_id as "parentId", f.name_key as "nameKey", f.size::float8 as size
  from account_uploads u join files f on f.id = u.file_id and f.purged_at is null
  where u.account_id = $1 and exists (
    select from copies c join pieces p on p.copy_id = c.id where c.file_id = f.id and p.session is not null)`
const DEFER = `update account_uploads set deferred = array(select distinct unnest(deferred || $2::text[])) where file_id = $1`

export type NewFile = { readonly ref: string; readonly parentId: string; readonly name: string; readonly size: number }

/**
 * References among new files of an account that may be the results of uploads in progress: who sends them will know. They are noted
 * with the upload, so that they are looked at again if they were not.
 */
export async function deferSent(tx: PoolClient, accountId: string, files: readonly NewFile[]): Promise<Set<string>> {
  const deferred = new Set<string>()
  if (files.length === 0) return deferred
  type Sent = { fileId: string; parentId: string | null; nameKey: string; size: number }
  const { rows } = await tx.query<Sent>({ name: 'in place sent', text: SENT, values: [accountId] })
  for (const sent of rows) {
    const same = files.filter(
      (file) => file.parentId === sent.parentId && file.size === sent.size && nameKey(file.name) === sent.nameKey,
    )
    if (same.length === 0) continue
    const refs = same.map(({ ref }) => ref)
    await tx.query(DEFER, [sent.fileId, refs])
    for (const ref of refs) deferred.add(ref)
  }
  return deferred
}

type Arrived = { readonly accountId: string; readonly fileId: string; readonly ref: string }

const TAKE_OVER = `with link as (update shares set file_id = $1 where file_id = $2),
    version as (update protected_versions set file_id = $1 where file_id = $2),
    tag as (insert into file_tags (tag_id, file_id) select tag_id, $1 from file_tags where file_id = $2 on conflict do nothing)
  update files f set starred = f.starred or o.starred from files o where f.id = $1 and o.id = $2`
const BECOME = `with arrived as (delete from account_uploads where file_id = $1),
    entry as (insert into account_entries (file_id, account_id, ref, gone_at) values ($1, $2, $3, now())),
    hashes as (insert into content_hashes (file_id, version, sha256) select id, '', sha256 from files where id = $1
      on conflict (file_id) do nothing)
  update files set staged_ref = null, sha256 = null, state = 'STORED', state_reason = null where id = $1`

/**
 * Prepares that applyReport stores the account's entry under the id of the uploaded file. Requires the lock of the index and of the
 * file, which is not stored as a copy any more.
 */
export async function becomeEntry(change: Change, { accountId, fileId, ref }: Arrived): Promise<void> {
  const { tx, removedIds } = change
  type Known = { id: string; parentId: string | null; shown: boolean }
  const { rows } = await tx.query<Known>(
    `select f.id, f.parent_id as "parentId", f.purged_at is null and f.trash_root_id is null as shown
     from account_entries e join files f on f.id = e.file_id where e.account_id = $1 and e.ref = $2`,
    [accountId, ref],
  )
  const [known] = rows
  // It was moved or renamed there before this server knew that it was stored.
  if (known) {
    await tx.query(TAKE_OVER, [fileId, known.id])
    await tx.query('delete from files where id = $1', [known.id])
    removedIds.add(known.id)
  }
  if (known?.shown) {
    await tx.query('update account_indexes set entries = entries - 1 where account_id = $1', [accountId])
  }
  const parent = await tx.query<{ parentId: string | null }>(
    'select parent_id as "parentId" from files where id = $1 for update',
    [fileId],
  )
  await recount(change, [], [parent.rows[0]?.parentId ?? null, ...(known?.shown ? [known.parentId] : [])])
  await tx.query(BECOME, [fileId, accountId, ref])
}

/** The hashes of the uploaded bytes are those of the entry, as it was just stored. */
export async function keepHashes(tx: PoolClient, fileId: string): Promise<void> {
  await tx.query(
    `update content_hashes h set version = ${CONTENT_VERSION} from files f join account_entries e on e.file_id = f.id
     where h.file_id = $1 and f.id = $1`,
    [fileId],
  )
}
