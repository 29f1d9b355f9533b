import { isBook, readBook } from './book.mjs'
import { decodeText } from './text.mjs'
import { createBudget, entriesOf, parse, readAll } from './zip.mjs'

// Reads the beginning of a text, an office document or a book, in the process of worker.mjs: what fits on a small picture, and nothing that could
// change how other text is shown. It is `{ lines }`, each `{ text, isHeading }`, or `{ rows }` of cells.

const MAX_LINES = 40
const MAX_LINE = 200
/** Of a line of a document, while it is read. */
const MAX_PARAGRAPH = 4 * MAX_LINE
const MAX_ROWS = 16
const MAX_COLUMNS = 8
const MAX_CELL = 60
/** Of a picture of the first page that a document contains. */
const MAX_PREVIEW = 8 * 1024 * 1024
/** Control characters that a text may have, and of how many characters one may be: something else has many. */
const CONTROLS = 8
const CONTROLS_EVERY = 100

const NOTHING = 'There is nothing to show at its beginning.'

/** @param bytes the beginning of a text. @throws when it is not text, or empty */
export function excerptOfText(bytes) {
  const text = decodeText(bytes).slice(0, MAX_LINES * MAX_LINE * 4)
  const controls = text.match(/(?!\s)\p{Cc}|\ufffd/gu)?.length ?? 0
  if (controls > CONTROLS + text.length / CONTROLS_EVERY) throw new Error('This is not text.')
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/, MAX_LINES).map((line) => ({ text: clean(line, MAX_LINE) }))
  return filled({ lines })
}

/**
 * @param toPicture makes the result of bytes of a JPEG or PNG; throws for others
 * @returns the excerpt, or what `toPicture` returned. @throws for broken content, and for documents without any text
 */
export async function excerptOfOffice(bytes, toPicture) {
  const document = { bytes, entries: entriesOf(bytes), budget: createBudget() }
  if (isBook(document)) return excerptOfBook(document, toPicture)
  const find = (name) => document.entries.find((entry) => name.test(entry.name))
  // Cells can be read at any size, a picture of them cannot.
  const sheet = first(document.entries, /^xl\/worksheets\/sheet(\d+)\.xml$/)
  if (sheet) return filled(await readSheet(document, sheet, find))
  const content = find(/^content\.xml$/)
  const isTable = content && (await isOpenSheet(document, find(/^mimetype$/)))
  const preview = find(/^(?:docProps\/thumbnail\.(?:jpe?g|png)|Thumbnails\/thumbnail\.png)$/i)
  if (preview && !isTable) {
    const made = await readAll(document, preview, MAX_PREVIEW)
      .then(toPicture)
      .catch(() => null)
    if (made) return made
  }
  if (isTable) return filled(await readOpenSheet(document, content))
  const part = content ?? find(/^word\/document\.xml$/) ?? first(document.entries, /^ppt\/slides\/slide(\d+)\.xml$/)
  if (!part) throw new Error('It has no text that is known.')
  return filled(await readLines(document, part))
}

/** Its cover, or what would be on it. */
async function excerptOfBook(document, toPicture) {
  const { cover, title, authors } = await readBook(document)
  const made =
    cover &&
    (await readAll(document, cover, MAX_PREVIEW)
      .then(toPicture)
      .catch(() => null))
  if (made) return made
  const lines = [
    { text: clean(title, MAX_LINE), isHeading: true },
    ...authors.map((author) => ({ text: clean(author, MAX_LINE), isHeading: false })),
  ]
  return filled({ lines })
}

/** The entry with the lowest number in its name. */
function first(entries, pattern) {
  const found = entries.flatMap((entry) => {
    const [, number] = pattern.exec(entry.name) ?? []
    return number === undefined ? [] : [{ entry, number: Number(number) }]
  })
  return found.toSorted((a, b) => a.number - b.number)[0]?.entry
}

async function isOpenSheet(document, mimetype) {
  if (!mimetype) return false
  return (await readAll(document, mimetype, 200)).toString('latin1').includes('spreadsheet')
}

const PARAGRAPHS = ['p', 'h']
/** Styles of titles by their names in programs of several languages. */
const HEADING = /^(?:heading|title|subtitle|berschrift|titel|titre|ttulo|titolo|kop|rubrik)/i

