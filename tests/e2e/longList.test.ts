import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import { seedFolder } from '../../server/scripts/bench/seed.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { launchBrowser, screenshot, signUp, visit } from './support/browser.ts'
import { startServer, type TestServer } from './support/server.ts'

/** `LONG_LIST_ROWS=100000` takes minutes; the way of reading is the same. */
const ROWS = Number(process.env.LONG_LIST_ROWS ?? 10_000)

let database: TestDatabase
let server: TestServer
let browser: Browser

beforeAll(async () => {
  database = await createTestDatabase()
  const { host, port, user, database: name } = database.connection
  server = await startServer({
    DATABASE_URL: `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
  })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
  await database?.close()
})

type Ride = { frames: number; blanks: number; longest: number; tasks: number }

test('a long list scrolls by without a blank, to its last row', async () => {
  const { page, context, problems } = await visit(browser)
  await signUp(page, server.url)
  const me = await (await page.request.get(`${server.url}/api/v1/auth/me`)).json()
  const clouds = await (await page.request.get(`${server.url}/api/v1/group-clouds`)).json()
  const owner = {
    userId: parsePublicId(me.id)?.id ?? '',
    groupCloudId: parsePublicId(clouds.items[0].id)?.id ?? '',
  }
  const folder = await seedFolder(database.pool, owner, 'Long', ROWS)
  await database.pool.query('analyze files')
  await page.goto(`${server.url}/file-manager/my-drive?folder=${publicId('File', folder)}`)
  await page.locator('[data-id]').first().waitFor()
  await page.waitForTimeout(1000)

  // As fast as a wheel goes, to the end. A frame is blank when there is room in the window that no row fills.
  const ride = await page.evaluate(async (): Promise<Ride> => {
    const row = document.querySelector('[role="row"][data-id]')
    let scroller = row?.parentElement ?? null
    while (scroller && scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement
    if (!scroller) throw new Error('nothing scrolls')
    const box = scroller.getBoundingClientRect()
    const result = { frames: 0, blanks: 0, longest: 0, tasks: 0 }
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        result.tasks += 1
        result.longest = Math.max(result.longest, duration)
      }
    }).observe({ type: 'longtask' })
    const isFilled = () => {
      const probe = [0.25, 0.5, 0.75].map((part) => box.top + box.height * part)
      return probe.every((y) => document.elementFromPoint(box.left + 120, y)?.closest('[role="row"][data-id]') != null)
    }
    let atEnd = 0
    while (atEnd < 60 && result.frames < 12_000) {
      const before = scroller.scrollTop
      scroller.scrollTop += 1000
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      result.frames += 1
      if (scroller.scrollTop > before && !isFilled()) result.blanks += 1
      atEnd = scroller.scrollTop > before ? 0 : atEnd + 1
    }
    return result
  })
  console.log(`${ride.frames} frames, ${ride.tasks} tasks over 50 ms, the longest ${ride.longest} ms`)
  await screenshot(page, 'long-list-end')
  expect(ride.blanks).toBe(0)
  const indexes = await page
    .locator('[role="row"][data-id]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))))
  expect(Math.max(...indexes)).toBe(ROWS + 1)
  expect(problems).toEqual([])
  await context.close()
}, 300_000)
