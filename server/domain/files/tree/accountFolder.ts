import { newId } from '../../../lib/ids.ts'
import type { Change } from './change.ts'
import type { Queryable } from './entries.ts'
import { nameKey, searchKey, sortKey } from './names.ts'

// The folder at the root of a user's tree that shows everything in one account. The account names it.

/** Sorts after all names that users give to folders. */
const AFTER_ALL = '\u{10FFFF}'

const keysOf = (name: string) => [nameKey(name), `${AFTER_ALL}${sortKey(name)}`, searchKey(name)]

const INSERT = `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
  values ($1, $2, $3, 'FOLDER', $4, $5, $6, $7, 'FOLDER')`

/** @returns its id */
export async function insertAccountFolder(
  { tx, userId, parentIds }: Change,
  account: { readonly id: string; readonly name: string },
): Promise<string> {
  const id = newId()
  await tx.query(INSERT, [id, userId, account.id, account.name, ...keysOf(account.name)])
  parentIds.add(null)
  return id
}

/** Names the folder after its account. @returns its id; null if the account has none */
export async function renameAccountFolder(sql: Queryable, accountId: string, name: string): Promise<string | null> {
  const { rows } = await sql.query<{ id: string }>(
    `update files f set name = $2, name_key = $3, sort_key = $4, search_key = $5, updated_at = now()
     from account_indexes i where i.account_id = $1 and f.id = i.root_file_id returning f.id`,
    [accountId, name, ...keysOf(name)],
  )
  return rows[0]?.id ?? null
}

/**
 * Ends the index of an account and hides its folder. The caller queues `forgetEntries`, which removes the rows.
 * @returns the folder's id; null if there was none
 */
export async function dropAccountFolder(sql: Queryable, accountId: string): Promise<string | null> {
  const { rows } = await sql.query<{ id: string }>(
    'delete from account_indexes where account_id = $1 returning root_file_id as id',
    [accountId],
  )
  const id = rows[0]?.id ?? null
  if (id !== null) await sql.query('update files set purged_at = now() where id = $1', [id])
  return id
}
