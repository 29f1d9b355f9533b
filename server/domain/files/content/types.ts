import { fileTypeFromBuffer } from 'file-type'
import { TypeRefusedError } from '../../errors.ts'
import type { FileCategory } from '../contract.ts'

/** Beginning of the MIME types of Word, Excel and PowerPoint documents. */
const OFFICE = 'application/vnd.openxmlformats-officedocument.'
const BOOK = 'application/epub+zip'

/** Number of first and last bytes of a content that `judgeType` needs. */
export const HEAD_BYTES = 4100
export const TAIL_BYTES = 256 * 1024

/** `tail` is read only if the head is that of a ZIP: the central directory of an office document is at its end. */
export type Content = { readonly head: Buffer; readonly tail: () => Promise<Buffer> }

export type FileType = { readonly mimeType: string; readonly category: FileCategory }

/** One row of a drop zone's accept map. */
export type AcceptedType = { readonly mimeType: string; readonly extensions: readonly string[] }

/** Spec 5: images, PDF, video, audio, text, and Word, Excel and PowerPoint documents. */
export const ACCEPTED_TYPES: readonly AcceptedType[] = [
  {
    mimeType: 'image/*',
    extensions: words(
      '.apng .avif .bmp .cr2 .cr3 .dng .gif .heic .heif .ico .jfif .jp2 .jpeg .jpg .jxl .nef .png .psd .svg .tif .tiff .webp',
    ),
  },
  { mimeType: 'application/pdf', extensions: ['.pdf'] },
  {
    mimeType: 'video/*',
    extensions: words('.3g2 .3gp .avi .flv .m2ts .m4v .mkv .mov .mp4 .mpeg .mpg .mts .ogv .webm .wmv'),
  },
  {
    mimeType: 'audio/*',
    extensions: words('.aac .aif .aiff .amr .flac .m4a .m4b .mid .midi .mp3 .oga .ogg .opus .wav .weba .wma'),
  },
  {
    mimeType: 'text/*',
    extensions: words(
      '.asm .bash .bat .bib .c .cc .cfg .clj .cmake .conf .cpp .cs .css .csv .cts .cxx .dart .diff .env .erl .ex .exs .f90 .go .gradle ' +
        '.graphql .h .hpp .hs .htm .html .ics .ini .ipynb .java .jl .js .json .json5 .jsonl .jsx .kt .less .lisp .log .lua .m .markdown .md .mdx ' +
        '.mjs .mts .nix .patch .php .pl .prisma .properties .proto .ps1 .py .r .rb .rs .rst .rtf .sass .scala .scss .sh .sql .srt .sub .svelte ' +
        '.swift .tex .tf .toml .ts .tsv .tsx .txt .vb .vcf .vim .vtt .vue .xml .yaml .yml .zsh',
    ),
  },
  { mimeType: `${OFFICE}wordprocessingml.document`, extensions: ['.docx'] },
  { mimeType: `${OFFICE}spreadsheetml.sheet`, extensions: ['.xlsx'] },
  { mimeType: `${OFFICE}presentationml.presentation`, extensions: ['.pptx'] },
]

const MIME_OF_EXTENSION = new Map(
  ACCEPTED_TYPES.flatMap(({ mimeType, extensions }) => extensions.map((extension) => [extension, mimeType] as const)),
)

/**
 * Checks the name alone, before any byte is sent. A name without an extension may be text (README, Makefile).
 * @throws TypeRefusedError
 */
export function checkExtension(name: string): void {
  const extension = extensionOf(name)
  if (extension === '' || MIME_OF_EXTENSION.has(extension)) return
  throw new TypeRefusedError(`${extension} files are not accepted here. ${ACCEPTED_WORDS}`)
}

/**
 * The type of a content, by its first bytes; the name is used only to distinguish kinds of text and for empty files.
 * @throws TypeRefusedError unless `anyType`, when name or content is not of an accepted type
 */
export async function judgeType(name: string, content: Content, anyType: boolean): Promise<FileType> {
  if (!anyType) checkExtension(name)
  const type = content.head.length === 0 ? emptyType(name) : await detectType(name, content)
  // Spec 5 names no books.
  if (!anyType && (type.category === 'OTHER' || type.mimeType === BOOK)) {
    throw new TypeRefusedError(`The content of “${name}” is not of an accepted type. ${ACCEPTED_WORDS}`)
  }
  return type
}

