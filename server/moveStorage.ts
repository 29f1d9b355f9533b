import { parseArgs } from 'node:util'
import { createPool } from './db/pool.ts'
import { ConfigError, readConfig } from './env.ts'
import { formatBytes } from './lib/format.ts'
import { createLogger } from './lib/logger.ts'
import { reachDatabase } from './openDatabase.ts'
import { DiskFullError, WrongStorageError } from './storage/errors.ts'
import { SourceError, TargetError } from './storage/move/mover.ts'
import { S3Error } from './storage/s3/errors.ts'
import {
  type Amount,
  NotReadyError,
  objectsOf,
  runStorageMove,
  type StorageMoveResult,
  uploadsOf,
} from './storageMove.ts'

/** `npm run move-storage`: moves all files between the folder of DATA_DIR and a bucket, while servers run. */
const USAGE = `Usage: npm run move-storage -- [--dry-run] [--wait] [--parallel <1 to 64>]
  --dry-run   tries both storages and counts, and moves nothing
  --wait      waits for all uploads in progress, instead of one minute
  --parallel  how many objects are copied at the same time (4)
It needs the settings of the servers: STORAGE_FROM, STORAGE_URL, DATA_DIR and DATABASE_URL.`

/** Of the process: everything is moved; something failed; uploads in progress are left. */
const EXIT = { done: 0, failed: 1, uploads: 2 } as const

const AGAIN =
  'Nothing is lost: what was moved stays moved, and servers use both storages. Run the command again to continue.'
const PATIENCE_MS = 60_000
const SHOWN_PROBLEMS = 100
const MOST_PARALLEL = 64

/** A line that replaces itself on a terminal, and one every ten seconds elsewhere. */
function createProgressLine() {
  const { stdout } = process
  const everyMs = stdout.isTTY ? 200 : 10_000
  const startedAt = performance.now()
  let saidAt = performance.now()

  return {
    show(done: Amount, all: Amount): void {
      const now = performance.now()
      if (now - saidAt < everyMs) return
      saidAt = now
      const line = progressOf(done, all, (now - startedAt) / 1000)
      if (stdout.isTTY) stdout.write(`\r\x1b[K${line}`)
      else console.log(line)
    },
    end(): void {
      if (stdout.isTTY) stdout.write('\r\x1b[K')
    },
  }
}

function progressOf(done: Amount, all: Amount, seconds: number): string {
  // Objects can have been added since they were counted.
  const objects = Math.max(all.objects, done.objects)
  const bytes = Math.max(all.bytes, done.bytes)
  const parts = [
    `${done.objects} of ${objectsOf(objects)}`,
    `${formatBytes(done.bytes)} of ${formatBytes(bytes)}`,
    `${formatBytes(Math.round(done.bytes / seconds))}/s`,
    `${Math.round(done.objects / seconds)} objects/s`,
  ]
  // Of many small objects the number says more than the bytes, and the other way round.
  const part = Math.min(done.bytes / Math.max(bytes, 1), done.objects / Math.max(objects, 1))
  if (part > 0) parts.push(`${lengthOf(seconds / part - seconds)} left`)
  return parts.join(', ')
}

function lengthOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`
  return `${Math.ceil(seconds / 3_600)} h`
}

function report(result: StorageMoveResult): number {
  const { objects, bytes, deleted, unknown, problems, uploads, source, target, isFinished } = result
  console.log(
    `${objectsOf(objects)} with ${formatBytes(bytes)} were moved to ${target}, each compared after it was stored.`,
  )
  if (deleted > 0) console.log(`${objectsOf(deleted)} were deleted by their users during the move.`)
  if (unknown > 0) console.log(`${objectsOf(unknown)} of these belong to no file of the database.`)
  if (problems.length > 0) {
    console.error(`\n${objectsOf(problems.length)} could not be moved, and stay in ${source}:`)
    for (const { id, fileId, reason } of problems.slice(0, SHOWN_PROBLEMS))
      console.error(`  ${id}${fileId === null ? '' : ` (file ${fileId})`}: ${reason}`)
    if (problems.length > SHOWN_PROBLEMS) console.error(`  and ${problems.length - SHOWN_PROBLEMS} more`)
    console.error(
      'Restore these objects from a backup, or delete the files in Skypool; then run the command again. Leave STORAGE_FROM set until then.',
    )
    return EXIT.failed
  }
  if (isFinished) {
    console.log(
      `All files are in ${target}, and ${source} has none. Now unset STORAGE_FROM, and restart the servers one after the other.`,
    )
    return EXIT.done
  }
  console.error(
    `${uploadsOf(uploads)} in progress still have their bytes in ${source}. They can be continued, and end at the latest a day after their last request. Leave STORAGE_FROM set, and run the command again then, or with --wait.`,
  )
  return EXIT.uploads
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      wait: { type: 'boolean', default: false },
      parallel: { type: 'string', default: '4' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return EXIT.done
  }
  const parallel = Number(values.parallel)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > MOST_PARALLEL) throw new NotReadyError(USAGE)
  const config = readConfig()
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort(new Stopped()))
  const database = await reachDatabase(config, createLogger('warn'))
  const pool = createPool(database.address, { name: 'skypool-move-storage', max: 4 })
  const line = createProgressLine()
  try {
    const result = await runStorageMove({
      ...{ config, pool, parallel, isDryRun: values['dry-run'], signal: stopped.signal },
      patienceMs: values.wait ? Number.POSITIVE_INFINITY : PATIENCE_MS,
      say: (text) => {
        line.end()
        console.log(text)
      },
      onProgress: line.show,
    })
    line.end()
    return values['dry-run'] ? EXIT.done : report(result)
  } finally {
    line.end()
    await pool.end()
    await database.close()
  }
}

class Stopped extends Error {}

/** Of PostgreSQL: a table does not exist. */
const NO_TABLE = '42P01'

function explain(error: unknown): unknown {
  if (error instanceof NotReadyError || error instanceof ConfigError || error instanceof WrongStorageError)
    return error.message
  if (error instanceof Stopped) return `The move was stopped. ${AGAIN}`
  if (error instanceof DiskFullError) return `The storage that files are moved to is full. ${AGAIN}`
  if ([SourceError, TargetError, S3Error].some((kind) => error instanceof kind))
    return `${(error as Error).message} ${AGAIN}`
  const code = (error as { code?: unknown } | null)?.code
  if (code === NO_TABLE) return 'The database is of an earlier version. Please start a server of this version first.'
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return USAGE
  return error
}

try {
  process.exitCode = await run()
} catch (error) {
  console.error(explain(error))
  process.exitCode = EXIT.failed
}
