import { SETTINGS } from '../../server/env.ts'
import { PROBLEMS } from '../../server/rest/errors.ts'

/** The README's tables, made from the code that they describe. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, setting]) => `| \`${name}\` | ${setting.default && `\`${setting.default}\``} | ${setting.meaning} |`,
  )
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

export function errorsTable(): string {
  const rows = Object.entries(PROBLEMS)
    .sort(([a, { status: one }], [b, { status: other }]) => one - other || (a < b ? -1 : 1))
    .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  return ['| Status | Code | Meaning |', '|---|---|---|', ...rows].join('\n')
}
