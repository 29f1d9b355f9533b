// npm run thumbnail-corpus: a picture or an honest tile for each file of a corpus, while the workers' memory is sampled and the server's
// event loop is probed from outside (the latency of /health is never less than the loop's delay).
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../e2e/support/browser.ts'
import { dropFiles } from '../../e2e/support/fileManager.ts'
import { type CorpusFile, makeCorpus } from '../../factories/corpus.ts'
import { machine, processTree } from '../bench/measure.ts'
import { Client, type Skypool, startSkypool } from '../bench/skypool.ts'
import { writeDocuments } from './documents.ts'
import { recordFilms } from './films.ts'

/** Broken films; the others are recorded. */
const SIZE = { images: 200, pdfs: 50, films: 10, offices: 30, texts: 60 }
const RECORDED = 20
/** What the server allows a worker before it kills it, and what may be added until the next look. */
const WORKER_BAR_MIB = 512 + 64
const LOOP_BAR_MS = 100
const QUIET_MS = 10_000
/** Thumbnails that are asked for at the same time: a screen of a grid. */
const AT_ONCE = 12
const SIZES = ['small', 'medium', 'large'] as const

type Outcome = 'PICTURE' | 'NONE' | 'WRONG'
type Uploaded = { readonly file: CorpusFile; readonly id: string }
type Judged = { readonly file: CorpusFile; readonly outcome: Outcome; readonly note: string }

/** Peak memory of each worker, and delays of the event loop. */
function watch({ pid, url }: Skypool) {
  const peaks = new Map<number, number>()
  const delays: number[] = []
  // Apart from the probes, which it would delay.
  const memory = setInterval(() => {
    for (const worker of processTree(pid)) {
      const peak = workerPeak(worker)
      if (peak !== null) peaks.set(worker, peak)
    }
  }, 250)
  const timer = setInterval(() => {
    const startedAt = performance.now()
    const record = () => delays.push(performance.now() - startedAt)
    get(`${url}/health`, (response) => response.resume().on('end', record)).on('error', () =>
      delays.push(Number.POSITIVE_INFINITY),
    )
  }, 50)
  return () => {
    clearInterval(timer)
    clearInterval(memory)
    delays.sort((a, b) => a - b)
    const p99 = delays[Math.floor(delays.length * 0.99)] ?? Number.NaN
    return { workers: peaks.size, peakMiB: Math.max(0, ...peaks.values()), p99 }
  }
}

/** MiB; null for other processes, and for those that have ended. */
function workerPeak(pid: number): number | null {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('worker.mjs')) return null
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kilobytes ?? 0) / 1024
  } catch {
    return null
  }
}

async function uploadAll(client: Client, files: readonly CorpusFile[]): Promise<Uploaded[]> {
  const uploaded: Uploaded[] = []
  for (const file of files) {
    uploaded.push({ file, id: await client.upload(file.name, new Uint8Array(file.bytes)) })
  }
  return uploaded
}

/** All sizes have to agree. */
async function judge(client: Client, { file, id }: Uploaded): Promise<Judged> {
  const outcomes = new Set<Outcome>()
  let note = ''
  for (const size of SIZES) {
    const url = `${client.url}/api/v1/files/${id}/thumbnail?size=${size}`
    const response = await fetch(url, { headers: client.headers })
    const type = response.headers.get('content-type') ?? ''
    const length = (await response.arrayBuffer()).byteLength
    const isPicture = response.status === 200 && type.startsWith('image/') && length > 0
    outcomes.add(isPicture ? 'PICTURE' : response.status === 404 ? 'NONE' : 'WRONG')
    if (!isPicture && response.status !== 404) note = `${size}: ${response.status} ${type}`
  }
  const [outcome = 'WRONG'] = outcomes
  const isExpected = file.expected === 'EITHER' || file.expected === outcome
  if (outcomes.size === 1 && outcome !== 'WRONG' && isExpected) return { file, outcome, note }
  return { file, outcome: 'WRONG', note: note || `${[...outcomes].join(' and ')} instead of ${file.expected}` }
}

async function judgeAll(client: Client, uploaded: readonly Uploaded[]): Promise<Judged[]> {
  const queue = [...uploaded]
  const judged: Judged[] = []
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) judged.push(await judge(client, next))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return judged
}

