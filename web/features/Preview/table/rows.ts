/** Limits of a table, which are named at its end. */
export const MOST_ROWS = 10_000
export const MOST_COLUMNS = 200
const MOST_CELL = 2_000

export type Rows = {
  readonly rows: readonly (readonly string[])[]
  readonly columns: number
  /** There are more rows than these, or the file was not read to its end. */
  readonly isCut: boolean
  readonly hasMoreColumns: boolean
}

/** At most as many rows and columns as a table shows. `isCut`: the file has more rows than were given. */
export function limitRows(all: readonly (readonly string[])[], isCut: boolean): Rows {
  let widest = 0
  for (const row of all) widest = Math.max(widest, row.length)
  const rows = all.slice(0, MOST_ROWS).map((row) => row.slice(0, MOST_COLUMNS).map((cell) => cell.slice(0, MOST_CELL)))
  return {
    rows,
    columns: Math.min(widest, MOST_COLUMNS),
    isCut: isCut || all.length > MOST_ROWS,
    hasMoreColumns: widest > MOST_COLUMNS,
  }
}

const SEPARATORS = [',', ';', '\t', '|'] as const

/**
 * Comma-separated values (RFC 4180), or with another separator: the one that the first line has most of. Reads one row more than a
 * table shows.
 */
export function parseDelimited(text: string): string[][] {
  const separator = separatorOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length && rows.length <= MOST_ROWS) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, separator)
    row.push(cell)
    at = end
    if (text[at] === separator) {
      at += 1
      if (at === text.length) row.push('')
      continue
    }
    at += text.startsWith('\r\n', at) ? 2 : 1
    rows.push(row)
    row = []
  }
  if (row.length > 0) rows.push(row)
  return rows
}

function separatorOf(text: string): string {
  const end = text.indexOf('\n')
  const first = text.slice(0, end < 0 ? 10_000 : Math.min(end, 10_000))
  const count = (separator: string) => first.split(separator).length
  return SEPARATORS.reduce((best, each) => (count(each) > count(best) ? each : best))
}

function plainCell(text: string, start: number, separator: string): { cell: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { cell: text.slice(start, end), end }
}

/** Without a closing quote, the cell goes to the end of the text. */
function quotedCell(text: string, start: number): { cell: string; end: number } {
  let cell = ''
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return { cell: cell + text.slice(at), end: text.length }
    cell += text.slice(at, quote)
    if (text[quote + 1] !== '"') {
      const rest = /[^,;\t|\r\n]*/y
      rest.lastIndex = quote + 1
      const tail = rest.exec(text)?.[0] ?? ''
      return { cell: cell + tail, end: quote + 1 + tail.length }
    }
    cell += '"'
    at = quote + 2
  }
}
