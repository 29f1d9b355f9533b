import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'

/** `from` imports `to`; both are paths from the project's folder, with `/`. `typeOnly` imports do not exist at run time. */
export type Import = { readonly from: string; readonly to: string; readonly typeOnly: boolean }

const STATEMENT = /^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g
const SOURCE = /\.(ts|tsx|mjs|cjs|js)$/

/** Every import between files of this project below `folders`, including types. @throws Error for a file that is missing */
export function readImports(root: string, folders: readonly string[]): Import[] {
  return folders.flatMap((folder) => sourcesOf(root, folder)).flatMap((from) => importsOf(root, from))
}

/** Source files below a folder; none if it is missing. */
export function sourcesOf(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.split(sep).join('/')}`)
    .filter((file) => SOURCE.test(file))
}

/** Imports in this project are relative and have their extension, so no resolver is needed. */
function importsOf(root: string, from: string): Import[] {
  const code = readFileSync(join(root, from), 'utf8')
  return [...code.matchAll(STATEMENT), ...code.matchAll(DYNAMIC)]
    .map((match) => ({ target: match[1] ?? match[2] ?? '', typeOnly: /^(import|export) type\b/.test(match[0]) }))
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target, typeOnly }) => {
      const to = normalize(join(dirname(from), target.replace(/\?.*$/, '')))
        .split(sep)
        .join('/')
      if (!existsSync(join(root, to)) && !isGenerated(to))
        throw new Error(`${from} imports ${target}, which is missing.`)
      return { from, to, typeOnly }
    })
}

/** Created by set-up or build, so it can still be missing. */
function isGenerated(path: string): boolean {
  return /generated|^dist\//.test(path)
}

export function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
