import type { PoolClient } from 'pg'
import { HASH_ALGORITHMS, type HashAlgorithm } from '../../lib/contentHash.ts'
import { HASHES_OF_FILE } from '../files/content/hashes.ts'
import { UNSETTLED } from '../files/tree/trash.ts'
import type { Enqueue } from '../jobs.ts'

// Groups more files of one size than this process should hold: in tables that end with the transaction, with the outcome of groupEqual.
// Files with exactly the same hashes are one content from the start; only contents that share a digest with another one are read, page by
// page.

/** Rows that are read at once. */
const PAGE = 2_000
/** Different contents with one digest: what so many share says nothing about them. */
const MOST_ALIKE = 1_000
/** Files of one job that computes hashes. */
const HASHED_TOGETHER = 200

const HASHES = 'sha256 text, dropbox text, sha1 text, md5 text, quickxor text'

/**
 * The tables of one check. `place`: in the order of the groups' files; `content`: the place of its first file; `kind`: a bit for each
 * algorithm that a hash is known of. Exported for the check of all statements.
 */
export const WORK_TABLES = `
  create temp table equal_files (place int primary key, id uuid not null, name_key text not null, time bigint not null, account_id uuid,
    category "FileCategory" not null, unhashed boolean not null, content int not null, ${HASHES});
  create temp table equal_contents (id int primary key, kind int not null, ${HASHES});
  create temp table equal_merged (id int primary key, target int not null);
  create temp table equal_members (key text not null, place int not null, file_id uuid not null, content int not null, kind int not null);
  create temp table equal_groups (key text primary key, id uuid not null default gen_random_uuid(), certain boolean not null,
    match text not null, hash text, files int not null, category "FileCategory" not null, changed boolean not null default true);
  create index on equal_members (key)`
const DROP = 'drop table equal_files, equal_contents, equal_merged, equal_members, equal_groups'
const SETTINGS = `select set_config('work_mem', '32MB', true)`

/** What the provider reports counts more than what was computed. */
const KNOWN_HASH = (algorithm: HashAlgorithm, computed: string) =>
  `coalesce(case when split_part(e.hash, ':', 1) = '${algorithm}' then nullif(split_part(e.hash, ':', 2), '') end, encode(${computed}, 'hex')) as ${algorithm}`

const LOAD = `insert into equal_files
  select place, id, name_key, time, account_id, category, unhashed,
    case when coalesce(sha256, dropbox, sha1, md5, quickxor) is null then place
      else min(place) over (partition by sha256, dropbox, sha1, md5, quickxor) end, sha256, dropbox, sha1, md5, quickxor
  from (select row_number() over (order by f.updated_at, f.id) as place, f.id, f.name_key,
      floor(extract(epoch from f.updated_at)) as time, f.account_id, f.category,
      f.account_id is null and h.quickxor is null as unhashed, ${KNOWN_HASH('sha256', 'coalesce(f.sha256, h.sha256)')},
      ${KNOWN_HASH('dropbox', 'h.dropbox')}, ${KNOWN_HASH('sha1', 'h.sha1')}, ${KNOWN_HASH('md5', 'h.md5')},
      ${KNOWN_HASH('quickxor', 'h.quickxor')}
    from files f left join account_entries e on e.file_id = f.id left join content_hashes h on ${HASHES_OF_FILE}
    where f.user_id = $1 and f.size = $2 and f.kind = 'FILE' and f.size > 0 and f.trash_root_id is null and f.purged_at is null
      and e.native_kind is null and (f.account_id is null or exists (select from account_indexes i where i.account_id = f.account_id))
      and not coalesce(f.parent_id = any(array(${UNSETTLED})), false)) candidate`
const LOADED = 'create index on equal_files (content); analyze equal_files'

const CONTENTS = `insert into equal_contents select place, 0, sha256, dropbox, sha1, md5, quickxor from equal_files where place = content`

const DIGEST = `case $1::text when 'sha256' then c.sha256 when 'dropbox' then c.dropbox when 'sha1' then c.sha1 when 'md5' then c.md5
  when 'quickxor' then c.quickxor end`
const SHARED = `declare equal_rows no scroll cursor for
  select * from (select c.id, c.sha256, c.dropbox, c.sha1, c.md5, c.quickxor, ${DIGEST} as digest,
      count(*) over (partition by ${DIGEST}) as others from equal_contents c where ${DIGEST} is not null) shared
  where others > 1 order by digest, id`
const MERGE = 'insert into equal_merged select * from unnest($1::int[], $2::int[])'
const TAKE_HASHES = `update equal_contents t set sha256 = coalesce(t.sha256, m.sha256), dropbox = coalesce(t.dropbox, m.dropbox),
    sha1 = coalesce(t.sha1, m.sha1), md5 = coalesce(t.md5, m.md5), quickxor = coalesce(t.quickxor, m.quickxor)
  from (select g.target, max(c.sha256) as sha256, max(c.dropbox) as dropbox, max(c.sha1) as sha1, max(c.md5) as md5,
      max(c.quickxor) as quickxor from equal_merged g join equal_contents c on c.id = g.id group by g.target) m
  where t.id = m.target`
