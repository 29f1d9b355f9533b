import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { openProviders } from './compose.ts'
import { readMigrations } from './db/migrate.ts'
import { WrongKeyError } from './domain/secrets/rotateKeys.ts'
import { type Config, ConfigError, readConfig } from './env.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { givenDatabase, startDatabase } from './openDatabase.ts'
import { type RunningServer, serve } from './serve.ts'
import { WrongStorageError } from './storage/errors.ts'

/**
 * The WebAssembly here is Prisma's query compiler, and a hash that is optimized when it is compiled. Optimizing Prisma's costs about 70 MiB
 * in threads of V8 that never release it, and makes no request measurably faster.
 */
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)

/** Docker and systemd send SIGKILL after this time or later. */
const SHUTDOWN_LIMIT_MS = 28_000

/** The folder of package.json: this file is server/main.ts in development and dist/server/app.js in the build. */
function findProject(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : findProject(dirname(from))
}

function readJson<Content>(...path: string[]): Content {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as Content
}

async function start(config: Config, logger: Logger): Promise<{ server: RunningServer; stop(): Promise<void> }> {
  const project = findProject(import.meta.dirname)
  const webDirectory = join(project, 'dist', 'web')
  // One of several servers of a supervisor: its embedded database has others.
  const given = givenDatabase()
  const postgres = given ? null : await startDatabase(config, logger)
  const database = given ?? postgres?.connection ?? config.databaseUrl
  if (!database) throw new Error('There is no database.')
  const server = await serve({
    config,
    database,
    logger,
    migrations: readMigrations(join(project, 'prisma', 'migrations')),
    version: readJson<{ version: string }>(project, 'package.json').version,
    persisted: readJson(project, 'web', '__generated__', 'persisted.json'),
    openProviders,
    ...(given && { alone: false }),
    webDirectory: existsSync(webDirectory) ? webDirectory : null,
  })
  const stop = async () => {
    await server.close()
    await postgres?.stop()
  }
  return { server, stop }
}

/** SIGTERM and SIGINT stop the server gracefully, at the latest after the limit. Repeats are ignored: a terminal and npm both send one. */
function stopOnSignal(stop: () => Promise<void>, logger: Logger): void {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    logger.info({ signal }, 'Stopping')
    setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref()
    stop().then(
      () => process.exit(0),
      (err: unknown) => {
        logger.error({ err }, 'Stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

try {
  const config = readConfig()
  const logger = createLogger(config.logLevel)
  const { server, stop } = await start(config, logger)
  stopOnSignal(stop, logger)
  logger.info({ url: config.publicUrl?.href ?? server.url, server: server.id }, 'Skypool is ready')
} catch (error) {
  const isForAdministrator = [ConfigError, WrongKeyError, WrongStorageError].some((kind) => error instanceof kind)
  console.error(isForAdministrator ? (error as Error).message : error)
  process.exit(1)
}
