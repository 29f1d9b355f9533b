import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { afterAll, expect, it } from 'vitest'
import { countGarbage } from '../../server/lib/garbage.ts'
import { START_SETTINGS } from '../setup/nodeFlags.ts'

/** What main.cjs of the build begins with. */
const BEGIN = readFileSync('server/processSettings.cjs', 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'skypool-threads-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a module in a process that starts with `begin` and returns what it prints, a number. */
function run(module: string, env: Record<string, string>, begin = BEGIN): number {
  const app = join(folder, 'app.mjs')
  const main = join(folder, 'main.cjs')
  writeFileSync(app, module)
  writeFileSync(main, `${begin}import(${JSON.stringify(app)})`)
  const { UV_THREADPOOL_SIZE: _, ...others } = process.env
  return Number(execFileSync(process.execPath, [main], { env: { ...others, ...env }, encoding: 'utf8' }))
}

/** Threads of a process that starts like the server, once it has had to do with files. Linux. */
function threads(env: Record<string, string>): number {
  const module = `import fs from 'node:fs'
    await Promise.all(Array.from({ length: 40 }, () => fs.promises.stat('.')))
    console.log(fs.readdirSync('/proc/self/task').length)`
  return run(module, env)
}

/** Keeps 60 MB, makes 400 MB of garbage that outlives the collections of the young generation, and prints the most bytes in use. */
const GARBAGE = `import { getHeapStatistics } from 'node:v8'
  const megabyte = () => Array.from({ length: 20 }, () => new Array(6400).fill(0.5))
  const kept = Array.from({ length: 60 }, megabyte)
  let most = 0
  for (let made = 0, recent = []; made < 400; made += 1) {
    recent.push(megabyte())
    if (recent.length > 30) recent = []
    most = Math.max(most, getHeapStatistics().used_heap_size)
  }
  console.log(kept.length > 0 ? most : 0)`

it.runIf(process.platform === 'linux')(
  'eight files may wait for the disk at once, or as many as the administrator says',
  () => {
    expect(threads({}) - threads({ UV_THREADPOOL_SIZE: '4' })).toBe(4)
    expect(threads({ UV_THREADPOOL_SIZE: '16' }) - threads({})).toBe(8)
  },
)

it('the heap does not grow to several times what is in use', () => {
  expect(run(GARBAGE, {})).toBeLessThan(0.75 * run(GARBAGE, {}, ''))
})

const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
const HAS_GLIBC = header.glibcVersionRuntime !== undefined

/** Fills 2,000 buffers of 256 KiB, as a transfer does, with a pause after each; prints how often the system had to supply a page. Linux. */
const BUFFERS = `const before = process.resourceUsage().minorPageFault
  for (let made = 0; made < 2000; made += 1) {
    Buffer.allocUnsafeSlow(256 * 1024).fill(1)
    await new Promise(setImmediate)
  }
  console.log(process.resourceUsage().minorPageFault - before)`

it.runIf(HAS_GLIBC)('buffers of transfers are used again', () => {
  // Now and then all that is free lies at the end of the memory, and glibc gives it back to the system.
  const few = Math.min(...Array.from({ length: 3 }, () => run(BUFFERS, START_SETTINGS)))
  expect(few).toBeLessThan(0.5 * run(BUFFERS, { ...START_SETTINGS, MALLOC_MMAP_THRESHOLD_: '131072' }))
})

/** Fills 2,000 buffers of 64 KiB, says so to `count`, and returns how often the young garbage was collected. */
async function collections(count: (bytes: number) => void): Promise<number> {
  let minor = 0
  const add = (entries: PerformanceEntry[]) => {
    for (const entry of entries as (PerformanceEntry & { detail: { kind?: number } })[]) {
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) minor += 1
    }
  }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  for (let made = 0; made < 2000; made += 1) {
    count(Buffer.allocUnsafeSlow(64 * 1024).fill(1).length)
    await new Promise(setImmediate)
  }
  add(observer.takeRecords())
  observer.disconnect()
  return minor
}

it('buffers that a transfer has passed on do not wait for the garbage collector until they fill 32 MiB', async () => {
  // 125 MiB: once for each 32 MiB, or once for each 12. How much is in memory in between depends on how fast a thread of V8 frees it.
  const seldom = await collections(() => undefined)
  const often = await collections(countGarbage)
  expect(often).toBeGreaterThanOrEqual(9)
  expect(seldom).toBeLessThan(often)
})

it('npm start begins so, too', () => {
  const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts
  expect(start).toBe(
    'MALLOC_TRIM_THRESHOLD_=8388608 MALLOC_MMAP_THRESHOLD_=393216 node --max-semi-space-size=32 --initial-heap-size=64 server/scripts/start.cjs',
  )
  expect(readFileSync('server/scripts/start.cjs', 'utf8')).toMatch(
    /^.use strict.\n[^\n]*\nrequire\('..\/processSettings.cjs'\)/,
  )
})
