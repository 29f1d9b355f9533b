import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, signUp, visit } from './support/browser.ts'
import { examine } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { startServer, type TestServer } from './support/server.ts'

let server: TestServer
let browser: Browser

beforeAll(async () => {
  server = await startServer()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
})

const themes = ['light', 'dark'] as const
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

test.each(themes.flatMap((theme) => sizes.map((viewport) => ({ theme, viewport, width: viewport.width }))))(
  'every screen in $theme at $width px has no violation',
  async ({ theme, viewport, width }) => {
    const { page, context, problems } = await visit(browser, { colorScheme: theme, viewport, reducedMotion: 'reduce' })
    const found: string[] = []
    const look = (name: string) => examine(page, `${name}-${theme}-${width}`, found)

    for (const path of ['login', 'register', 'privacy-policy']) {
      await page.goto(`${server.url}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await look(path)
    }
    await signUp(page, server.url)
    await page.goto(`${server.url}/file-manager`)
    await page
      .getByText('No files yet')
      .or(page.getByRole('heading', { level: 2 }))
      .first()
      .waitFor()
    await look('first-run')
    await page.goto(`${server.url}/file-manager/my-drive`)
    await page.getByRole('main').waitFor()
    await dropFiles(page, page.getByRole('main'), tenSamples())
    await item(page, 'areas.csv').waitFor()
    await item(page, 'página').waitFor()
    await look('my-drive')
    for (const view of ['', '/shared', '/starred', '/trash']) {
      await page.goto(`${server.url}/file-manager${view}`)
      await page.getByRole('main').waitFor()
      await page
        .locator('[data-id]')
        .or(page.getByRole('main').getByRole('heading', { level: 2 }))
        .first()
        .waitFor()
      await look(`files${view.replace('/', '-')}`)
    }
    await page.goto(`${server.url}/file-manager/my-drive?q=nothing-of-this-name`)
    await page
      .getByText(/No (files|results|matches)|Nothing/)
      .first()
      .waitFor()
    await look('no-result')
    await page.goto(`${server.url}/nowhere`)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await look('not-found')

    expect(found).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  },
)

test.each(themes)('dialogs, menus, details and preview in %s have no violation', async (theme) => {
  const { page, context, problems } = await visit(browser, { colorScheme: theme, reducedMotion: 'reduce' })
  const found: string[] = []
  const look = (name: string) => examine(page, `${name}-${theme}`, found)
  const close = async () => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await signUp(page, server.url)
  await page.goto(`${server.url}/file-manager/my-drive`)
  await page.getByRole('button', { name: 'Upload Files' }).first().click()
  await page.getByRole('heading', { name: 'Upload Files' }).waitFor()
  await look('upload-dialog')
  await close()
  await dropFiles(page, page.getByRole('main'), tenSamples())
  await item(page, 'página').waitFor()

  await item(page, 'Harbour view').click()
  await page.keyboard.press('d')
  await page.getByText('Where it is stored').waitFor()
  await look('details')
  await page.keyboard.press('v')
  await look('grid')
  await page.keyboard.press('v')
  await item(page, 'Harbour view').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Download' }).waitFor()
  await look('menu')
  await page.getByRole('menuitem', { name: 'Move to…' }).click()
  await page.getByRole('button', { name: 'Move here' }).waitFor()
  await look('move-dialog')
  await close()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor({ state: 'attached' })
  await look('shortcuts')
  await close()
  await item(page, 'Harbour view').click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /name/i }).first().waitFor()
  await look('renaming')
  await page.keyboard.press('Escape')
  for (const name of ['Harbour view', 'Site plan', 'Interview', 'README', 'model', 'IMG_10', 'página']) {
    await expect
      .poll(async () => {
        if ((await page.getByRole('dialog').count()) === 0) await item(page, name).dblclick()
        return page.getByRole('dialog').count()
      })
      .toBe(1)
    await page.waitForTimeout(300)
    await look(`preview-${name.replace(/\W+/g, '-')}`)
    await close()
  }
  expect(await page.title()).not.toBe('run')
  expect(found).toEqual([])
  expect(problems).toEqual([])
  await context.close()
})
