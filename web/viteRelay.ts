import { resolve } from 'node:path'
import type { Plugin } from 'vite'

const TAG = /\bgraphql\s*`([^`]*)`/g
const DEFINITION = /\b(?:fragment|query|mutation|subscription)\s+([A-Za-z_]\w*)/

/** Imported only as types, but not so marked by relay-compiler. Left in, the first would bring the whole query. */
const TYPE_IMPORTS = /^import \{ \w+ \} from '(?:\.\/\w+\.graphql|relay-runtime)';$/gm

/**
 * Turns each graphql`...` tag into an import of the artifact that relay-compiler wrote for it. A tag holds one
 * definition and, in Relay, never a nested template: so no parser is needed. A query's $parameters stand alone.
 * @throws Error for a tag without a name
 */
export function relay(artifactDirectory: string): Plugin {
  return {
    name: 'relay-tags',
    enforce: 'pre',
    transform: {
      filter: { id: /\.tsx?$/, code: /graphql`|kind": "PreloadableConcreteRequest"/ },
      handler: (code, id) => ({
        code: id.endsWith('$parameters.ts')
          ? code.replace(TYPE_IMPORTS, '')
          : importArtifacts(code, id, resolve(artifactDirectory)),
        map: null,
      }),
    },
  }
}

function importArtifacts(code: string, id: string, directory: string): string {
  const imports = new Set<string>()
  const body = code.replace(TAG, (tag, document: string) => {
    const name = DEFINITION.exec(document)?.[1]
    if (!name) throw new Error(`A graphql tag without a name in ${id}`)
    imports.add(`import __relay_${name} from ${JSON.stringify(`${directory}/${name}.graphql.ts`)};`)
    return `__relay_${name}${'\n'.repeat(tag.split('\n').length - 1)}` // keeps the line numbers
  })
  return [...imports].join(' ') + body
}
