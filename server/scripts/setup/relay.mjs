import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { bin, mustRun } from './run.mjs'

const ARTIFACTS = 'web/__generated__'
/** Where the compiler adds the text of each operation by its hash; relay.config.js names it too. */
const PERSISTED = `${ARTIFACTS}/persisted.json`

/**
 * Compiles the queries of the web client, all of them anew: the compiler never forgets an operation by itself, adds only
 * those whose artifact changes, and must find the file.
 */
export async function compileQueries() {
  rmSync(ARTIFACTS, { recursive: true, force: true })
  mkdirSync(ARTIFACTS)
  writeFileSync(PERSISTED, '{}')
  await mustRun(bin('relay-compiler'), [])
}
