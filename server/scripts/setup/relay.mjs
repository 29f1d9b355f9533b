import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { bin, mustRun } from './run.mjs'

const ARTIFACTS = 'web/__generated__'
/** The compiler adds each operation by its hash here; also named in relay.config.js. */
const PERSISTED = `${ARTIFACTS}/persisted.json`

/**
 * Compiles all queries of the web client from scratch: the compiler never removes an operation from the file, adds only
 * those whose artifact changes, and requires the file to exist.
 */
export async function compileQueries() {
  rmSync(ARTIFACTS, { recursive: true, force: true })
  mkdirSync(ARTIFACTS)
  writeFileSync(PERSISTED, '{}')
  await mustRun(bin('relay-compiler'), [])
}
