// npm run photo-grid [-- --photos 10000]: thumbnails per second and core against sharp alone, and how the grid scrolls through them.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { THUMBNAIL_SIDES } from '../../../server/domain/thumbnails/kinds.ts'
import { cpuSecondsOf, machine } from '../bench/measure.ts'
import { Client, startSkypool } from '../bench/skypool.ts'
import { openPlainPage, type PlainPage, type TraceEvent } from './plainPage.ts'

const { values } = parseArgs({ options: { photos: { type: 'string', default: '10000' } } })
const COUNT = Number(values.photos)
/** Different pictures; the others have the same pixels and a few different bytes after their end. */
const DIFFERENT = 24
const AT_ONCE = 8
const SCROLL_MS = 30_000

const RATIO_BAR = 0.8
const BLANK_BAR_MS = 300
const TASK_BAR_MS = 50

/** A photograph-like JPEG of two megapixels: soft noise, so that decoding costs what it does for photos. */
async function original(seed: number): Promise<Buffer> {
  const channel = {
    width: 160,
    height: 107,
    channels: 3,
    noise: { type: 'gaussian', mean: 90 + seed * 5, sigma: 50 },
  } as const
  const noise = await sharp({ create: { ...channel, background: '#000' } })
    .png()
    .toBuffer()
  return sharp(noise).resize(1_736, 1_160, { kernel: 'cubic' }).jpeg({ quality: 85 }).toBuffer()
}

const different = (photo: Buffer, index: number) => Buffer.concat([photo, Buffer.from(`\0photo ${index}`)])

/** What a worker does with sharp, and nothing else. @returns contents per second of one core */
async function alone(photos: readonly Buffer[]): Promise<number> {
  sharp.concurrency(1)
  sharp.cache(false)
  const sides = Object.values(THUMBNAIL_SIDES)
  const before = process.cpuUsage()
  for (const photo of photos) {
    const largest = sides[0]
    const options = { sequentialRead: true, failOn: 'error', pages: 1 } as const
    const { data, info } = await sharp(photo, options)
      .autoOrient()
      .toColourspace('srgb')
      .resize(largest, largest, { fit: 'inside', withoutEnlargement: true })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const raw = { width: info.width, height: info.height, channels: info.channels }
    for (const side of sides) {
      const small = sharp(data, { raw }).resize(side, side, { fit: 'inside', withoutEnlargement: true })
      await small.webp({ quality: 75, effort: 2 }).toBuffer()
    }
  }
  const { user, system } = process.cpuUsage(before)
  return (photos.length * 1e6) / (user + system)
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const run = async () => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
}

/** Resolves when the first picture of the grid is drawn. */
async function showGrid(): Promise<void> {
  for (;;) {
    const button = document.querySelector<HTMLButtonElement>('button[aria-label=Grid]')
    if (button?.ariaPressed === 'false') button.click()
    if (document.querySelector('[data-line=files] img[data-shown]')) return
    await new Promise(requestAnimationFrame)
  }
}

/**
 * Scrolls through the whole grid.
 * @returns times (ms) in which a tile in view had no picture or was not drawn yet, and tasks of the page above 50 ms
 */
async function scroll(
  page: PlainPage,
): Promise<{ readonly blanks: number[]; readonly tasks: number[]; readonly seen: number }> {
  return page.evaluate(async (lasting) => {
    const tasks: number[] = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    }).observe({ type: 'longtask' })
    let scroller = document.querySelector('[role=gridcell][data-id]')?.parentElement ?? null
    while (scroller && scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement
    if (!scroller) throw new Error('Nothing scrolls.')
    const since = new Map<Element, number>()
    /** By their place: since when lines have been in view that are not drawn yet. */
    const pending = new Map<number, number>()
    const seen = new Set<string>()
    const blanks: number[] = []
    const startedAt = performance.now()
    for (let now = startedAt; now - startedAt < lasting; now = performance.now()) {
      scroller.scrollTop = ((now - startedAt) / lasting) * (scroller.scrollHeight - scroller.clientHeight)
      await new Promise(requestAnimationFrame)
      const { top, bottom } = scroller.getBoundingClientRect()
      const visible = new Set<Element>()
      const { scrollTop } = scroller
      const undrawn = new Set<number>()
      for (const line of document.querySelectorAll('[data-placeholder]')) {
        const box = line.getBoundingClientRect()
        if (box.bottom < top || box.top > bottom) continue
        const place = Math.round(box.top + scrollTop)
        undrawn.add(place)
        if (!pending.has(place)) pending.set(place, performance.now())
      }
      for (const tile of document.querySelectorAll('[role=gridcell][data-id]')) {
        const box = tile.getBoundingClientRect()
        if (box.bottom < top || box.top > bottom) continue
        visible.add(tile)
        const place = Math.round(box.top + scrollTop)
        if (tile.querySelector('img[data-shown]')) {
          const from = since.get(tile) ?? pending.get(place)
          if (from !== undefined) blanks.push(performance.now() - from)
          since.delete(tile)
          seen.add((tile as HTMLElement).dataset.id ?? '')
        } else if (!since.has(tile)) since.set(tile, pending.get(place) ?? performance.now())
      }
      // Drawn, or out of view before they were.
      for (const [at, from] of pending) {
        if (undrawn.has(at)) continue
        blanks.push(performance.now() - from)
        pending.delete(at)
      }
      // It went out of view before its picture came.
      for (const [tile, from] of since) {
        if (visible.has(tile)) continue
        blanks.push(performance.now() - from)
        since.delete(tile)
      }
    }
    return { blanks, tasks, seen: seen.size }
  }, SCROLL_MS)
}

