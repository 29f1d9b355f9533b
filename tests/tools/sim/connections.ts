import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDb } from '../../../server/db/client.ts'
import type { Connection } from '../../../server/db/embedded/embeddedPostgres.ts'
import { createPool } from '../../../server/db/pool.ts'
import { virtualize } from './database.ts'
import type { Connections } from './world.ts'

const MEMORY = '/dev/shm'

/** Prepares a migrated database that is used by nothing else for schedules. */
export async function openConnections(database: Connection): Promise<Connections & { close(): Promise<void> }> {
  const client = new pg.Client(database)
  await client.connect()
  await virtualize(client)
  await client.end()
  const pool = createPool(database, { max: 1 })
  // One each for the leases of transfers and of uploads, one for the probe's lock, one for refreshing an access token.
  const leases = createPool(database, { max: 4 })
  const control = createPool(database, { max: 4 })
  const db = createDb(control)
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'skypool-sim-'))
  return {
    pool,
    leases,
    control,
    db,
    directory,
    async close() {
      await db.$disconnect()
      await Promise.all([pool.end(), leases.end(), control.end()])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
