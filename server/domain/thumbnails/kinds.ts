import { createHash } from 'node:crypto'
import { type BrowserPicture, isMadeByBrowsers } from '../files/content/browserPictures.ts'
import type { File } from '../files/contract.ts'

// What there are thumbnails of, by type, size and place, without reading the content.

/** The longest side in pixels: rows (also at three pixels per point), tiles of the grid, details and dense screens. */
export const THUMBNAIL_SIDES = { LARGE: 640, MEDIUM: 320, SMALL: 96 } as const

export type ThumbnailSize = keyof typeof THUMBNAIL_SIDES

export const THUMBNAIL_SIZES = ['SMALL', 'MEDIUM', 'LARGE'] as const satisfies readonly ThumbnailSize[]

export type Thumbnail = {
  /** WebP without metadata; of the beginning of a text or an office document, an SVG with nothing active. */
  readonly bytes: Buffer
  readonly mimeType: 'image/webp' | 'image/svg+xml'
  readonly file: File
  /** Identifies the content that it was made of, and how it is drawn: see `pictureTag`. */
  readonly content: string
  /** Identifies these bytes, for an ETag. */
  readonly tag: string
}

/** A picture, the first page of a document, or the beginning of a text. OFFICE: an office document, or the cover of a book. */
export type Kind = 'IMAGE' | 'PDF' | 'TEXT' | 'OFFICE'

const MIB = 1024 * 1024

/** What can be drawn, and up to which size: the content is read as a whole. */
const DRAWN = {
  IMAGE: {
    types: [
      'image/jpeg',
      'image/png',
      'image/apng',
      'image/webp',
      'image/gif',
      'image/tiff',
      'image/avif',
    ] as readonly string[],
    maxBytes: 64 * MIB,
  },
  PDF: { types: ['application/pdf'] as readonly string[], maxBytes: 32 * MIB },
} as const

const OFFICE_TYPE =
  /^application\/(?:vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation)|vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation)|epub\+zip)$/
const MAX_OFFICE_BYTES = 32 * MIB

/** In accounts, contents up to this size are read, where the service has no picture. */
export const MAX_READ_BYTES = 8 * MIB

/** Of a text, as much as a picture shows. */
const TEXT_BYTES = 16 * 1024

type Typed = Pick<File, 'name' | 'category' | 'mimeType' | 'size'>

/**
 * Whether a request makes sense. In accounts, not every service has one of each: see `contentTags`; and not every browser has made one of a
 * film: see `fromBrowsers`.
 */
export function mayHaveThumbnail(file: File): boolean {
  if (isMadeByBrowsers(file)) return true
  return file.accountId === null ? file.sha256 !== null && kindOf(file) !== null : kindInPlace(file) !== null
}

/** How the content is drawn here; null: not at all. */
export function kindOf(file: Typed): Kind | null {
  const { mimeType, size } = file
  if (mimeType === null || size === 0) return null
  const kinds = Object.keys(DRAWN) as (keyof typeof DRAWN)[]
  const drawn = kinds.find((kind) => DRAWN[kind].types.includes(mimeType) && size <= DRAWN[kind].maxBytes)
  return drawn ?? excerptKindOf(file)
}

function excerptKindOf({ name, category, mimeType, size }: Typed): 'TEXT' | 'OFFICE' | null {
  if (category === 'TEXT') return lookOf(name) === null ? null : 'TEXT'
  return mimeType !== null && OFFICE_TYPE.test(mimeType) && size <= MAX_OFFICE_BYTES ? 'OFFICE' : null
}

/** Of a file in an account: IMAGE is drawn of the picture that its service has made, also of a film or a page. */
export function kindInPlace(file: Typed & Pick<File, 'isNative'>): Exclude<Kind, 'PDF'> | null {
  const { category, isNative, size } = file
  if (isNative || size === 0) return null
  return category === 'IMAGE' || category === 'VIDEO' || category === 'PDF' ? 'IMAGE' : excerptKindOf(file)
}

/** Without the service: what is worth a complete read. Services that report no types have images by the name alone. */
export function isDrawnInPlace(file: Typed & Pick<File, 'isNative'>): boolean {
  const { category, mimeType, size } = file
  const kind = kindInPlace(file)
  const isImage = category === 'IMAGE' && (mimeType === null || DRAWN.IMAGE.types.includes(mimeType))
  return kind !== null && (kind !== 'IMAGE' || isImage) && size <= MAX_READ_BYTES
}

/** What of the content is read. */
export function neededPart<Source extends { readonly size: number }>(source: Source, kind: Kind): Source {
  return kind === 'TEXT' ? { ...source, size: Math.min(source.size, TEXT_BYTES) } : source
}

/** Changed whenever papers are drawn differently, so that clients ask again. */
const PAPERS = 1

/** How the beginning of this file is drawn; null: it is a picture. */
export function lookOfFile(file: Typed): Look | null {
  const kind = excerptKindOf(file)
  return kind === 'TEXT' ? lookOf(file.name) : kind && 'PLAIN'
}

/**
 * Identifies the picture of a content (64 hex digits): the same text is drawn differently under another name.
 * @param key of the content, 64 hex digits
 */
export function pictureTag(file: Typed, key: string): string {
  const look = lookOfFile(file)
  return look === null ? key : createHash('sha256').update(`${key} ${look} ${PAPERS}`).digest('hex')
}

/** As `pictureTag`, of a picture that a browser has made. @param sha256 of the content */
export function browserPictureTag(sha256: string, { revision }: BrowserPicture): string {
  return createHash('sha256').update(`${sha256} browser ${revision}`).digest('hex')
}

/**
 * Identifies the picture of a file, for its address; null: there is none.
 * @param picture of `fromBrowsers`, for a file whose picture browsers make
 * @param contentTag of `contentTags`, for a file in an account
 */
export function thumbnailTagOf(
  file: File,
  picture: BrowserPicture | null | undefined,
  contentTag: string | null | undefined,
): string | null {
  if (!mayHaveThumbnail(file)) return null
  if (isMadeByBrowsers(file)) return picture && file.sha256 ? browserPictureTag(file.sha256, picture) : null
  const key = file.accountId === null ? file.sha256 : contentTag
  return key ? pictureTag(file, key) : null
}

/** The first digits of a tag, by which an address names the content. */
export function tagInAddress(tag: string): string {
  return tag.slice(0, 16)
}

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
