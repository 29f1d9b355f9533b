import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { check } from './check.mjs'
import { findChromium } from './setup/chromium.mjs'
import { enterProject } from './setup/enterProject.mjs'
import { changedFiles, nearTests } from './setup/nearTests.mjs'
import { prepareBuild, prepareChecks, prepareSources } from './setup/prepare.mjs'
import { testSeveralServers } from './setup/severalServers.mjs'
import { countWithSecondRun, runVitest, withUnstarted } from './setup/testRuns.mjs'
import { getTestTools } from './setup/testTools.mjs'

/** Test counts, read by .ci/run. */
const RESULT = '.cache/test-result.json'

/** Folders whose tests need no build and no browser. */
const WITHOUT_BUILD = /^tests\/(server|web|conformance|arch)\//

/**
 * `npm test`: the set-up that is missing, every check, every test, browser tests included. `npm test -- tests/server/keys.test.ts`
 * runs only the test files whose path contains that text, without the checks; all arguments go to Vitest (`-- --changed`).
 * `-- --near` runs the tests that are nearest to what changed.
 */
enterProject()
const wanted = process.argv.slice(2)
rmSync(RESULT, { force: true })
try {
  process.exitCode = wanted.length > 0 ? await testSome(wanted) : await testEverything()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function testSome(given) {
  await prepareChecks()
  const wanted = given.flatMap((text) => (text === '--near' ? nearTests(changedFiles()) : [text]))
  if (given.includes('--near')) console.log(wanted.join('\n') || 'No test is near to what changed.')
  if (wanted.length === 0) return 0
  const needsBuild = !wanted.every((text) => WITHOUT_BUILD.test(text))
  if (needsBuild) await prepareBuild()
  else await prepareSources()
  const env = needsBuild ? { ...process.env, CHROMIUM_PATH: await findChromium() } : process.env
  const { code } = await runVitest({ files: wanted, reportFile: '.cache/vitest-some.json', env })
  return code
}

async function testEverything() {
  // At the same time as packages and checks: it is the package manager of the system, and mostly waits for the network.
  const gettingTools = getTestTools()
  gettingTools.catch(() => undefined)
  await prepareChecks()
  const checks = await check()
  await prepareBuild()
  const tests = await testAll(await gettingTools)
  const total = { passed: checks.passed + tests.passed, failed: checks.failed + tests.failed }
  mkdirSync('.cache', { recursive: true })
  writeFileSync(RESULT, JSON.stringify(total))
  // Printed again: they stand far above the output of the tests, and often only the end of a log is kept.
  for (const problem of checks.problems) console.log(problem)
  console.log(`checks: ${checks.passed} passed, ${checks.failed} failed`)
  console.log(`tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
  return total.failed > 0 ? 1 : 0
}

async function testAll(chromium) {
  const env = { ...process.env, CHROMIUM_PATH: chromium }
  const one = await testFiles([], 'vitest', env)
  const several = await testSeveralServers((files, more) => testFiles(files, 'vitest-servers', { ...env, ...more }))
  if (several === null) return one
  return {
    passed: one.passed + several.passed,
    failed: one.failed + several.failed,
    skipped: one.skipped + several.skipped,
  }
}

/** `files`: all when it is empty. */
async function testFiles(files, report, env) {
  const again = (name, files) => runVitest({ files, reportFile: `.cache/${report}${name}.json`, env })
  const all = await withUnstarted(await again('', files), (unstarted) => again('-rest', unstarted))
  return countWithSecondRun(all, (file) => again('-again', [file]))
}
