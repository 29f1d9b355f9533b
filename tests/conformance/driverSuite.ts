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
    const missing = test.lacks?.(harness) ?? null
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
    for (const test of CASES) {
      it(test.name, async (context) => {
        const { skipped } = await runCase(test, makeHarness, skips)
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

    it('skips only cases that exist', () => {
      const names = new Set(CASES.map((test) => test.name))
      expect(Object.keys(skips).filter((listed) => !names.has(listed))).toEqual([])
    })
  })
}
