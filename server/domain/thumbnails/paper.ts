import { z } from 'zod'
import { cellsOf, type Look, type Paragraph, readMarkdown } from './kinds.ts'

// Draws the beginning of a document on white paper, as SVG: the browser has letters of every script, this server has none.

const MAX_LINES = 40
const MAX_LINE = 200

/** The beginning of a document: lines, or the first cells of a table. It was read from untrusted content. */
export const Excerpt = z.union([
  z.object({
    lines: z
      .array(z.object({ text: z.string().max(MAX_LINE), isHeading: z.boolean().optional() }))
      .min(1)
      .max(MAX_LINES),
  }),
  z.object({
    rows: z
      .array(z.array(z.string().max(MAX_LINE)).max(16))
      .min(1)
      .max(MAX_LINES),
  }),
])
export type Excerpt = z.infer<typeof Excerpt>

/** Pixels, and the part of the page (in its own units) that is seen: of a row's icon only the upper left corner. */
const PAGES = {
  SMALL: { width: 96, height: 96, view: [84, 84] },
  MEDIUM: { width: 320, height: 240, view: [208, 156] },
  LARGE: { width: 640, height: 480, view: [208, 156] },
} as const

const INK = '#263337'
const FAINT = '#5a676b'
const LINE = '#cfd6d8'
const HEAD = '#eaf0f1'
const SANS = "Inter,system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONO = "'Geist Mono',ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

const [WIDTH, HEIGHT] = PAGES.LARGE.view
const LEFT = 14
const TOP = 12
const RIGHT = WIDTH - LEFT

type Style = {
  readonly size: number
  readonly lead: number
  readonly isBold?: boolean
  readonly isCode?: boolean
  /** Words of programming languages are bold. */
  readonly hasKeywords?: boolean
}

const BODY: Style = { size: 8.5, lead: 12 }
const TITLE: Style = { size: 11, lead: 14, isBold: true }
const DATA: Style = { size: 8.5, lead: 12.5, isCode: true }
const CODE: Style = { ...DATA, hasKeywords: true }

const STYLES = { TITLE, BODY, CODE: DATA } as const

/** @returns an SVG without any active content, links or external parts */
export function drawPaper(excerpt: Excerpt, look: Look, size: keyof typeof PAGES): Buffer {
  const { width, height, view } = PAGES[size]
  const page = `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>${contentOf(excerpt, look)}`
  const root = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${view.join(' ')}"`
  return Buffer.from(`<svg ${root}>${page}</svg>`)
}

function contentOf(excerpt: Excerpt, look: Look): string {
  if ('rows' in excerpt) return drawTable(excerpt.rows)
  const lines = excerpt.lines.map(({ text }) => text)
  if (look === 'COMMAS' || look === 'TABS') return drawTable(cellsOf(lines, look))
  if (look === 'CODE' || look === 'DATA') return drawCode(lines, look === 'CODE' ? CODE : DATA)
  if (look === 'MARKDOWN') return drawParagraphs(readMarkdown(lines))
  return drawParagraphs(
    excerpt.lines.map(({ text, isHeading }) => ({ text, kind: isHeading === true ? 'TITLE' : 'BODY' })),
  )
}

/** Average widths in parts of the size of the letters; those of wide scripts are as wide as they are high. */
const NARROW = /[ijl.,:;'|!()[\]{}]/u
const BROAD = /[A-Zmw@%\u2014]/u
const FULL = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u

function widthOf(letter: string, { size, isCode, isBold }: Style): number {
  if (FULL.test(letter)) return size
  if (isCode) return size * 0.6
  if (/\p{M}/u.test(letter)) return 0
  const part = NARROW.test(letter) ? 0.29 : BROAD.test(letter) ? 0.72 : 0.55
  return size * part * (isBold ? 1.06 : 1)
}

const lengthOf = (text: string, style: Style) => [...text].reduce((width, letter) => width + widthOf(letter, style), 0)

/** Divides a paragraph between words, and within those that are longer than a line. */
function wrap(text: string, style: Style, most: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(/(?<= )/u)) {
    const length = lengthOf(word.trimEnd(), style)
    if (line !== '' && used + length > most) {
      lines.push(line)
      line = ''
      used = 0
    }
    for (const letter of word) {
      const step = widthOf(letter, style)
      if (used + step > most && letter !== ' ') {
        lines.push(line)
        line = ''
        used = 0
      }
      line += letter
      used += step
    }
    if (lines.length > MAX_LINES) break
  }
  return [...lines, line]
}

function drawParagraphs(paragraphs: readonly Paragraph[]): string {
  let drawn = ''
  let y = TOP
  for (const { text, kind, gap = 0 } of paragraphs) {
    const style = STYLES[kind]
    y += y === TOP ? 0 : gap
    for (const line of wrap(text.trimEnd(), style, RIGHT - LEFT)) {
      if (y > HEIGHT) return drawn
      drawn += textAt(line, style, LEFT, y)
      y += style.lead
    }
  }
  return drawn
}

