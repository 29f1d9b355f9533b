import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** Written into `logs` of a contraction's row, for servers that do not have the migration itself. */
const CONTRACTS = 'contracts: '

/**
 * A line `-- contracts: <migration>` in a migration says that it removes or restricts something that only servers without
 * `<migration>` still use. @returns that name; null: every server of the version before can work with it
 */
export function contractsOf(sql: string): string | null {
  return /^-- contracts: (\S+)[ \t]*$/m.exec(sql)?.[1] ?? null
}

/** Between two attempts to get the lock, or to apply a migration whose tables were in use. */
const RETRY_MS = 250
/**
 * How long a migration waits for a table that is in use. Every other statement on that table waits behind it, so this is
 * short, and the migration is tried again.
 */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_ATTEMPTS = 60
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Applies pending migrations and returns their names. Each one and its row are one transaction, so a failing migration changes
 * nothing. Several processes may call it at once, of this version and the next: migrations that only the database knows are ignored,
 * unless they remove what this version still uses.
 * @throws Error when one fails, was changed after it was applied, or removes what this version still uses
 */
export async function migrate(address: DatabaseAddress, migrations: readonly Migration[]): Promise<string[]> {
  const client = new pg.Client({ ...connectionOf(address), application_name: 'skypool-migrate' })
  await client.connect()
  try {
    // A server that starts while a newer one migrates the database need not wait for it.
    if (await hasTable(client)) {
      const pending = pendingOf(migrations, await appliedRows(client))
      if (pending.length === 0) return []
    }
    await lock(client)
    await client.query("set client_min_messages = 'warning'")
    await client.query(TABLE)
    const pending = pendingOf(migrations, await appliedRows(client))
    for (const migration of pending) await apply(client, migration)
    return pending.map(({ name }) => name)
  } finally {
    await client.end() // and the lock with it
  }
}

/** @throws Error unless all of these migrations are applied, and none that removes what servers with only these still use */
export async function checkMigrations(pool: pg.Pool, migrations: readonly Migration[]): Promise<void> {
  const names = migrations.map(({ name }) => name)
  const { rows } = await pool.query<{ applied: string; contracted: string | null }>(
    `select count(*) filter (where migration_name = any($1)) as applied,
       min(migration_name) filter (where migration_name <> all($1) and starts_with(logs, $2)
         and substr(logs, length($2) + 1) <> all($1)) as contracted
     from _prisma_migrations where finished_at is not null`,
    [names, CONTRACTS],
  )
  const [found] = rows
  if (Number(found?.applied) < names.length) throw new Error('Some migrations are not applied.')
  if (found?.contracted)
    throw new Error(`The migration ${found.contracted} removed what this version uses: it is too old for the database.`)
}

/** Not by waiting in a statement: its snapshot would keep an index of another server from being completed. */
async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [PRISMA_LOCK])
    if (rows[0]?.locked) return
    await sleep(RETRY_MS)
  }
}

async function hasTable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('_prisma_migrations') is not null as exists`)
  return rows[0].exists
}

type Applied = { readonly checksum: string; readonly contracts: string | null }

async function appliedRows(client: pg.Client): Promise<Map<string, Applied>> {
  const { rows } = await client.query<{
    name: string
    checksum: string
    logs: string | null
    finished_at: Date | null
  }>(`select migration_name as name, checksum, logs, finished_at from _prisma_migrations where rolled_back_at is null`)
  const unfinished = rows.find((row) => row.finished_at === null)
  if (unfinished) throw new Error(`Migration ${unfinished.name} was started by another tool and did not finish.`)
  const contracts = (logs: string | null) => (logs?.startsWith(CONTRACTS) ? logs.slice(CONTRACTS.length) : null)
  return new Map(rows.map(({ name, checksum, logs }) => [name, { checksum, contracts: contracts(logs) }]))
}

function pendingOf(migrations: readonly Migration[], applied: ReadonlyMap<string, Applied>): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const [name, { checksum, contracts }] of applied) {
    if (!known.has(name)) {
      if (contracts === null || known.has(contracts)) continue
      throw new Error(
        `The database is too new for this Skypool: its migration ${name} removed what versions without ${contracts} use.`,
      )
    }
    if (known.get(name) !== checksum) throw new Error(`The migration ${name} was changed after it had been applied.`)
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

/** A migration that only builds an index while others write to its table. It cannot be part of a transaction. */
const CONCURRENT_INDEX =
  /^(?:\s|--.*\n)*create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/i

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const [, index] = CONCURRENT_INDEX.exec(migration.sql) ?? []
  try {
    if (index) await buildIndex(client, migration, index)
    else await applyWhenUnlocked(client, migration)
  } catch (cause) {
    throw new Error(`Migration ${migration.name} failed, nothing of it was kept: ${(cause as Error).message}`, {
      cause,
    })
  }
}

async function applyWhenUnlocked(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await client.query(migration.sql)
      await recordApplied(client, migration)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || attempt === LOCK_ATTEMPTS) throw error
      await sleep(RETRY_MS)
    }
  }
}

/** An index whose building was interrupted is invalid, and is built again; one that is complete only lacks its row. */
async function buildIndex(client: pg.Client, migration: Migration, index: string): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [`"${index}"`],
  )
  if (rows[0]?.valid === false) await client.query(`drop index concurrently "${index}"`)
  if (!rows[0]?.valid) {
    await client.query(migration.sql).catch(async (error: unknown) => {
      await client.query(`drop index concurrently if exists "${index}"`)
      throw error
    })
  }
  await recordApplied(client, migration)
}

async function recordApplied(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const contracts = contractsOf(sql)
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, logs, finished_at, applied_steps_count)
     values ($1, $2, $3, $4, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name, contracts && `${CONTRACTS}${contracts}`],
  )
}
