import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { item } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const TEXTS = [
  '# Brief\n\nHarbour House opens in April 2027.\n\n- Lift: two cabins\n- Roof: gravel\n',
  '# Brief\n\nHarbour House opens in March 2027.\n\n- Lift: one cabin\n- Roof: gravel\n- Bicycles: 64 places\n',
]

/** A text that was replaced once, by a program. @returns its id */
async function replaced(page: Page): Promise<string> {
  const headers = { origin: stage.url }
  const file = { name: 'Brief.md', mimeType: 'text/markdown', buffer: Buffer.from(TEXTS[0] ?? '') }
  const { id } = await (await page.request.post(`${stage.url}/api/v1/files`, { multipart: { file }, headers })).json()
  const written = await page.request.put(`${stage.url}/api/v1/files/${id}/content`, { data: TEXTS[1], headers })
  expect(written.status()).toBe(200)
  return id
}

const textOf = async (page: Page, id: string) =>
  (await page.request.get(`${stage.url}/api/v1/files/${id}/download`)).text()

test.each(LOOKS)(
  'versions are listed, compared, restored, undone and deleted, in $theme at $width px',
  async ({ label, options }) => {
    const { page, problems } = await stage.person('/file-manager/my-drive', options)
    const { look, found } = examiner(page, label, 'versions-')
    await page.getByText('My Drive is empty').waitFor()
    const id = await replaced(page)
    await item(page, 'Brief').waitFor()
    await item(page, 'Brief').locator('[data-menu]').click()
    await page.getByRole('menuitem', { name: 'Details' }).click()
    await page.getByRole('tab', { name: 'Versions' }).click()
    const versions = page.getByRole('list', { name: 'Versions, newest first' }).getByRole('listitem')
    await expect.poll(() => versions.count()).toBe(2)
    expect(await versions.nth(0).textContent()).toMatch(/Current.*You, by upload/)
    expect(
      await versions
        .nth(0)
        .getByRole('button', { name: /Restore/ })
        .count(),
    ).toBe(0)
    await versions.nth(1).getByRole('button').first().click()
    await look('list')

    await versions
      .nth(1)
      .getByRole('button', { name: /Compare/ })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Compare “Brief.md”' })
    await dialog.getByText('+ 3 lines').waitFor()
    expect(await dialog.locator('ins').allTextContents()).toEqual(['March', 'one', 'cabin'])
    await page.keyboard.press('F7')
    await look('compare')
    await dialog.getByRole('button', { name: 'Side by side' }).click()
    await look('side-by-side')
    await dialog.getByRole('button', { name: 'Restore this version' }).click()
    await expect.poll(() => versions.count()).toBe(3)
    expect(await textOf(page, id)).toBe(TEXTS[0])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => versions.count()).toBe(4)
    expect(await textOf(page, id)).toBe(TEXTS[1])

    await versions.nth(3).getByRole('button').first().click()
    await versions
      .nth(3)
      .getByRole('button', { name: /Delete/ })
      .click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => versions.count()).toBe(3)
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  120_000,
)

test('how long versions are kept is set in Settings', async () => {
  const { page, problems } = await stage.person('/file-manager/my-drive')
  await replaced(page)
  await page.goto(`${stage.url}/settings`)
  const section = page.getByRole('region', { name: 'Versions' })
  await section.getByText('1 earlier version takes').waitFor()
  const days = section.getByLabel('Days to keep earlier versions')
  await days.fill('0')
  await section.getByText('Please enter a whole number from 1 to 3650.').waitFor()
  await days.fill('7')
  await section.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Versions beyond these limits are removed within minutes.').waitFor()
  await page.reload()
  await expect.poll(() => days.inputValue()).toBe('7')
  expect(problems).toEqual([])
}, 120_000)
