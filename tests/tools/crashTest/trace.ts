import pg from 'pg'
import { PORT, prepareDirectories } from '../../../server/db/embedded/directories.ts'
import type { Call } from '../../fakes/core/log.ts'
import type { Held } from './clouds.ts'

// The history of an object that is left over: what the service was asked about it, and what the database knew of its piece.

/** Records every state of pieces and removals, because the rows are gone when a leftover is found. */
const RECORD = `create schema if not exists trace;
  create table if not exists trace.rows (at timestamptz not null default clock_timestamp(), what text not null, row jsonb not null);
  create or replace function trace.keep() returns trigger language plpgsql as $$ declare
      given jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
    begin
      insert into trace.rows (what, row) values (tg_op || ' ' || tg_table_name, given || jsonb_build_object('file',
        (select f.name from copies c join files f on f.id = c.file_id where c.id = (given ->> 'copy_id')::uuid)));
      return null;
    end $$;
  create or replace trigger trace_pieces after insert or update or delete on pieces for each row execute function trace.keep();
  create or replace trigger trace_removals after insert or update or delete on object_removals for each row execute function trace.keep()`

export async function recordRows(dataDir: string): Promise<void> {
  await withDatabase(dataDir, (database) => database.query(RECORD))
}

type Row = { readonly at: string; readonly what: string; readonly row: Readonly<Record<string, unknown>> }

/** @returns lines in the order of time */
export async function traceOf(
  dataDir: string,
  calls: readonly Call[],
  { path, id }: Held,
  pieces: Readonly<Record<string, string>>,
): Promise<string[]> {
  // pCloud numbers a file whose name is in use.
  // A part of an upload to Nextcloud is a number in the folder of the upload.
  const name = path
    .replace(/\/\d+$/, '')
    .replace(/^.*\//, '')
    .replace(/ \(\d+\)(?=\.\w+$)/, '')
  const asked = callsAbout(calls, [name, ...(id === undefined ? [] : [id])]).map(
    ({ at, operation, method, status, bytesIn, faults, path: address }) =>
      `${at} ${method} ${operation} ${status} ${bytesIn} bytes ${faults.join(' ')} ${decodeURIComponent(address).slice(0, 200)}`,
  )
  const rows = await withDatabase(dataDir, (database) => rowsAbout(database, name, id ?? null))
  const told = rows.map(({ at, what, row }) => `${at} ${what} ${shown(row, pieces)}`)
  return [...asked, ...told].toSorted()
}

/** A line about each removal that is still to be done: nothing that waits for its next attempt is forgotten. */
export async function waitingRemovals(dataDir: string, accounts: Readonly<Record<string, string>>): Promise<string[]> {
  const { rows } = await withDatabase(dataDir, (database) =>
    database.query<{ row: Row['row'] }>('select to_jsonb(r) as row from object_removals r order by created_at'),
  )
  return rows.map(({ row }) => `waiting since ${row.created_at}: ${shown(row, accounts)}`)
}

/** The calls with one of the words in their addresses, and those with an id that a service gave in such a call. */
function callsAbout(calls: readonly Call[], words: readonly string[]): Call[] {
  const known = new Set(words)
  const found = new Set<Call>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const call of calls) {
      const address = decodeURIComponent(call.path)
      const isAbout = call.concerns.some((one) => known.has(one)) || [...known].some((word) => address.includes(word))
      if (!isAbout) continue
      found.add(call)
      for (const one of call.concerns) known.add(one)
    }
  }
  return calls.filter((call) => found.has(call))
}

/** Of the piece whose file had the name, with or without a number, or that has the object. */
const ROWS = `with ids as (select distinct row ->> 'id' as id from trace.rows
    where what like '% pieces' and (row ->> 'file' = $1 or row ->> 'object_ref' = $2))
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, what, row from trace.rows
  where what like '% pieces' and row ->> 'id' in (select id from ids)
    or row ->> 'object_ref' = $2 or substring(row ->> 'session' from '^pieces:(\\S+) ') in (select id from ids)`

async function rowsAbout(database: pg.Client, name: string, id: string | null): Promise<Row[]> {
  return (await database.query<Row>(ROWS, [name.replace(/ ~[\da-f]{6}(?=\.\w+$)/, ''), id])).rows
}

function shown(row: Row['row'], accounts: Readonly<Record<string, string>>): string {
  const { id, file, account_id, state, object_ref, session, size, hash, attempts, next_try_at } = row
  const length = typeof session === 'string' ? session.length : 0
  const values = {
    id,
    file,
    account: accounts[String(account_id)],
    state,
    object_ref,
    size,
    hash,
    attempts,
    next_try_at,
  }
  return JSON.stringify({ ...values, session: length > 0 && `${length} characters` })
}

async function withDatabase<Result>(dataDir: string, use: (database: pg.Client) => Promise<Result>): Promise<Result> {
  const { socket } = prepareDirectories(dataDir)
  const database = new pg.Client({ host: socket, port: PORT, user: 'skypool', database: 'skypool' })
  await database.connect()
  try {
    return await use(database)
  } finally {
    await database.end()
  }
}
