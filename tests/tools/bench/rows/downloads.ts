import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, Line } from '../context.ts'
import { interleave } from '../measure.ts'
import { ratioLine } from '../report.ts'
import { curl, run as runProgram } from '../skypool.ts'
import { putByTus } from './uploads.ts'

const MIB = 1024 * 1024

/** Rows 1 to 3 of the targets: one stream of 1 GiB, 32 ranges of 8 MiB, 4 KiB by 16 connections. */
export async function downloadRows(bench: Bench, bigFile: string): Promise<Line[]> {
  const size = 1024 * MIB
  copyFileSync(bigFile, join(bench.referenceRoot, 'big.bin'))
  const ours = `${bench.client.url}/api/v1/files/${await uploadBig(bench, bigFile, size)}/download`
  const lines = [await oneStream(bench, ours, size), await ranges(bench, ours)]
  return [...lines, await small(bench)]
}

async function uploadBig(bench: Bench, path: string, size: number): Promise<string> {
  await putByTus(bench, await bench.client.openUpload('big.bin', size), path)
  const list = await bench.client.json<{ items: { id: string; name: string }[] }>('/api/v1/files?q=big.bin')
  const file = list.items.find((each) => each.name === 'big.bin')
  if (!file) throw new Error('the uploaded file is not listed')
  return file.id
}

async function oneStream(bench: Bench, ours: string, bytes: number): Promise<Line> {
  const get = (args: string[]) => curl(args, { status: 200, bytes })
  const results = await interleave(
    [
      { name: 'skypool', pid: bench.skypool.pid, run: () => get(['-H', `cookie: ${bench.client.cookie}`, ours]) },
      { name: 'nginx', pid: bench.nginx.pid, run: () => get([`${bench.nginx.url}/big.bin`]) },
      { name: 'node', pid: bench.node.pid, run: () => get([`${bench.node.url}/big.bin`]) },
    ],
    bench.rounds,
  )
  return ratioLine(1, 'GET 1 GiB', results, { against: 'nginx', bar: 0.6, goal: 0.8 })
}

async function ranges(bench: Bench, ours: string): Promise<Line> {
  const run = (url: string, cookie?: string) => async () => {
    const args = Array.from({ length: 32 }, (_, index) => {
      const header = cookie ? ['-H', `cookie: ${cookie}`] : []
      const range = `${index * 8 * MIB}-${(index + 1) * 8 * MIB - 1}`
      return [
        ...(index ? ['--next'] : []),
        ...header,
        '-sS',
        '-r',
        range,
        '-o',
        '/dev/null',
        '-w',
        '%{http_code} %{size_download}\n',
        url,
      ]
    })
    const startedAt = performance.now()
    const output = await runProgram('curl', ['-Z', '--parallel-max', '32', ...args.flat()])
    const seconds = (performance.now() - startedAt) / 1000
    if (
      output
        .trim()
        .split('\n')
        .filter((line) => line === `206 ${8 * MIB}`).length !== 32
    )
      throw new Error(`ranges: ${output}`)
    return seconds
  }
  const results = await interleave(
    [
      { name: 'skypool', pid: bench.skypool.pid, run: run(ours, bench.client.cookie) },
      { name: 'nginx', pid: bench.nginx.pid, run: run(`${bench.nginx.url}/big.bin`) },
      { name: 'node', pid: bench.node.pid, run: run(`${bench.node.url}/big.bin`) },
    ],
    bench.rounds,
  )
  return ratioLine(2, '32 ranges of 8 MiB', results, { against: 'nginx', bar: 0.8, goal: 1 })
}

async function small(bench: Bench): Promise<Line> {
  const bytes = new Uint8Array(4096).fill(65)
  writeFileSync(join(bench.referenceRoot, 'small.bin'), bytes)
  const id = await bench.client.upload('small.txt', bytes)
  const ours = `${bench.client.url}/api/v1/files/${id}/download`
  const results = await interleave(
    [
      {
        name: 'skypool',
        pid: bench.skypool.pid,
        run: () => wrk(ours, 16, [`cookie: ${bench.client.cookie}`]),
      },
      { name: 'node', pid: bench.node.pid, run: () => wrk(`${bench.node.url}/small.bin`, 16) },
      { name: 'nginx', pid: bench.nginx.pid, run: () => wrk(`${bench.nginx.url}/small.bin`, 16) },
    ],
    bench.rounds,
  )
  return ratioLine(3, 'GET 4 KiB, 16 connections', results, { against: 'node', bar: 0.3, goal: 0.6 })
}

/** Seconds per request, over 3 s of as many as can be. @throws when any answer is not 2xx or 3xx */
export async function wrk(
  url: string,
  connections: number,
  headers: readonly string[] = [],
  script?: string,
): Promise<number> {
  const args = [
    '-t1',
    `-c${connections}`,
    '-d3s',
    ...headers.flatMap((each) => ['-H', each]),
    ...(script ? ['-s', script] : []),
  ]
  const output = await runProgram('wrk', [...args, url])
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
  if (!(rate > 0) || /Non-2xx|Socket errors/.test(output)) throw new Error(`wrk ${url}: ${output}`)
  return 1 / rate
}
