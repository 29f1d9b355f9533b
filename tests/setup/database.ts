import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createDb, type Db } from '../../server/db/client.ts'
import type { Connection } from '../../server/db/embedded/embeddedPostgres.ts'
import { createPool } from '../../server/db/pool.ts'

export type TestDatabase = {
  readonly connection: Connection
  readonly pool: pg.Pool
  readonly db: Db
  close(): Promise<void>
}

/** A migrated, empty database of its own, on the run's embedded server (tests/setup/postgres.ts), or a copy of `from`. Close it in afterAll. */
export async function createTestDatabase(from?: string): Promise<TestDatabase> {
  const { connection, template: migrated } = inject('postgres')
  const template = from ?? migrated
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Through the log, as is the default, would take twice the processor time.
  await administer(connection, `create database ${name} template ${template} strategy file_copy`)
  const own = { ...connection, database: name }
  const pool = createPool(own)
  const db = createDb(pool)
  return {
    connection: own,
    pool,
    db,
    async close() {
      await db.$disconnect()
      await pool.end()
      await administer(connection, `drop database ${name} with (force)`)
    },
  }
}

async function administer(connection: Connection, sql: string): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** As DATABASE_URL would name it. */
export function addressOf({ connection: { host, port, user, database } }: Pick<TestDatabase, 'connection'>): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}
