import { readFileSync, writeFileSync } from 'node:fs'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { undescribed } from '../graphql/descriptions.ts'
import { schema } from '../graphql/schema.ts'

/** Writes schema.graphql from the code; with --check fails when the file is out of date. */
const FILE = 'schema.graphql'
const printed = `${printSchema(lexicographicSortSchema(schema))}\n`

const missing = undescribed(schema)
if (missing.length > 0) {
  console.error(
    `These need a description, next to their code or in server/graphql/descriptionTexts.ts:\n${missing.join('\n')}`,
  )
  process.exitCode = 1
}

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, printed)
} else if (readFileSync(FILE, 'utf8') !== printed) {
  console.error(`${FILE} is out of date. Run: npm run schema`)
  process.exitCode = 1
}
