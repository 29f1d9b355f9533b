import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Bench, Line } from '../context.ts'
import { median, pssMiB } from '../measure.ts'
import { startSkypool } from '../skypool.ts'

const TRANSFERS = 8

/** Rows 8 and 9 of the targets: memory at rest and under transfers, and the time to get ready on a migrated database. */
export async function processRows(bench: Bench, bigFile: string, env: Record<string, string>): Promise<Line[]> {
  return [...(await memory(bench, bigFile)), await start(bench, env)]
}

async function memory(bench: Bench, bigFile: string): Promise<Line[]> {
  const idle = pssMiB(bench.skypool.pid)
  const one = await peakDuring(bench, bigFile, 1)
  const many = await peakDuring(bench, bigFile, TRANSFERS)
  // What the first transfer costs is mostly code and heap that stay; the others cost what a transfer costs.
  const each = (many - one) / (TRANSFERS - 1)
  return [
    {
      row: 8,
      measure: 'memory at rest (PSS)',
      figure: `${idle.toFixed(0)} MiB`,
      bar: '180 MiB',
      goal: '130 MiB',
      met: idle <= 180,
    },
    {
      row: 8,
      measure: 'memory per further transfer, uploads of 1 GiB',
      figure: `${each.toFixed(1)} MiB  [at rest ${idle.toFixed(0)}, with one ${one.toFixed(0)}, with ${TRANSFERS} ${many.toFixed(0)} MiB]`,
      bar: '4 MiB',
      goal: '-',
      met: each <= 4,
    },
  ]
}

/** The greatest proportional set size of the server while `count` uploads run at once, in MiB. */
async function peakDuring(bench: Bench, bigFile: string, count: number): Promise<number> {
  let peak = 0
  const sampler = setInterval(() => {
    peak = Math.max(peak, pssMiB(bench.skypool.pid))
  }, 100)
  await Promise.all(Array.from({ length: count }, (_, index) => slowUpload(bench, bigFile, index)))
  clearInterval(sampler)
  return peak
}

/** In a separate process, so that eight run in parallel. */
async function slowUpload(bench: Bench, path: string, index: number): Promise<void> {
  const url = await bench.client.openUpload(`slow-${index}-${crypto.randomUUID()}.bin`, 1024 ** 3)
  const args = ['-sS', '-f', '-o', '/dev/null', '-X', 'PATCH', '-H', 'expect:', '-H', 'tus-resumable: 1.0.0']
  const headers = ['upload-offset: 0', 'content-type: application/offset+octet-stream']
  const credentials = [`cookie: ${bench.client.cookie}`, `origin: ${bench.client.url}`]
  const child = spawn(
    'curl',
    [...args, ...[...headers, ...credentials].flatMap((each) => ['-H', each]), '-T', path, url],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`curl ended with ${code}`)
}

async function start(bench: Bench, env: Record<string, string>): Promise<Line> {
  const times: number[] = []
  for (let round = 0; round <= bench.rounds; round++) {
    const server = await startSkypool({ ...env, DATA_DIR: join(bench.dir, 'start') })
    if (round > 0) times.push(server.startSeconds)
    await server.stop()
  }
  const seconds = median(times)
  const figure = `${seconds.toFixed(2)} s, embedded database included`
  return { row: 9, measure: 'start, migrated database', figure, bar: '2.5 s', goal: '1.2 s', met: seconds <= 2.5 }
}
