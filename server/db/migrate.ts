import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { connectionOf, type DatabaseAddress } from './pool.ts'

/** The advisory lock of Prisma's tools, so that they and this code exclude each other. */
const PRISMA_LOCK = 72707369

/** Prisma's table, kept compatible with `prisma migrate`. */
const TABLE = `
  create table if not exists _prisma_migrations (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string }

/** The migrations of a `prisma/migrations` folder, oldest first. */
export function readMigrations(dir: string): Migration[] {
  return readdirSync(dir)
    .sort()
    .map((name) => ({ name, file: join(dir, name, 'migration.sql') }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => {
      const sql = readFileSync(file, 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

/**
 * Applies pending migrations and returns their names. Each one and its row are one transaction, so a failing migration changes
 * nothing. Several processes may call it at once.
 * @throws Error when one fails, was changed after it was applied, or is only known to the database
 */
export async function migrate(address: DatabaseAddress, migrations: readonly Migration[]): Promise<string[]> {
  const client = new pg.Client({ ...connectionOf(address), application_name: 'skypool-migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [PRISMA_LOCK])
    await client.query("set client_min_messages = 'warning'")
    await client.query(TABLE)
    const pending = pendingOf(migrations, await appliedChecksums(client))
    for (const migration of pending) await apply(client, migration)
    return pending.map(({ name }) => name)
  } finally {
    await client.end() // and the lock with it
  }
}

/** @throws Error unless all of these migrations are applied */
export async function checkMigrations(pool: pg.Pool, migrations: readonly Migration[]): Promise<void> {
  const { rowCount } = await pool.query('select from _prisma_migrations where finished_at is not null')
  if ((rowCount ?? 0) < migrations.length) throw new Error('Some migrations are not applied.')
}

async function appliedChecksums(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'select migration_name, checksum, finished_at from _prisma_migrations where rolled_back_at is null',
  )
  const unfinished = rows.find((row) => row.finished_at === null)
  if (unfinished)
    throw new Error(`Migration ${unfinished.migration_name} was started by another tool and did not finish.`)
  return new Map(rows.map((row) => [row.migration_name, row.checksum]))
}

function pendingOf(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const [name, checksum] of applied) {
    if (!known.has(name)) throw new Error(`The database is newer than this Skypool: it has the migration ${name}.`)
    if (known.get(name) !== checksum) throw new Error(`The migration ${name} was changed after it had been applied.`)
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(sql)
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       values ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed, nothing of it was kept: ${(cause as Error).message}`, { cause })
  }
}
