import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from '../context.ts'
import { type Contender, interleave } from '../measure.ts'
import type { Pool, PoolBench } from '../pools.ts'
import { many, postSmall, SMALL_BYTES } from './uploads.ts'

const ACCOUNTS = 4
const PATIENCE_MS = 30 * 60_000
const LOOK_EVERY_MS = 100

/** Files of 64 KiB by 16 connections into a pool of four accounts, until all are stored there, against a pool of one. */
export async function poolSmall(bench: PoolBench): Promise<Line[]> {
  const bytes = randomBytes(SMALL_BYTES)
  const received: Record<string, number> = {}
  const storing = (accounts: number, name: string): Contender => ({
    name,
    pid: bench.skypool.pid,
    async run() {
      const pool = await bench.makePool(accounts, 4 * bench.files * SMALL_BYTES)
      const startedAt = performance.now()
      received[name] = await many(bench.files, (index) => postSmall(bench, bytes, index, pool.id))
      await allStored(bench, pool)
      return (performance.now() - startedAt) / 1000
    },
  })
  // A warm-up of thousands of files would be as long as the row itself.
  const results = await interleave([storing(ACCOUNTS, 'four'), storing(1, 'one')], bench.rounds, { warmUp: 0 })
  const rate = (name: string) =>
    bench.files / (results.find((each) => each.name === name)?.median.seconds ?? Number.NaN)
  const told = results.map(({ name, median }) => {
    const uploads = (bench.files / (received[name] ?? Number.NaN)).toFixed(0)
    return `${name} ${rate(name).toFixed(1)}/s, received ${uploads}/s, cpu ${median.cpuSeconds.toFixed(0)} s`
  })
  const how = bench.latencyMs > 0 ? `${bench.latencyMs} ms per call` : 'calls without latency'
  return [
    {
      row: 10,
      measure: `${bench.files} x 64 KiB over ${ACCOUNTS} accounts (one; not throttled, ${how})`,
      figure: `${(rate('four') / rate('one')).toFixed(2)}  [${told.join('; ')}]`,
      bar: '-',
      goal: '-',
      met: true,
    },
  ]
}

/** @throws Error when one is at risk, or it takes too long */
async function allStored({ client }: PoolBench, { id }: Pool): Promise<void> {
  const isAny = async (states: string): Promise<boolean> => {
    const path = `/api/v1/files?groupCloudId=${id}&state=${states}&limit=1`
    return (await client.json<{ items: unknown[] }>(path)).items.length > 0
  }
  for (const deadline = Date.now() + PATIENCE_MS; await isAny('received,storing'); await sleep(LOOK_EVERY_MS)) {
    if (Date.now() > deadline) throw new Error('not all files were stored in time')
  }
  if (await isAny('at_risk')) throw new Error('not all files could be stored')
}
