import { readImports } from './imports.ts'
import { findProviderLists } from './providerLists.ts'
import { judge } from './rules.ts'

/** `npm run arch`: fails on an import against the arrows of the map, on cycles, and on a second list of providers. */
// Not tests/arch: its own test holds planted violations as text.
const TESTS = ['factories', 'setup', 'server', 'web', 'e2e'].map((folder) => `tests/${folder}`)
const imports = readImports('.', ['server', 'web', ...TESTS])
const problems = [...judge(imports), ...findProviderLists('.', ['server', 'web'])]
for (const problem of problems) console.error(problem)
console.log(`${imports.length} imports, ${problems.length} against the map`)
process.exitCode = problems.length > 0 ? 1 : 0
