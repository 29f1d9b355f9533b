import { SaxesParser } from 'saxes'
import { isBook, readBook } from './book.mjs'
import { createBudget, entriesOf, readXml } from './zip.mjs'

// Extracts the text of documents, in the process of worker.mjs. Every step is limited: by the text that is wanted, by what is unpacked, and
// from outside by time and memory.

/** @param limit characters after which the rest is left out. @returns text with spaces only. @throws for broken content */
export async function extractText(format, bytes, limit) {
  return tidy(await FORMATS[format](bytes, limit), limit)
}

const FORMATS = { PLAIN: decodeText, PDF: readPdf, OFFICE: readOffice }

/** The byte order mark decides; without one it is UTF-8 if that fits, else the encoding of old Windows programs. */
export function decodeText(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // The end may be cut within a character.
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true })
  return text.includes('\ufffd') ? new TextDecoder('windows-1252').decode(bytes) : text
}

/** What PDFium puts in place of a hyphen at the end of a line. */
const LINE_HYPHEN = /\ufffe\s*/g

let pdfium

async function readPdf(bytes, limit) {
  pdfium ??= await (await import('@hyzyla/pdfium')).PDFiumLibrary.init()
  const document = await pdfium.loadDocument(bytes)
  try {
    let text = ''
    for (let index = 0; index < document.getPageCount() && text.length < limit; index += 1) {
      text += `${document.getPage(index).getText()}\n`
    }
    return text.replace(LINE_HYPHEN, '')
  } finally {
    document.destroy()
  }
}

/**
 * The parts with text by the names of their files, in the order in which they are read. `within`: elements whose text counts; null: all.
 * `breaks`: elements that separate words. Names are without prefix.
 */
const PARTS = [
  {
    name: /^word\/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml$/,
    within: ['t'],
    breaks: ['p', 'br', 'tab', 'tr', 'cr'],
  },
  { name: /^xl\/sharedStrings\.xml$/, within: ['t'], breaks: ['si'] },
  // Numbers too, but neither the indexes of shared strings nor formulas.
  { name: /^xl\/worksheets\/sheet\d+\.xml$/, within: ['t', 'v'], breaks: ['c'], isSheet: true },
  { name: /^ppt\/(?:slides\/slide|notesSlides\/notesSlide)\d+\.xml$/, within: ['t'], breaks: ['p', 'br'] },
  { name: /^content\.xml$/, within: null, breaks: ['p', 'h', 'tab', 'line-break', 's', 'table-cell'] },
]

/** Of a chapter of a book. Browsers show what is not well-formed, so its text counts too. */
const CHAPTER = {
  within: null,
  without: ['head', 'script', 'style'],
  breaks: ['p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'dt', 'dd', 'td', 'th', 'br', 'blockquote', 'pre'],
  isLenient: true,
}
/** Those of HTML that chapters have most; others stay as they are written. */
const ENTITIES = {
  nbsp: ' ',
  shy: '\u00ad',
  mdash: '\u2014',
  ndash: '\u2013',
  hellip: '\u2026',
  lsquo: '\u2018',
  rsquo: '\u2019',
  ldquo: '\u201c',
  rdquo: '\u201d',
}

async function readOffice(bytes, limit) {
  const document = { bytes, entries: entriesOf(bytes), budget: createBudget() }
  const parts = isBook(document) ? await chaptersOf(document) : partsOf(document)
  let text = ''
  for (const { entry, part } of parts) {
    if (text.length >= limit) break
    text += `${await readPart(document, entry, part, limit - text.length)}\n`
  }
  return text
}

async function chaptersOf(document) {
  const { chapters } = await readBook(document)
  return chapters.map((entry) => ({ entry, part: CHAPTER }))
}

function partsOf({ entries }) {
  const found = entries.flatMap((entry) => {
    const order = PARTS.findIndex(({ name }) => name.test(entry.name))
    return order < 0 ? [] : [{ entry, order }]
  })
  found.sort((a, b) => a.order - b.order || a.entry.name.localeCompare(b.entry.name, 'en', { numeric: true }))
  return found.map(({ entry, order }) => ({ entry, part: PARTS[order] }))
}

/** Reads a part as `part` says; ends when it has enough text. */
async function readPart({ bytes, budget }, entry, part, limit) {
  const reader = createReader(part, limit)
  await readXml(bytes, entry, budget, reader)
  return reader.text()
}

function createReader({ within, without = [], breaks, isSheet = false, isLenient = false }, limit) {
  let text = ''
  let hidden = 0
  let depth = within === null ? 1 : 0
  let isIndex = false
  const parser = new SaxesParser()
  const nameOf = ({ name }) => name.slice(name.indexOf(':') + 1)
  const counts = (name) => within?.includes(name) && !(name === 'v' && isIndex)
  parser.on('error', (error) => {
    if (!isLenient) throw error
  })
  if (isLenient) Object.assign(parser.ENTITIES, ENTITIES)
  parser.on('opentag', (tag) => {
    const name = nameOf(tag)
    if (without.includes(name)) hidden += 1
    if (isSheet && name === 'c') isIndex = ['s', 'b', 'e'].includes(tag.attributes.t)
    // One is enough, so that emptiness of any size fills no memory.
    if (breaks.includes(name) && !text.endsWith(' ')) text += ' '
    if (counts(name)) depth += 1
  })
  parser.on('closetag', (tag) => {
    if (counts(nameOf(tag))) depth -= 1
    if (without.includes(nameOf(tag))) hidden -= 1
  })
  parser.on('text', (value) => {
    if (depth > 0 && hidden === 0) text += value
  })
  return {
    write: (chunk) => parser.write(chunk),
    close: () => parser.close(),
    isFull: () => text.length >= limit,
    text: () => text,
  }
}

/** One space wherever there is anything invisible; PostgreSQL refuses NUL and unpaired surrogates. */
function tidy(text, limit) {
  const spaced = text
    .slice(0, limit)
    .replace(/[\s\p{Cc}\p{Cf}\p{Cn}\p{Zs}]+/gu, invisible)
    .trim()
  return spaced.normalize('NFC').toWellFormed().slice(0, limit).toWellFormed()
}

/** Soft hyphens and joiners are inside of words. */
function invisible(run) {
  return /^\p{Cf}+$/u.test(run) ? '' : ' '
}
