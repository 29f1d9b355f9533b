import type { Pool, PoolClient } from 'pg'
import { newId } from '../../lib/ids.ts'
import type { EntryRef } from '../../providers/driver.ts'
import { type Change, recount } from '../files/tree/change.ts'
import { enqueueWholeProtection, type IndexedAccount, LISTING } from './apply.ts'
import { getKnown, type Known, updateEntries } from './entries.ts'

// Services that name entries by their paths (Capabilities.pathRefs) do not say that an entry was renamed or moved: one is gone, and another
// one is new. When both are the same file, the row of the first stays, with its id, star and links, and gets the place of the second. Only
// rows of the index change: nothing is asked of the account here.

/** Longer than what was hidden because the user decided it (hideEntries): that does not come back under another name. */
const JUST_HIDDEN = "interval '10 minutes'"

const SECONDS = 'floor(extract(epoch from f.updated_at))::bigint'

/** Revisions that say no more than size and time: what SFTP and WebDAV without etags have, and the etags of nginx; and plain counters. */
const IS_TIME = `(length(e.revision) < 10 or btrim(e.revision, '"') in (f.size || '-' || ${SECONDS},
  to_char(f.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' ' || f.size,
  to_hex(${SECONDS}) || '-' || to_hex(f.size)))`

/** An etag that S3 makes of the hashes of the parts. A copy made by the service has another time. */
const IS_OF_PARTS = `e.revision ~ '^"?[0-9a-f]{32}-[0-9]+"?$'`

/**
 * Equal for two files that are the same one: size and hash; else size, etag and time; else size, time and name. Null for what cannot be
 * recognised: folders, empty files, and documents without content.
 */
const IDENTITY = `case when f.kind <> 'FILE' or f.size = 0 or e.native_kind is not null or coalesce(e.hash, e.revision) is null then null
    when e.hash is not null then concat_ws(' ', f.size, e.hash)
    when ${IS_OF_PARTS} then concat_ws(' ', f.size, e.revision)
    when ${IS_TIME} then concat_ws(' ', f.size, e.revision, extract(epoch from f.updated_at), f.name)
    else concat_ws(' ', f.size, e.revision, extract(epoch from f.updated_at)) end`

/** Without a hash, a file that has not moved and looks the same makes it uncertain which one it is. */
const IS_CONTENT = `(e.hash is not null or ${IS_OF_PARTS})`

/**
 * Files that are gone ($3: at or below these references, the account says so; or just hidden) or missing ($4: in the current listing), and
 * new ones, that have an identity in common which no other file of either side has. `$2`: the listing in progress, or the next one.
 */
const PAIRS = `with recursive below (id) as (
    select file_id from account_entries where account_id = $1 and ref = any($3::text[])
    union select f.id from below join files f on f.parent_id = below.id),
  was as (
    select f.id, e.ref, f.parent_id, ${IDENTITY} as identity, ${IS_CONTENT} as of_content, f.size, f.user_id, e.revision, f.updated_at,
      e.gone_at is not null or b.id is not null as confirmed
    from account_entries e join files f on f.id = e.file_id left join below b on b.id = f.id
    where e.account_id = $1 and f.trash_root_id is null and e.pass < $2 and (e.gone_at > now() - ${JUST_HIDDEN}
      or e.gone_at is null and not e.held and (b.id is not null or $4 and e.changed_in < $2))),
  found as (
    select f.id, e.ref, ${IDENTITY} as identity
    from account_entries e join files f on f.id = e.file_id
    where e.account_id = $1 and e.found_in = $2 and e.gone_at is null and not e.held and f.trash_root_id is null
      and not exists (select from was where was.id = f.id)),
  one_was as (select identity, min(id::text)::uuid as id from was where identity is not null group by identity having count(*) = 1),
  one_found as (select identity, min(id::text)::uuid as id from found where identity is not null group by identity having count(*) = 1)
  select w.id, w.ref, w.parent_id, w.confirmed, n.id as found_id, n.ref as found_ref
  from one_was o join one_found t on t.identity = o.identity join was w on w.id = o.id join found n on n.id = t.id
  where w.of_content or not exists (
    select from files s join account_entries e on e.file_id = s.id
    where s.user_id = w.user_id and s.size = w.size and s.kind = 'FILE' and s.purged_at is null and s.trash_root_id is null
      and e.account_id = $1 and e.revision = w.revision and s.updated_at = w.updated_at and s.id not in (w.id, n.id))`