/** Paragraphs of Word, of the first slide of PowerPoint, and of OpenDocument. Those of a row of a table are one line. */
async function readLines(document, entry) {
  const lines = []
  // Only OpenDocument has text outside of <t>, and other things in front of its body.
  const isOpen = entry.name === 'content.xml'
  const state = { text: '', isHeading: false, paragraphs: 0, rows: 0, shown: 0, hidden: 0 }
  const add = () => {
    const text = clean(state.text, MAX_LINE)
    if (text !== '') lines.push({ text, isHeading: state.isHeading })
    Object.assign(state, { text: '', isHeading: false })
  }
  const append = (text) => {
    if (state.text.length < MAX_PARAGRAPH) state.text += text.slice(0, MAX_PARAGRAPH)
  }
  await parse(document, entry, {
    open(name, { val = '', type = '' }) {
      if (name === 'tr' || name === 'table-row') state.rows += 1
      if (PARAGRAPHS.includes(name)) {
        if (state.rows > 0 && state.text !== '') append('    ')
        state.paragraphs += 1
      }
      if (name === 'h' || (name === 'pStyle' && HEADING.test(val)) || (name === 'ph' && /title/i.test(type))) {
        state.isHeading = true
      }
      if (name === 't') state.shown += 1
      // Comments and changes that were deleted.
      if (name === 'annotation' || name === 'tracked-changes') state.hidden += 1
      if (['tab', 'br', 'line-break', 's'].includes(name) && state.paragraphs > 0) append(' ')
    },
    close(name) {
      if (name === 't') state.shown -= 1
      if (name === 'annotation' || name === 'tracked-changes') state.hidden -= 1
      if (name === 'tr' || name === 'table-row') {
        state.rows -= 1
        if (state.rows === 0) add()
      }
      if (!PARAGRAPHS.includes(name)) return
      state.paragraphs -= 1
      // The title of a slide is what follows its placeholder.
      if (state.rows === 0) add()
    },
    text(value) {
      if (state.hidden === 0 && (isOpen ? state.paragraphs > 0 : state.shown > 0)) append(value)
    },
    isFull: () => lines.length >= MAX_LINES,
  })
  return { lines: lines.slice(0, MAX_LINES) }
}

/** The first cells of a sheet of OpenDocument, as its program has shown them. */
async function readOpenSheet(document, entry) {
  const rows = []
  let row = null
  let cell = null
  let isDone = false
  await parse(document, entry, {
    open(name, attributes) {
      if (name === 'table-row') row = []
      if (name === 'table-cell' || name === 'covered-table-cell') {
        cell = { text: '', times: Math.min(Number(attributes['number-columns-repeated'] ?? 1) || 1, MAX_COLUMNS) }
      }
    },
    close(name) {
      if (row && cell && (name === 'table-cell' || name === 'covered-table-cell')) {
        for (let time = 0; time < cell.times && row.length < MAX_COLUMNS; time += 1)
          row.push(clean(cell.text, MAX_CELL))
        cell = null
      }
      if (row && name === 'table-row') {
        rows.push(row)
        row = null
      }
      if (name === 'table') isDone = true
    },
    text(value) {
      if (cell && cell.text.length < MAX_PARAGRAPH) cell.text += value
    },
    isFull: () => isDone || rows.length >= MAX_ROWS,
  })
  return { rows: rows.slice(0, MAX_ROWS) }
}

/** The first cells of a sheet of Excel: its shared strings and formats are read as far as they need them. */
async function readSheet(document, entry, find) {
  const cells = await readCells(document, entry)
  const strings = find(/^xl\/sharedStrings\.xml$/)
  const styles = find(/^xl\/styles\.xml$/)
  const last = Math.max(-1, ...cells.filter(({ type }) => type === 's').map(({ value }) => Number(value) || 0))
  const shared = strings && last >= 0 ? await readStrings(document, strings, last) : []
  const formats = styles ? await readFormats(document, styles) : []
  const rows = []
  for (const { row, column, type, style, value } of cells) {
    while (rows.length <= row) rows.push([])
    const shown = type === 's' ? (shared[Number(value)] ?? '') : shownValue(type, value, formats[style])
    while (rows[row].length < column) rows[row].push('')
    rows[row][column] = clean(shown, MAX_CELL)
  }
  return { rows }
}

