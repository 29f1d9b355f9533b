import type pg from 'pg'

type Index = { readonly name: string; readonly definition: string }

/**
 * Fills a table with many thousands of rows: its indexes are made again after `fill`, which takes a fraction of the time of adding row by
 * row to each. Those that hold for constraints stay. `fill` may not rely on a unique index in an "on conflict", and refers only to rows that
 * there are.
 */
export async function bulkRows(pool: pg.Pool, table: string, fill: () => Promise<unknown>): Promise<void> {
  const { rows } = await pool.query<Index>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = $1::regclass and not exists (select from pg_constraint where conindid = c.oid)`,
    [table],
  )
  for (const { name } of rows) await pool.query(`drop index "${name}"`)
  await withoutForeignKeys(pool, table, fill)
  for (const { definition } of rows) await pool.query(definition)
}

/**
 * While `change` runs, no foreign key of the table and none to it is looked up: for many thousands of rows, that takes most of the time.
 * `change` refers only to rows that there are, and deletes none that others refer to.
 */
export async function withoutForeignKeys(pool: pg.Pool, table: string, change: () => Promise<unknown>): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    'select tgname as name from pg_trigger where tgrelid = $1::regclass and tgisinternal',
    [table],
  )
  const all = (verb: string) => rows.map(({ name }) => `${verb} trigger "${name}"`).join(', ')
  if (rows.length > 0) await pool.query(`alter table "${table}" ${all('disable')}`)
  await change()
  if (rows.length > 0) await pool.query(`alter table "${table}" ${all('enable')}`)
}
