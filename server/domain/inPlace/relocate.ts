import type { PoolClient } from 'pg'
import { newId } from '../../lib/ids.ts'
import type { Change } from '../files/tree/change.ts'

// Services that name entries by their paths (Capabilities.pathRefs) give another reference to what is moved or renamed.

/** `from`: the entry's reference so far. */
export type Relocation = {
  readonly accountId: string
  readonly fileId: string
  readonly from: string
  readonly to: string
}

const MOVED = `with recursive below (id) as (
    select $2::uuid
    union select f.id from below join files f on f.parent_id = below.id),
  moved as (
    select e.file_id as id, $4 || substr(e.ref, length($3) + 1) as ref from below join account_entries e on e.file_id = below.id
    where e.account_id = $1 and (e.ref = $3 or starts_with(e.ref, rtrim($3, '/') || '/')))`

const OTHERS = `${MOVED} select m.id as "keptId", o.file_id as id, o.gone_at is null as shown, f.parent_id as "parentId",
    k.gone_at is null as "isKeptShown", kept.parent_id as "keptParentId", kept.kind = 'FILE' as "isKeptFile"
  from moved m join account_entries o on o.account_id = $1 and o.ref = m.ref and o.file_id <> m.id join files f on f.id = o.file_id
    join account_entries k on k.file_id = m.id join files kept on kept.id = m.id`

/** What moved has been listed, as far as the current listing is concerned: it would look for it where it was. */
const RELOCATE = `${MOVED}, index as (select pass from account_indexes where account_id = $1)
  update account_entries e set ref = m.ref, pass = index.pass from moved m, index where e.file_id = m.id`

/** A page of a listing that was read before can still say that the entry is where it was. */
const LEAVE_TRACE = `with index as (
    select pass from account_indexes where account_id = $1 and (passed_at is null or pass_started_at is not null)),
  file as (
    insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category, purged_at)
    select $4, f.user_id, f.account_id, f.kind, f.name, f.name_key, f.sort_key, f.search_key, f.category, now()
    from files f, index where f.id = $2)
  insert into account_entries (file_id, account_id, ref, pass, changed_in, gone_at)
  select $4, $1, $3, pass, pass, now() - interval '10 minutes' from index`

/**
 * Gives an entry, and everything below it, the references that they have after a move. Requires the lock of the index, and is followed
 * by storing the entry as it is now. What a listing has already found at the new place are the same entries: their rows end.
 */
export async function relocate(change: Change, { accountId, fileId, from, to }: Relocation): Promise<void> {
  const { tx } = change
  await endOthers(change, accountId, [accountId, fileId, from, to])
  await tx.query(RELOCATE, [accountId, fileId, from, to])
  await tx.query(LEAVE_TRACE, [accountId, fileId, from, newId()])
}

type Other = {
  readonly keptId: string
  readonly isKeptShown: boolean
  readonly keptParentId: string | null
  readonly isKeptFile: boolean
  readonly id: string
  readonly shown: boolean
  readonly parentId: string | null
}

/** Links, versions, tags, the star, the colour and children of other rows go to the rows that are kept ($1, $2: their ids, in pairs). */
export const TAKE_OVER = `with pair as (select * from unnest($1::uuid[], $2::uuid[]) as p (kept, other)),
    link as (update shares s set file_id = p.kept from pair p where s.file_id = p.other),
    version as (update protected_versions v set file_id = p.kept from pair p where v.file_id = p.other),
    inside as (update files f set parent_id = p.kept from pair p where f.parent_id = p.other),
    tag as (insert into file_tags (tag_id, file_id)
      select t.tag_id, p.kept from pair p join file_tags t on t.file_id = p.other on conflict do nothing)
  update files f set starred = f.starred or o.starred, color = coalesce(f.color, o.color) from pair p join files o on o.id = p.other where f.id = p.kept`

/** A listing has taken them for gone, because they were not where they had been. */
const SHOW = `with entry as (update account_entries set gone_at = null, held = false where file_id = any($1::uuid[]))
  update files set purged_at = null, trashed_at = null, trash_root_id = null where id = any($1::uuid[])`

/** A folder that is gone has the path of a file now: so is what was in it. @returns how many of it were shown */
const EMPTY = `with recursive below (id) as (
    select id from files where parent_id = any($1::uuid[])
    union select f.id from below join files f on f.parent_id = below.id),
  was as (select e.file_id as id from below b join account_entries e on e.file_id = b.id where e.gone_at is null),
  entry as (update account_entries e set gone_at = now() - interval '10 minutes', held = false, unlisted = false from was where e.file_id = was.id),
  file as (update files f set purged_at = coalesce(f.purged_at, now()), parent_id = case when f.parent_id = any($1::uuid[]) then null else f.parent_id end
    from below where f.id = below.id)
  select id from was`

async function endOthers(
  { tx, parentIds, changedIds, removedIds }: Change,
  accountId: string,
  moved: string[],
): Promise<void> {
  const { rows } = await tx.query<Other>(OTHERS, moved)
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  const emptied = await tx.query<{ id: string }>(EMPTY, [rows.flatMap((row) => (row.isKeptFile ? row.id : []))])
  for (const { id } of emptied.rows) removedIds.add(id)
  await tx.query(TAKE_OVER, [rows.map(({ keptId }) => keptId), ids])
  await tx.query('delete from files where id = any($1::uuid[])', [ids])
  const shown = rows.filter((row) => row.shown)
  const hidden = shown.filter(({ isKeptShown }) => !isKeptShown)
  const returning = hidden.map(({ keptId }) => keptId)
  await tx.query(SHOW, [returning])
  await countAgain(
    tx,
    rows.flatMap(({ keptId, keptParentId, parentId }) =>
      [keptId, keptParentId, parentId].filter((one) => one !== null),
    ),
  )
  for (const { id, keptId, parentId, keptParentId } of shown) {
    removedIds.add(id)
    changedIds.add(keptId)
    for (const folder of [parentId, keptParentId]) parentIds.add(folder)
  }
  await tx.query('update account_indexes set entries = entries - $2 where account_id = $1', [
    accountId,
    shown.length - returning.length + emptied.rows.length,
  ])
}

async function countAgain(tx: PoolClient, folderIds: readonly string[]): Promise<void> {
  await tx.query(
    `update files f set child_count = (
       select count(*) from files c where c.parent_id = f.id and c.trashed_at is null and c.purged_at is null)
     where f.id = any($1::uuid[]) and f.kind = 'FOLDER'`,
    [folderIds],
  )
}
