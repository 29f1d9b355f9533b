import { once } from 'node:events'
import sharp from 'sharp'

// A separate process that makes thumbnails, started and ended by maker.ts. It is plain JavaScript, because Node starts it directly.
// A job is a message `{ kind, size, sides }`, followed by `size` bytes on stdin. The response is `{ pictures }`, one WebP for each
// of `sides`, or `{ broken }`, the reason why there is none.

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

process.on('message', async ({ kind, size, sides }) => {
  const bytes = await receive(size)
  const response = await makeAll(kind, bytes, sides).then(
    (pictures) => ({ pictures }),
    (error) => ({ broken: String(error?.message ?? error).slice(0, 200) }),
  )
  process.send(response)
})

// A terminal sends these to all processes of a group; the server ends its workers itself.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
