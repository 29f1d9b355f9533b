import type { Reporter, TestCase } from 'vitest/node'

/** Names the tests that passed at their second try only, so that none of them hides behind a green run. */
export default class RetriedReporter implements Reporter {
  readonly #names: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestRunEnd(): void {
    console.log(`passed at the second try: ${this.#names.length}`)
    for (const name of this.#names) console.log(`  ${name}`)
  }
}
