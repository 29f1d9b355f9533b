import pg from 'pg'
import { PORT, prepareDirectories } from '../../../server/db/embedded/directories.ts'

const TABLES = `select table_schema as schema, table_name as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`

const KEEP = `create schema kept;
  create table kept.rows (source text, row text);
  create function kept.keep() returns trigger language plpgsql security definer as $$
  begin
    insert into kept.rows values (tg_table_name, new::text);
    return new;
  end $$`

/** The embedded database of a server, from beside it. */
export async function openDatabase(dataDir: string) {
  const { socket } = prepareDirectories(dataDir)
  const client = new pg.Client({ host: socket, port: PORT, user: 'skypool', database: 'skypool' })
  await client.connect()
  /** As SQL names them, by their names. */
  async function tables(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await client.query<{ schema: string; name: string }>(TABLES)
    const sqlOf = (name: string) => client.escapeIdentifier(name)
    return new Map(rows.map(({ schema, name }) => [`${schema}.${name}`, `${sqlOf(schema)}.${sqlOf(name)}`]))
  }

  return {
    /** From now on every row is kept as it was at any time, payloads of jobs and what is deleted again included. */
    async keepAll(): Promise<void> {
      const all = await tables()
      await client.query(KEEP)
      for (const table of all.values())
        await client.query(
          `create trigger keep after insert or update on ${table} for each row execute function kept.keep()`,
        )
    },
    /** All rows of all tables as text, by table. */
    async dump(): Promise<ReadonlyMap<string, string>> {
      const found = new Map<string, string>()
      for (const [name, table] of await tables()) {
        const { rows } = await client.query<{ row: string }>(`select t::text as row from ${table} t`)
        found.set(name, rows.map(({ row }) => row).join('\n'))
      }
      return found
    },
    close: () => client.end(),
  }
}
