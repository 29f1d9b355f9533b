import { expect, test } from 'vitest'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import { seedFolder } from '../tools/bench/seed.ts'
import { screenshot } from './support/browser.ts'
import { startServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

/** `LONG_LIST_ROWS=100000` takes minutes; the way of reading is the same. */
const ROWS = Number(process.env.LONG_LIST_ROWS ?? 10_000)

const stage = setStage(startServer, { full: true })

type Ride = {
  frames: number
  blanks: number
  /** Tasks over 50 ms: in which frame, and how many milliseconds. */
  tasks: { frame: number; ms: number }[]
  /** Rows drawn for a glance, and how many pixels their columns stood beside those of whole rows, at most. */
  glances: number
  offset: number
}

/** Opens a folder with so many files, in the file manager of a new user. */
async function openFolder(rows: number) {
  const { page, problems } = await stage.person()
  const me = await (await page.request.get(`${stage.url}/api/v1/auth/me`)).json()
  const clouds = await (await page.request.get(`${stage.url}/api/v1/group-clouds`)).json()
  const owner = {
    userId: parsePublicId(me.id)?.id ?? '',
    groupCloudId: parsePublicId(clouds.items[0].id)?.id ?? '',
  }
  const { pool } = stage.server.database
  const folder = await seedFolder(pool, owner, 'Long', rows)
  await pool.query('analyze files')
  await page.goto(`${stage.url}/file-manager/my-drive?folder=${publicId('File', folder)}`)
  await page.locator('[data-id]').first().waitFor()
  return { page, problems }
}

test('a long list scrolls by without a blank, to its last row', async () => {
  const { page, problems } = await openFolder(ROWS)

  // As fast as a wheel goes, to the end. A frame is blank when there is room in the window that no row fills.
  const ride = await page.evaluate(async (): Promise<Ride> => {
    const row = document.querySelector('[role="row"][data-id]')
    let scroller = row?.parentElement ?? null
    while (scroller && scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement
    if (!scroller) throw new Error('nothing scrolls')
    const box = scroller.getBoundingClientRect()
    const result: Ride = { frames: 0, blanks: 0, tasks: [], glances: 0, offset: 0 }
    // The first drawing of the page is judged elsewhere.
    await new Promise<unknown>((resolve) => requestIdleCallback(resolve))
    new PerformanceObserver((list) => {
      for (const { duration: ms } of list.getEntries()) result.tasks.push({ frame: result.frames, ms })
    }).observe({ type: 'longtask' })
    const isFilled = () => {
      const probe = [0.25, 0.5, 0.75].map((part) => box.top + box.height * part)
      return probe.every((y) => document.elementFromPoint(box.left + 120, y)?.closest('[role="row"][data-id]') != null)
    }
    const edges = (row: Element | null) =>
      [row?.querySelector('.name'), ...(row?.querySelectorAll('[role="gridcell"].num') ?? [])].map((cell) =>
        cell?.getBoundingClientRect(),
      )
    const compare = () => {
      const plain = scroller.querySelectorAll('[data-id]:not(:has(input))')
      const [glance, whole] = [edges(plain[0] ?? null), edges(scroller.querySelector('[data-id]:has(input)'))]
      const between = [
        (glance[0]?.left ?? 0) - (whole[0]?.left ?? 0),
        (glance[1]?.left ?? 0) - (whole[1]?.left ?? 0),
        (glance[2]?.right ?? 0) - (whole[2]?.right ?? 0),
      ]
      result.glances = plain.length
      result.offset = Math.max(...between.map(Math.abs))
    }
    let atEnd = 0
    while (atEnd < 60 && result.frames < 12_000) {
      const before = scroller.scrollTop
      scroller.scrollTop += 1000
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      result.frames += 1
      if (scroller.scrollTop > before && !isFilled()) result.blanks += 1
      if (result.frames === 10) compare()
      atEnd = scroller.scrollTop > before ? 0 : atEnd + 1
    }
    return result
  })
  const tasks = ride.tasks.map(({ frame, ms }) => `${ms} ms in frame ${frame}`)
  console.log(`${ride.frames} frames, ${tasks.length} tasks over 50 ms: ${tasks.join(', ') || 'none'}`)
  await screenshot(page, 'long-list-end')
  expect(ride.blanks).toBe(0)
  expect(ride.glances).toBeGreaterThan(10)
  expect(ride.offset).toBeLessThan(1)
  await expect.poll(() => page.locator('[data-id]:not(:has(input))').count()).toBe(0)
  const indexes = await page
    .locator('[role="row"][data-id]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))))
  expect(Math.max(...indexes)).toBe(ROWS + 1)
  expect(problems).toEqual([])
})

test('a grid that is scrolled fast adds two lines in each frame, has placeholders for the others, and is complete when it stops', async () => {
  const { page, problems } = await openFolder(300)
  await page.getByRole('button', { name: 'Grid', exact: true }).click()
  await page.locator('[role="gridcell"][data-id]').first().waitFor()
  await page.getByText('300 items').first().waitFor()
  const { lines, placeholders } = await page.evaluate(async () => {
    const scroller = document.querySelector('[role="grid"] [role="rowgroup"]')
    if (!scroller) throw new Error('nothing scrolls')
    const isLine = (node: Node) => node instanceof Element && node.matches('[data-line]')
    /** Lines added, by the time of their frame. */
    const lines = new Map<unknown, number>()
    new MutationObserver((records) => {
      const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter(isLine).length
      const frame = document.timeline.currentTime
      lines.set(frame, (lines.get(frame) ?? 0) + added)
    }).observe(scroller, { childList: true, subtree: true })
    let placeholders = 0
    for (let frame = 0; frame < 12; frame += 1) {
      scroller.scrollTop += 1200
      await new Promise(requestAnimationFrame)
      placeholders = Math.max(placeholders, scroller.querySelectorAll('[data-placeholder]').length)
    }
    return { lines: [...lines.values()], placeholders }
  })
  expect(Math.max(...lines)).toBe(2)
  expect(placeholders).toBeGreaterThan(0)
  await expect.poll(() => page.locator('[data-placeholder]').count()).toBe(0)
  // Below the last line is the number of items.
  const gaps = () =>
    page.evaluate(() => {
      const box = document.querySelector('[role="grid"] [role="rowgroup"]')?.getBoundingClientRect()
      if (!box) return -1
      const isTile = (y: number) => document.elementFromPoint(box.left + 60, y)?.closest('[data-line]') != null
      return [0.05, 0.25, 0.5, 0.75].filter((part) => !isTile(box.top + box.height * part)).length
    })
  await expect.poll(gaps).toBe(0)
  expect(problems).toEqual([])
})