/** The topmost entries that are gone or missing, of pairs that the account was not asked about yet. */
const TO_ASK = `with recursive pair as (${PAIRS}),
  up (id, parent_id, ref) as (
    select id, parent_id, ref from pair where not confirmed
    union select f.id, f.parent_id, e.ref from up join files f on f.id = up.parent_id join account_entries e on e.file_id = f.id
      where e.pass < $2 and e.changed_in < $2 and e.gone_at is null and not e.held)
  select distinct ref from up where not exists (select from up above where above.id = up.parent_id) limit $5`

/** What the account has to be asked about before files that a complete listing did not contain are taken for moved. */
export async function findToAsk(pool: Pool, accountId: string, pass: number, limit: number): Promise<EntryRef[]> {
  const { rows } = await pool.query<{ ref: EntryRef }>(TO_ASK, [accountId, pass, [], true, limit])
  return rows.map(({ ref }) => ref)
}

/** Whether something was hidden that could be found again under another name. */
export async function hasJustHidden(pool: Pool, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from account_entries where account_id = $1 and gone_at > now() - ${JUST_HIDDEN} limit 1`,
    [accountId],
  )
  return rowCount === 1
}

/** `goneRefs`: what the account says it does not have. `isListing`: a complete listing is being concluded. */
type Gone = { readonly goneRefs: readonly string[]; readonly isListing: boolean }

type Pair = {
  readonly id: string
  readonly ref: string
  readonly foundId: string
  readonly foundRef: string
  /** The topmost folder above that is gone too; null: none. */
  readonly topId: string | null
  readonly topRef: string | null
}

const CONFIRMED = `with recursive pair as (${PAIRS}),
  up (pair_id, id, ref, parent_id, level) as (
    select p.id, p.id, p.ref, p.parent_id, 0 from pair p where p.confirmed
    union all select up.pair_id, f.id, e.ref, f.parent_id, up.level + 1
      from up join files f on f.id = up.parent_id join account_entries e on e.file_id = f.id
      where f.trash_root_id is null and (e.gone_at > now() - ${JUST_HIDDEN} or f.id in (select id from below))),
  below (id) as (
    select file_id from account_entries where account_id = $1 and ref = any($3::text[])
    union select f.id from below join files f on f.parent_id = below.id),
  top as (select distinct on (pair_id) pair_id, id, ref from up where level > 0 order by pair_id, level desc)
  select p.id, p.ref, p.found_id as "foundId", p.found_ref as "foundRef", t.id as "topId", t.ref as "topRef"
  from pair p left join top t on t.pair_id = p.id where p.confirmed`

const AT = `select pass, ${LISTING} as listing from account_indexes where account_id = $1`

/**
 * Gives rows of files and folders that are gone the places of the same ones that are new. Requires the lock of the index, and comes before
 * what is gone is hidden.
 */
export async function followMoved(
  change: Change,
  account: IndexedAccount,
  { goneRefs, isListing }: Gone,
): Promise<void> {
  const { tx } = change
  const { rows } = await tx.query<{ pass: number; listing: number }>(AT, [account.id])
  const [at] = rows
  if (!at) return
  const { rows: pairs } = await tx.query<Pair>(CONFIRMED, [account.id, at.listing, goneRefs, isListing])
  if (pairs.length === 0) return
  const folders = await followFolders(change, account, at, pairs)
  const files = pairs.filter(({ topId }) => topId === null || !folders.has(topId))
  await followFiles(change, account, { pass: at.pass, changedIn: isListing ? 0 : at.pass }, files)
  await enqueueWholeProtection(tx, change.enqueue, account.id)
}

/** Where the folders of pairs would be now: those for which all of their pairs say the same. */
function placesOf(pairs: readonly Pair[]): Map<string, { readonly ref: string; readonly to: string }> {
  const places = new Map<string, { readonly ref: string; readonly to: string | null }>()
  for (const { ref, foundRef, topId, topRef } of pairs) {
    if (topId === null || topRef === null || !ref.startsWith(topRef)) continue
    const end = ref.slice(topRef.length)
    const to = foundRef.endsWith(end) ? foundRef.slice(0, foundRef.length - end.length) : null
    const before = places.get(topId)
    places.set(topId, { ref: topRef, to: before === undefined || before.to === to ? to : null })
  }
  const targets = [...places.values()].map(({ to }) => to)
  const isOnly = (to: string) => targets.filter((other) => other === to).length === 1
  return new Map([...places].flatMap(([id, { ref, to }]) => (to !== null && isOnly(to) ? [[id, { ref, to }]] : [])))
}

/**
 * Everything in both folders is at the same place below them, with the same size and hash or revision. What had been hidden before the
 * first one is not in it any more.
 */
const IS_SAME_FOLDER = `with recursive was (id, path) as (
    select $2::uuid, ''
    union all select f.id, was.path || '/' || f.name from was join files f on f.parent_id = was.id join account_entries e on e.file_id = f.id
      where f.trash_root_id is null and e.pass < $4
        and e.gone_at is not distinct from (select gone_at from account_entries where file_id = $2)),
  found (id, path) as (
    select e.file_id, '' from account_entries e join files f on f.id = e.file_id
      where e.account_id = $1 and e.ref = $3 and e.found_in = $4 and e.gone_at is null and not e.held and f.kind = 'FOLDER'
    union all select f.id, found.path || '/' || f.name from found join files f on f.parent_id = found.id
      where f.purged_at is null and f.trash_root_id is null),
  a as (select was.path, f.kind, f.size, coalesce(e.hash, e.revision) as mark
    from was join files f on f.id = was.id join account_entries e on e.file_id = f.id),
  b as (select found.path, f.kind, f.size, coalesce(e.hash, e.revision) as mark, e.found_in
    from found join files f on f.id = found.id join account_entries e on e.file_id = f.id)
  select (select file_id from account_entries where account_id = $1 and ref = $3) as "foundId"
  where (select count(*) from a) = (select count(*) from b) and (select count(*) from a) = (
    select count(*) from a join b on b.path = a.path and b.kind = a.kind and b.found_in = $4
      and (a.kind = 'FOLDER' or b.size = a.size and b.mark is not distinct from a.mark))`

/** @returns the ids of the folders that have moved with everything in them */
async function followFolders(
  change: Change,
  { id: accountId, userId }: IndexedAccount,
  { pass, listing }: { readonly pass: number; readonly listing: number },
  pairs: readonly Pair[],
): Promise<Set<string>> {
  const { tx } = change
  const followed = new Set<string>()
  for (const [fileId, { ref: from, to }] of placesOf(pairs)) {
    const { rows } = await tx.query<{ foundId: string }>(IS_SAME_FOLDER, [accountId, fileId, to, listing])
    const [same] = rows
    if (!same) continue
    const known = await getKnown(tx, accountId, [fileId, same.foundId])
    const [was, found] = [known.get(fileId), known.get(same.foundId)]
    if (!was || !found) continue
    await relocate(change, { accountId, fileId, from, to })
    await updateEntries(tx, { userId, accountId, pass, changedIn: found.changedIn }, [
      { known: { ...was, ref: to }, mirror: found },
    ])
    await recount(change, [found.parentId], [was.parentId])
    change.changedIds.add(fileId)
    followed.add(fileId)
  }
  return followed
}

const SHOW = `with entry as (
    update account_entries e set ref = g.ref, gone_at = null, held = false from unnest($1::uuid[], $2::text[]) as g (id, ref)
    where e.file_id = g.id)
  update files set purged_at = null where id = any($1::uuid[])`

/** As LEAVE_TRACE of relocate, of many files. */
const LEAVE_TRACES = `with index as (
    select pass from account_indexes where account_id = $1 and (passed_at is null or pass_started_at is not null)),
  given as (select g.* from unnest($2::uuid[], $3::text[], $4::uuid[]) as g (id, ref, trace_id), index),
  file as (
    insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category, purged_at)
    select g.trace_id, f.user_id, f.account_id, f.kind, f.name, f.name_key, f.sort_key, f.search_key, f.category, now()
    from given g join files f on f.id = g.id)
  insert into account_entries (file_id, account_id, ref, pass, changed_in, gone_at)
  select g.trace_id, $1, g.ref, pass, pass, now() - interval '10 minutes' from given g, index`

async function followFiles(
  change: Change,
  { id: accountId, userId }: IndexedAccount,
  place: { readonly pass: number; readonly changedIn: number },
  pairs: readonly Pair[],
): Promise<void> {
  const { tx } = change
  const known = await getKnown(
    tx,
    accountId,
    pairs.flatMap(({ id, foundId }) => [id, foundId]),
  )
  const moved = pairs.flatMap(({ id, foundId }) => {
    const [was, found] = [known.get(id), known.get(foundId)]
    return was && found ? [{ was, found }] : []
  })
  if (moved.length === 0) return
  const ids = moved.map(({ was }) => was.fileId)
  const foundIds = moved.map(({ found }) => found.fileId)
  await tx.query(TAKE_OVER, [ids, foundIds])
  await tx.query('delete from files where id = any($1::uuid[])', [foundIds])
  await tx.query(SHOW, [ids, moved.map(({ found }) => found.ref)])
  await updateEntries(
    tx,
    { userId, accountId, ...place },
    moved.map(({ was, found }) => ({ known: { ...was, ref: found.ref }, mirror: found })),
  )
  await leaveTraces(tx, accountId, moved)
  await countMoved(change, accountId, moved)
}

type Moved = { readonly was: Known; readonly found: Known }

async function leaveTraces(tx: PoolClient, accountId: string, moved: readonly Moved[]): Promise<void> {
  const ids = moved.map(({ was }) => was.fileId)
  const refs = moved.map(({ was }) => was.ref)
  await tx.query(LEAVE_TRACES, [accountId, ids, refs, ids.map(() => newId())])
}

/** Their new folders have counted them already, as other entries. */
async function countMoved(change: Change, accountId: string, moved: readonly Moved[]): Promise<void> {
  const shown = moved.filter(({ was }) => !was.isGone)
  await change.tx.query('update account_indexes set entries = entries - $2 where account_id = $1', [
    accountId,
    shown.length,
  ])
  await recount(
    change,
    [],
    shown.map(({ was }) => was.parentId),
  )
  for (const { was, found } of moved) {
    change.changedIds.add(was.fileId)
    change.removedIds.add(found.fileId)
    change.parentIds.add(was.parentId)
    change.parentIds.add(found.parentId)
  }
}

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
const TAKE_OVER = `with pair as (select * from unnest($1::uuid[], $2::uuid[]) as p (kept, other)),
    link as (update shares s set file_id = p.kept from pair p where s.file_id = p.other),
    version as (update protected_versions v set file_id = p.kept from pair p where v.file_id = p.other),
    inside as (update files f set parent_id = p.kept from pair p where f.parent_id = p.other),
    tag as (insert into file_tags (tag_id, file_id)
      select t.tag_id, p.kept from pair p join file_tags t on t.file_id = p.other on conflict do nothing)
  update files f set starred = f.starred or o.starred, color = coalesce(f.color, o.color) from pair p join files o on o.id = p.other where f.id = p.kept`

/** A listing has taken them for gone, because they were not where they had been. */
const SHOW_AGAIN = `with entry as (update account_entries set gone_at = null, held = false where file_id = any($1::uuid[]))
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
  await tx.query(SHOW_AGAIN, [returning])
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
