import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { check } from './check.mjs'
import { findChromium } from './setup/chromium.mjs'
import { enterProject } from './setup/enterProject.mjs'
import { prepareBuild, prepareChecks } from './setup/prepare.mjs'
import { installRclone } from './setup/rclone.mjs'
import { bin, run } from './setup/run.mjs'

const REPORT = '.cache/vitest.json'
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
  rmSync(REPORT, { force: true })
  const args = [
    'run',
    '--config',
    'tests/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${REPORT}`,
  ]
  const { code } = await run(bin('vitest'), args, { show: true, env: { ...process.env, CHROMIUM_PATH: chromium } })
  if (!existsSync(REPORT)) return { passed: 0, failed: 1, skipped: 0 }
  const report = JSON.parse(readFileSync(REPORT, 'utf8'))
  // A file that could not be loaded has no tests to count, and an error outside of any test fails none: neither may pass for success.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  const counted = report.numFailedTests + unloaded.length
  const failed = counted === 0 && code !== 0 ? 1 : counted
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests }
}
