import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

/** What main.cjs of the build begins with. */
const BEGIN = readFileSync('server/threads.cjs', 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'skypool-threads-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Threads of a process that starts like the server, once it has had to do with files. Linux. */
function threads(env: Record<string, string>): number {
  const app = join(folder, 'app.mjs')
  const main = join(folder, 'main.cjs')
  writeFileSync(
    app,
    `import fs from 'node:fs'
     await Promise.all(Array.from({ length: 40 }, () => fs.promises.stat('.')))
     console.log(fs.readdirSync('/proc/self/task').length)`,
  )
  writeFileSync(main, `${BEGIN}import(${JSON.stringify(app)})`)
  const { UV_THREADPOOL_SIZE: _, ...others } = process.env
  return Number(execFileSync(process.execPath, [main], { env: { ...others, ...env }, encoding: 'utf8' }))
}

it.runIf(process.platform === 'linux')(
  'eight files may wait for the disk at once, or as many as the administrator says',
  () => {
    expect(threads({}) - threads({ UV_THREADPOOL_SIZE: '4' })).toBe(4)
    expect(threads({ UV_THREADPOOL_SIZE: '16' }) - threads({})).toBe(8)
  },
)

it('npm start begins so, too', () => {
  const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts
  expect(start).toBe('MALLOC_TRIM_THRESHOLD_=131072 node server/scripts/start.cjs')
  expect(readFileSync('server/scripts/start.cjs', 'utf8')).toMatch(
    /^.use strict.\n[^\n]*\nrequire\('..\/threads.cjs'\)/,
  )
})
