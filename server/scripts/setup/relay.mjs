import { writeFileSync } from 'node:fs'
import { bin, mustRun } from './run.mjs'

/** Where the compiler adds the text of each operation by its hash; relay.config.js names it too. */
const PERSISTED = 'web/__generated__/persisted.json'

/** Compiles the queries of the web client. The compiler never forgets an operation by itself, and must find the file. */
export async function compileQueries() {
  writeFileSync(PERSISTED, '{}')
  await mustRun(bin('relay-compiler'), [])
}
