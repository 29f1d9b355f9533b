import { writeFileSync } from 'node:fs'
import { specTable } from './table.ts'

/** `npm run spec-table` */
writeFileSync('tests/spec/README.md', specTable())
