import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sortedChildren, treeOf } from '../../web/features/Preview/archive/archive.ts'
import { plainTar, readTar, readTarEntry } from '../../web/features/Preview/archive/tar.ts'
import { readEntry, readZip } from '../../web/features/Preview/archive/zip.ts'
import type { ByteReader } from '../../web/features/Preview/byteReader.ts'
import { frameAnswer } from '../../web/features/Preview/frame/protocol.ts'
import { readOfficeFile } from '../../web/features/Preview/office/officeFile.ts'
import { limitRows, parseDelimited } from '../../web/features/Preview/table/rows.ts'
import {
  type Piece,
  pieceAt,
  pieceBefore,
  pieceFrom,
  rowAfterWrap,
  wrapped,
} from '../../web/features/Preview/text/longText.ts'
import { languageOf } from '../../web/features/Preview/text/useHighlight.ts'
import { tarOf, zipOf } from '../e2e/support/previewSamples.ts'

type Counted = ByteReader & { readonly asked: [start: number, end: number][] }

/** A file in memory that knows what was read of it. */
function fileOf(content: Buffer | string): Counted {
  const bytes = new Uint8Array(Buffer.from(content))
  const asked: [number, number][] = []
  return {
    asked,
    size: bytes.length,
    async read(start, end) {
      asked.push([start, end])
      return bytes.slice(start, end)
    },
  }
}

test('a ZIP is listed by its directory, and one entry read without the others', async () => {
  const file = fileOf(await zipOf({ 'a.txt': 'first', 'große/b.txt': 'x'.repeat(500_000) }))
  const { entries, isCut } = await readZip(file, 10)
  expect([entries.map(({ name, size }) => [name, size]), isCut]).toEqual([
    [
      ['a.txt', 5],
      ['große/b.txt', 500_000],
    ],
    false,
  ])
  const [first] = entries
  if (!first) throw new Error('No entry')
  expect(Buffer.from(await readEntry(file, first, 100)).toString()).toBe('first')
  expect((await readZip(file, 1)).isCut).toBe(true)
})

test('an entry that unpacks to more than it says is refused while it unpacks', async () => {
  const zip = await zipOf({ 'bomb.txt': Buffer.alloc(1_000_000) })
  // Both headers say 10 bytes.
  const directory = zip.lastIndexOf('PK\x01\x02', undefined, 'latin1')
  zip.writeUInt32LE(10, directory + 24)
  const [entry] = (await readZip(fileOf(zip), 10)).entries
  if (!entry) throw new Error('No entry')
  expect(entry.size).toBe(10)
  await expect(readEntry(fileOf(zip), entry, 100_000)).rejects.toThrow('its unpacked content is too large')
})

test.each([
  ['empty', Buffer.alloc(0)],
  ['no ZIP', Buffer.alloc(70_000, 80)],
  ['a directory outside the file', Buffer.from(`PK\x05\x06${'\0'.repeat(8)}\xff\xff\0\0\xff\xff\0\0\0\0`, 'latin1')],
  ['only deflated bytes', deflateRawSync('x')],
])('%s is damaged, not a crash', async (_what, bytes) => {
  await expect(readZip(fileOf(bytes), 10)).rejects.toThrow('it is damaged')
})

test('an office file comes out without compression, with the same parts', async () => {
  const zip = await zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': 'text '.repeat(1_000) })
  const { bytes, parts } = await readOfficeFile(fileOf(zip))
  expect([...parts.keys()]).toEqual(['[Content_Types].xml', 'word/document.xml'])
  const again = fileOf(Buffer.from(bytes))
  const { entries } = await readZip(again, 10)
  expect(entries.map(({ method, size, packedSize }) => [method, size === packedSize])).toEqual([
    [0, true],
    [0, true],
  ])
  const [, document] = entries
  if (!document) throw new Error('No entry')
  expect(Buffer.from(await readEntry(again, document, 10_000)).toString()).toBe('text '.repeat(1_000))
})

