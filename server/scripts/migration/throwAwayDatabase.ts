import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, startEmbeddedPostgres } from '../../db/embedded/embeddedPostgres.ts'

/** A fresh embedded server in the temp folder, without durability; gone with everything in it when `use` is done. */
export async function withThrowAwayDatabase<Result>(use: (database: Connection) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-'))
  chmodSync(dataDir, 0o755) // the database's own user must get in
  const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off', full_page_writes: 'off' } })
  try {
    return await use(server.connection)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
