import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { sourceOfBytes } from '../../server/storage/byteSource.ts'
import { createThumbnailMaker, type MakerOptions, type ThumbnailKind } from '../../server/thumbnails/maker.ts'
import { blackPng, pdf, picture } from '../factories/pictures.ts'

const SIDES = [64, 16]
const makers: { close(): void }[] = []
afterAll(() => {
  for (const maker of makers) maker.close()
})

function createMaker(options: MakerOptions = {}) {
  const maker = createThumbnailMaker({ limit: 1, ...options })
  makers.push(maker)
  return maker
}

const maker = createMaker()
const make = (bytes: Buffer, kind: ThumbnailKind = 'IMAGE', by = maker) =>
  by.make({ kind, source: sourceOfBytes(bytes), sides: SIDES })

async function drawn(bytes: Buffer, kind: ThumbnailKind = 'IMAGE'): Promise<Buffer> {
  const made = await make(bytes, kind)
  if (!('pictures' in made)) throw new Error(JSON.stringify(made))
  expect(
    await Promise.all(
      made.pictures.map((each) =>
        sharp(each)
          .metadata()
          .then(({ format }) => format),
      ),
    ),
  ).toEqual(['webp', 'webp'])
  return made.pictures[0] as Buffer
}

/** Red, green, blue. */
async function colourAt(image: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true })
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
  return [...data.subarray(at, at + 3)]
}

const isRed = ([red = 0, , blue = 0]: number[]) => red > 180 && blue < 80
const isBlue = ([red = 0, , blue = 0]: number[]) => blue > 180 && red < 80

