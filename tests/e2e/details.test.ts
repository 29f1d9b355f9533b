import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const entries = (page: Page) => page.getByRole('list', { name: 'Activity' }).getByRole('listitem')

async function openDetails(page: Page, name: string): Promise<string> {
  await page.getByText('My Drive is empty').waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples())
  await item(page, 'página').waitFor()
  const id = await item(page, name).getAttribute('data-id')
  await item(page, name).locator('[data-menu]').click()
  await page.getByRole('menuitem', { name: 'Details' }).click()
  await tab(page, 'Details').waitFor()
  return id ?? ''
}

/** By a program, not by this page. */
const rename = (page: Page, id: string, name: string) =>
  page.request.patch(`${stage.url}/api/v1/files/${id}`, { data: { name }, headers: { origin: stage.url } })

test.each(LOOKS)(
  'what was done to a file, live and page by page, in $theme at $width px',
  async ({ label, options }) => {
    const { page, problems } = await stage.person('/file-manager/my-drive', options)
    const { look, found } = examiner(page, label, 'details-')
    const id = await openDetails(page, 'Harbour view')
    await look('first')
    expect(await page.getByRole('region', { name: 'Sharing' }).count()).toBe(0)
    await tab(page, 'Details').focus()
    await page.keyboard.press('ArrowRight')
    await entries(page)
      .filter({ hasText: /uploaded/ })
      .waitFor()
    expect(await entries(page).count()).toBe(1)
    for (let number = 1; number <= 9; number += 1) await rename(page, id, `Harbour view ${number}.png`)
    await page.getByText('You renamed “Harbour view 8.png” to “Harbour view 9.png”.').waitFor()
    await look('activity')
    await page.getByRole('button', { name: 'Show more' }).press('Enter')
    await expect.poll(() => entries(page).count()).toBe(10)
    await rename(page, id, 'Harbour view.png')
    await page.getByText('You renamed “Harbour view 9.png” to “Harbour view.png”.').waitFor()
    expect(await entries(page).count()).toBe(11)
    await tab(page, 'Activity').press('ArrowRight')
    await tab(page, 'Versions').press('ArrowRight')
    await page.getByRole('region', { name: 'Sharing' }).waitFor()
    await look('sharing')
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  120_000,
)

test('the button beside the theme shows the keys', async () => {
  const { page, problems } = await stage.person('/file-manager/my-drive')
  const button = page.getByRole('button', { name: 'Keyboard shortcuts' })
  await button.hover()
  await page.getByRole('tooltip').getByText('Keyboard shortcuts').waitFor()
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.getByRole('heading').first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 390, height: 844 })
  await button.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('keys and sessions that change in another browser change here', async () => {
  const { page, problems, person } = await stage.person('/key-management')
  await page.getByText('No API keys').waitFor()
  const settings = await page.context().newPage()
  await settings.goto(`${stage.url}/settings`)
  const sessions = settings.getByRole('region', { name: 'Sessions' }).getByRole('listitem')
  await sessions.first().waitFor()
  expect(await sessions.count()).toBe(1)

  const elsewhere = await stage.anonymous()
  const post = (path: string, data: object) =>
    elsewhere.page.request.post(`${stage.url}/api/v1/${path}`, { data, headers: { origin: stage.url } })
  const { email, password } = person
  expect((await post('auth/login', { email, password })).status()).toBe(200)
  await expect.poll(() => sessions.count()).toBe(2)
  const key = await (await post('keys', { name: 'From elsewhere' })).json()
  const card = page.getByRole('article', { name: 'From elsewhere' })
  await card.getByText('Active', { exact: true }).waitFor()
  await elsewhere.page.request.delete(`${stage.url}/api/v1/keys/${key.id}`, { headers: { origin: stage.url } })
  await card.getByText('Revoked', { exact: true }).waitFor()
  await post('auth/logout', {})
  await expect.poll(() => sessions.count()).toBe(1)
  expect(problems).toEqual([])
})
