/** What the toolbar does to Markdown. */
export const FORMATS = [
  'heading',
  'bold',
  'italic',
  'list',
  'tasks',
  'quote',
  'link',
  'image',
  'table',
  'code',
] as const
export type Format = (typeof FORMATS)[number]

/** Replaces `from` to `to` with `insert`; afterwards `anchor` to `head` is selected. Offsets in UTF-16 units. */
export type Edit = {
  readonly from: number
  readonly to: number
  readonly insert: string
  readonly anchor: number
  readonly head: number
}

type Range = { readonly from: number; readonly to: number }

const LINE_STARTS: Partial<Record<Format, { readonly mark: string; readonly known: RegExp }>> = {
  heading: { mark: '## ', known: /^#{1,6} / },
  list: { mark: '- ', known: /^- (?!\[[ x]\] )/ },
  tasks: { mark: '- [ ] ', known: /^- \[[ x]\] / },
  quote: { mark: '> ', known: /^> ?/ },
}
const AROUND: Partial<Record<Format, string>> = { bold: '**', italic: '*', code: '`' }
const TABLE = '| Column | Column |\n| --- | --- |\n|  |  |\n'

/** The edit that a button of the toolbar stands for; pressed again, lines and words get rid of their marks. */
export function formatText(format: Format, text: string, range: Range): Edit {
  const start = LINE_STARTS[format]
  if (start) return markLines(text, range, start)
  const around = AROUND[format]
  if (around !== undefined) return markRange(text, range, around)
  if (format === 'table') return insertTable(text, range)
  return insertLink(text, range, format === 'image' ? '!' : '')
}

function markLines(text: string, { from, to }: Range, { mark, known }: { mark: string; known: RegExp }): Edit {
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const next = text.indexOf('\n', to)
  const end = next < 0 ? text.length : next
  const lines = text.slice(begin, end).split('\n')
  const isMarked = lines.every((line) => known.test(line))
  const insert = lines.map((line) => (isMarked ? line.replace(known, '') : mark + line.replace(known, ''))).join('\n')
  const head = begin + insert.length
  return { from: begin, to: end, insert, anchor: lines.length === 1 ? head : begin, head }
}

function markRange(text: string, { from, to }: Range, mark: string): Edit {
  const [before, after] = [text.slice(from - mark.length, from), text.slice(to, to + mark.length)]
  const selected = text.slice(from, to)
  if (from >= mark.length && before === mark && after === mark) {
    const begin = from - mark.length
    return { from: begin, to: to + mark.length, insert: selected, anchor: begin, head: begin + selected.length }
  }
  const anchor = from + mark.length
  return { from, to, insert: mark + selected + mark, anchor, head: anchor + selected.length }
}

function insertTable(text: string, { from, to }: Range): Edit {
  const space = from === 0 || text[from - 1] === '\n' ? '' : '\n\n'
  const anchor = from + space.length + 2
  return { from, to, insert: space + TABLE, anchor, head: anchor + 'Column'.length }
}

function insertLink(text: string, { from, to }: Range, sign: string): Edit {
  const words = text.slice(from, to) || 'text'
  const address = 'https://'
  const anchor = from + sign.length + words.length + 3
  return { from, to, insert: `${sign}[${words}](${address})`, anchor, head: anchor + address.length }
}