async function readCells(document, entry) {
  const cells = []
  let next = { row: -1, column: 0 }
  let cell = null
  let depth = 0
  await parse(document, entry, {
    open(name, { r, t = 'n', s = '0' }) {
      if (name === 'row') next = { row: r === undefined ? next.row + 1 : Number(r) - 1, column: 0 }
      if (name === 'c') {
        const column = r === undefined ? next.column : columnOf(r)
        cell = { row: next.row, column, type: t, style: Number(s), value: '' }
        next.column = column + 1
      }
      if (name === 'v' || name === 't') depth += 1
    },
    close(name) {
      if (name === 'v' || name === 't') depth -= 1
      if (name !== 'c' || !cell) return
      const isNear = cell.row >= 0 && cell.row < MAX_ROWS && cell.column >= 0 && cell.column < MAX_COLUMNS
      if (isNear && cell.value !== '') cells.push(cell)
      cell = null
    },
    text(value) {
      if (cell && depth > 0 && cell.value.length < MAX_PARAGRAPH) cell.value += value
    },
    isFull: () => !(next.row < MAX_ROWS),
  })
  return cells
}

/** Of a reference such as `AB12`, counted from 0. */
function columnOf(reference) {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'ZZZ'
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

async function readStrings(document, entry, last) {
  const strings = []
  let text = null
  let depth = 0
  await parse(document, entry, {
    open(name) {
      if (name === 'si') text = ''
      if (name === 't') depth += 1
    },
    close(name) {
      if (name === 't') depth -= 1
      if (name !== 'si') return
      strings.push((text ?? '').slice(0, MAX_CELL * 2))
      text = null
    },
    text(value) {
      if (text !== null && depth > 0 && text.length < MAX_PARAGRAPH) text += value
    },
    isFull: () => strings.length > last,
  })
  return strings
}

/** Formats of Excel's own numbers that matter here (ECMA-376, 18.8.30). */
const BUILT_IN = { 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 14: 'd', 15: 'd', 16: 'd', 17: 'd', 22: 'd' }
const MAX_FORMATS = 4_000

/** The format of each style of a cell. */
async function readFormats(document, entry) {
  const own = new Map()
  const formats = []
  let isCells = false
  await parse(document, entry, {
    open(name, { numFmtId, formatCode = '' }) {
      if (name === 'numFmt' && own.size < MAX_FORMATS) own.set(numFmtId, formatCode)
      if (name === 'cellXfs') isCells = true
      if (name === 'xf' && isCells) formats.push(own.get(numFmtId) ?? BUILT_IN[numFmtId] ?? '')
    },
    close(name) {
      if (name === 'cellXfs') isCells = false
    },
    text() {},
    isFull: () => formats.length >= MAX_FORMATS,
  })
  return formats
}

/** Days since the last day of 1899, as Excel counts them. */
const EXCEL_EPOCH = Date.UTC(1899, 11, 30)
const DAY_MS = 86_400_000

/** What a cell of Excel shows, as far as its format matters for reading it. */
function shownValue(type, value, format = '') {
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  const number = Number(value)
  if (type !== 'n' || !Number.isFinite(number)) return value
  const pattern = format.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')
  if (/[dy]/i.test(pattern) && number >= 1 && number < 2_958_466) {
    return new Date(EXCEL_EPOCH + Math.floor(number) * DAY_MS).toISOString().slice(0, 10)
  }
  const digits = /[.](0+)/.exec(pattern)?.[1].length
  const options = { minimumFractionDigits: digits ?? 0, maximumFractionDigits: digits ?? 8, useGrouping: false }
  if (pattern.includes('%'))
    return `${(number * 100).toLocaleString('en-US', { ...options, maximumFractionDigits: digits ?? 0 })}%`
  if (/#,##/.test(pattern))
    return number.toLocaleString('en-US', { ...options, maximumFractionDigits: digits ?? 0, useGrouping: true })
  if (digits !== undefined) return number.toLocaleString('en-US', options)
  return String(Number(number.toPrecision(10)))
}

/** @throws when nothing of it can be seen */
function filled(excerpt) {
  const texts = excerpt.lines?.map(({ text }) => text) ?? excerpt.rows.flat()
  if (texts.every((text) => text.trim() === '')) throw new Error(NOTHING)
  return { excerpt }
}

/**
 * Tabs become spaces; control characters and those that turn the direction of text or are invisible are left out, and so are all but the
 * first of many accents on one letter, which would cover other lines.
 */
function clean(text, limit) {
  return (
    text
      .slice(0, limit * 4)
      .replaceAll('\t', '    ')
      // Some scripts need the joiners.
      .replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
      .replace(/(\p{M}{3})\p{M}+/gu, '$1')
      .trimEnd()
      .slice(0, limit)
      .toWellFormed()
  )
}
