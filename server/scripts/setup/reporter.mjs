import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const CHECK_MS = 5_000
/** For the end of workers, after the last test. */
const END_MS = 60_000

/**
 * A reporter for Vitest that writes a report (a `Report`, see testRuns.mjs) to the file TEST_REPORT. Vitest limits the time of each test
 * and hook, but not of a file whose process hangs: when one takes longer than TEST_FILE_MINUTES, or the next one never begins, the run
 * ends, with that file as failed and with the files that had no turn yet.
 */
export default class ReportWriter {
  #file = process.env.TEST_REPORT
  #limitMs = Number(process.env.TEST_FILE_MINUTES) * 60_000
  #unstarted = new Set()
  #running = new Map()
  #results = []
  /** When a file last began or ended. */
  #changedAt = performance.now()

  onTestRunStart(specifications) {
    for (const { moduleId } of specifications) this.#unstarted.add(moduleId)
    setInterval(() => this.#check(), CHECK_MS).unref()
  }

  onTestModuleQueued({ moduleId }) {
    this.#unstarted.delete(moduleId)
    this.#changedAt = performance.now()
    this.#running.set(moduleId, this.#changedAt)
  }

  onTestModuleEnd(module) {
    this.#changedAt = performance.now()
    this.#running.delete(module.moduleId)
    this.#results.push(resultOf(module))
  }

  onTestRunEnd(_modules, unhandledErrors) {
    this.#unstarted.clear()
    const isFine = this.#write() && unhandledErrors.length === 0
    setTimeout(() => end(isFine ? 0 : 1), END_MS).unref()
  }

  #check() {
    // Between two files nothing runs for a moment only.
    const waits = this.#running.size > 0 ? [...this.#running.values()] : [this.#changedAt]
    if (waits.every((since) => performance.now() - since <= this.#limitMs)) return
    for (const [name, since] of this.#running) {
      const minutes = Math.round((performance.now() - since) / 6_000) / 10
      const message = `It had not ended after ${minutes} minutes.`
      console.error(`${name}: ${message}`)
      this.#results.push({ name, status: 'failed', message, assertionResults: [] })
    }
    this.#write()
    end(1)
  }

  /** @returns whether nothing failed */
  #write() {
    const tests = this.#results.flatMap(({ assertionResults }) => assertionResults)
    const count = (status) => tests.filter((test) => test.status === status).length
    const report = {
      numPassedTests: count('passed'),
      numSkippedTests: count('skipped'),
      testResults: this.#results,
      unstarted: [...this.#unstarted],
    }
    writeFileSync(this.#file, JSON.stringify(report))
    return this.#results.every(({ status }) => status !== 'failed')
  }
}

function resultOf(module) {
  const errors = module.errors()
  const assertionResults = [...module.children.allTests()].map((test) => {
    const { state, errors: failures = [] } = test.result()
    return { status: state, fullName: test.fullName, failureMessages: failures.map(textOf) }
  })
  return { name: module.moduleId, status: module.state(), message: errors.map(textOf).join('\n'), assertionResults }
}

const textOf = ({ message, diff, stack }) => [message, diff, stack].filter(Boolean).join('\n')

/** With the workers: one that hangs would not notice that it is alone. */
function end(code) {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      const isWorker = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('vitest')
      if (Number(parent) === process.pid && isWorker) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  process.exit(code)
}