test('a tar archive is listed without reading the contents, and one entry read from where it is', async () => {
  const file = fileOf(tarOf({ 'big.bin': 'x'.repeat(2_000_000), 'small.txt': 'harbour' }))
  const { entries, isCut } = await readTar(plainTar(file), 10)
  expect([entries.map(({ name, size }) => [name, size]), isCut]).toEqual([
    [
      ['big.bin', 2_000_000],
      ['small.txt', 7],
    ],
    false,
  ])
  expect(file.asked.reduce((sum, [start, end]) => sum + end - start, 0)).toBeLessThan(200_000)
  const [, small] = entries
  if (!small) throw new Error('No entry')
  expect(Buffer.from(await readTarEntry(plainTar(file), small)).toString()).toBe('harbour')
  expect((await readTar(plainTar(file), 1)).isCut).toBe(true)
  await expect(readTar(plainTar(fileOf('A'.repeat(1_024))), 10)).rejects.toThrow('it is damaged')
})

test('the tree of an archive has folders first, and leads nowhere outside', () => {
  const entry = (path: string) => ({
    path,
    isFolder: false,
    size: 1,
    refusal: null,
    extract: async () => new Uint8Array(),
  })
  const root = treeOf(['z.txt', 'a/b/c.txt', './a/d.txt', '../up.txt', '/abs.txt', 'z.txt'].map(entry))
  expect(sortedChildren(root).map(({ name }) => name)).toEqual(['..', 'a', 'abs.txt', 'z.txt', 'z.txt'])
  const deep = treeOf([entry(Array.from({ length: 10_000 }, () => 'x').join('/'))])
  expect(sortedChildren(deep)).toHaveLength(1)
})

test.each([
  [
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a;b\r\n"1;""x""\ny";2\r\n',
    [
      ['a', 'b'],
      ['1;"x"\ny', '2'],
    ],
  ],
  [
    'a\tb\n\tc',
    [
      ['a', 'b'],
      ['', 'c'],
    ],
  ],
  ['a,b,\n"open', [['a', 'b', ''], ['open']]],
  ['', []],
])('%j has these cells', (text, rows) => {
  expect(parseDelimited(text)).toEqual(rows)
})

test('a table has at most ten thousand rows and two hundred columns, and says so', () => {
  const rows = Array.from({ length: 10_001 }, () => Array.from({ length: 201 }, () => 'x'))
  const limited = limitRows(rows, false)
  expect([limited.rows.length, limited.columns, limited.isCut, limited.hasMoreColumns]).toEqual([
    10_000,
    200,
    true,
    true,
  ])
})

/** All rows of a text that is read piece by piece. */
async function walk(file: ByteReader): Promise<Piece[]> {
  const pieces = [await pieceFrom(file, 0)]
  for (let end = pieces[0]?.end ?? 0; end < file.size; end = pieces.at(-1)?.end ?? 0)
    pieces.push(await pieceFrom(file, end))
  return pieces
}

