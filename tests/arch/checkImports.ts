import { readImports } from './imports.ts'
import { findBannedTerms, judgeLanguage, sentenceOf } from './plainLanguage.ts'
import { findProviderLists } from './providerLists.ts'
import { findRawSql } from './rawSql.ts'
import { judge } from './rules.ts'
import { judgeWebStyles } from './styles.ts'

/**
 * `npm run arch`: fails on an import that the map of the code does not allow, on cycles, on a second list of providers, on raw SQL
 * outside of a noun's folder, on global styles and on banned terms. `npx tsx tests/arch/checkImports.ts --terms web/ui` prints the
 * banned terms of some files or folders instead.
 */
const [option, ...paths] = process.argv.slice(2)
if (option === '--terms') for (const finding of findBannedTerms('.', paths)) console.log(sentenceOf(finding))
else checkEverything()

function checkEverything(): void {
  // Not tests/arch: its own test holds planted violations as text.
  const tests = ['factories', 'setup', 'server', 'web', 'e2e'].map((folder) => `tests/${folder}`)
  const imports = readImports('.', ['server', 'web', ...tests])
  const problems = [
    ...judge(imports),
    ...findProviderLists('.', ['server', 'web']),
    ...findRawSql('.', ['server']),
    ...judgeLanguage('.'),
    ...judgeWebStyles('.'),
  ]
  for (const problem of problems) console.error(problem)
  console.log(`${imports.length} imports, ${problems.length} problems`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
