import { readFileSync, writeFileSync } from 'node:fs'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { undescribed } from '../graphql/descriptions.ts'
import { schema } from '../graphql/schema.ts'

/** Writes schema.graphql from the code; with --check fails, and says so, when the file is not what the code makes. */
const FILE = 'schema.graphql'
const printed = `${printSchema(lexicographicSortSchema(schema))}\n`

const missing = undescribed(schema)
if (missing.length > 0) {
  console.error(
    `These need a description, beside their code or in server/graphql/descriptionTexts.ts:\n${missing.join('\n')}`,
  )
  process.exitCode = 1
}

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, printed)
} else if (readFileSync(FILE, 'utf8') !== printed) {
  console.error(`${FILE} is not what server/graphql makes. Run: npx tsx server/scripts/printSchema.ts`)
  process.exitCode = 1
}
