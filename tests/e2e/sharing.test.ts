import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newPerson, screenshot } from './support/browser.ts'
import { examine } from './support/examine.ts'
import { downloadOf, dropFiles, item, register } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const samples = tenSamples()
const bytesOf = (name: string) => samples.find((sample) => sample.name === name)?.bytes ?? Buffer.alloc(0)
/** A refused password is an answer, not a fault of the page; Chromium names every refused download. */
const real = (problems: readonly string[]) => problems.filter((problem) => !/status of (401|403|404|429)/.test(problem))

/** With leave to use the clipboard, as a person's browser gives it to the page in front. */
const OWNER = { permissions: ['clipboard-read', 'clipboard-write'] }

const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

async function openShareDialog(page: Page, name: string): Promise<void> {
  await item(page, name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Share' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).waitFor()
}

/** By the keyboard: the focus is in the form. */
async function createLink(page: Page): Promise<string> {
  await page.getByLabel('Password', { exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Copied to clipboard').first().waitFor()
  const link = await clipboard(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return link
}

test('a link with a password: made, copied, opened elsewhere, ended', async () => {
  const { page, problems } = await stage.person('/file-manager/my-drive', OWNER)
  await page.getByRole('button', { name: /^New/ }).first().waitFor()
  await dropFiles(page, page.getByRole('main'), samples)
  await item(page, 'página').waitFor()
  await openShareDialog(page, 'Harbour view')
  await page.getByLabel('Password', { exact: true }).fill('north wall')
  const link = await createLink(page)
  expect(link).toMatch(new RegExp(`^${stage.url}/shares/share_[0-9a-f]{32}$`))

  const guest = await stage.anonymous()
  const asked: string[] = []
  guest.page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`))
  await guest.page.goto(link)
  await guest.page.getByLabel('Password', { exact: true }).fill('south wall')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByText('Incorrect password. Please try again.').waitFor()
  expect(await guest.page.content()).not.toContain('Harbour')
  await guest.page.getByLabel('Password', { exact: true }).fill('north wall')
  await guest.page.getByRole('button', { name: 'Unlock' }).click()
  await guest.page.getByRole('heading', { level: 1, name: 'Harbour view.png' }).waitFor()
  await expect.poll(() => guest.page.locator('h1:focus').count()).toBe(1)
  const picture = guest.page.getByRole('img', { name: 'Harbour view.png' })
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(64)
  const saved = await downloadOf(guest.page, () => guest.page.getByRole('button', { name: 'Download' }).click())
  expect(saved.name).toBe('Harbour view.png')
  expect(saved.bytes.equals(bytesOf('Harbour view.png'))).toBe(true)
  expect(asked.filter((request) => /viewer|Layout|subscription|auth\/me/i.test(request))).toEqual([])

  await page.goto(`${stage.url}/file-manager/shared`)
  await item(page, 'Harbour view').getByRole('button', { name: 'Links to Harbour view.png' }).click()
  const section = page.getByRole('region', { name: 'Sharing' })
  await section.getByText(/download/).waitFor()
  await section.getByRole('button', { name: 'End link' }).click()
  await section.getByRole('button', { name: 'End link' }).click()
  await item(page, 'Harbour view').waitFor({ state: 'detached' })
  await guest.page.reload()
  await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  expect(real(guest.problems)).toEqual([])
  expect(problems).toEqual([])
})

test.each([
  ['light', { width: 1440, height: 900 }],
  ['dark', { width: 390, height: 844 }],
] as const)('a shared folder and what its files could do, in %s', async (theme, viewport) => {
  const { page, context } = await stage.person('/file-manager/my-drive', { ...OWNER, colorScheme: theme })
  await page.getByRole('button', { name: 'New folder' }).first().click()
  await page.getByLabel('New folder name').fill('Harbour House')
  await page.keyboard.press('Enter')
  await item(page, 'Harbour House').dblclick()
  await page.getByRole('heading', { level: 1, name: 'Harbour House' }).waitFor()
  await dropFiles(page, page.getByRole('main'), samples)
  await item(page, 'página').waitFor()
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await openShareDialog(page, 'Harbour House')
  const found: string[] = []
  await examine(page, `share-dialog-${theme}`, found)
  await page.setViewportSize({ width: 390, height: 844 })
  await examine(page, `share-dialog-${theme}-390`, found)
  const link = await createLink(page)
  await context.close()

  const guest = await stage.anonymous({ colorScheme: theme, viewport, reducedMotion: 'reduce' })
  await guest.page.goto(link)
  await guest.page.getByRole('link', { name: 'areas.csv' }).waitFor()
  await examine(guest.page, `share-folder-${theme}`, found)
  const one = await downloadOf(guest.page, () => guest.page.getByRole('button', { name: 'Download areas.csv' }).click())
  expect(one.bytes.equals(bytesOf('areas.csv'))).toBe(true)
  const zip = await downloadOf(guest.page, () => guest.page.getByRole('button', { name: 'Download all' }).click())
  expect(zip.name).toBe('Harbour House.zip')
  expect(zip.bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
  for (const name of ['página.html', 'IMG_10.svg', 'Harbour view.png']) {
    await guest.page.getByRole('link', { name }).focus()
    await guest.page.keyboard.press('Enter')
    await guest.page.getByRole('dialog').waitFor()
    await guest.page.getByRole('dialog').locator('img, pre, p').first().waitFor()
    await examine(guest.page, `share-entry-${theme}-${name.replace(/\W+/g, '-')}`, found)
    await guest.page.keyboard.press('Escape')
    await guest.page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  expect(await guest.page.title()).toBe('Harbour House · Skypool')
  await guest.page.goto(`${stage.url}/shares/share_${'0'.repeat(32)}`)
  await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await examine(guest.page, `share-ended-${theme}`, found)
  expect(found).toEqual([])
  expect(real(guest.problems)).toEqual([])
})

test('from signing up to the first shared link in under a minute', async () => {
  const { page, problems } = await stage.anonymous(OWNER)
  const began = performance.now()
  await register(page, stage.url, newPerson())
  await page.getByRole('heading', { name: 'Connect your first account' }).waitFor()
  await dropFiles(page, page.getByRole('main'), samples.slice(0, 1))
  await item(page, 'Harbour view').waitFor()
  await item(page, 'Harbour view').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Share' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  await page.getByText('Copied to clipboard').waitFor()
  const seconds = (performance.now() - began) / 1000
  await screenshot(page, 'sharing-first-link')
  expect(await clipboard(page)).toContain('/shares/share_')
  const record = {
    seconds: Number(seconds.toFixed(1)),
    clicks: ['Register', 'drop a file', 'the file', 'Share', 'Create link'],
  }
  mkdirSync(join('tests', 'e2e', 'output'), { recursive: true })
  writeFileSync(join('tests', 'e2e', 'output', 'first-shared-link.json'), `${JSON.stringify(record)}\n`)
  expect(seconds).toBeLessThan(60)
  expect(problems).toEqual([])
})
