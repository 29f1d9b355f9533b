import { readFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { blackPng, filmHead, picture } from './pictures.ts'
import { hugeZip, zip } from './zips.ts'

// Files of every kind that thumbnails are made of, whole and damaged. They are made at run time, the same for the same numbers.

/**
 * PICTURE: a thumbnail has to be there. NONE: it must not be, because there is nothing to see or it would cost too much. EITHER: damaged in a
 * way that decoders may get over.
 */
export type Expected = 'PICTURE' | 'NONE' | 'EITHER'

export type CorpusFile = {
  readonly kind: 'image' | 'pdf' | 'film' | 'office' | 'text'
  readonly name: string
  readonly bytes: Buffer
  readonly expected: Expected
}

type Made = readonly [extension: string, bytes: Buffer | Promise<Buffer>, expected: Expected]
type Maker = (index: number) => Made

/** `count` files, from the makers in turn; the index changes sizes and contents. */
async function each(kind: CorpusFile['kind'], makers: readonly Maker[], count: number): Promise<CorpusFile[]> {
  const files: CorpusFile[] = []
  for (let index = 0; index < count; index += 1) {
    const maker = makers[index % makers.length] as Maker
    const [extension, bytes, expected] = maker(index)
    files.push({ kind, name: `${kind} ${index}${extension}`, bytes: await bytes, expected })
  }
  return files
}

/** Bytes that look random, the same for the same seed. */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed * 2_654_435_761 + 1
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

/** Some of its bytes are others. */
function damaged(bytes: Buffer, seed: number, from = 64): Buffer {
  const copy = Buffer.from(bytes)
  for (const [step, value] of noise(24, seed).entries()) {
    const at = from + ((value * 7_919 + step * 104_729) % Math.max(1, copy.length - from))
    if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (value | 1)
  }
  return copy
}

const photo = (index: number): Sharp => picture(640 + 16 * (index % 40), 480 + 8 * (index % 30))

const jpeg = (index: number): Promise<Buffer> => photo(index).jpeg().toBuffer()

async function frames(index: number, pages: number): Promise<Sharp> {
  const raw = noise(64 * 64 * 3 * pages, index)
  const input = { raw: { width: 64, height: 64 * pages, channels: 3, pageHeight: 64 } } as const
  return sharp(raw, input)
}

const IMAGES: readonly Maker[] = [
  // All eight ways in which a camera can be held.
  (index) => [
    '.jpg',
    photo(index)
      .withMetadata({ orientation: 1 + (((index / 24) | 0) % 8) })
      .jpeg()
      .toBuffer(),
    'PICTURE',
  ],
  (index) => ['.jpg', photo(index).withMetadata({ orientation: 6 }).jpeg({ progressive: true }).toBuffer(), 'PICTURE'],
  (index) => ['.jpg', photo(index).toColourspace('cmyk').jpeg().toBuffer(), 'PICTURE'],
  (index) => ['.jpg', photo(index).grayscale().jpeg().toBuffer(), 'PICTURE'],
  (index) => ['.jpg', photo(index).withIccProfile('p3').jpeg().toBuffer(), 'PICTURE'],
  (index) => ['.png', photo(index).png().toBuffer(), 'PICTURE'],
  (index) => ['.png', photo(index).toColourspace('rgb16').png().toBuffer(), 'PICTURE'],
  (index) => ['.png', photo(index).png({ palette: true }).toBuffer(), 'PICTURE'],
  (index) => ['.webp', photo(index).webp({ effort: 0 }).toBuffer(), 'PICTURE'],
  (index) => ['.gif', frames(index, 6).then((all) => all.gif({ effort: 1 }).toBuffer()), 'PICTURE'],
  (index) => ['.webp', frames(index, 6).then((all) => all.webp({ effort: 0 }).toBuffer()), 'PICTURE'],
  (index) => ['.tif', photo(index).tiff({ compression: 'lzw' }).toBuffer(), 'PICTURE'],
  (index) => [
    '.avif',
    picture(200 + index, 150)
      .avif({ effort: 0 })
      .toBuffer(),
    'PICTURE',
  ],
  // Large, and then far too large: a few kB that unpack to 400 million pixels and more.
  (index) => ['.png', blackPng(9_000 + index, 9_000), 'PICTURE'],
  (index) => ['.png', blackPng(20_000 + index, 20_000), 'NONE'],
  (index) => [
    '.png',
    picture(1, 2_000 + index)
      .png()
      .toBuffer(),
    'PICTURE',
  ],
  (index) => ['.jpg', jpeg(index).then((bytes) => bytes.subarray(0, 400 + (index % 200))), 'NONE'],
  (index) => [
    '.png',
    photo(index)
      .png()
      .toBuffer()
      .then((bytes) => bytes.subarray(0, 300)),
    'NONE',
  ],
  (index) => ['.jpg', jpeg(index).then((bytes) => damaged(bytes, index)), 'EITHER'],
  (index) => [
    '.webp',
    photo(index)
      .webp()
      .toBuffer()
      .then((bytes) => damaged(bytes, index)),
    'EITHER',
  ],
  (index) => ['.jpg', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), noise(2_000, index)]), 'NONE'],
  (index) => ['.heic', filmHead('heic', noise(500, index).toString('latin1')), 'NONE'],
  () => ['.png', Buffer.alloc(0), 'NONE'],
  // By its name a picture, by its content text; it is shown as text.
  (index) => ['.png', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${index}" height="9"/>`), 'PICTURE'],
]

