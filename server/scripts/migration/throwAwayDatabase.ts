import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, startEmbeddedPostgres } from '../../db/embedded/embeddedPostgres.ts'

/** Starts a new embedded server in the temp folder, without durability, and deletes it after `use`. */
export async function withThrowAwayDatabase<Result>(use: (database: Connection) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-'))
  chmodSync(dataDir, 0o755) // accessible to the database's user
  const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off', full_page_writes: 'off' } })
  try {
    return await use(server.connection)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