/**
 * Scrolls through the whole grid once more. Without a graphics card the same processors draw the page and serve it, and the elapsed time
 * of a task contains what they did in between.
 * @returns processor time (ms) of the page's longest task
 */
async function longestTask(page: PlainPage): Promise<number> {
  const events = await page.trace(['toplevel', '__metadata'], () => scroll(page))
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const ofPages = new Set(events.filter(({ args }) => args.name === 'CrRendererMain').map(threadOf))
  const tasks = events.filter(({ ph, name }) => ph === 'X' && name === 'ThreadControllerImpl::RunTask')
  return most(tasks.filter((task) => ofPages.has(threadOf(task))).map(({ tdur = 0 }) => tdur / 1000))
}

const most = (numbers: readonly number[]) => numbers.reduce((one, other) => Math.max(one, other), 0)
const line = (isMet: boolean, text: string) => {
  console.log(`${isMet ? 'ok  ' : 'MISS'} ${text}`)
  if (!isMet) process.exitCode = 1
}

const dir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'skypool-photos-'))
chmodSync(dir, 0o755)
const server = await startSkypool({ DATA_DIR: join(dir, 'data'), LOCAL_QUOTA: '1TB' })
const closing = [() => server.stop()]
try {
  console.log(`${COUNT} photos, ${machine()}`)
  const photos = await Promise.all(Array.from({ length: DIFFERENT }, (_, seed) => original(seed)))
  const client = await Client.signUp(server.url)
  const ids: string[] = []
  await inParallel(COUNT, async (index) => {
    const bytes = different(photos[index % DIFFERENT] as Buffer, index)
    ids.push(await client.upload(`Photo ${index}.jpg`, new Uint8Array(bytes)))
  })
  console.log(`     uploaded, ${((photos[0]?.length ?? 0) / 1024).toFixed(0)} KiB each`)

  const library = await alone([...photos, ...photos])
  const before = cpuSecondsOf(server.pid)
  const startedAt = performance.now()
  await inParallel(COUNT, async (index) => {
    const url = `${client.url}/api/v1/files/${ids[index]}/thumbnail?size=medium`
    const response = await fetch(url, { headers: client.headers })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`A thumbnail answered ${response.status}.`)
  })
  const cpu = cpuSecondsOf(server.pid) - before
  const seconds = (performance.now() - startedAt) / 1000
  const ratio = COUNT / cpu / library
  const figures = `${(COUNT / cpu).toFixed(1)} of ${library.toFixed(1)} per second and core`
  line(
    ratio >= RATIO_BAR,
    `thumbnails ${ratio.toFixed(2)} of sharp alone (bar ${RATIO_BAR}): ${figures}, ${(COUNT / seconds).toFixed(1)}/s in all`,
  )

  const cookies = client.cookie.split('; ').map((cookie) => {
    const [name = '', value = ''] = cookie.split('=')
    return { name, value, url: client.url }
  })
  const page = await openPlainPage({ width: 1440, height: 900, cookies })
  closing.push(() => page.close())
  await page.goto(`${client.url}/file-manager/my-drive`)
  await page.evaluate(showGrid)
  const { blanks, tasks, seen } = await scroll(page)
  line(
    most(blanks) <= BLANK_BAR_MS,
    `blank tiles: at most ${most(blanks).toFixed(0)} ms (bar ${BLANK_BAR_MS}), ${seen} tiles seen with their picture`,
  )
  const longest = await longestTask(page)
  const elapsed = `elapsed, with the server and the drawing on the same processors: ${most(tasks).toFixed(0)} ms, ${tasks.length} above the bar`
  line(
    longest <= TASK_BAR_MS,
    `longest task ${longest.toFixed(0)} ms of processor time (bar ${TASK_BAR_MS}); ${elapsed}`,
  )
} finally {
  for (const close of closing.toReversed()) await close()
  rmSync(dir, { recursive: true, force: true })
}
