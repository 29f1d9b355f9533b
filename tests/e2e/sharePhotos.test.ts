import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { upload } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { uploadPhotos } from './support/photos.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

async function post(page: Page, path: string, data: object): Promise<{ id: string; url: string }> {
  const answer = await page.request.post(`${stage.url}/api/v1${path}`, { headers: { origin: stage.url }, data })
  if (answer.status() !== 201) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`)
  return answer.json()
}

/** @returns the links of a folder with photos of four days, and of one without any */
async function shareFolders(page: Page): Promise<{ photos: string; empty: string; limited: string }> {
  const folder = await post(page, '/files/folders', { name: 'Harbour House' })
  await uploadPhotos(page, stage.url, folder.id)
  const empty = await post(page, '/files/folders', { name: 'Letters' })
  const notes = { name: 'Notes.txt', type: 'text/plain', bytes: Buffer.from('North wall') }
  await upload(page, stage.url, notes, empty.id)
  return {
    photos: (await post(page, '/shares', { fileId: folder.id })).url,
    limited: (await post(page, '/shares', { fileId: folder.id, maxDownloads: 3 })).url,
    empty: (await post(page, '/shares', { fileId: empty.id })).url,
  }
}

const days = (page: Page) => page.getByRole('grid').getByRole('rowheader').allTextContents()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

test.each(LOOKS)(
  'photos of a public folder by day, in $theme at $width px',
  async ({ label, options, width }) => {
    const owner = await stage.person()
    const links = await shareFolders(owner.page)
    const { page, problems } = await stage.anonymous(options)
    const { look, found } = examiner(page, label, 'share-photos-')
    await page.goto(links.photos)
    await page.getByRole('link', { name: 'Notes.txt' }).waitFor()
    const button = page.getByRole('button', { name: 'Photos', exact: true })
    await button.click()
    await page.getByRole('grid', { name: 'Files in this folder' }).waitFor()
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
    // The dates are known once the pictures were made.
    await expect.poll(async () => (await days(page))[0], { timeout: 30_000 }).toContain('2016')
    await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuemax')).toBe('4')
    await expect.poll(() => page.locator('[role="gridcell"] img:not([data-shown])').count()).toBe(0)
    expect(await page.getByText('Notes.txt').count()).toBe(0)
    await look('days')
    const row = await page
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell') })
      .first()
      .boundingBox()
    const wanted = width < 768 ? 112 : 164
    expect(Math.abs((row?.height ?? 0) - wanted)).toBeLessThan(wanted / 2)

    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Photo 0-6.jpg')
    await page.keyboard.press('ArrowRight')
    expect(await focused(page)).toBe('Photo 0-5.jpg')
    await page.keyboard.press('PageDown')
    await expect.poll(() => focused(page)).toBe('Photo 1-6.jpg')
    await look('focused')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Photo 1-6.jpg' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('heading', { name: 'Photo 1-5.jpg' }).waitFor()
    await dialog.getByRole('button', { name: 'Previous file' }).click()
    await dialog.getByRole('heading', { name: 'Photo 1-6.jpg' }).waitFor()
    await expect.poll(() => dialog.getByRole('img').first().isVisible()).toBe(true)
    await look('large')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('slider').focus()
    await page.keyboard.press('End')
    await expect.poll(() => page.getByRole('link', { name: 'Photo 3-0.jpg' }).count()).toBe(1)
    await look('last-month')

    await page.goto(links.empty)
    await page.getByText('No photos here').waitFor()
    await look('empty')
    await page.getByRole('button', { name: 'Show as list' }).click()
    await page.getByRole('link', { name: 'Notes.txt' }).waitFor()
    await page.getByRole('button', { name: 'Photos', exact: true }).click()
    await page.getByText('No photos here').waitFor()
    // Where every download counts there are no pictures.
    await page.goto(links.limited)
    await page.getByRole('link', { name: 'Notes.txt' }).waitFor()
    expect(await page.getByRole('button', { name: 'Photos', exact: true }).count()).toBe(0)
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  120_000,
)