const TAKE_FILES = 'update equal_files f set content = m.target from equal_merged m where f.content = m.id'
const END_MERGED = 'delete from equal_contents c using equal_merged m where c.id = m.id'

const KINDS = `update equal_contents set kind = (sha256 is not null)::int + (dropbox is not null)::int * 2 + (sha1 is not null)::int * 4
  + (md5 is not null)::int * 8 + (quickxor is not null)::int * 16`
/** Contents that hashes cannot tell from another one: they have no algorithm in common. */
const OPEN = `with kinds as (select kind, count(*) as contents from equal_contents group by kind)
  select k.kind from kinds k
  where exists (select from kinds o where o.kind & k.kind = 0 and (o.kind <> k.kind or k.contents > 1))`
const UNHASHED = `declare equal_rows no scroll cursor for
  select f.id from equal_files f join equal_contents c on c.id = f.content where f.unhashed and c.kind = any($1::int[]) order by f.place`

const SAME_NAME = `insert into equal_members
  select distinct on (f.name_key, f.content) 'N' || f.name_key, f.place, f.id, f.content, c.kind
  from equal_files f join equal_contents c on c.id = f.content where c.kind = any($1::int[]) order by f.name_key, f.content, f.place`
const SAME_TIME = `insert into equal_members
  select distinct on (f.time, f.content) 'T' || f.time, f.place, f.id, f.content, c.kind
  from equal_files f join equal_contents c on c.id = f.content where c.kind = any($1::int[]) order by f.time, f.content, f.place`
const DECIDED = `with kinds as (select key, kind, count(*) as contents from equal_members group by key, kind),
  decided as (select key, kind from kinds k where not exists (
    select from kinds o where o.key = k.key and o.kind & k.kind = 0 and (o.kind <> k.kind or k.contents > 1)))
  delete from equal_members m using decided d where m.key = d.key and m.kind = d.kind`
const NAMED_ALREADY = `with named as (
    select distinct on (content) content, key from equal_members where key like 'N%' order by content, place),
  covered as (select m.key from equal_members m left join named n on n.content = m.content where m.key like 'T%'
    group by m.key having count(n.key) = count(*) and count(distinct n.key) = 1)
  delete from equal_members m using covered c where m.key = c.key`
const LIKELY = `insert into equal_groups (key, certain, match, files, category)
  select c.key, false, case when c.key like 'N%' then 'NAME' else 'TIME' end, c.files, f.category
  from (select key, count(*) as files from equal_members group by key) c
    join (select distinct on (key) key, place from equal_members order by key, content) m on m.key = c.key
    join equal_files f on f.place = m.place`

const SAME_CONTENT = `insert into equal_members
  select 'C' || f.content, f.place, f.id, f.content, 0 from equal_files f
  where f.content in (select content from equal_files group by content having count(*) > 1)`
/** The most reliable algorithm that all files have a hash of, else the most reliable one of the content. */
const CERTAIN = `insert into equal_groups (key, certain, match, hash, files, category)
  select 'C' || c.id, true, coalesce(upper(s.common), 'SEVERAL_HASHES'), b.best || ':' || case b.best when 'sha256' then c.sha256
      when 'dropbox' then c.dropbox when 'sha1' then c.sha1 when 'md5' then c.md5 else c.quickxor end, s.files, f.category
  from (select content, count(*) as files, case when count(sha256) = count(*) then 'sha256' when count(dropbox) = count(*) then 'dropbox'
        when count(sha1) = count(*) then 'sha1' when count(md5) = count(*) then 'md5' when count(quickxor) = count(*) then 'quickxor' end as common
      from equal_files group by content having count(*) > 1) s
    join equal_contents c on c.id = s.content join equal_files f on f.place = c.id
    cross join lateral (select coalesce(s.common, case when c.sha256 is not null then 'sha256' when c.dropbox is not null then 'dropbox'
      when c.sha1 is not null then 'sha1' when c.md5 is not null then 'md5' else 'quickxor' end) as best) b`
const GROUPED = 'analyze equal_members; analyze equal_groups'

/** A group keeps its id while it has one of its files. */
const KEEP_IDS = `with shared as (
    select m.key, d.group_id, min(m.place) as place
    from duplicate_groups g join duplicate_files d on d.group_id = g.id join equal_members m on m.file_id = d.file_id
      join equal_groups e on e.key = m.key and e.certain = g.certain and (e.certain or e.match = g.match)
    where g.user_id = $1 and g.size = $2 group by m.key, d.group_id),
  taken as (select distinct on (group_id) key, group_id, place from shared order by group_id, place),
  kept as (select distinct on (key) key, group_id from taken order by key, place)
  update equal_groups e set id = k.group_id from kept k where k.key = e.key`
