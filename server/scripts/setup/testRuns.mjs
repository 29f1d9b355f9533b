import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { bin, run } from './run.mjs'

/** If more files than this fail, it is not by chance: none of them is run again. */
const MOST_FLAKY_FILES = 3

/** Several times what the longest file takes on two busy cores. */
const FILE_MINUTES = 15

/**
 * @typedef {object} Report What reporter.mjs writes
 * @property {number} numPassedTests
 * @property {number} numSkippedTests
 * @property {{ name: string, status: string, message?: string,
 *   assertionResults: { status: string, fullName: string, failureMessages?: string[] }[] }[]} testResults
 * @property {string[]} unstarted files that had no turn, because another one hung
 *
 * @typedef {{ code: number, report: Report | null }} TestRun `report` is null when the runner ended before it wrote one
 */

/**
 * Runs Vitest over the files that contain one of `files` in their path, or over all, and shows what it prints. A file that takes longer
 * than `fileMinutes` ends the run.
 * @param {{ files?: readonly string[], reportFile: string, config?: string, env?: NodeJS.ProcessEnv, show?: boolean, fileMinutes?: number }} options
 * @returns {Promise<TestRun>}
 */
export async function runVitest({
  files = [],
  reportFile,
  config = 'tests/vitest.config.ts',
  env = process.env,
  show = true,
  fileMinutes = FILE_MINUTES,
}) {
  rmSync(reportFile, { force: true })
  mkdirSync(dirname(reportFile), { recursive: true })
  const reporters = ['--reporter=default', `--reporter=${join(import.meta.dirname, 'reporter.mjs')}`]
  const told = { ...env, TEST_REPORT: resolve(reportFile), TEST_FILE_MINUTES: String(fileMinutes) }
  const { code } = await run(bin('vitest'), ['run', '--config', config, ...reporters, ...files], { show, env: told })
  return { code, report: existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : null }
}

/**
 * Runs the files that had no turn because another file hung, once.
 * @param {TestRun} first
 * @param {(files: readonly string[]) => Promise<TestRun>} runFiles
 * @returns {Promise<TestRun>} of both runs together
 */
export async function withUnstarted(first, runFiles) {
  const unstarted = first.report?.unstarted ?? []
  if (!first.report || unstarted.length === 0) return first
  const rest = await runFiles(unstarted.map((path) => relative(process.cwd(), path)))
  if (!rest.report) return rest
  const left = rest.report.unstarted.map((name) => ({
    name,
    status: 'failed',
    message: 'It had no turn.',
    assertionResults: [],
  }))
  return {
    code: Math.max(first.code, rest.code),
    report: {
      numPassedTests: first.report.numPassedTests + rest.report.numPassedTests,
      numSkippedTests: first.report.numSkippedTests + rest.report.numSkippedTests,
      testResults: [...first.report.testResults, ...rest.report.testResults, ...left],
      unstarted: [],
    },
  }
}

/**
 * Runs each failed file again, alone, after all others. Files that then pass are flaky: they are printed with their first failure and
 * count as passed. Files that fail again count as failed; so do all failures when more than three files failed or an error belongs
 * to no file.
 * @param {TestRun} first
 * @param {(file: string) => Promise<TestRun>} runAlone
 * @param {(line: string) => void} print
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function countWithSecondRun(first, runAlone, print = console.log) {
  const { code, report } = first
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  let passed = report.numPassedTests
  let failed = failuresOf(report)
  const skipped = report.numSkippedTests
  // An error outside of tests fails no test, but must not count as success.
  if (failed === 0) return { passed, failed: code === 0 ? 0 : 1, skipped }
  const files = report.testResults.filter(({ status }) => status === 'failed')
  if (files.length > MOST_FLAKY_FILES) {
    print(`${files.length} files failed: too many to be flaky, so none is run again.`)
    return { passed, failed, skipped }
  }
  for (const file of files) {
    const path = relative(process.cwd(), file.name)
    print(`\nOnce more, alone: ${path}`)
    const again = await runAlone(path)
    if (again.code !== 0 || !again.report || failuresOf(again.report) > 0 || again.report.numPassedTests === 0) continue
    const before = failuresIn(file)
    passed += before === 1 && file.assertionResults.length === 0 ? again.report.numPassedTests : before
    failed -= before
    print(`FLAKY ${path}: it failed together with other tests and passed alone. Fix it before anything else.`)
    print(indent(firstFailureOf(file)))
  }
  return { passed, failed, skipped }
}

/** A file that could not be loaded has no tests and counts as one failure. */
function failuresIn({ status, assertionResults }) {
  if (status === 'failed' && assertionResults.length === 0) return 1
  return assertionResults.filter((test) => test.status === 'failed').length
}

function failuresOf({ testResults }) {
  return testResults.reduce((sum, file) => sum + failuresIn(file), 0)
}

function firstFailureOf({ message, assertionResults }) {
  const test = assertionResults.find(({ status }) => status === 'failed')
  return test ? `${test.fullName}\n${test.failureMessages?.[0] ?? ''}` : (message ?? 'It could not be loaded.')
}

const indent = (text) => text.trimEnd().replaceAll(/^/gm, '  ')
