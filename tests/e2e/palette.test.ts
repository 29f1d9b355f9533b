import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

test.each(LOOKS)(
  'Ctrl+K leads to files, folders, pages and actions, in $theme at $width px',
  async ({ options, label }) => {
    const { page, problems } = await stage.person('/dashboard', options)
    const { look, found } = examiner(page, label)
    await page.getByRole('heading', { name: 'Dashboard' }).first().waitFor()
    const post = async (path: string, data: object) => {
      const response = await page.request.post(stage.url + path, { data, headers: { origin: stage.url } })
      expect(response.status()).toBe(201)
      return response.json()
    }
    const papers = await post('/api/v1/files/folders', { name: 'Papers' })
    await post('/api/v1/files/folders', { name: 'Harbour plans', parentId: papers.id })

    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search files, accounts, pages and actions' })
    await field.waitFor()
    await page.getByRole('option', { name: 'Trash' }).waitFor()
    await look('palette')
    await field.fill('harb')
    await page.getByRole('option', { name: /Harbour plans.*My Drive \/ Papers/ }).waitFor()
    await look('palette-found')
    await page.keyboard.press('Enter')
    await page.waitForURL(/my-drive\?folder=/)
    await field.waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    await field.fill('integr')
    await page.getByRole('option', { name: 'Cloud Integration' }).waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await field.fill('integr')
    // Behind what the files offer.
    await page.getByRole('option', { name: 'Search all files for “integr”', selected: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'Cloud Integration', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/cloud-integration')
    await field.waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    await field.fill('light th')
    await page.getByRole('option', { name: 'Light theme' }).click()
    await page.locator('html:not(.dark)').waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('zzz nothing at all')
    await page.getByRole('option', { name: 'Search all files for “zzz nothing at all”' }).click()
    await page.waitForURL(/q=zzz/)
    // Remembered once its results have been looked at.
    await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('recent-searches-')))
    await page.keyboard.press('Control+k')
    await page
      .getByRole('group', { name: 'Recent searches' })
      .getByRole('option', { name: 'zzz nothing at all' })
      .waitFor()
    await look('palette-recent')
    await field.fill('this serv')
    await page.getByRole('option', { name: 'This server' }).click()
    await page.waitForURL('**/cloud-integration')
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
)

test('the palette takes what is typed at once, also before its code has arrived', async () => {
  const { page } = await stage.person('/file-manager/my-drive')
  await page.getByText('My Drive is empty').waitFor()
  let load = () => {}
  const mayLoad = new Promise<void>((resolve) => {
    load = resolve
  })
  let isAsked = false
  await page.route(/\/Palette-[^/]*\.js$/, async (route) => {
    isAsked = true
    await mayLoad
    await route.continue()
  })
  const field = page.getByRole('combobox', { name: 'Search files, accounts, pages and actions' })
  await page.keyboard.press('Control+k')
  await expect.poll(() => isAsked).toBe(true)
  // N would create a folder.
  await page.keyboard.type('ntra')
  load()
  await field.waitFor()
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
  await page.keyboard.type('sh')
  expect(await field.inputValue()).toBe('ntrash')
  expect(await page.getByRole('dialog').count()).toBe(1)

  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await field.waitFor()
  await page.keyboard.type('trash')
  await page.getByRole('option', { name: 'Trash', exact: true }).waitFor()
  expect(await field.inputValue()).toBe('trash')
})