/** Letters of scripts that are written from the right. */
const FROM_RIGHT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** `y`: the upper edge of the line. */
function textAt(text: string, style: Style, x: number, y: number, fill = INK): string {
  if (text.trim() === '') return ''
  const { size, lead, isBold, isCode } = style
  const isFromRight = FROM_RIGHT.test(text)
  const place = isFromRight ? `x="${RIGHT}" direction="rtl"` : `x="${rounded(x)}"`
  const weight = isBold ? ' font-weight="600"' : ''
  const font = `font-family="${isCode ? MONO : SANS}" font-size="${size}"${weight} fill="${fill}"`
  return `<text ${place} y="${rounded(y + (lead + size * 0.7) / 2)}" ${font}>${isCode ? codeOf(text, style) : spaced(text)}</text>`
}

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif)|--|;|%|<!--)/u
const KEYWORD =
  /\b(?:abstract|and|as|async|await|begin|break|case|catch|class|const|continue|def|default|defer|do|elif|else|elsif|end|enum|except|export|extends|finally|fn|for|foreach|from|func|function|if|impl|implements|import|in|interface|is|lambda|let|local|loop|match|mod|module|mut|namespace|new|not|or|package|pass|private|protected|pub|public|raise|readonly|return|select|static|struct|super|switch|then|throw|trait|try|type|typedef|union|unless|until|use|using|val|var|void|when|where|while|with|yield)\b/gu

/** Several spaces stay several. */
const spaced = (text: string) => escapeXml(text).replace(/ (?= )/gu, '\u00a0')

/** Spaces stay as they are. */
function codeOf(text: string, { hasKeywords }: Style): string {
  const fixed = escapeXml(text).replaceAll(' ', '\u00a0')
  return !hasKeywords || COMMENT.test(text) ? fixed : fixed.replace(KEYWORD, '<tspan font-weight="600">$&</tspan>')
}

/** Lines of code are cut, not divided. */
function drawCode(lines: readonly string[], style: Style): string {
  const most = Math.ceil((WIDTH - LEFT) / (style.size * 0.6))
  return lines
    .slice(0, Math.ceil((HEIGHT - TOP) / style.lead))
    .map((line, index) => {
      const shown = [...line].slice(0, most).join('')
      return textAt(shown, style, LEFT, TOP + index * style.lead, COMMENT.test(line) ? FAINT : INK)
    })
    .join('')
}

const CELL: Style = { size: 8, lead: 15 }
const HEAD_CELL: Style = { ...CELL, isBold: true }
const CELL_SIDE = 4
const CELL_WIDTH = { least: 26, most: 92 }
const NUMBER = /^[-+]?[\d.,'\u2019\s]+%?$/u

/** The first row is the head of the table. */
function drawTable(rows: readonly (readonly string[])[]): string {
  const shown = rows.slice(0, Math.ceil(HEIGHT / CELL.lead))
  const columns = columnsOf(shown)
  let drawn = `<rect width="${WIDTH}" height="${CELL.lead}" fill="${HEAD}"/>`
  for (const [index, row] of shown.entries()) {
    const y = index * CELL.lead
    for (const [column, place] of columns.entries()) {
      const text = row[column] ?? ''
      if (text !== '') drawn += drawCell(text, { ...place, y, style: index === 0 ? HEAD_CELL : CELL })
    }
    drawn += `<path d="M0 ${y + CELL.lead - 0.5}H${WIDTH}" stroke="${LINE}"/>`
  }
  const lines = columns
    .slice(1)
    .map(({ x }) => `<path d="M${rounded(x)} 0V${shown.length * CELL.lead}" stroke="${LINE}"/>`)
  return drawn + lines.join('')
}

/** `isRight`: its texts end at the right, as those of numbers do. */
type Column = { readonly x: number; readonly width: number; readonly isRight: boolean }

/** As wide as their texts; together at least as wide as the page. */
function columnsOf(rows: readonly (readonly string[])[]): Column[] {
  const count = Math.max(1, ...rows.map((row) => row.length))
  const needed = Array.from({ length: count }, (_, column) => {
    const longest = Math.max(0, ...rows.map((row) => lengthOf(row[column] ?? '', HEAD_CELL)))
    return Math.min(Math.max(longest + 2 * CELL_SIDE, CELL_WIDTH.least), CELL_WIDTH.most)
  })
  const stretch = Math.max(1, WIDTH / needed.reduce((sum, width) => sum + width, 0))
  let end = 0
  return needed.flatMap((width, column) => {
    const x = end
    end += width * stretch
    const texts = rows.slice(1).flatMap((row) => row[column] || [])
    const isRight = column > 0 && texts.length > 0 && texts.every((text) => NUMBER.test(text))
    return x < WIDTH ? [{ x, width: width * stretch, isRight }] : []
  })
}

type Cell = Column & { readonly y: number; readonly style: Style }

/** Inside of a separate element, which cuts it. */
function drawCell(text: string, { x, y, width, style, isRight }: Cell): string {
  const fits = lengthOf(text, style) <= width - 2 * CELL_SIDE
  const place = isRight && fits ? `x="${rounded(width - CELL_SIDE)}" text-anchor="end"` : `x="${CELL_SIDE}"`
  const weight = style.isBold ? ' font-weight="600"' : ''
  const font = `font-family="${SANS}" font-size="${style.size}"${weight} fill="${INK}"`
  const box = `x="${rounded(x)}" y="${y}" width="${rounded(width - 1)}" height="${style.lead}"`
  return `<svg ${box}><text ${place} y="${style.lead - 4.5}" ${font}>${escapeXml(text)}</text></svg>`
}

const rounded = (value: number) => Math.round(value * 10) / 10

/** Without what XML cannot hold, whatever was stored. */
function escapeXml(text: string): string {
  return text
    .replace(/\p{Cc}|[\ufffe\uffff\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/\p{Cs}/gu, '')
    .replace(/&/gu, '&amp;')
    .replace(/</gu, '&lt;')
    .replace(/>/gu, '&gt;')
    .replace(/"/gu, '&quot;')
}
