import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Connection } from '../../server/db/embedded/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../server/db/migrate.ts'
import { withThrowAwayDatabase } from '../../server/scripts/migration/throwAwayDatabase.ts'

/**
 * `npm run row-sizes`: fills a database with a sample of users and entries, and prints how many bytes a row of each large table takes,
 * with its indexes. `docs/scale.md` calculates with these numbers.
 */
const { values } = parseArgs({ options: { entries: { type: 'string', default: '200000' } } })
const ENTRIES = Number(values.entries)
const USERS = Math.max(1, Math.round(ENTRIES / 1_000))

/**
 * Half of the entries are in place in accounts, half are stored by Skypool, a quarter of these with two copies. Names are those of
 * photos and documents (some 30 characters), references those of Google Drive (33 characters).
 */
const FILL = [
  `create temp table owners as select uuidv7() as user_id, uuidv7() as local_id, uuidv7() as drive_id, uuidv7() as group_id,
     uuidv7() as folder_id, n from generate_series(1, ${USERS}) n`,
  `insert into users (id, full_name, email, email_key, password_hash)
     select user_id, 'Ada Lovelace ' || n, 'ada.' || n || '@example.org', 'ada.' || n || '@example.org', repeat('x', 97) from owners`,
  `insert into sessions (id, user_id, token_hash, user_agent, address, expires_at)
     select uuidv7(), user_id, sha256((user_id::text || d)::bytea), repeat('a', 110), '203.0.113.7', now() from owners, generate_series(1, 3) d`,
  `insert into accounts (id, user_id, provider, provider_account_id, name, email, hue)
     select local_id, user_id, 'local', null, 'This server', null, 0 from owners
     union all select drive_id, user_id, 'google-drive', '10' || n, 'Ada', 'ada.' || n || '@example.org', 3 from owners`,
  `insert into account_credentials select drive_id, repeat(md5(n::text), 20) from owners`,
  `insert into account_feeds (account_id, cursor) select drive_id, '123456' from owners`,
  `insert into account_indexes (account_id, root_file_id, root_ref) select drive_id, folder_id, md5(n::text) from owners`,
  `insert into group_clouds (id, user_id, name) select group_id, user_id, 'Default' from owners`,
  `create temp table entries as select uuidv7() as id, o.*, i, 'IMG_' || i || ' ' || substr(md5(i::text), 1, 16) || '.jpg' as name,
     (i::bigint * 7919) % 10000000 as size, i % 2 = 0 as in_place, i % 8 = 1 as twice
     from generate_series(1, ${ENTRIES}) i join owners o on o.n = i % ${USERS} + 1`,
  `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, mime_type, size, sha256, group_cloud_id,
       account_id, state)
     select id, user_id, folder_id, 'FILE', name, lower(name), lower(name), lower(name), 'IMAGE', 'image/jpeg', size,
       case when in_place then null else sha256(name::bytea) end, case when in_place then null else group_id end,
       case when in_place then drive_id end, 'STORED' from entries`,
  `insert into account_entries (file_id, account_id, ref, revision, hash, web_url, rights, pass)
     select id, drive_id, '1' || md5(i::text), i::text, 'md5:' || md5(i::text), 'https://drive.google.com/file/d/1' || md5(i::text) || '/view', 127, 1
     from entries where in_place`,
  `create temp table stored as select uuidv7() as copy_id, e.*, c from entries e, generate_series(1, 2) c
     where not in_place and (c = 1 or twice)`,
  `insert into copies (id, file_id, why) select copy_id, id, 'Most free space' from stored`,
  `insert into pieces (id, copy_id, account_id, size, object_ref, hash)
     select uuidv7(), copy_id, case when c = 1 then drive_id else local_id end, size, '1' || md5(copy_id::text), 'md5:' || md5(i::text) from stored`,
  `insert into content_hashes (file_id, version, sha256, md5)
     select id, md5(i::text), sha256(name::bytea), decode(md5(i::text), 'hex') from entries where not in_place`,
  `insert into block_sums (file_id, block_size, sums) select id, 4194304, decode(repeat('00', 24), 'hex') from entries where not in_place`,
  `insert into activities (id, user_id, actor_kind, actor_id, actor_name, address, action, subject_type, subject_id, file_ids, subject_name, search_key)
     select uuidv7(), user_id, 'SESSION', user_id, 'Chrome on Linux', '203.0.113.7', 'UPLOADED', 'File', id, array[id], name, lower(name) from entries`,
  `insert into changes (user_id, topic, event) select user_id, 'filesChanged', jsonb_build_object('parentIds', jsonb_build_array(folder_id), 'ids', jsonb_build_array(id)) from entries`,
  `insert into transfers (id, user_id, file_id, copy_id, kind, state, total_bytes)
     select uuidv7(), user_id, id, copy_id, 'STORE', 'DONE', size from stored`,
  `insert into shares (id, user_id, file_id) select gen_random_uuid(), user_id, id from entries where i % 100 = 0`,
]

const SIZES = `select c.relname as "table", c.reltuples::bigint as rows, pg_relation_size(c.oid)::float8 / c.reltuples as heap,
    pg_indexes_size(c.oid)::float8 / c.reltuples as indexes,
    (pg_total_relation_size(c.oid) - pg_relation_size(c.oid) - pg_indexes_size(c.oid))::float8 / c.reltuples as other,
    (select count(*)::int from pg_index where indrelid = c.oid) as count
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.reltuples >= $1
  order by pg_total_relation_size(c.oid) desc`

/** Of the tables with the most rows. */
const INDEXES = `select i.relname as index, pg_relation_size(i.oid)::float8 / c.reltuples as bytes
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  where c.relname = any($1) and c.reltuples > 0 and pg_relation_size(i.oid) / c.reltuples >= 1 order by 2 desc limit 30`

type Size = { table: string; rows: string; heap: number; indexes: number; other: number; count: number }

async function measure(database: Connection): Promise<void> {
  await migrate(database, readMigrations('prisma/migrations'))
  const client = new pg.Client({ ...database })
  await client.connect()
  // No triggers and foreign keys: only sizes are of interest.
  await client.query(`set session_replication_role = replica`)
  for (const statement of FILL) await client.query(statement)
  await client.query('vacuum (full, analyze)')
  const { rows } = await client.query<Size>(SIZES, [USERS])
  console.log('| Table | Bytes per row | of which indexes | Indexes |\n|---|---|---|---|')
  for (const { table, heap, indexes, other, count } of rows) {
    const [all, inIndexes] = [heap + indexes + other, indexes].map(Math.round)
    console.log(`| \`${table}\` | ${all} | ${inIndexes} | ${count} |`)
  }
  const total = rows.reduce(
    (sum, { rows: number, heap, indexes, other }) => sum + Number(number) * (heap + indexes + other),
    0,
  )
  const { rows: indexes } = await client.query<{ index: string; bytes: number }>(INDEXES, [
    ['files', 'account_entries'],
  ])
  for (const { index, bytes } of indexes) console.log(`${index}: ${Math.round(bytes)}`)
  console.log(
    `\n${Math.round(total / ENTRIES)} bytes per entry in all of them, of ${ENTRIES} entries of ${USERS} users.`,
  )
  await client.end()
}

await withThrowAwayDatabase(measure)
