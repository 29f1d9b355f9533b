import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrate, readMigrations } from './db/migrate.ts'
import { MoveError, moveDatabase } from './db/move.ts'
import { createPool, type DatabaseAddress } from './db/pool.ts'
import { ConfigError, readConfig } from './env.ts'
import { createLogger } from './lib/logger.ts'
import { startDatabase } from './openDatabase.ts'
import { migrateQueue } from './queue/enqueue.ts'

/** `npm run move-database -- --to postgres://…`: copies the embedded database of DATA_DIR into an empty one, while no server runs. */
const USAGE = 'Usage: npm run move-database -- --to postgres://user:password@host/database'

function findMigrations(from: string): string {
  const folder = join(from, 'prisma', 'migrations')
  return existsSync(folder) ? folder : findMigrations(dirname(from))
}

async function prepare(address: DatabaseAddress): Promise<void> {
  await migrate(address, readMigrations(findMigrations(import.meta.dirname)))
  const pool = createPool(address, { max: 2 })
  await migrateQueue(pool).finally(() => pool.end())
}

async function move(to: string): Promise<void> {
  // Whatever is set for servers: the source is the embedded database.
  const config = readConfig({ DATA_DIR: process.env.DATA_DIR })
  const postgres = await startDatabase(config, createLogger('warn'))
  if (!postgres) throw new MoveError('There is no embedded database.')
  try {
    const onTable = (table: string, rows: number) => console.log(`${String(rows).padStart(12)}  ${table}`)
    const rows = await moveDatabase({ from: postgres.connection, to, prepare, onTable })
    console.log(`${rows} rows were moved. The embedded database in ${config.dataDir} is unchanged.`)
    console.log('Now set DATABASE_URL to that address, and start the server with the same DATA_DIR.')
  } finally {
    await postgres.stop()
  }
}

try {
  const { to } = parseArgs({ options: { to: { type: 'string' } } }).values
  if (!to || !/^postgres(ql)?:/.test(to)) throw new MoveError(USAGE)
  await move(to)
} catch (error) {
  const isExpected = error instanceof MoveError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
  process.exit(1)
}