type Page = { readonly box?: string; readonly content?: string; readonly more?: string; readonly kids?: string }

/** A PDF of one page. */
function page({ box = '0 0 300 400', content = '', more = '', kids = '3 0 R' }: Page, index: number): Buffer {
  const drawn = `0 0 1 rg ${index % 200} 0 150 150 re f ${content}`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count 1>>`,
    `<</Type/Page/Parent 2 0 R/MediaBox[${box}]${more}/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>`,
    `<</Length ${drawn.length}>>stream\n${drawn}\nendstream`,
  ]
  let text = '%PDF-1.4\n'
  const rows = objects.map((object, number) => {
    const row = `${String(text.length).padStart(10, '0')} 00000 n \n`
    text += `${number + 1} 0 obj${object}endobj\n`
    return row
  })
  const at = text.length
  return Buffer.from(
    `${text}xref\n0 5\n0000000000 65535 f \n${rows.join('')}trailer<</Size 5/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`,
    'latin1',
  )
}

const PDFS: readonly Maker[] = [
  (index) => ['.pdf', page({}, index), 'PICTURE'],
  (index) => ['.pdf', page({ content: 'BT /F 24 Tf 30 300 Td (Planning decision) Tj ET' }, index), 'PICTURE'],
  (index) => ['.pdf', page({ more: '/Rotate 90' }, index), 'PICTURE'],
  (index) => ['.pdf', page({ box: '0 0 14400 14400' }, index), 'PICTURE'],
  (index) => ['.pdf', page({ box: '0 0 2 900' }, index), 'EITHER'],
  (index) => ['.pdf', page({ box: '0 0 0 0' }, index), 'EITHER'],
  (index) => ['.pdf', page({ box: '-5 -5 1e30 1e30' }, index), 'EITHER'],
  (index) => ['.pdf', page({ content: 'q '.repeat(50_000) }, index), 'EITHER'],
  (index) => ['.pdf', page({ content: '0 0 m 300 400 l S '.repeat(20_000) }, index), 'EITHER'],
  (index) => ['.pdf', page({ kids: '2 0 R' }, index), 'EITHER'],
  (index) => ['.pdf', page({}, index).subarray(0, 200), 'EITHER'],
  (index) => ['.pdf', damaged(page({ content: 'BT /F 24 Tf 30 300 Td (Text) Tj ET' }, index), index), 'EITHER'],
  (index) => ['.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), noise(3_000, index)]), 'NONE'],
]

const TYPES = { '[Content_Types].xml': '<Types/>' }
const word = (body: string, more: Readonly<Record<string, string | Buffer>> = {}) =>
  zip({ ...TYPES, 'word/document.xml': `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`, ...more })
const sheet = (rows: string, more: Readonly<Record<string, string>> = {}) =>
  zip({ ...TYPES, 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`, ...more })
const slide = (text: string) =>
  zip({ ...TYPES, 'ppt/slides/slide1.xml': `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:t>${text}</a:t></a:p></p:sld>` })
const sample = (name: string) => readFileSync(new URL(`documents/${name}`, import.meta.url))

