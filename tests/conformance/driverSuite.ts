import { describe, expect, it } from 'vitest'
import type { DriverFacts } from './capabilities.ts'
import { OPTIONAL } from './capabilities.ts'
import { BYTES } from './cases/bytes.ts'
import { ENTRIES } from './cases/entries.ts'
import { EXTRAS } from './cases/extras.ts'
import { FAILURES } from './cases/failures.ts'
import { LISTING } from './cases/listing.ts'
import { NAMES } from './cases/names.ts'
import { RESUME } from './cases/resume.ts'
import type { Case, Harness } from './harness.ts'
import { isListed, readResults, writeResults, writesResults } from './results.ts'

/** What every driver does. */
export const CASES: readonly Case[] = [...BYTES, ...NAMES, ...ENTRIES, ...LISTING, ...FAILURES, ...RESUME, ...EXTRAS]

export type MakeHarness = () => Harness | Promise<Harness>

export type SuiteOptions = {
  readonly facts: DriverFacts
  /** Cases that this driver cannot run, each with the reason. */
  readonly skips: Readonly<Record<string, string>>
}

/** `skipped`: why; null when it ran, and all was well. */
export type Outcome = { readonly skipped: string | null }

/** Runs one case on an account of its own. Throws where the driver does not behave, and where a skip is not right. */
export async function runCase(test: Case, makeHarness: MakeHarness, skips: SuiteOptions['skips']): Promise<Outcome> {
  const harness = await makeHarness()
  const reason = skips[test.name]
  try {
    const missing = test.lacks?.(harness) ?? harness.lacks?.[test.name] ?? null
    if (missing !== null && reason === undefined) throw new Error(`It is skipped, and not listed: ${missing}`)
    if (missing === null && reason !== undefined) throw new Error('It is listed as skipped, and could run.')
    if (reason === undefined) await test.run(harness)
    return { skipped: reason ?? null }
  } finally {
    await harness.close()
  }
}

/** The behaviour suite of all drivers: one short file per driver calls it. */
export function describeDriver(name: string, makeHarness: MakeHarness, { facts, skips }: SuiteOptions): void {
  describe(name, () => {
    const cases: Record<string, string | null> = {}
    for (const test of CASES) {
      it(test.name, async (context) => {
        const { skipped } = await runCase(test, makeHarness, skips)
        cases[test.name] = skipped
        if (skipped !== null) context.skip(skipped)
      })
    }

    it('can do what is promised of it', async () => {
      const { driver, close } = await makeHarness()
      try {
        expect(driver.capabilities).toEqual(facts.capabilities)
        expect(OPTIONAL.filter((method) => driver[method] !== undefined)).toEqual(facts.optional)
      } finally {
        await close()
      }
    })

    // After a change of the suite or of a driver: CONFORMANCE=write npm test -- tests/conformance, then npm run doc-tables
    it('has the results that the documentation shows', async (context) => {
      const { driver, close } = await makeHarness()
      await close()
      if (!isListed(driver.kind)) return context.skip('It is not in the catalogue.')
      // A run of some cases only says nothing about the others.
      if (Object.keys(cases).length < CASES.length) return context.skip('Not all cases have passed in this run.')
      const results = { name, provider: driver.kind, cases }
      if (writesResults()) writeResults(results)
      // None are stored of a new driver.
      expect(readResults(name)).toEqual(results)
    })

    it('skips only cases that exist, each with a reason', () => {
      expect(Object.values(skips).filter((reason) => !/^[A-Z].+\.$/.test(reason))).toEqual([])
      const names = new Set(CASES.map((test) => test.name))
      expect(Object.keys(skips).filter((listed) => !names.has(listed))).toEqual([])
    })
  })
}
