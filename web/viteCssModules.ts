import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Plugin } from 'vite'

/** A class of another module, `:global(.Button_btn)`, as CSS modules refer to it. */
const REFERENCE = /:global\(\.([A-Z]\w*_\w+)\)/g
const IMPORT = /^import (\w+) from '([^']+\.module\.css)'/gm
const NAMES = 'names:'

/**
 * Class names of CSS modules read `Button_primary`: the file and the class. A module refers to a class of another one
 * by that name; tests/arch checks that it exists. A build shortens the names and puts them in place of
 * `styles.primary`, so that no table of names is loaded.
 */
export function cssModules(): Plugin[] {
  let nameOf = (name: string): string => name
  const names: Plugin = {
    name: 'skypool-css-modules',
    enforce: 'pre',
    config(_, { command }) {
      if (command === 'build') nameOf = shortNames(import.meta.dirname)
      const generateScopedName = (name: string, file: string) => nameOf(`${moduleName(file)}_${name}`)
      return { css: { modules: { generateScopedName } } }
    },
    transform(code, id) {
      if (!id.endsWith('.module.css')) return null
      return code.replace(REFERENCE, (_, name: string) => `:global(.${nameOf(name)})`)
    },
  }
  // The names are constants of a separate module, which are inlined. Those of the stylesheet would be loaded, or its
  // rules dropped with them.
  const inlined: Plugin = {
    name: 'skypool-css-modules-inlined',
    apply: 'build',
    enforce: 'pre',
    transform: (code, id) =>
      /\.tsx?$/.test(id) ? code.replace(IMPORT, `import '$2'; import * as $1 from '${NAMES}$2'`) : null,
    resolveId: (id, importer) =>
      id.startsWith(NAMES) && importer ? `\0${NAMES}${resolve(dirname(importer), id.slice(NAMES.length))}.js` : null,
    load(id) {
      if (!id.startsWith(`\0${NAMES}`)) return null
      const file = id.slice(NAMES.length + 1, -'.js'.length)
      return classesIn(file)
        .map((name) => `export const ${name} = '${nameOf(`${moduleName(file)}_${name}`)}'`)
        .join('\n')
    },
  }
  const rules: Plugin = {
    name: 'skypool-css-modules-rules',
    apply: 'build',
    enforce: 'post',
    transform: (_, id) => (id.endsWith('.module.css') ? { code: '', moduleSideEffects: 'no-treeshake' } : null),
  }
  return [names, inlined, rules, withoutEmptyScripts()]
}

/**
 * Removes scripts that contain nothing but CSS modules: their rules are in the stylesheet, so the script is empty and costs a request.
 * @throws Error where another script imports a value from one of them
 */
function withoutEmptyScripts(): Plugin {
  const isEmpty = (chunk: { moduleIds: string[]; exports: string[] }) =>
    chunk.exports.length === 0 &&
    chunk.moduleIds.length > 0 &&
    chunk.moduleIds.every((id) => id.endsWith('.module.css'))
  return {
    name: 'skypool-css-modules-empty-scripts',
    apply: 'build',
    enforce: 'post',
    // Before the names are computed from the contents: a script with fewer imports needs a new name, because browsers cache by name.
    renderChunk(code, chunk, _options, { chunks }) {
      const gone = chunk.imports.filter((name) => chunks[name] && isEmpty(chunks[name]))
      let shorter = code
      for (const name of gone) {
        if (!importOf(name).test(shorter)) throw new Error(`${chunk.name} uses more of ${name} than its rules`)
        shorter = shorter.replace(importOf(name), '')
      }
      return gone.length > 0 ? { code: shorter, map: null } : null
    },
    generateBundle(_options, bundle) {
      const gone = new Set(
        Object.values(bundle).flatMap((each) => (each.type === 'chunk' && isEmpty(each) ? [each.fileName] : [])),
      )
      for (const each of Object.values(bundle))
        if (each.type === 'chunk') each.imports = each.imports.filter((name) => !gone.has(name))
      for (const name of gone) delete bundle[name]
      for (const each of Object.values(bundle)) {
        if (each.type === 'asset' && each.fileName.endsWith('.html')) each.source = withoutPreloads(each.source, gone)
      }
    },
  }
}

/** A page without the links that load these scripts ahead. @throws Error where it names one of them in another way */
function withoutPreloads(page: string | Uint8Array, scripts: ReadonlySet<string>): string {
  const names = [...scripts].map((name) => basename(name))
  const links = /\s*<link rel="modulepreload"[^>]*>/g
  const shorter = String(page).replace(links, (link) => (names.some((name) => link.includes(name)) ? '' : link))
  const named = names.find((name) => shorter.includes(name))
  if (named !== undefined) throw new Error(`The page needs ${named}, which contains nothing.`)
  return shorter
}

/** An import for its effects alone. */
const importOf = (name: string) =>
  new RegExp(`import\\s*["'\`]\\./${basename(name).replaceAll(/[^\w/]/g, '\\$&')}["'\`];?\\n?`)

const moduleName = (file: string): string => basename(file.split('?')[0] ?? file, '.module.css')

const classesIn = (file: string): string[] => [
  ...new Set([...readFileSync(file, 'utf8').matchAll(/(?<!:global\()\.([a-z]\w*)/gi)].map(([, name]) => name ?? '')),
]

/** Numbers every class of every module, always in the same order: `_0`, `_1`, … `_a4`. */
function shortNames(folder: string): (name: string) => string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.module.css'),
  )
  const names = files
    .toSorted()
    .flatMap((file) => classesIn(`${folder}/${file}`).map((name) => `${moduleName(file)}_${name}`))
  const numbers = new Map(names.map((name, index) => [name, `_${index.toString(36)}`]))
  return (name) => numbers.get(name) ?? name
}
