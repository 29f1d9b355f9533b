import { crc32, createInflateRaw } from 'node:zlib'
import { SaxesParser } from 'saxes'

// Extracts the text of documents, in the process of worker.mjs. Every step is limited: by the text that is wanted, by what is unpacked, and
// from outside by time and memory.

const MAX_UNPACKED = 128 * 1024 * 1024
const MAX_ENTRIES = 20_000
const MAX_DIRECTORY = 8 * 1024 * 1024

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

async function readOffice(bytes, limit) {
  const budget = createBudget()
  const found = entriesOf(bytes).flatMap((entry) => {
    const order = PARTS.findIndex(({ name }) => name.test(entry.name))
    return order < 0 ? [] : [{ entry, order }]
  })
  found.sort((a, b) => a.order - b.order || a.entry.name.localeCompare(b.entry.name, 'en', { numeric: true }))
  let text = ''
  for (const { entry, order } of found) {
    if (text.length >= limit) break
    text += `${await readPart(bytes, entry, PARTS[order], { budget, limit: limit - text.length })}\n`
  }
  return text
}

/** The directory of a ZIP. Office programs write neither Zip64 nor comments. @throws for broken content */
export function entriesOf(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0 || end + 22 > bytes.length) throw new Error('This is not a ZIP file.')
  const [count, length, start] = [
    bytes.readUInt16LE(end + 10),
    bytes.readUInt32LE(end + 12),
    bytes.readUInt32LE(end + 16),
  ]
  if (count > MAX_ENTRIES || length > MAX_DIRECTORY || start + length > end)
    throw new Error('The directory is damaged.')
  const entries = []
  for (let at = start; at + 46 <= start + length && bytes.readUInt32LE(at) === 0x02014b50; ) {
    const nameLength = bytes.readUInt16LE(at + 28)
    entries.push({
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      sum: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
    })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

/** What may be unpacked of one document. */
export const createBudget = () => ({ left: MAX_UNPACKED })

/** Reads a part as `part` says; ends when it has enough text. */
async function readPart(bytes, entry, part, { budget, limit }) {
  const reader = createReader(part, limit)
  await readXml(bytes, entry, budget, reader)
  return reader.text()
}

/**
 * Unpacks while it parses, so that a part of any size takes the same memory. `reader` has `write`, `close`, and `isFull` for when it needs
 * no more. @throws for broken content, and for more than the budget
 */
export async function readXml(bytes, entry, budget, reader) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of readEntry(bytes, entry, budget)) {
    reader.write(decoder.decode(chunk, { stream: true }))
    if (reader.isFull()) return
  }
  reader.close()
}

/** The bytes of an entry in chunks. @throws for broken content, at the end also for a wrong checksum, and for more than the budget */
export async function* readEntry(bytes, { isEncrypted, method, sum, packed, offset }, budget) {
  if (isEncrypted || (method !== 0 && method !== 8)) throw new Error('It is encrypted or packed in an unknown way.')
  if (bytes.readUInt32LE(offset) !== 0x04034b50) throw new Error('An entry is damaged.')
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const data = bytes.subarray(start, start + packed)
  let found = 0
  for await (const chunk of method === 0 ? [data] : unpacked(data)) {
    budget.left -= chunk.length
    if (budget.left < 0) throw new Error('It is too large inside.')
    found = crc32(chunk, found)
    yield chunk
  }
  if (found !== sum) throw new Error('An entry is damaged.')
}

function unpacked(data) {
  const stream = createInflateRaw()
  stream.end(data)
  return stream
}

function createReader({ within, breaks, isSheet = false }, limit) {
  let text = ''
  let depth = within === null ? 1 : 0
  let isIndex = false
  const parser = new SaxesParser()
  const nameOf = ({ name }) => name.slice(name.indexOf(':') + 1)
  const counts = (name) => within?.includes(name) && !(name === 'v' && isIndex)
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    const name = nameOf(tag)
    if (isSheet && name === 'c') isIndex = ['s', 'b', 'e'].includes(tag.attributes.t)
    // One is enough, so that emptiness of any size fills no memory.
    if (breaks.includes(name) && !text.endsWith(' ')) text += ' '
    if (counts(name)) depth += 1
  })
  parser.on('closetag', (tag) => {
    if (counts(nameOf(tag))) depth -= 1
  })
  parser.on('text', (value) => {
    if (depth > 0) text += value
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
