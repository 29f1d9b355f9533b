import { once } from 'node:events'
import sharp from 'sharp'

// A separate process that makes thumbnails and extracts text, started and ended by maker.ts. It is plain JavaScript, because Node starts
// it directly. A job is a message, followed by `size` bytes on stdin. For `{ kind, size, sides }` the response is `{ pictures, facts }`: one
// WebP for each of `sides`, and what is known of an image; for text and office documents it is `{ excerpt }` unless they contain a picture
// of their first page. For `{ format, size, limit }` it is `{ text }`. Or it is `{ broken }`, the reason why there is none.

/** Larger images are refused before anything is decoded. */
const MAX_PIXELS = 100_000_000
const QUALITY = 75
/** Slower encoding saves few bytes at these sizes. */
const EFFORT = 2
/** Pages are drawn larger than the largest thumbnail: the text is smoother when it is scaled down. */
const OVERSAMPLING = 1.5
const MAX_SCALE = 4

sharp.cache(false)
sharp.concurrency(1)
// All other loaders are refused, whatever a file is called: SVG can name other files, and some decoders are hardly tested.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((format) => `VipsForeignLoad${format}`),
})

let pdfium

const DRAW = {
  IMAGE: (bytes) =>
    sharp(bytes, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error', pages: 1 }).autoOrient(),
  async PDF(bytes, [largest]) {
    pdfium ??= await (await import('@hyzyla/pdfium')).PDFiumLibrary.init()
    const document = await pdfium.loadDocument(bytes)
    try {
      const page = document.getPage(0)
      const { originalWidth, originalHeight } = page.getOriginalSize()
      const scale = Math.min(MAX_SCALE, (largest * OVERSAMPLING) / Math.max(originalWidth, originalHeight, 1))
      const { data, width, height } = await page.render({ scale, render: 'bitmap' })
      return sharp(data, { raw: { width, height, channels: 4 } }).flatten({ background: '#fff' })
    } finally {
      document.destroy()
    }
  },
}

/** @param sides the longest side of each thumbnail, largest first. Metadata of the original, such as its place, is left out. */
async function makeAll(kind, bytes, sides) {
  const [largest] = sides
  const drawn = await DRAW[kind](bytes, sides)
  // The original is decoded once, as far as the largest thumbnail needs; the others are scaled from that.
  const { data, info } = await fit(drawn.toColourspace('srgb'), largest)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const pictures = []
  for (const side of sides) {
    pictures.push(await fit(sharp(data, { raw }), side).webp({ quality: QUALITY, effort: EFFORT }).toBuffer())
  }
  return pictures
}

/** Size and time of an image, from its header; null for other kinds. What is not a number or a time is left out. */
async function factsOf(kind, bytes) {
  if (kind !== 'IMAGE') return null
  const { autoOrient, pageHeight, exif } = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata()
  const { width, height } = autoOrient
  return { width, height: pageHeight ?? height, takenAt: exif ? takenAtOf(exif) : null }
}

const EXIF_START = 'Exif\0\0'
const EXIF_POINTER = 0x8769
/** DateTimeOriginal, then DateTimeDigitized. */
const TIMES = [0x9003, 0x9004]
const MAX_ENTRIES = 512

/** The time in an EXIF block (TIFF 6.0 and EXIF 2.3); null for a block without one, or a broken one. */
function takenAtOf(exif) {
  try {
    const tiff = exif.toString('latin1', 0, EXIF_START.length) === EXIF_START ? exif.subarray(EXIF_START.length) : exif
    const read = readerOf(tiff)
    const first = entriesAt(read, read.u32(4))
    const details = first.has(EXIF_POINTER) ? entriesAt(read, read.u32(first.get(EXIF_POINTER))) : first
    const at = TIMES.map((tag) => details.get(tag)).find((found) => found !== undefined)
    return at === undefined ? null : timeOf(tiff.toString('latin1', read.u32(at), read.u32(at) + 19))
  } catch {
    // Outside of the block.
    return null
  }
}

function readerOf(bytes) {
  const isLittle = bytes.toString('latin1', 0, 2) === 'II'
  return {
    u16: (at) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)),
    u32: (at) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)),
  }
}

/** Where the value, or the pointer to it, of each tag of a directory is. */
function entriesAt(read, start) {
  const count = Math.min(read.u16(start), MAX_ENTRIES)
  return new Map(
    Array.from({ length: count }, (_, index) => start + 2 + 12 * index).map((at) => [read.u16(at), at + 8]),
  )
}

/** `2026:11:08 17:20:05`; cameras whose clock was never set write zeros. */
function timeOf(text) {
  const [, date, time] = /^(\d{4}:\d\d:\d\d) (\d\d:\d\d:\d\d)$/.exec(text) ?? []
  if (date === undefined || Number(date.slice(0, 4)) < 1826) return null
  const parsed = new Date(`${date.replaceAll(':', '-')}T${time}Z`)
  return Number.isNaN(parsed.getTime()) ? null : parsed.toISOString()
}

function fit(image, side) {
  return image.resize(side, side, { fit: 'inside', withoutEnlargement: true })
}

async function receive(size) {
  const bytes = Buffer.allocUnsafeSlow(size)
  for (let at = 0; at < size; ) {
    const ready = Math.min(process.stdin.readableLength, size - at)
    if (ready > 0) at += process.stdin.read(ready).copy(bytes, at)
    else await once(process.stdin, 'readable')
  }
  return bytes
}

/** A smaller picture of the first page says less than its text. */
const MIN_PREVIEW = 96

async function drawPreview(bytes, sides) {
  const { format, width, height } = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata()
  if (!['jpeg', 'png'].includes(format)) throw new Error('This is not a picture of a page.')
  if (Math.max(width, height) < MIN_PREVIEW) throw new Error('It is too small.')
  return { pictures: await makeAll('IMAGE', bytes, sides), facts: null }
}

async function draw({ kind, sides }, bytes) {
  if (kind === 'TEXT' || kind === 'OFFICE') {
    const { excerptOfOffice, excerptOfText } = await import('./excerpt.mjs')
    return kind === 'TEXT' ? excerptOfText(bytes) : excerptOfOffice(bytes, (preview) => drawPreview(preview, sides))
  }
  const [pictures, facts] = await Promise.all([makeAll(kind, bytes, sides), factsOf(kind, bytes)])
  return { pictures, facts }
}

async function read({ format, limit }, bytes) {
  const { extractText } = await import('./text.mjs')
  return { text: await extractText(format, bytes, limit) }
}

process.on('message', async (job) => {
  const bytes = await receive(job.size)
  const work = job.format === undefined ? draw : read
  process.send(await work(job, bytes).catch((error) => ({ broken: String(error?.message ?? error).slice(0, 200) })))
})

// A terminal sends these to all processes of a group; the server ends its workers itself.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
