import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Connection, startEmbeddedPostgres } from '../../../server/db/embedded/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../../server/db/migrate.ts'
import { openConnections } from './connections.ts'
import { runInPlaceSchedule } from './inPlace/schedule.ts'
import { openInPlace } from './inPlace/world.ts'
import type { Outcome, Step } from './outcome.ts'
import { describe, summary } from './report.ts'
import { runSchedule } from './schedule.ts'
import { shrink } from './shrink.ts'
import { runElsewhere, type Told, workerOf } from './workers.ts'

/**
 * `npm run sim`: random schedules of operations, faults and crashes over services in memory and a real PostgreSQL, in virtual
 * time. Checks the invariants and exits with 1 if one is violated. `npm run sim -- --seed … --schedules 1` repeats one. `--in-place`:
 * instead, an account that is changed from outside and by its user, and its index, which two servers keep; with `--walk`, at a service that
 * reports no changes.
 */
const { values } = parseArgs({
  options: {
    'in-place': { type: 'boolean', default: false },
    walk: { type: 'boolean', default: false },
    seed: { type: 'string', default: process.env.SEED ?? '1' },
    schedules: { type: 'string', default: '1000' },
    workers: { type: 'string', default: String(Math.min(8, availableParallelism())) },
    'no-shrink': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const FAST = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
const PATIENCE_MS = 600_000
/** Schedules of a worker between two lines that tell how far it is. */
const PROGRESS = 25
const TEMPLATE = 'sim_template'
const first = Number(values.seed)
const command = (seed: string) =>
  `npm run sim -- ${values['in-place'] ? '--in-place ' : ''}${values.walk ? '--walk ' : ''}--seed ${seed} --schedules 1`

const asWorker = workerOf(process)
if (asWorker) await work(asWorker.connection, asWorker.seeds, asWorker.tell)
else process.exitCode = (await lead()) ? 0 : 1

/** @returns whether all is well */
async function lead(): Promise<boolean> {
  const startedAt = performance.now()
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-sim-'))
  chmodSync(dataDir, 0o755)
  const server = await startEmbeddedPostgres({ dataDir, database: TEMPLATE, settings: FAST })
  try {
    await migrate(server.connection, readMigrations('prisma/migrations'))
    const seeds = Array.from({ length: Number(values.schedules) }, (_, index) => String(first + index))
    const count = Math.min(Number(values.workers), seeds.length)
    const shares = Array.from({ length: count }, (_, worker) =>
      seeds.filter((_seed, index) => index % count === worker),
    )
    const outcomes = await Promise.all(
      shares.map(async (share, index) => {
        const connection = await copyOf(server.connection, `sim_${index}`)
        return runElsewhere(import.meta.filename, { connection, seeds: share }, (text) => console.error(text))
      }),
    )
    const all = outcomes.flat()
    console.log(summary(all, (performance.now() - startedAt) / 1000))
    return all.every(({ violations }) => violations.length === 0)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function copyOf(connection: Connection, name: string): Promise<Connection> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  await client.query(`create database ${name} template ${TEMPLATE}`)
  await client.end()
  return { ...connection, database: name }
}

type Runner = {
  /** `steps`: other ones than those of the seed. */
  run(seed: string, steps?: readonly Step[]): Promise<Outcome>
  close(): Promise<void>
}

async function openRunner(connection: Connection): Promise<Runner> {
  if (values['in-place']) {
    const on = await openInPlace(connection)
    const shape = values.walk ? 'WALK' : 'FEED'
    return { run: (seed, steps) => runInPlaceSchedule(on, seed, { steps: steps as never, shape }), close: on.close }
  }
  const on = await openConnections(connection)
  return { run: (seed, steps) => runSchedule(on, seed, steps as never), close: on.close }
}

async function work(connection: Connection, seeds: readonly string[], tell: (told: Told) => void): Promise<void> {
  const { run, close } = await openRunner(connection)
  for (const [index, seed] of seeds.entries()) {
    const watchdog = setTimeout(() => {
      tell({ text: `seed ${seed} never ends: ${command(seed)}` })
      process.exit(1)
    }, PATIENCE_MS)
    const outcome = await run(seed)
    clearTimeout(watchdog)
    const text = outcome.violations.length > 0 ? await explain(outcome) : null
    if (values.verbose && text === null) tell({ text: outcome.log.join('\n') })
    tell({ outcome, ...(text !== null && { text }) })
    if ((index + 1) % PROGRESS === 0) tell({ text: `${index + 1} of ${seeds.length}, seed ${seed}` })
  }
  await close()
  process.disconnect()

  /** A failure that cannot be reproduced is a bug of the simulation. */
  async function explain(outcome: Outcome): Promise<string> {
    const again = await run(outcome.seed)
    const drift = again.hash === outcome.hash ? '' : '(its second run went another way)\n'
    const shrunk = values['no-shrink'] ? outcome : await shrink(outcome, (steps) => run(outcome.seed, steps))
    return drift + describe(outcome, shrunk, command(outcome.seed))
  }
}
