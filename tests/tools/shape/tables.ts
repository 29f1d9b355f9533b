import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Measurements of one folder. */
export type Shape = {
  readonly folder: string
  readonly files: number
  readonly lines: number
  readonly median: number
  readonly p90: number
  readonly longestFile: number
  /** Lines of the longest function declared at the top level of a file. */
  readonly longestFunction: number
  /** Number of folders from the project root to the deepest file. */
  readonly depth: number
}

const SOURCE = /\.(ts|tsx|mts|mjs|cjs)$/
const GENERATED = /generated|node_modules/

/** Measures the sources below `folder`, without generated code. @throws Error when there are none */
export function shapeOf(folder: string): Shape {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => SOURCE.test(file) && !GENERATED.test(file))
  const texts = files.map((file) => readFileSync(file, 'utf8').trimEnd().split('\n'))
  const lengths = texts.map(({ length }) => length).toSorted((a, b) => a - b)
  const longestFile = lengths.at(-1)
  if (longestFile === undefined) throw new Error(`There is no source in ${folder}.`)
  return {
    folder,
    files: files.length,
    lines: lengths.reduce((sum, length) => sum + length, 0),
    median: quantile(lengths, 0.5),
    p90: quantile(lengths, 0.9),
    longestFile,
    longestFunction: Math.max(...texts.map(longestFunctionIn)),
    depth: Math.max(...files.map((file) => file.split('/').length - 1)),
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** By the formatter's layout: a declaration at the first column ends with a brace at the first column. */
function longestFunctionIn(lines: readonly string[]): number {
  let longest = 0
  let start: number | null = null
  for (const [index, line] of lines.entries()) {
    if (/^(export )?(default )?(async )?function\b/.test(line)) start = index
    if (start === null || !line.startsWith('}')) continue
    // A brace that closes the parameters and opens the body.
    if (line.endsWith('{')) continue
    longest = Math.max(longest, index - start + 1)
    start = null
  }
  return longest
}

/** Rows as text, in columns. */
export function columns(rows: readonly (readonly (string | number)[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length))) ?? []
  const cell = (value: string | number, column: number) =>
    column === 0 ? String(value).padEnd(widths[column] ?? 0) : String(value).padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(cell).join('  ')).join('\n')
}
