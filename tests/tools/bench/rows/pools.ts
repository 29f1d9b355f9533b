import type { Line } from '../context.ts'
import { type Contender, interleave, type Result, rssMiB } from '../measure.ts'
import { assertSame, download, type Stored, storeIn } from '../pooled.ts'
import type { Pool, PoolBench } from '../pools.ts'

const MIB = 1024 ** 2
const ACCOUNTS = 4
const TRANSFERS = 8
const BAR_MIB = 150

/** Row 10 of the targets: one file over four accounts, read at the sum of their speeds. */
export async function poolRead(bench: PoolBench, path: string): Promise<Line[]> {
  const one = await ready(bench, 1, path)
  const four = await ready(bench, ACCOUNTS, path)
  await assertSame(bench, four.file.id, path)
  const reading = ({ pool, file }: Ready, name: string): Contender => ({
    name,
    pid: bench.skypool.pid,
    async run() {
      await bench.throttle(pool, bench.bytesPerSecond)
      return download(bench, file.id, bench.size)
    },
  })
  const results = await interleave([reading(four, 'four'), reading(one, 'one')], bench.rounds)
  return [sumLine(bench, 'GET of one file over 4 accounts', results)]
}

/** The same for storing: from the acknowledged upload until the accounts have it all. */
export async function poolWrite(bench: PoolBench, path: string): Promise<Line[]> {
  const writing = (accounts: number, name: string): Contender => ({
    name,
    pid: bench.skypool.pid,
    async run() {
      // Old ones are full.
      const pool = await roomFor(bench, accounts, bench.size)
      await bench.throttle(pool, bench.bytesPerSecond)
      return (await spread(bench, pool, accounts, path, bench.size)).seconds
    },
  })
  const results = await interleave([writing(ACCOUNTS, 'four'), writing(1, 'one')], bench.rounds)
  return [sumLine(bench, 'storing of one file over 4 accounts', results)]
}

/** What the server's memory grows by while eight files are stored over four accounts each, and while they are read. */
export async function poolMemory(bench: PoolBench, path: string): Promise<Line[]> {
  const size = bench.size
  const pools: Pool[] = []
  for (let index = 0; index < TRANSFERS; index++) pools.push(await roomFor(bench, ACCOUNTS, size))
  const speed = bench.bytesPerSecond / TRANSFERS
  for (const pool of pools) await bench.throttle(pool, speed)
  const atRest = rssMiB(bench.skypool.pid)
  const files: Stored[] = []
  const storing = await peakDuring(bench, async () => {
    files.push(...(await Promise.all(pools.map((pool) => spread(bench, pool, ACCOUNTS, path, size)))))
  })
  const reading = await peakDuring(bench, () => Promise.all(files.map(({ id }) => download(bench, id, size))))
  const line = (what: string, peak: number): Line => ({
    row: 8,
    measure: `RSS growth with ${TRANSFERS} files of ${size / MIB} MiB ${what} over ${ACCOUNTS} accounts each`,
    figure: `${(peak - atRest).toFixed(0)} MiB  [at rest ${atRest.toFixed(0)}, peak ${peak.toFixed(0)} MiB]`,
    bar: `${BAR_MIB} MiB`,
    goal: '-',
    met: peak - atRest < BAR_MIB,
  })
  return [line('received and stored', storing), line('read', reading)]
}

type Ready = { readonly pool: Pool; readonly file: Stored }

/** A file in a separate pool. */
async function ready(bench: PoolBench, accounts: number, path: string): Promise<Ready> {
  const pool = await roomFor(bench, accounts, bench.size)
  return { pool, file: await spread(bench, pool, accounts, path, bench.size) }
}

/** With more than one account none of them can hold the file alone. */
function roomFor(bench: PoolBench, accounts: number, size: number): Promise<Pool> {
  return bench.makePool(accounts, Math.ceil((1.2 * size) / accounts))
}

async function spread(bench: PoolBench, pool: Pool, accounts: number, path: string, size: number): Promise<Stored> {
  const file = await storeIn(bench, pool, path, size)
  if (file.accounts !== accounts) throw new Error(`the file is on ${file.accounts} accounts instead of ${accounts}`)
  return file
}

async function peakDuring(bench: PoolBench, work: () => Promise<unknown>): Promise<number> {
  let peak = 0
  const sampler = setInterval(() => {
    peak = Math.max(peak, rssMiB(bench.skypool.pid))
  }, 50)
  try {
    await work()
  } finally {
    clearInterval(sampler)
  }
  return peak
}

/** Against four times the speed of one account. */
function sumLine({ bytesPerSecond, size }: PoolBench, measure: string, results: readonly Result[]): Line {
  const speedOf = (name: string) =>
    size / MIB / (results.find((each) => each.name === name)?.median.seconds ?? Number.NaN)
  const ratio = speedOf('four') / (ACCOUNTS * speedOf('one'))
  const told = results.map(({ name, median, min, max }) => {
    const range = `${min.toFixed(2)}..${max.toFixed(2)} s; cpu ${median.cpuSeconds.toFixed(1)} s`
    return `${name} ${speedOf(name).toFixed(1)} MiB/s (${range})`
  })
  const each = `${size / MIB} MiB, ${bytesPerSecond / MIB} MiB/s each`
  return {
    row: 10,
    measure: `${measure} (4 x one; ${each})`,
    figure: `${ratio.toFixed(2)}  [${told.join(', ')}]`,
    bar: '0.90',
    goal: '0.95',
    met: ratio >= 0.9,
  }
}