const OFFICE: readonly Maker[] = [
  () => ['.docx', sample('quay.docx'), 'PICTURE'],
  () => ['.xlsx', sample('quay.xlsx'), 'PICTURE'],
  (index) => ['.docx', word(`<w:p><w:t>Letter ${index}</w:t></w:p>`.repeat(500)), 'PICTURE'],
  (index) => ['.xlsx', sheet(`<row r="1"><c r="A1"><v>${index}</v></c></row>`), 'PICTURE'],
  (index) => ['.pptx', slide(`Slide ${index}`), 'PICTURE'],
  (index) => [
    '.docx',
    jpeg(index).then((bytes) => word('<w:p><w:t>Text</w:t></w:p>', { 'docProps/thumbnail.jpeg': bytes })),
    'PICTURE',
  ],
  (index) => ['.docx', word(`<w:p><w:t>${'x'.repeat(2_000_000)}${index}</w:t></w:p>`), 'PICTURE'],
  (index) => ['.docx', word(`<w:p><w:t>&entity${index};</w:t></w:p>`), 'NONE'],
  (index) => ['.docx', word(`${'<w:p>'.repeat(1_000 + index)}`), 'NONE'],
  (index) => ['.docx', word(`<w:p/><!-- ${index} -->`), 'NONE'],
  (index) => ['.docx', word(`<w:p><w:t>Page ${index}</w:t></w:p>`).then((bytes) => bytes.subarray(0, -40)), 'NONE'],
  (index) => ['.docx', word(`<w:p><w:t>Page ${index}</w:t></w:p>`).then((bytes) => damaged(bytes, index)), 'EITHER'],
  (index) => ['.docx', hugeZip('docProps/thumbnail.jpeg', Buffer.alloc(9 * 1024 * 1024, index)), 'NONE'],
  (index) => ['.docx', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), noise(4_000, index)]), 'NONE'],
  () => ['.xlsx', Buffer.alloc(0), 'NONE'],
]

const FILMS: readonly Maker[] = [
  (index) => ['.mp4', filmHead('isom', noise(4_000, index).toString('latin1')), 'NONE'],
  (index) => [
    '.mkv',
    Buffer.concat([
      Buffer.from('1a45dfa3a34286810142f7810142f2810442f381084282886d6174726f736b61', 'hex'),
      noise(4_000, index),
    ]),
    'NONE',
  ],
  (index) => ['.avi', Buffer.concat([Buffer.from('RIFF\0\0\x10\0AVI LIST', 'latin1'), noise(4_000, index)]), 'NONE'],
  () => ['.mp4', Buffer.alloc(0), 'NONE'],
]

const TEXTS: readonly Maker[] = [
  (index) => ['.md', Buffer.from(`# Brief ${index}\n\nHarbour **House**\n\n- Lift\n`), 'PICTURE'],
  (index) => ['.ts', Buffer.from(`export const floors = ${index}\n`.repeat(50)), 'PICTURE'],
  (index) => ['.csv', Buffer.from(`Budget,Oct\nModel,${index}\n`), 'PICTURE'],
  (index) => ['.txt', Buffer.from(`${index}${'x'.repeat(1_000_000)}`), 'PICTURE'],
  (index) => ['.txt', Buffer.from(`\u202e${index} gnp.exe <script>&\n${`a${'\u0301'.repeat(5_000)}`}`), 'PICTURE'],
  (index) => ['.txt', Buffer.from(`Größe ${index}`, 'latin1'), 'PICTURE'],
  (index) => ['.txt', Buffer.from(`\ufeff${index}`, 'utf16le'), 'PICTURE'],
  (index) => ['.txt', Buffer.from(' \n'.repeat(index + 1)), 'NONE'],
  () => ['.txt', Buffer.alloc(0), 'NONE'],
]

export type CorpusSize = { readonly [Kind in CorpusFile['kind'] as `${Kind}s`]: number }

/** Films only as far as no browser is needed: damaged ones. */
export async function makeCorpus(size: CorpusSize): Promise<CorpusFile[]> {
  return [
    ...(await each('image', IMAGES, size.images)),
    ...(await each('pdf', PDFS, size.pdfs)),
    ...(await each('film', FILMS, size.films)),
    ...(await each('office', OFFICE, size.offices)),
    ...(await each('text', TEXTS, size.texts)),
  ]
}
