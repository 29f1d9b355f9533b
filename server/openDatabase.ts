import { mkdirSync } from 'node:fs'
import {
  type Connection,
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from './db/embedded/embeddedPostgres.ts'
import type { DatabaseAddress } from './db/pool.ts'
import type { Config } from './env.ts'
import type { Logger } from './lib/logger.ts'

/** As root, the database's user must be able to traverse the data folder; its contents have their own, stricter modes. */
const DATA_DIR_MODE = process.getuid?.() === 0 ? 0o711 : 0o700
/** PostgreSQL's default, and connections beyond those of the servers. */
const FEWEST_CONNECTIONS = 100
const SPARE_CONNECTIONS = 20
/** Of a server in addition to its pool: server/db/pools.ts, and its migrations. */
const LISTENERS = 5

/** Creates the data folder, and starts the embedded PostgreSQL in it unless another one is set (then null). */
export async function startDatabase(
  { dataDir, databaseUrl, databasePool, workers }: Config,
  logger: Pick<Logger, 'warn' | 'debug'>,
): Promise<EmbeddedPostgres | null> {
  mkdirSync(dataDir, { recursive: true, mode: DATA_DIR_MODE })
  if (databaseUrl) return null
  const serious = /FATAL|PANIC|PostgreSQL (ended|could not)/
  const log = (line: string) => logger[serious.test(line) ? 'warn' : 'debug']({ area: 'postgres' }, line)
  const needed = workers * ((databasePool ?? 0) + LISTENERS) + SPARE_CONNECTIONS
  const settings = needed > FEWEST_CONNECTIONS ? { max_connections: String(needed) } : {}
  return startEmbeddedPostgres({ dataDir, settings, log })
}

/** The database for a command, whether a server runs or not: the embedded one is started for it if no process has done so. */
export async function reachDatabase(
  config: Config,
  logger: Pick<Logger, 'warn' | 'debug'>,
): Promise<{ readonly address: DatabaseAddress; close(): Promise<void> }> {
  const { dataDir, databaseUrl, databaseDirectUrl } = config
  const running = databaseDirectUrl ?? databaseUrl ?? findEmbeddedPostgres(dataDir)
  if (running) return { address: running, close: async () => undefined }
  const started = await startDatabase(config, logger)
  if (!started) throw new Error('There is no database.')
  return { address: started.connection, close: started.stop }
}

/** Variable in which the supervisor gives the embedded database to its servers. */
const GIVEN = 'SKYPOOL_EMBEDDED_DATABASE'

/** Environment of servers that share an embedded database, which another process owns. */
export function environmentFor(connection: Connection | null): Record<string, string> {
  return connection ? { [GIVEN]: JSON.stringify(connection) } : {}
}

/** The embedded database of the supervisor of this process; null without one. */
export function givenDatabase(): Connection | null {
  const text = process.env[GIVEN]
  return text ? (JSON.parse(text) as Connection) : null
}
