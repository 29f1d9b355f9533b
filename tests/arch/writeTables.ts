import { readFileSync, writeFileSync } from 'node:fs'
import { replaceTable, TABLES } from './tables.ts'

/** `npm run doc-tables`: writes the tables of settings and error codes into docs. */
for (const [file, table] of Object.entries(TABLES)) {
  writeFileSync(file, replaceTable(readFileSync(file, 'utf8'), table()))
}
