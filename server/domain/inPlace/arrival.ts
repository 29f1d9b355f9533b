import type { PoolClient } from 'pg'
import { CONTENT_VERSION } from '../files/content/hashes.ts'
import { type Change, recount } from '../files/tree/change.ts'
import { nameKey } from '../files/tree/names.ts'

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
    version as (update protected_versions set file_id = $1 where file_id = $2)
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
