/** Several times what all tests take on two cores. */
const LIMIT_MINUTES = 50

/**
 * A reporter for Vitest that ends a run in which a test file never ends, and says which: Vitest limits the time of each test and hook,
 * but not of a file whose process hangs, and a run without an end tells nothing.
 */
export default class TimeLimitReporter {
  #running = new Set()

  onInit() {
    const end = () => {
      console.error(`The tests did not end within ${LIMIT_MINUTES} minutes. Still running:`)
      for (const path of this.#running) console.error(`  ${path}`)
      process.exit(1)
    }
    setTimeout(end, LIMIT_MINUTES * 60_000).unref()
  }

  onTestModuleStart({ relativeModuleId }) {
    this.#running.add(relativeModuleId)
  }

  onTestModuleEnd({ relativeModuleId }) {
    this.#running.delete(relativeModuleId)
  }
}
