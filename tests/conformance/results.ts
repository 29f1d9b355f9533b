import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROVIDERS } from '../../server/providers/catalogue.ts'

const FOLDER = 'tests/conformance/results'

/** The outcome of each case of the suite for one driver, by the name of the case: null where it passed, else why it was skipped. */
export type Results = {
  /** As the suite calls the driver. */
  readonly name: string
  /** The provider's id in the catalogue. */
  readonly provider: string
  readonly cases: Readonly<Record<string, string | null>>
}

/** Drivers of the catalogue have their results in the documentation; those of tests and of this server have not. */
export function isListed(kind: string): boolean {
  return PROVIDERS.some(({ id }) => id === kind)
}

/** With `CONFORMANCE=write`, a run of the suite stores what it found; otherwise it compares. */
export function writesResults(): boolean {
  return process.env.CONFORMANCE === 'write'
}

export function writeResults(results: Results): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(results.name), `${JSON.stringify(results, null, 2)}\n`)
}

/** Null: none are stored. */
export function readResults(name: string): Results | null {
  return existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : null
}

/** Of all drivers, in the order of the catalogue. */
export function allResults(): Results[] {
  if (!existsSync(FOLDER)) return []
  const order = PROVIDERS.map(({ id }) => id)
  return readdirSync(FOLDER)
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Results)
    .sort((a, b) => order.indexOf(a.provider) - order.indexOf(b.provider) || (a.name < b.name ? -1 : 1))
}

function fileOf(name: string): string {
  return join(FOLDER, `${name.replace(/[^A-Za-z0-9]+/g, '-')}.json`)
}