const ACCEPTED_WORDS =
  'Please choose images, PDFs, videos, audio, text, or Word (docx), Excel (xlsx) and PowerPoint (pptx) documents.'

async function detectType(name: string, { head, tail }: Content): Promise<FileType> {
  if (looksLikeUtf16(head)) return textType(name, head)
  const found = await fileTypeFromBuffer(head)
  const magic = found?.mime.split(';')[0] ?? (isTiff(head) ? 'image/tiff' : 'application/octet-stream')
  const mimeType = magic === 'application/zip' ? (documentTypeOf(await tail()) ?? magic) : magic
  const category = categoryOf(mimeType)
  if (category !== 'OTHER') return { mimeType, category }
  return looksLikeText(head) ? textType(name, head) : { mimeType, category }
}

/** Most programs write the directory of a TIFF at its end, beyond the head, where file-type looks for it. */
function isTiff(head: Buffer): boolean {
  return startsWith(head, [0x49, 0x49, 42, 0]) || startsWith(head, [0x4d, 0x4d, 0, 42])
}

const DIRECTORY_ENTRY = Buffer.from('PK\x01\x02', 'latin1')
const ENTRY_BYTES = 46

/** The document type by the folder of its main part. */
const TYPE_OF_FOLDER: Readonly<Record<string, string>> = {
  word: `${OFFICE}wordprocessingml.document`,
  xl: `${OFFICE}spreadsheetml.sheet`,
  ppt: `${OFFICE}presentationml.presentation`,
}

/**
 * The MIME type of a ZIP that is a Word, Excel or PowerPoint document, or a book, determined by its central directory; null
 * for any other.
 */
function documentTypeOf(tail: Buffer): string | null {
  const names = entryNames(tail)
  // Only some programs write the entry with its type first, as they should.
  if (names.includes('META-INF/container.xml') && names.some((name) => name.endsWith('.opf'))) return BOOK
  if (!names.includes('[Content_Types].xml')) return null
  for (const name of names) {
    const type = TYPE_OF_FOLDER[name.split('/')[0] ?? '']
    if (type && name.includes('/')) return type
  }
  return null
}

function entryNames(tail: Buffer): string[] {
  const names: string[] = []
  for (let at = tail.indexOf(DIRECTORY_ENTRY); at >= 0 && at + ENTRY_BYTES <= tail.length; ) {
    const start = at + ENTRY_BYTES
    const end = start + tail.readUInt16LE(at + 28)
    names.push(tail.toString('latin1', start, end))
    at = tail.indexOf(DIRECTORY_ENTRY, end)
  }
  return names
}

function textType(name: string, head: Buffer): FileType {
  const isSvg = extensionOf(name) === '.svg' && head.includes('<svg')
  return isSvg
    ? { mimeType: 'image/svg+xml', category: 'IMAGE' }
    : { mimeType: textMimeType(extensionOf(name)), category: 'TEXT' }
}

/** An empty file has the type of its name. */
function emptyType(name: string): FileType {
  const accepted = MIME_OF_EXTENSION.get(extensionOf(name)) ?? 'text/*'
  const category = categoryOf(accepted)
  if (category === 'TEXT') return { mimeType: textMimeType(extensionOf(name)), category }
  return { mimeType: accepted.endsWith('/*') ? 'application/octet-stream' : accepted, category }
}

/** The category of a MIME type. */
function categoryOf(mimeType: string): FileCategory {
  if (mimeType.startsWith('image/')) return 'IMAGE'
  if (mimeType.startsWith('video/') || mimeType === 'application/vnd.ms-asf') return 'VIDEO'
  if (mimeType.startsWith('audio/')) return 'AUDIO'
  if (mimeType.startsWith('text/')) return 'TEXT'
  return CATEGORY_OF_APPLICATION[mimeType] ?? 'OTHER'
}

const CATEGORY_OF_APPLICATION: Readonly<Record<string, FileCategory>> = {
  'application/pdf': 'PDF',
  [BOOK]: 'DOCUMENT',
  [`${OFFICE}wordprocessingml.document`]: 'DOCUMENT',
  [`${OFFICE}spreadsheetml.sheet`]: 'SPREADSHEET',
  [`${OFFICE}presentationml.presentation`]: 'PRESENTATION',
}

