import { readFileSync } from 'node:fs'
import { PROVIDERS } from '../../server/providers/catalogue.ts'
import { sourcesOf } from './imports.ts'

const CATALOGUE = 'server/providers/catalogue.ts'
const GENERATED = /__generated__|^server\/db\/generated\//
const IDS = PROVIDERS.map(({ id }) => id)

/**
 * Files below `folders` that name two or more providers by their ids, in code: a list that the next provider would have to be
 * added to. One sentence each; empty when all is well.
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

/** As a text or as a key, alone: `'dropbox'`, `dropbox:`. */
function namedIn(code: string): string[] {
  return IDS.filter((id) => new RegExp(`(['"\`])${id}\\1|[{,]\\s*${id}\\s*:`, 'm').test(code))
}

/** The folder of a driver knows its own service. */
function isOfOneProvider(file: string): boolean {
  return IDS.some((id) => file.startsWith(`server/providers/${id}/`))
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
