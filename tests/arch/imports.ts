import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'

/** `from` imports `to`; both are paths from the project's folder, with `/`. `typeOnly` is gone at run time. */
export type Import = { readonly from: string; readonly to: string; readonly typeOnly: boolean }

const STATEMENT = /^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g
const SOURCE = /\.(ts|tsx|mjs|cjs|js)$/

/** Every import of one file of ours by another below `folders`, type imports too. @throws Error for one that leads nowhere */
export function readImports(root: string, folders: readonly string[]): Import[] {
  return folders.flatMap((folder) => sourcesOf(root, folder)).flatMap((from) => importsOf(root, from))
}

/** Source files below a folder; none when it is not there. */
export function sourcesOf(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.split(sep).join('/')}`)
    .filter((file) => SOURCE.test(file))
}

/** Our imports are relative and carry their ending, so no resolver is needed. */
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
        throw new Error(`${from} imports ${target}, which is not there.`)
      return { from, to, typeOnly }
    })
}

/** Made by set-up or build, so it need not be there yet. */
function isGenerated(path: string): boolean {
  return /generated|^dist\//.test(path)
}