/**
 * The type of a content that was not read: by the MIME type that a provider reports, or by the name where that says nothing.
 * @returns `mimeType` null when both say nothing
 */
export function reportedType(
  name: string,
  reported: string | null,
): { mimeType: string | null; category: FileCategory } {
  const mimeType = reported?.split(';')[0]?.trim().toLowerCase() ?? ''
  const category = categoryOf(mimeType)
  if (category !== 'OTHER') return { mimeType, category }
  if (extensionOf(name) === '.epub') return { mimeType: BOOK, category: 'DOCUMENT' }
  const ofName = emptyType(name)
  if (MIME_OF_EXTENSION.has(extensionOf(name)) && ofName.category !== 'OTHER') {
    const isKnown = ofName.mimeType !== 'application/octet-stream'
    return { mimeType: isKnown ? ofName.mimeType : mimeType || null, category: ofName.category }
  }
  return { mimeType: mimeType || null, category: 'OTHER' }
}

/** Lower case, with its dot; empty for none. Text after a dot that contains a space is prose ("v1.2 final"). */
function extensionOf(name: string): string {
  return /(?<=.)\.[^\s.]+$/u.exec(name)?.[0].toLowerCase() ?? ''
}

function words(text: string): readonly string[] {
  return text.split(' ')
}

/** Kinds of text with a MIME type; all others are text/plain. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ics': 'text/calendar',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.markdown': 'text/markdown',
  '.md': 'text/markdown',
  '.mjs': 'text/javascript',
  '.rtf': 'text/rtf',
  '.tsv': 'text/tab-separated-values',
  '.vcf': 'text/vcard',
  '.vtt': 'text/vtt',
  '.xml': 'text/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
}

/** The MIME type of a text content by its name's extension (lower case, with the dot). */
function textMimeType(extension: string): string {
  return MIME_TYPES[extension] ?? 'text/plain'
}

/**
 * Whether a head is UTF-16 with a byte order mark. Checked before magic numbers: one of them mistakes the mark for MP3.
 */
function looksLikeUtf16(head: Buffer): boolean {
  const even = head.subarray(0, head.length & ~1)
  if (startsWith(head, [0xff, 0xfe])) return decodes(even, 'utf-16le')
  return startsWith(head, [0xfe, 0xff]) && decodes(even, 'utf-16be')
}

/**
 * Whether a head is text in UTF-8 or an older 8-bit encoding. The latter have no invalid bytes, so only control
 * characters that do not occur in text (above all NUL) rule it out.
 */
function looksLikeText(head: Buffer): boolean {
  return !head.some(isBinaryByte)
}

function decodes(bytes: Buffer, encoding: string): boolean {
  try {
    return !new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true }).includes('\0')
  } catch {
    // Not in this encoding.
    return false
  }
}

function startsWith(head: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => head[index] === byte)
}

/** C0 controls other than backspace, tab, line ends, form feed and escape (terminal logs); DEL. */
function isBinaryByte(byte: number): boolean {
  return byte < 0x08 || byte === 0x0b || (byte >= 0x0e && byte < 0x1b) || (byte > 0x1b && byte < 0x20) || byte === 0x7f
}

/** Types that a browser displays without executing content. Audio, video and text are matched by pattern. */
const SAFE_TYPES = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'application/pdf',
])
const NEVER = /html|xml|svg/
const TEXT = /^(?:text\/[a-z0-9.+-]+|application\/(?:json|yaml))$/
const MEDIA = /^(?:audio|video)\/[a-z0-9][a-z0-9.+-]*$/

/**
 * The Content-Type for displaying a file of this type inline; null when it may only be downloaded. All kinds of text
 * are sent as plain text; HTML, SVG and XML are never displayed.
 */
export function inlineTypeOf(mimeType: string | null): string | null {
  const type = mimeType?.toLowerCase() ?? ''
  if (NEVER.test(type)) return null
  if (TEXT.test(type)) return 'text/plain; charset=utf-8'
  return SAFE_TYPES.has(type) || MEDIA.test(type) ? type : null
}

export function isInlineSafe(mimeType: string | null): boolean {
  return inlineTypeOf(mimeType) !== null
}
