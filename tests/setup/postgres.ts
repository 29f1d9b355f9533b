import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Connection, startEmbeddedPostgres } from '../../server/db/embedded/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../server/db/migrate.ts'
import { createPool } from '../../server/db/pool.ts'
import { migrateQueue } from '../../server/queue/enqueue.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { connection: Connection; template: string }
  }
}

const TEMPLATE = 'template_skypool'
/** The tests' data is thrown away: waiting for the disk would only cost time. */
const FAST = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '300' }

/** Once per run: a real PostgreSQL in the temp folder, with a migrated database that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-test-'))
  chmodSync(dataDir, 0o755)
  const server = await startEmbeddedPostgres({ dataDir, database: TEMPLATE, settings: FAST })
  await migrate(server.connection, readMigrations('prisma/migrations'))
  await addQueue(server.connection)
  project.provide('postgres', { connection: server.connection, template: TEMPLATE })
  return async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function addQueue(connection: Connection): Promise<void> {
  const pool = createPool(connection)
  await migrateQueue(pool)
  await pool.end() // a database with connections cannot be copied
}
