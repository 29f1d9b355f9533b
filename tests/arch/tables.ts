import { SETTINGS } from '../../server/env.ts'
import { PROBLEMS } from '../../server/rest/errors.ts'

/** Tables of the documentation that are made from the code they describe, by file: `npm run doc-tables` writes them. */
export const TABLES: Readonly<Record<string, () => string>> = {
  'docs/settings.md': settingsTable,
  'docs/api.md': errorsTable,
}

/** `text` with its first table that has the same head as `table` replaced by it. @throws Error when there is none */
export function replaceTable(text: string, table: string): string {
  const lines = text.split('\n')
  const from = lines.indexOf(table.split('\n')[0] ?? '')
  if (from < 0) throw new Error(`There is no table with the head ${table.split('\n')[0]}`)
  const rows = lines.slice(from).findIndex((line) => !line.startsWith('|'))
  return [...lines.slice(0, from), table, ...(rows < 0 ? [] : lines.slice(from + rows))].join('\n')
}

function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, setting]) => `| \`${name}\` | ${setting.default && `\`${setting.default}\``} | ${setting.meaning} |`,
  )
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

function errorsTable(): string {
  const rows = Object.entries(PROBLEMS)
    .sort(([a, { status: one }], [b, { status: other }]) => one - other || (a < b ? -1 : 1))
    .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  return ['| Status | Code | Meaning |', '|---|---|---|', ...rows].join('\n')
}
