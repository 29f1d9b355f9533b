import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countWithSecondRun, runVitest, withUnstarted } from '../../../server/scripts/setup/testRuns.mjs'

/** Fails in the first run of a folder, and passes in every later one. */
const FLAKY = `import { existsSync, writeFileSync } from 'node:fs'
  import { expect, it } from 'vitest'
  it('passes at its second run', () => {
    const first = !existsSync('SEEN')
    writeFileSync('SEEN', '')
    expect(first).toBe(false)
  })
  it('passes always', () => undefined)`
const BROKEN = `import { expect, it } from 'vitest'
  it('fails always', () => expect(1).toBe(2))`
const SOUND = `import { it } from 'vitest'
  it('is sound', () => undefined)
  it.skip('is skipped', () => undefined)`
/** Never ends in its first run, and answers to nothing; without using the processor, which other tests need. */
const HANGING = `import { existsSync, writeFileSync } from 'node:fs'
  import { it } from 'vitest'
  it('ends in its second run', () => {
    if (existsSync('SEEN')) return
    writeFileSync('SEEN', '')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
const NOT_LOADED = `throw new Error('It cannot be loaded.')`

let folder: string
const printed: string[] = []

beforeAll(() => {
  // Below the project, so that the planted files find Vitest.
  mkdirSync('.cache', { recursive: true })
  folder = mkdtempSync(resolve('.cache', 'planted-'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs planted test files as `npm test` runs the project's. */
async function runPlanted(name: string, files: Record<string, string>, fileMinutes?: number) {
  const root = mkdtempSync(join(folder, `${name}-`))
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(root, `${file}.test.mjs`), text.replaceAll('SEEN', join(root, `${file}.seen`)))
  }
  const config = join(root, 'vitest.config.mjs')
  writeFileSync(
    config,
    `export default { root: ${JSON.stringify(root)}, test: { include: ['*.test.mjs'], maxWorkers: 1 } }`,
  )
  const options = { config, reportFile: join(root, 'report.json'), show: false, ...(fileMinutes && { fileMinutes }) }
  const inRoot = (file: string) => relative(root, resolve(file))
  printed.length = 0
  const first = await runVitest(options)
  return countWithSecondRun(
    await withUnstarted(first, (files: readonly string[]) => runVitest({ ...options, files: files.map(inRoot) })),
    (file: string) => runVitest({ ...options, files: [inRoot(file)] }),
    (line: string) => void printed.push(line),
  )
}

// Each case starts Vitest several times.
describe('npm test', () => {
  it('counts a planted test that passes alone as passed, and names it with its failure', async () => {
    const count = await runPlanted('flaky', { flaky: FLAKY, sound: SOUND })
    expect(count).toEqual({ passed: 3, failed: 0, skipped: 1 })
    const said = printed.join('\n')
    expect(said).toMatch(/FLAKY .*flaky\.test\.mjs/)
    expect(said).toContain('passes at its second run')
    expect(said).toContain('expected true to be false')
  })

  it('fails for a planted test that fails again, and for a file that cannot be loaded', async () => {
    const count = await runPlanted('broken', { broken: BROKEN, flaky: FLAKY, unloaded: NOT_LOADED, sound: SOUND })
    expect(count).toEqual({ passed: 3, failed: 2, skipped: 1 })
    expect(printed.filter((line) => line.startsWith('FLAKY'))).toHaveLength(1)
  })

  it('runs nothing again when more than three files failed', async () => {
    const count = await runPlanted('many', { a: FLAKY, b: FLAKY, c: FLAKY, d: FLAKY })
    expect(count).toEqual({ passed: 4, failed: 4, skipped: 0 })
    expect(printed.join()).toContain('too many to be flaky')
  })

  it('ends a planted file that hangs, runs the files that had no turn, and then that file alone', async () => {
    const count = await runPlanted('hanging', { hanging: HANGING, sound: SOUND, second: SOUND }, 0.5)
    expect(count).toEqual({ passed: 3, failed: 0, skipped: 2 })
    expect(printed.join('\n')).toMatch(/FLAKY .*hanging\.test\.mjs.*It had not ended after/s)
  })

  it('fails when the runner ends without a report', async () => {
    const count = await countWithSecondRun({ code: 1, report: null }, () => Promise.reject(new Error('not run')))
    expect(count).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })
})
