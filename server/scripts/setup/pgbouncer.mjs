import { existsSync } from 'node:fs'
import { canInstall, unpackPackages } from './apt.mjs'

export const PGBOUNCER_FOLDER = '.cache/pgbouncer'

/**
 * Unpacks Debian's PgBouncer where possible, for tests of DATABASE_DIRECT_URL. Without it, those tests are skipped with a note, so
 * failing to get it is no error.
 */
export async function unpackPgBouncer() {
  if (existsSync(PGBOUNCER_FOLDER) || !canInstall()) return
  console.log('Getting PgBouncer, for tests of a database behind it')
  await unpackPackages(['pgbouncer'], PGBOUNCER_FOLDER).catch((error) => console.warn(error.message))
}
