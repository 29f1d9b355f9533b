import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LINES, type LineId, type SpecLine } from './lines.ts'

const FOLDER = 'tests/spec'
const CALL = /^\s*line\('([\d.]+)'/gm

/** Which files prove a line, by its number. */
export function provenBy(): Map<string, string[]> {
  const proven = new Map<string, string[]>()
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'))) {
    for (const [, id = ''] of readFileSync(join(FOLDER, file), 'utf8').matchAll(CALL)) {
      proven.set(id, [...(proven.get(id) ?? []), file])
    }
  }
  return proven
}

/** The page that says which test proves which line, as Markdown. */
export function specTable(): string {
  const proven = provenBy()
  const rows = (Object.keys(LINES) as LineId[]).map((id) => row(id, LINES[id], proven.get(id) ?? []))
  return [
    '# What was asked for, line by line',
    '',
    'Made by `npm run spec-table` from `lines.ts` and the tests beside it; a test fails when it is out of date. Where the product deliberately',
    'does otherwise, it is said in *italics*.',
    '',
    '| Line | It says | Proved by |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function row(id: string, { says, instead }: SpecLine, files: readonly string[]): string {
  const text = [says, ...(instead ? [`*${instead}*`] : [])].join(' ').replaceAll('|', '\\|')
  return `| ${id} | ${text} | ${files.map((file) => `[${file}](${file})`).join(', ')} |`
}
