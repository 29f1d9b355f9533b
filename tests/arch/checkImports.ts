import { readImports } from './imports.ts'
import { judge } from './rules.ts'

/** `npm run arch`: fails on an import against the arrows of the map, and on cycles. */
// Not tests/arch: its own test holds planted violations as text.
const TESTS = ['factories', 'setup', 'server', 'web', 'e2e'].map((folder) => `tests/${folder}`)
const imports = readImports('.', ['server', 'web', ...TESTS])
const problems = judge(imports)
for (const problem of problems) console.error(problem)
console.log(`${imports.length} imports, ${problems.length} against the map`)
process.exitCode = problems.length > 0 ? 1 : 0