describe('pictures', () => {
  it.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)('of the type %s are drawn', async (format) => {
    const image = await drawn(await picture(200, 100).toFormat(format).toBuffer())
    expect(await sharp(image).metadata()).toMatchObject({ width: 64, height: 32 })
    expect(isRed(await colourAt(image, 0.2, 0.2))).toBe(true)
    expect(isBlue(await colourAt(image, 0.8, 0.8))).toBe(true)
  })

  it('are upright, and say neither where they were taken nor which way up they were', async () => {
    const exif = { IFD0: { Make: 'Kamera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 8/1 0/1' } }
    const turned = await picture(200, 100).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const image = await drawn(turned)
    const { width, height, exif: left, icc, xmp, orientation } = await sharp(image).metadata()
    expect([width, height]).toEqual([32, 64])
    expect([left, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined])
    // Turned by 90 degrees clockwise, the upper left is at the upper right.
    expect(isRed(await colourAt(image, 0.8, 0.2))).toBe(true)
    expect(isBlue(await colourAt(image, 0.2, 0.2))).toBe(true)
  })

  it('in CMYK, with 16 bits, in grey and transparent ones keep their colours', async () => {
    const cmyk = await picture(100, 100).toColourspace('cmyk').jpeg().toBuffer()
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk')
    const [red = 0, green = 0] = await colourAt(await drawn(cmyk), 0.2, 0.2)
    expect(red).toBeGreaterThan(180)
    expect(green).toBeLessThan(80)
    const deep = await picture(100, 100).toColourspace('rgb16').png().toBuffer()
    expect((await sharp(deep).metadata()).depth).toBe('ushort')
    expect(isRed(await colourAt(await drawn(deep), 0.2, 0.2))).toBe(true)
    const grey = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#999' } })
      .grayscale()
      .png()
      .toBuffer()
    expect(await colourAt(await drawn(grey), 0.5, 0.5)).toEqual([0x99, 0x99, 0x99])
    const glass = await sharp({ create: { width: 90, height: 90, channels: 4, background: '#ff000080' } })
      .png()
      .toBuffer()
    expect((await sharp(await drawn(glass)).metadata()).hasAlpha).toBe(true)
  })

  it('that move show their first frame', async () => {
    const frames = await Promise.all(
      ['#f00', '#00f'].map((background) =>
        sharp({ create: { width: 80, height: 60, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const animated = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    expect((await sharp(animated).metadata()).pages).toBe(2)
    const image = await drawn(animated)
    expect(await sharp(image).metadata()).toMatchObject({ width: 64, height: 48 })
    expect(isRed(await colourAt(image, 0.5, 0.5))).toBe(true)
  })

  it('that are small are not enlarged, and long ones have at least one pixel', async () => {
    expect(await sharp(await drawn(await picture(10, 6).png().toBuffer())).metadata()).toMatchObject({ width: 10 })
    expect(await sharp(await drawn(blackPng(20_000, 4))).metadata()).toMatchObject({ width: 64, height: 1 })
  })

  it('of a PDF show its first page on white', async () => {
    const image = await drawn(pdf(), 'PDF')
    expect(await sharp(image).metadata()).toMatchObject({ width: 48, height: 64, hasAlpha: false })
    expect(isRed(await colourAt(image, 0.2, 0.9))).toBe(true)
    expect(await colourAt(image, 0.8, 0.2)).toEqual([255, 255, 255])
  })
})

describe('content that cannot be drawn', () => {
  it.each([
    ['a cut off picture', async () => (await picture(900, 900).jpeg().toBuffer()).subarray(0, 4_000)],
    ['an SVG', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['text', async () => Buffer.from('not a picture')],
    ['900 million pixels in a small PNG', async () => blackPng(30_000, 30_000)],
    ['a PDF as a picture', async () => pdf()],
  ])('%s is BROKEN, and the same process draws the next one', async (_title, content) => {
    await drawn(await picture(20, 20).png().toBuffer())
    const [pid] = maker.pids()
    expect(await make(await content())).toMatchObject({ failure: 'BROKEN' })
    await drawn(await picture(20, 20).png().toBuffer())
    expect(maker.pids()).toEqual([pid])
  })

  it('a PDF that is none, or has no page, is BROKEN', async () => {
    expect(await make(Buffer.from('%PDF-1.7 and no more'), 'PDF')).toMatchObject({ failure: 'BROKEN' })
    const empty = Buffer.from(pdf().toString('latin1').replace('Kids[3 0 R]/Count 1', 'Kids[]/Count 0     '), 'latin1')
    expect(await make(empty, 'PDF')).toMatchObject({ failure: 'BROKEN' })
  })

  it('is given up when it takes too long or too much memory', async () => {
    const image = await picture(20, 20).png().toBuffer()
    const hurried = createMaker({ deadlineMs: 1 })
    expect(await make(image, 'IMAGE', hurried)).toEqual({ failure: 'STOPPED', reason: 'It took too long.' })
    expect(hurried.pids()).toEqual([])
    const crowded = createMaker({ maxBytes: 1 })
    expect(await make(image, 'IMAGE', crowded)).toEqual({ failure: 'STOPPED', reason: 'It took too much memory.' })
  })
})

/** A source that sends half of its bytes and then waits; `fail` ends it with an error. */
function halting(bytes: Buffer) {
  let fail: (error: Error) => void = () => undefined
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  failed.catch(() => undefined)
  let sent = () => {}
  const half = new Promise<void>((resolve) => {
    sent = resolve
  })
  async function* chunks() {
    yield bytes.subarray(0, bytes.length / 2)
    sent()
    await failed
  }
  const source = { size: bytes.length, read: () => Readable.from(chunks(), { objectMode: false }) }
  return { source, half, fail }
}

describe('the process', () => {
  it('is killed in the middle: the job ends, and the next one gets another process', async () => {
    const image = await picture(300, 300).png({ compressionLevel: 0 }).toBuffer()
    const own = createMaker()
    const { source, half } = halting(image)
    const job = own.make({ kind: 'IMAGE', source, sides: SIDES })
    await half
    const [pid = 0] = own.pids()
    process.kill(pid, 'SIGKILL')
    expect(await job).toEqual({ failure: 'STOPPED', reason: 'The process ended (SIGKILL).' })
    expect(await make(image, 'IMAGE', own)).toHaveProperty('pictures')
    expect(own.pids()).not.toContain(pid)
  })

  it('passes on why the content cannot be read, and says nothing about the content when it is too slow', async () => {
    const image = await picture(300, 300).png({ compressionLevel: 0 }).toBuffer()
    const own = createMaker()
    const { source, half, fail } = halting(image)
    const job = own.make({ kind: 'IMAGE', source, sides: SIDES })
    await half
    fail(new Error('The account is gone.'))
    await expect(job).rejects.toThrow('The account is gone.')
    const impatient = createMaker({ inputMs: 20 })
    const slow = impatient.make({ kind: 'IMAGE', source: halting(image).source, sides: SIDES })
    expect(await slow).toMatchObject({ failure: 'UNREAD' })
    expect(await make(image, 'IMAGE', own)).toHaveProperty('pictures')
  })

  it('ends when it has nothing to do, and with the server', async () => {
    const idle = createMaker({ idleMs: 1 })
    const image = await picture(20, 20).png().toBuffer()
    expect(await make(image, 'IMAGE', idle)).toHaveProperty('pictures')
    await expect.poll(() => idle.pids()).toEqual([])
    expect(await make(image, 'IMAGE', idle)).toHaveProperty('pictures')

    const closed = createMaker()
    const { source, half } = halting(image)
    const job = closed.make({ kind: 'IMAGE', source, sides: SIDES })
    await half
    closed.close()
    expect(await job).toMatchObject({ failure: 'UNREAD' })
    expect(await make(image, 'IMAGE', closed)).toMatchObject({ failure: 'UNREAD' })
    expect(closed.pids()).toEqual([])
  })

  it('gets nothing of the environment of the server', async () => {
    process.env.A_SECRET_OF_THE_TEST = 'planted'
    const own = createMaker()
    expect(await make(await picture(20, 20).png().toBuffer(), 'IMAGE', own)).toHaveProperty('pictures')
    if (process.platform === 'linux') {
      expect(readFileSync(`/proc/${own.pids()[0]}/environ`, 'latin1')).not.toContain('planted')
    }
    delete process.env.A_SECRET_OF_THE_TEST
  })
})
