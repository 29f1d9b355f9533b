// What texts look like, by their names: which lines are titles, points or cells.

/** How the lines are to be read. */
export type Look = 'PLAIN' | 'CODE' | 'DATA' | 'MARKDOWN' | 'COMMAS' | 'TABS'

/** A line of text before it is divided. `gap`: in front of it, in units of the page. */
export type Paragraph = { readonly text: string; readonly kind: 'TITLE' | 'BODY' | 'CODE'; readonly gap?: number }

const MARKDOWN = /\.(?:md|markdown|mdx)$/iu
const PLAIN = /\.(?:txt|log|text|rst|srt|sub|vtt|bib|tex|me|1st|asc|nfo)$/iu
const PLAIN_NAMES = /^[^.]+$/u
/** Their text is full of marks for programs, which say nothing about the document. */
const MARKED = /\.rtf$/iu
/** Files without an extension that are code. */
const CODE_NAMES = /^(?:dockerfile|makefile|rakefile|gemfile|jenkinsfile|vagrantfile|procfile|cmakelists)/iu
const DATA_NAMES =
  /\.(?:json|json5|jsonl|ipynb|ya?ml|toml|xml|html?|css|ini|env|cfg|conf|properties|ics|vcf|diff|patch|svg)$/iu

/** How a text is drawn, by its name; null: not at all. */
export function lookOf(name: string): Look | null {
  if (MARKED.test(name)) return null
  if (MARKDOWN.test(name)) return 'MARKDOWN'
  if (/\.csv$/iu.test(name)) return 'COMMAS'
  if (/\.tsv$/iu.test(name)) return 'TABS'
  if (CODE_NAMES.test(name) || DATA_NAMES.test(name)) return 'DATA'
  return PLAIN.test(name) || PLAIN_NAMES.test(name) ? 'PLAIN' : 'CODE'
}

/** What Markdown looks like at a glance: titles, points and code; its marks are left out, and lines of one paragraph are joined. */
export function readMarkdown(lines: readonly string[]): Paragraph[] {
  const paragraphs: Paragraph[] = []
  let isCode = false
  let isOpen = false
  for (const line of withoutSettings(lines)) {
    if (/^\s*(?:```|~~~)/u.test(line)) {
      isCode = !isCode
      isOpen = false
    } else if (isCode) paragraphs.push({ text: line, kind: 'CODE' })
    else isOpen = readMarkdownLine(line, paragraphs, isOpen)
  }
  return paragraphs
}

/** In front of the text, between lines of three hyphens. */
function withoutSettings(lines: readonly string[]): readonly string[] {
  return lines[0]?.trim() === '---' ? lines.slice(lines.indexOf('---', 1) + 1) : lines
}

/** @param isOpen the line can belong to the last paragraph @returns whether the next one can */
function readMarkdownLine(line: string, paragraphs: Paragraph[], isOpen: boolean): boolean {
  const [, title] = /^\s{0,3}#{1,6}\s+(.*?)\s*#*$/u.exec(line) ?? []
  const text = withoutMarks(title ?? line)
  if (text === '' || /^[-=*_\s|:]+$/u.test(line)) return false
  if (title !== undefined) {
    paragraphs.push({ text, kind: 'TITLE', gap: paragraphs.at(-1)?.kind === 'BODY' ? 4 : 2 })
    return false
  }
  const last = paragraphs.at(-1)
  if (isOpen && last && !/^\s*(?:[-*+>|]|\d+[.)])/u.test(line)) {
    paragraphs[paragraphs.length - 1] = { ...last, text: `${last.text} ${text}` }
  } else paragraphs.push({ text, kind: 'BODY', gap: 2 })
  return true
}

function withoutMarks(line: string): string {
  return line
    .replace(/^(\s*)[-*+]\s+(?:\[[ x]\]\s+)?/u, '– ')
    .replace(/^\s*>\s?/u, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/gu, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/<[^>]*>/gu, '')
    .replace(/\*\*|__|`/gu, '')
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, '')
    .replace(/^\s*\||\|\s*$/gu, '')
    .replace(/\s*\|\s*/gu, '   ')
    .trim()
}

const MAX_COLUMNS = 8

/** Cells of text with separators; a cell in quotes that continues in the next line is cut there. */
export function cellsOf(lines: readonly string[], look: 'COMMAS' | 'TABS'): string[][] {
  const [head = ''] = lines
  // Programs of many countries write semicolons; tabs have become spaces.
  const isSplitBy = head.includes(';') && !head.includes(',') ? ';' : ','
  const rows = lines
    .filter((line) => line.trim() !== '')
    .map((line) => (look === 'TABS' ? line.split(/ {4}/u) : cellsOfLine(line, isSplitBy)))
  return rows.map((row) => row.slice(0, MAX_COLUMNS).map((cell) => cell.trim()))
}

function cellsOfLine(line: string, separator: string): string[] {
  const cells = ['']
  let isQuoted = false
  for (const letter of line) {
    if (letter === '"') isQuoted = !isQuoted
    else if (letter === separator && !isQuoted) cells.push('')
    else cells[cells.length - 1] += letter
  }
  return cells
}
