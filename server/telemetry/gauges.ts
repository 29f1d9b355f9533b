import { statfs } from 'node:fs/promises'
import type pg from 'pg'
import { readAccountFigures, readJobFigures, readTransferFigures } from '../db/figures.ts'
import type { Metrics } from './metrics.ts'
import type { Exporter } from './otlp.ts'

export type GaugesDeps = {
  readonly metrics: Metrics
  /** By name; the first one is used for reading. */
  readonly pools: readonly (readonly [string, pg.Pool])[]
  readonly dataDir: string
  readonly diskReserveBytes: number
  readonly exporter: Exporter | null
}

/** The accounts are a whole table: they are read at most once in this time. */
const ACCOUNTS_MS = 60_000
/** A scrape answers even while the database does not. */
const DATABASE_MS = 3_000
/** As in diskSpace.ts: on small disks the reserve is less than the setting. */
const RESERVE_DIVISOR = 10

/** Returns a function that reads everything that is counted only when it is asked for. */
export function createGauges(deps: GaugesDeps): () => Promise<void> {
  const { metrics, pools } = deps
  const [, pool] = pools[0] ?? []
  let accountsAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  const counted = { sent: 0, dropped: 0 }

  async function readDatabase(from: pg.Pool): Promise<void> {
    const [jobs, transfers] = await Promise.all([readJobFigures(from), readTransferFigures(from)])
    setEach(metrics.jobsWaiting, jobs, ({ task, waiting }) => [{ task }, waiting])
    setEach(metrics.jobsRunning, jobs, ({ task, running }) => [{ task }, running])
    setEach(metrics.jobsGivenUp, jobs, ({ task, givenUp }) => [{ task }, givenUp])
    setEach(metrics.jobsOldest, jobs, ({ task, oldest }) => [{ task }, oldest])
    setEach(metrics.transfers, withEvery(transfers), ({ state, count }) => [{ state }, count])
    metrics.transfersOldest.set(Math.max(0, ...transfers.map(({ oldest }) => oldest)))
    if (performance.now() - accountsAt < ACCOUNTS_MS) return
    const accounts = await readAccountFigures(from)
    setEach(metrics.accounts, accounts, ({ provider, state, count }) => [{ provider, state }, count])
    accountsAt = performance.now()
  }

  /** While the database does not answer there is one reading at most: hanging ones must not accumulate. */
  async function tryDatabase(): Promise<void> {
    if (!pool) return
    reading ??= readDatabase(pool).finally(() => {
      reading = null
    })
    metrics.databaseUp.set((await within(DATABASE_MS, reading)) ? 1 : 0)
  }

  async function readDisk(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(deps.dataDir)
    metrics.diskFree.set(bavail * bsize)
    metrics.diskSize.set(blocks * bsize)
    metrics.diskReserve.set(Math.min(deps.diskReserveBytes, (blocks * bsize) / RESERVE_DIVISOR))
  }

  return async () => {
    for (const [name, { totalCount, idleCount, waitingCount, options }] of pools) {
      metrics.connections.set({ pool: name, state: 'idle' }, idleCount)
      metrics.connections.set({ pool: name, state: 'busy' }, totalCount - idleCount)
      metrics.connectionsMax.set({ pool: name }, options.max)
      metrics.connectionsWanted.set({ pool: name }, waitingCount)
    }
    const { sent, dropped } = deps.exporter?.counts ?? counted
    metrics.spans.inc({ result: 'sent' }, sent - counted.sent)
    metrics.spans.inc({ result: 'dropped' }, dropped - counted.dropped)
    Object.assign(counted, { sent, dropped })
    await Promise.all([tryDatabase(), readDisk()])
  }
}

const TRANSFER_STATES = ['WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED']

/** Zeros too: a series that is missing cannot be alerted on. */
function withEvery(transfers: readonly { readonly state: string; readonly count: number }[]) {
  return TRANSFER_STATES.map((state) => ({ state, count: transfers.find((each) => each.state === state)?.count ?? 0 }))
}

function setEach<Row>(
  gauge: Metrics['jobsWaiting'],
  rows: readonly Row[],
  read: (row: Row) => readonly [Record<string, string>, number],
): void {
  gauge.reset()
  for (const row of rows) gauge.set(...read(row))
}

/** Whether the promise resolves in time. */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const done = work.then(
    () => true,
    () => false,
  )
  return Promise.race([done, late]).finally(() => clearTimeout(timer))
}