const UNCHANGED = `update equal_groups e set changed = false from duplicate_groups g
  where g.id = e.id and g.match = e.match and g.hash is not distinct from e.hash and g.category = e.category
    and (select count(*) from duplicate_files d where d.group_id = g.id) = e.files
    and (select count(*) from equal_members m join duplicate_files d on d.file_id = m.file_id and d.group_id = g.id where m.key = e.key) = e.files`
const LEAVE = `delete from duplicate_files d using duplicate_groups g where g.id = d.group_id and g.user_id = $1 and g.size = $2
  and not exists (select from equal_groups e where e.id = g.id and not e.changed)`
const REMOVE = `delete from duplicate_groups g where g.user_id = $1 and g.size = $2
  and not exists (select from equal_groups e where e.id = g.id)`
const SAVE = `insert into duplicate_groups (id, user_id, certain, size, files, waste, match, hash, category)
  select id, $1, certain, $2::bigint, files, $2::bigint * (files - 1), match, hash, category from equal_groups where changed
  on conflict (id) do update set files = excluded.files, waste = excluded.waste, match = excluded.match, hash = excluded.hash,
    category = excluded.category`
/** Leaves out files that were deleted after the tables were filled: a trigger has noted their size again. */
const JOIN = `insert into duplicate_files (group_id, file_id, user_id, account_id, waste)
  select e.id, f.id, $1, l.account_id, $2::bigint * (e.files - 1)
  from equal_groups e join equal_members m on m.key = e.key join equal_files l on l.place = m.place join files f on f.id = m.file_id
  where e.changed for key share of f`

/**
 * Finds and saves the groups of all files of one size. Memory does not depend on their number.
 * @param tx an open transaction that holds the user's check
 */
export async function regroupMany(tx: PoolClient, enqueue: Enqueue, userId: string, size: number): Promise<void> {
  await tx.query(SETTINGS)
  await tx.query(WORK_TABLES)
  await tx.query(LOAD, [userId, size])
  await tx.query(LOADED)
  await tx.query(CONTENTS)
  for (const algorithm of HASH_ALGORITHMS) await mergeBy(tx, algorithm)
  await tx.query(KINDS)
  const open = (await tx.query<{ kind: number }>(OPEN)).rows.map(({ kind }) => kind)
  await tx.query(UNHASHED, [open])
  await eachPage<{ id: string }>(tx, HASHED_TOGETHER, (rows) =>
    enqueue(tx, 'hashFiles', { fileIds: rows.map(({ id }) => id) }),
  )
  await tx.query(SAME_NAME, [open])
  await tx.query(SAME_TIME, [open])
  for (const statement of [DECIDED, NAMED_ALREADY, LIKELY, SAME_CONTENT, CERTAIN, GROUPED]) await tx.query(statement)
  const of = [userId, size]
  await tx.query(KEEP_IDS, of)
  await tx.query(UNCHANGED)
  for (const statement of [LEAVE, REMOVE, SAVE, JOIN]) await tx.query(statement, of)
  await tx.query(DROP)
}

type Content = { readonly id: number; digest: string } & { [Algorithm in HashAlgorithm]: string | null }

/** Joins contents with the same digest, unless they differ in another one. */
async function mergeBy(tx: PoolClient, algorithm: HashAlgorithm): Promise<void> {
  await tx.query(SHARED, [algorithm])
  let alike: Content[] = []
  await eachPage<Content>(tx, PAGE, async (rows) => {
    const merged: { readonly ids: number[]; readonly targets: number[] } = { ids: [], targets: [] }
    for (const content of rows) {
      if (alike[0]?.digest !== content.digest) alike = []
      const target = alike.find((one) => !HASH_ALGORITHMS.some((other) => differ(one[other], content[other])))
      if (target) {
        for (const other of HASH_ALGORITHMS) target[other] ??= content[other]
        merged.ids.push(content.id)
        merged.targets.push(target.id)
      } else if (alike.length < MOST_ALIKE) alike.push(content)
    }
    if (merged.ids.length > 0) await tx.query(MERGE, [merged.ids, merged.targets])
  })
  for (const statement of [TAKE_HASHES, TAKE_FILES, END_MERGED, 'truncate equal_merged']) await tx.query(statement)
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b
}

/** Reads the open cursor to its end and closes it. */
async function eachPage<Row extends object>(
  tx: PoolClient,
  size: number,
  use: (rows: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let count = size; count === size; ) {
    const { rows } = await tx.query<Row>(`fetch ${size} from equal_rows`)
    if (rows.length > 0) await use(rows)
    count = rows.length
  }
  await tx.query('close equal_rows')
}
