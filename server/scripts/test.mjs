import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { check } from './check.mjs'
import { findChromium } from './setup/chromium.mjs'
import { enterProject } from './setup/enterProject.mjs'
import { prepareBuild, prepareChecks } from './setup/prepare.mjs'
import { installRclone } from './setup/rclone.mjs'
import { countWithSecondRun, runVitest } from './setup/testRuns.mjs'

/** What .ci/run reads its counts from. */
const RESULT = '.cache/test-result.json'

/** `npm test`: the set-up that is missing, every check, every test, browser tests included. */
enterProject()
rmSync(RESULT, { force: true })
try {
  await prepareChecks()
  const checks = await check()
  await prepareBuild()
  await installRclone()
  const tests = await testAll(await findChromium())
  const total = { passed: checks.passed + tests.passed, failed: checks.failed + tests.failed }
  mkdirSync('.cache', { recursive: true })
  writeFileSync(RESULT, JSON.stringify(total))
  console.log(`checks: ${checks.passed} passed, ${checks.failed} failed`)
  console.log(`tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
  process.exitCode = total.failed > 0 ? 1 : 0
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function testAll(chromium) {
  const env = { ...process.env, CHROMIUM_PATH: chromium }
  const first = await runVitest({ reportFile: '.cache/vitest.json', env })
  return countWithSecondRun(first, (file) => runVitest({ files: [file], reportFile: '.cache/vitest-again.json', env }))
}