/** Records films and uploads them as a person does, so that the browser makes their pictures. */
async function uploadFilms(browser: Browser, client: Client): Promise<Uploaded[]> {
  const context = await browser.newContext({ serviceWorkers: 'block' })
  const cookies = client.cookie.split('; ').map((cookie) => {
    const [name = '', value = ''] = cookie.split('=')
    return { name, value, url: client.url }
  })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.goto(`${client.url}/file-manager/my-drive`)
  const files: CorpusFile[] = []
  for (let seed = 0; files.length < RECORDED; seed += 1) {
    const films = await recordFilms(page, seed)
    if (films.length === 0) break
    for (const { extension, bytes } of films) {
      files.push({ kind: 'film', name: `recorded ${files.length}${extension}`, bytes, expected: 'PICTURE' })
    }
  }
  const sent: Promise<unknown>[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'PUT' && response.url().includes('/thumbnail?')) sent.push(response.finished())
  })
  const samples = files.map((file) => ({ name: file.name, type: typeOf(file.name), bytes: file.bytes }))
  await dropFiles(page, page.getByRole('main'), samples)
  for (let waited = 0; sent.length < files.length && waited < 120; waited += 1) await page.waitForTimeout(1_000)
  await Promise.all(sent)
  await context.close()
  const { items } = await client.json<{ items: { id: string; name: string }[] }>(
    '/api/v1/files?view=all&q=recorded&limit=200',
  )
  return files.flatMap((file) => {
    const found = items.find((item) => item.name === file.name)
    return found ? [{ file, id: found.id }] : []
  })
}

const typeOf = (name: string) => (name.endsWith('.mp4') ? 'video/mp4' : 'video/webm')

function report(judged: readonly Judged[]): boolean {
  for (const kind of ['image', 'pdf', 'film', 'office', 'text'] as const) {
    const those = judged.filter(({ file }) => file.kind === kind)
    const count = (outcome: Outcome) => those.filter((one) => one.outcome === outcome).length
    const wrong = count('WRONG')
    const line = `${count('PICTURE')} pictures, ${count('NONE')} honest tiles, ${wrong} wrong`
    console.log(`${wrong === 0 ? 'ok  ' : 'MISS'} ${those.length} x ${kind}: ${line}`)
  }
  const wrong = judged.filter(({ outcome }) => outcome === 'WRONG')
  for (const { file, note } of wrong) console.log(`     ${file.name}: ${note}`)
  return wrong.length === 0
}

const dir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'skypool-corpus-'))
chmodSync(dir, 0o755)
const server = await startSkypool({ DATA_DIR: join(dir, 'data'), UPLOAD_TYPES: '*', LOCAL_QUOTA: '1TB' })
const browser = await launchBrowser().catch(() => null)
try {
  console.log(machine())
  const documents = await writeDocuments()
  const files = [...(await makeCorpus(SIZE)), ...documents]
  const client = await Client.signUp(server.url)
  const uploaded = await uploadAll(client, files)
  const films = browser ? await uploadFilms(browser, client) : []
  console.log(`${files.length} files and ${films.length} recorded films (${documents.length} documents by LibreOffice)`)
  // What other work on this machine costs.
  const stopQuiet = watch(server)
  await setTimeout(QUIET_MS)
  const quiet = stopQuiet()
  const stop = watch(server)
  const startedAt = performance.now()
  const judged = await judgeAll(client, [...uploaded, ...films])
  const seconds = (performance.now() - startedAt) / 1000
  const { workers, peakMiB, p99 } = stop()
  const isRight = report(judged)
  const isAlive = (await fetch(`${server.url}/health`)).ok
  console.log(`${isAlive ? 'ok  ' : 'MISS'} the server is up`)
  const isSmall = peakMiB < WORKER_BAR_MIB
  console.log(
    `${isSmall ? 'ok  ' : 'MISS'} ${workers} workers, at most ${peakMiB.toFixed(0)} MiB (bar ${WORKER_BAR_MIB})`,
  )
  const isQuick = p99 < LOOP_BAR_MS
  console.log(
    `${isQuick ? 'ok  ' : 'MISS'} event loop p99 ${p99.toFixed(0)} ms (bar ${LOOP_BAR_MS}; without thumbnails ${quiet.p99.toFixed(0)} ms), ${seconds.toFixed(1)} s`,
  )
  process.exitCode = isRight && isAlive && isSmall && isQuick ? 0 : 1
} finally {
  await browser?.close()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}
