import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { CopyIn, CopyOut, submit } from './copyStreams.ts'
import { connectionOf, type DatabaseAddress } from './pool.ts'

/** The target is not for this, or the source is not as it should be. The message is for the administrator. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
}

export type MoveOptions = {
  readonly from: DatabaseAddress
  readonly to: DatabaseAddress
  /** Makes an empty database one of this version, without rows of users. Called once it is clear that the target is empty. */
  readonly prepare: (to: DatabaseAddress) => Promise<void>
  /** Called after each table. */
  readonly onTable?: (table: string, rows: number) => void
}

/** Ours, and the queue's. */
const SCHEMAS = ['public', 'graphile_worker']

const RELATIONS = `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1`

const TABLES = `select format('%I.%I', n.nspname, c.relname) as name,
    array_agg(quote_ident(a.attname) order by a.attname) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind = 'r' and n.nspname = any($1::text[]) group by n.nspname, c.relname order by 1`

const SEQUENCES = `select format('%I.%I', schemaname, sequencename) as name, start_value::text as start, last_value::text as last
  from pg_sequences where schemaname = any($1::text[])`

const FOREIGN_KEYS = `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = any(array(select oid from pg_namespace where nspname = any($1::text[])))`

/** Settings on which the text of values depends. */
const FORMATS = `set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 1;
  set bytea_output = 'hex'; set client_encoding = 'UTF8'; set search_path = pg_catalog`

type Table = { readonly name: string; readonly columns: readonly string[] }

/**
 * Copies all rows from one database into an empty one, in one transaction, and compares the numbers of rows before it is committed. The
 * source is only read, and no server may use it during the move.
 * @returns the number of rows
 * @throws MoveError, and errors of PostgreSQL; nothing is in the target's tables then
 */
export async function moveDatabase({ from, to, prepare, onTable }: MoveOptions): Promise<number> {
  const source = await open(from)
  try {
    await source.query('begin isolation level repeatable read read only')
    await requireOnlyOurs(from, to)
    await prepare(to)
    const target = await open(to)
    try {
      await target.query('begin')
      const rows = await fill(source, target, onTable)
      await target.query('commit')
      return rows
    } finally {
      await target.end()
    }
  } finally {
    await source.end()
  }
}

async function open(address: DatabaseAddress): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionOf(address), application_name: 'skypool-move' })
  // An error of the connection rejects the statement that runs, too.
  client.on('error', () => {})
  await client.connect()
  await client.query(FORMATS)
  return client
}

/** @throws MoveError unless the target has no tables, or only those that an earlier attempt has made, without users */
async function requireOnlyOurs(from: DatabaseAddress, to: DatabaseAddress): Promise<void> {
  const [source, target] = [await open(from), await open(to)]
  try {
    const ours = new Set((await source.query<{ name: string }>(RELATIONS)).rows.map(({ name }) => name))
    if (!ours.has('public.users')) throw new MoveError('There is no Skypool in the database to move.')
    const { rows } = await target.query<{ name: string }>(RELATIONS)
    const foreign = rows.flatMap(({ name }) => (ours.has(name) ? [] : [name]))
    const found =
      foreign.length > 0 ? foreign : rows.some(({ name }) => name === 'public.users') ? await rowsOf(target) : []
    if (found.length === 0) return
    throw new MoveError(
      `The target is not empty: it has ${found.slice(0, 5).join(', ')}. Please name an empty database.`,
    )
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

/** What shows that a database is in use. */
async function rowsOf(target: pg.Client): Promise<string[]> {
  const { rows } = await target.query<{ users: boolean; servers: boolean }>(
    `select exists (select from public.users) as users,
       exists (select from public.servers where heartbeat_at > now() - interval '1 minute') as servers`,
  )
  return [...(rows[0]?.users ? ['users'] : []), ...(rows[0]?.servers ? ['a running server'] : [])]
}

async function fill(source: pg.Client, target: pg.Client, onTable: MoveOptions['onTable']): Promise<number> {
  const tables = await tablesOf(source)
  const theirs = await tablesOf(target)
  if (JSON.stringify(tables) !== JSON.stringify(theirs))
    throw new MoveError(
      'The database to move is of another version of Skypool. Start this version once with it, then stop it.',
    )
  const keys = (await target.query<{ table: string; name: string; definition: string }>(FOREIGN_KEYS, [SCHEMAS])).rows
  // In any order, without what triggers would add. Adding the keys again checks all rows.
  for (const { table, name } of keys) await target.query(`alter table ${table} drop constraint ${name}`)
  for (const { name } of tables) await target.query(`alter table ${name} disable trigger user`)
  await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  let all = 0
  for (const table of tables) {
    const rows = await copyTable(source, target, table)
    all += rows
    onTable?.(table.name, rows)
  }
  await setSequences(source, target)
  for (const { name } of tables) await target.query(`alter table ${name} enable trigger user`)
  for (const { table, name, definition } of keys)
    await target.query(`alter table ${table} add constraint ${name} ${definition}`)
  return all
}

async function tablesOf(client: pg.Client): Promise<Table[]> {
  return (await client.query<Table>(TABLES, [SCHEMAS])).rows
}

async function copyTable(source: pg.Client, target: pg.Client, { name, columns }: Table): Promise<number> {
  const place = `${name} (${columns.join(', ')})`
  const reading = submit(source, new CopyOut(`copy ${place} to stdout`))
  const writing = submit(target, new CopyIn(`copy ${place} from stdin`))
  await pipeline(reading, writing)
  const counts = [await countRows(source, name), await countRows(target, name)]
  if (counts.some((count) => count !== writing.rowCount))
    throw new MoveError(`${name} has ${counts[0]} rows, but ${counts[1]} arrived.`)
  return writing.rowCount
}

async function countRows(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ column1: number }>(`values ((select count(*)::float8 from ${table}))`)
  return rows[0]?.column1 ?? 0
}

async function setSequences(source: pg.Client, target: pg.Client): Promise<void> {
  type Sequence = { readonly name: string; readonly start: string; readonly last: string | null }
  const { rows } = await source.query<Sequence>(SEQUENCES, [SCHEMAS])
  for (const { name, start, last } of rows)
    await target.query('select setval($1::regclass, $2::bigint, $3)', [name, last ?? start, last !== null])
}
