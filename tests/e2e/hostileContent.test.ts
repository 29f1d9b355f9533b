import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { item } from './support/fileManager.ts'
import { CANARY, POLYGLOTS, type Polyglot } from './support/polyglots.ts'
import { startServer } from './support/server.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

/** What people upload is data: no script of it runs, wherever it is opened or shown. */
const stage = setStage(() => startServer({ UPLOAD_TYPES: '*', TRUST_PROXY: 'true' }), { full: true })

/** Time for a script to run, if any does. */
const SETTLE_MS = 100
/** Most of the time is waiting. */
const TABS = 4
const settle = (page: Page) => page.waitForTimeout(SETTLE_MS)

/** The addresses of pages on which a script of a user's ran. */
async function watchCanary(context: BrowserContext): Promise<string[]> {
  const hits: string[] = []
  await context.route(`**${CANARY}`, async (route) => {
    hits.push(route.request().frame().url())
    await route.fulfill({ status: 204 })
  })
  return hits
}

async function upload(page: Page, { name, type, bytes }: Polyglot): Promise<string> {
  const multipart = { file: { name, mimeType: type || 'application/octet-stream', buffer: bytes } }
  const headers = { origin: stage.url }
  const answer = await page.request.post(`${stage.url}/api/v1/files`, { multipart, headers, maxRetries: 2 })
  expect(answer.status(), `${name}: ${await answer.text()}`).toBe(201)
  return ((await answer.json()) as { id: string }).id
}

/** As somebody does who is sent the address; what is downloaded opens nothing. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(stage.url + path).catch((error: Error) => {
    if (!/Download is starting|ERR_ABORTED/.test(error.message)) throw error
  })
  await settle(page)
}

test('the canary sings where scripts do run', async () => {
  const { page, context } = await stage.anonymous()
  const hits = await watchCanary(context)
  for (const { name, bytes } of POLYGLOTS.filter(({ name }) => /^(plain-page|vector\.svg|strict)/.test(name))) {
    const contentType = name.endsWith('svg')
      ? 'image/svg+xml'
      : name.endsWith('xhtml')
        ? 'application/xhtml+xml'
        : 'text/html'
    await context.route(`**/control-${name}`, (route) => route.fulfill({ contentType, body: bytes }))
    const before = hits.length
    await page.goto(`${stage.url}/control-${name}`)
    await expect.poll(() => hits.length, { message: name }).toBeGreaterThan(before)
  }
})

test('files that are two things at once run no script: opened themselves, by a link, or in the preview', {
  timeout: 300_000,
}, async () => {
  const { page, context } = await stage.person()
  const hits = await watchCanary(context)
  const waiting = [...POLYGLOTS]
  const openAll = async (tab: Page) => {
    for (let polyglot = waiting.pop(); polyglot; polyglot = waiting.pop()) {
      const id = await upload(tab, polyglot)
      const link = await share(tab, stage.url, id)
      for (const path of [`files/${id}`, `shares/${link.id}`]) {
        await open(tab, `/api/v1/${path}/download?disposition=inline`)
        await open(tab, `/api/v1/${path}/download`)
      }
      await tab.goto(link.url)
      await tab.getByText(polyglot.name).first().waitFor()
      await settle(tab)
    }
  }
  const asVisitor = async (index: number) => {
    const tab = await context.newPage()
    // Each from a network of its own: one alone may not ask for as many links in a minute.
    await tab.setExtraHTTPHeaders({ 'x-forwarded-for': `198.51.100.${index}` })
    return tab
  }
  await Promise.all(Array.from({ length: TABS }, async (_, index) => openAll(await asVisitor(index))))
  // Each hit is the address that ran something.
  expect(hits).toEqual([])
  await page.goto(`${stage.url}/file-manager/my-drive`)
  for (const { name } of POLYGLOTS) {
    await page.getByRole('searchbox', { name: 'Search files' }).fill(name)
    await item(page, name).first().dblclick()
    await page.getByRole('dialog').waitFor()
    await settle(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  expect(hits).toEqual([])
})
