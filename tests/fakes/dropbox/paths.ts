/** What is wrong with a path that is to be written, in the words of WriteError; null when nothing is. */
export type PathProblem = 'malformed_path' | 'disallowed_name'

const IGNORED_NAMES = new Set(['desktop.ini', 'thumbs.db', '.ds_store', 'icon\r', '.dropbox', '.dropbox.attr'])
const MAX_NAME = 255
const FORBIDDEN = ['\0', '\u007f', '\\']
const LONE_SURROGATE = /\p{Surrogate}/u

/** The one form under which an entry is found: paths differ neither by case nor by how accents are composed. */
export function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** '' is the root, and its own parent. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** `/a`, then `/a/b` for `/a/b/c`: from the top down, without the root and the path itself. */
export function ancestorsOf(path: string): string[] {
  const parts = path.split('/').slice(1, -1)
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
}

export function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

/** A path that may be looked for. */
export function isWellFormed(path: string): boolean {
  if (path === '') return true
  return path.startsWith('/') && path.slice(1).split('/').every(isWellFormedName)
}

function isWellFormedName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false
  if ([...name].length > MAX_NAME || name.endsWith(' ')) return false
  return !FORBIDDEN.some((character) => name.includes(character)) && !LONE_SURROGATE.test(name)
}

export function problemOf(path: string): PathProblem | null {
  if (path === '' || !isWellFormed(path)) return 'malformed_path'
  return path.split('/').some((name) => IGNORED_NAMES.has(name.toLowerCase())) ? 'disallowed_name' : null
}

/** `/a/b (1).txt` for `/a/b.txt` and ` (1)`. */
export function withSuffix(path: string, suffix: string): string {
  const name = nameOf(path)
  const dot = name.lastIndexOf('.')
  const stem = dot > 0 ? name.slice(0, dot) : name
  return `${path.slice(0, path.length - name.length)}${stem}${suffix}${dot > 0 ? name.slice(dot) : ''}`
}
