import { readFileSync } from 'node:fs'
import { PROVIDERS } from '../../server/providers/catalogue.ts'
import { sourcesOf, withoutComments } from './imports.ts'

const CATALOGUE = 'server/providers/catalogue.ts'
const GENERATED = /__generated__|^server\/db\/generated\//
const IDS = PROVIDERS.map(({ id }) => id)

/**
 * Files below `folders` whose code contains the ids of two or more providers: a list that would need a new entry for each new
 * provider. Returns one sentence for each file.
 */
export function findProviderLists(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => sourcesOf(root, folder))
    .filter((file) => file !== CATALOGUE && !GENERATED.test(file) && !isOfOneProvider(file))
    .flatMap((file) => {
      const named = namedIn(withoutComments(readFileSync(`${root}/${file}`, 'utf8')))
      return named.length < 2
        ? []
        : [
            `${file} names ${named.join(', ')}: ${CATALOGUE} is the only list of providers. Read it from there, or from GraphQL.`,
          ]
    })
}

/** As a whole string or as a key: `'dropbox'`, `dropbox:`. */
function namedIn(code: string): string[] {
  return IDS.filter((id) => new RegExp(`(['"\`])${id}\\1|[{,]\\s*${id}\\s*:`, 'm').test(code))
}

/** The folder of a driver may name its own provider. */
function isOfOneProvider(file: string): boolean {
  return IDS.some((id) => file.startsWith(`server/providers/${id}/`))
}