test('a long text read in pieces is the same text, forwards, backwards and from the middle', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} äöü 漢字`)
  const file = fileOf(lines.join('\n'))
  const pieces = await walk(file)
  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces.flatMap(({ rows }) => rows.map(({ text }) => text))).toEqual(lines)
  expect(pieces.reduce((sum, { breaks }) => sum + breaks, 0)).toBe(lines.length - 1)
  const last = await pieceBefore(file, file.size)
  expect(last.rows.at(-1)?.text).toBe(lines.at(-1))
  const before = await pieceBefore(file, last.start)
  expect(lines.indexOf(before.rows.at(-1)?.text ?? '') + 1).toBe(lines.indexOf(last.rows[0]?.text ?? ''))
  const middle = await pieceAt(file, 300_001)
  expect(lines).toContain(middle.rows[0]?.text)
})

test('the rows of a wrapped text fit, end after a space where there is one, and are the same text', async () => {
  const line = 'ten letters and 漢字 in a line that is longer than the screen\tand_without_any_space_in_its_end'
  const piece = wrapped(await pieceFrom(fileOf(`${line}\nshort`), 0), 16)
  expect(piece.rows.map(({ line: index }) => index).filter((index) => index !== null)).toEqual([0, 1])
  expect(piece.rows.map(({ text }) => text).join('')).toBe(`${line}short`)
  expect(piece.rows[0]?.text).toBe('ten letters and ')
  for (const { text } of piece.rows) expect(text.length).toBeLessThanOrEqual(16)
  const wide = wrapped(await pieceFrom(fileOf(`to ${'漢'.repeat(30)}`), 0), 16)
  expect(wide.rows.map(({ text }) => text.length)).toEqual([3, 8, 8, 8, 6])
})

test('text that is wrapped otherwise, as when a phone is turned, keeps its place', async () => {
  const lines = Array.from({ length: 9_000 }, (_, index) =>
    index % 3 === 0 ? '' : `line ${index} ${'word '.repeat(index % 40)}`,
  )
  const pieces = await walk(fileOf(lines.join('\n')))
  expect(pieces.length).toBeGreaterThan(1)
  const [narrow = [], wide = []] = [40, 90].map((columns) => pieces.map((piece) => wrapped(piece, columns)))
  const textOf = (all: readonly Piece[], row: number) => all.flatMap(({ rows }) => rows)[row]?.text ?? ''
  for (const name of ['line 4000 ', 'line 8000 ']) {
    const row = narrow.flatMap(({ rows }) => rows).findIndex(({ text }) => text.startsWith(name))
    expect(textOf(wide, rowAfterWrap(narrow, row, wide))).toContain(name)
    // A row from the middle of a line is in the row that now holds its first letter.
    const inside = rowAfterWrap(narrow, row + 1, wide)
    expect(textOf(wide, inside)).toContain(textOf(narrow, row + 1).trim())
    expect(rowAfterWrap(wide, rowAfterWrap(narrow, row, wide), narrow)).toBe(row)
  }
  expect(wide.map((piece) => wrapped(piece, null).rows)).toEqual(pieces.map(({ rows }) => rows))
})

test('a text of 2 GiB is opened, and read in its middle and at its end, by small parts', async () => {
  const line = 'a line of sixteen'.slice(0, 15)
  const size = 2 * 1024 ** 3
  const block = Buffer.from(`${line}\n`.repeat(20_000))
  let read = 0
  const file: ByteReader = {
    size,
    async read(start, end) {
      const length = Math.max(0, Math.min(end, size) - start)
      read += length
      return new Uint8Array(block.subarray(start % 16, (start % 16) + length))
    },
  }
  for (const piece of [await pieceFrom(file, 0), await pieceAt(file, size / 2 + 3), await pieceBefore(file, size)]) {
    expect(piece.rows.at(0)?.text).toBe(line)
    expect(piece.rows.at(-1)?.text).toBe(line)
  }
  expect(read).toBeLessThan(2 * 1024 * 1024)
})

test('a single line of megabytes is cut into rows at characters', async () => {
  const file = fileOf('ä'.repeat(700_000))
  const rows = (await walk(file)).flatMap((piece) => piece.rows)
  expect(rows.map(({ text }) => text).join('')).toBe('ä'.repeat(700_000))
  expect(Math.max(...rows.map(({ text }) => text.length))).toBeLessThanOrEqual(2_000)
  expect((await pieceAt(file, 100_001)).rows[0]?.text.startsWith('ä')).toBe(true)
})

test('a frame can say what became of its document, and press three keys', () => {
  expect(frameAnswer({ kind: 'shown', more: 1 })).toEqual({ kind: 'shown' })
  expect(frameAnswer({ kind: 'key', key: 'Escape' })).toEqual({ kind: 'key', key: 'Escape' })
  for (const data of [null, 'shown', {}, { kind: 'run' }, { kind: 'key', key: 'Delete' }, { kind: 'key' }])
    expect(frameAnswer(data)).toBeNull()
})

test.each([
  ['main.ts', 'typescript'],
  ['Makefile', 'makefile'],
  ['notes.txt', null],
  ['x.constructor', null],
])('%s is highlighted as %s', (name, language) => {
  expect(languageOf(name)).toBe(language)
})
