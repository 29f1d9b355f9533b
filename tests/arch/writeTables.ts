import { readFileSync, writeFileSync } from 'node:fs'
import { CONFORMANCE_PAGE, conformancePage, PROVIDERS_PAGE, withProviderFacts } from './providerDocs.ts'
import { replaceTable, TABLES } from './tables.ts'

/** `npm run doc-tables`: writes what docs have from the code: settings, error codes, providers, and the results of the conformance suite. */
for (const [file, table] of Object.entries(TABLES)) {
  writeFileSync(file, replaceTable(readFileSync(file, 'utf8'), table()))
}
writeFileSync(PROVIDERS_PAGE, withProviderFacts(readFileSync(PROVIDERS_PAGE, 'utf8')))
writeFileSync(CONFORMANCE_PAGE, conformancePage())
