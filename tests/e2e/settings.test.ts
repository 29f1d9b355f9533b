import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newPerson, type Person } from './support/browser.ts'
import { pick } from './support/connecting.ts'
import { examiner } from './support/examine.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0'

async function open(options: BrowserContextOptions = {}) {
  const opened = await stage.person('/settings', options)
  await opened.page.getByRole('region', { name: 'Sessions' }).waitFor()
  return opened
}

/** The same person in another browser. */
async function signInElsewhere({ email, password }: Person) {
  const elsewhere = await stage.anonymous({ userAgent: FIREFOX })
  const data = { email, password }
  const answer = await elsewhere.page.request.post(`${stage.url}/api/v1/auth/login`, {
    data,
    headers: { origin: stage.url },
  })
  expect(answer.status()).toBe(200)
  return elsewhere
}

const isDark = (page: Page) => page.evaluate(() => document.documentElement.classList.contains('dark'))
const stored = (page: Page) => page.evaluate(() => localStorage.getItem('theme'))
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('a theme is chosen, outlives a reload, and is given back to the system', async () => {
  const { page, problems } = await open({ colorScheme: 'dark' })
  expect([await isDark(page), await stored(page)]).toEqual([true, null])
  await button(page, 'Light Mode').click()
  expect([await isDark(page), await stored(page)]).toEqual([false, 'light'])
  await page.reload()
  await button(page, 'Light Mode').waitFor()
  expect(await isDark(page)).toBe(false)
  await button(page, 'Use my system setting').click()
  expect([await isDark(page), await stored(page)]).toEqual([true, null])
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(() => isDark(page)).toBe(false)
  expect(problems).toEqual([])
})

test('another browser is signed out at once, alone or with all others', async () => {
  const { page, problems, person } = await open()
  const first = await signInElsewhere(person)
  const second = await signInElsewhere(person)
  await page.reload()
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions
    .getByRole('button', { name: /^Sign out Firefox/ })
    .nth(1)
    .waitFor()
  const alive = async ({ page: other }: typeof first) =>
    (await other.request.get(`${stage.url}/api/v1/auth/me`)).status()
  await sessions
    .getByRole('button', { name: /^Sign out Firefox/ })
    .first()
    .press('Enter')
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(2)
  expect([await alive(first), await alive(second)].toSorted()).toEqual([200, 401])
  await sessions.getByRole('button', { name: 'Sign out all others' }).press('Enter')
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
  expect([await alive(first), await alive(second)]).toEqual([401, 401])
  expect(problems).toEqual([])
})

test('name and password are changed, and the log tells of it', async () => {
  const { page, problems, person } = await open()
  const other = await signInElsewhere(person)
  await button(page, 'Change name').press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Full name').fill('Maren Holt-Berg')
  await page.keyboard.press('Enter')
  await page.getByText('Name changed').waitFor()
  await page.getByRole('button', { name: /Maren Holt-Berg/ }).waitFor()

  await button(page, 'Change password').press('Enter')
  await dialog.getByLabel('Current password').fill('not this one')
  await dialog.getByLabel('New password', { exact: true }).fill('another harbour house')
  await dialog.getByLabel('Confirm new password').fill('another harbour house')
  await page.keyboard.press('Enter')
  await dialog.locator('p[role="alert"]').waitFor()
  await dialog.getByLabel('Current password').fill(person.password)
  await page.keyboard.press('Enter')
  await page.getByText('Password changed').waitFor()
  expect((await other.page.request.get(`${stage.url}/api/v1/auth/me`)).status()).toBe(401)

  const log = page.getByRole('region', { name: 'Activity' })
  await expect
    .poll(async () => {
      await page.reload()
      await pick(page, 'Kind of activity', 'Sign-in and security')
      await log.getByText('You signed up').first().waitFor()
      return log.textContent()
    })
    .toMatch(/password.*name/i)
  await log.getByLabel('Search activity').fill('no such thing')
  await log.getByText('No matching activity').waitFor()
  expect(problems).toEqual([])
})

test('an account is deleted: nobody gets in again, and the address is free', async () => {
  const { page, problems, person } = await open()
  await button(page, 'Delete account…').press('Enter')
  await page.getByRole('alertdialog').getByLabel('Password').fill(person.password)
  await page.keyboard.press('Enter')
  await page.getByText('Your account has been deleted').waitFor()
  await page.waitForURL('**/login*')
  const { email, password } = person
  const post = (path: string, data: object) =>
    page.request.post(`${stage.url}/api/v1/auth/${path}`, { data, headers: { origin: stage.url } })
  expect((await post('login', { email, password })).status()).toBe(401)
  expect((await post('register', { ...newPerson(), email })).status()).toBe(201)
  expect(problems).toEqual([])
})

test.each(LOOKS)(
  'the settings in $theme at $width px have no violation',
  async ({ theme, options, label }) => {
    const { page, problems, person } = await open(options)
    const { look, found } = examiner(page, label, 'settings-')
    const close = async () => {
      await page.keyboard.press('Escape')
      await page.locator('[role=dialog], [role=alertdialog]').first().waitFor({ state: 'detached' })
    }
    await signInElsewhere(person)
    await button(page, theme === 'dark' ? 'Dark Mode' : 'Light Mode').click()
    await page.reload()
    await page.getByRole('button', { name: /^Sign out Firefox/ }).waitFor()
    await look('top')
    // On a phone, the bar above has a line already.
    const lineAbove = page
      .getByRole('region', { name: 'Appearance' })
      .evaluate((each) => getComputedStyle(each).borderTopWidth)
    expect(await lineAbove).toBe(options.viewport.width < 768 ? '0px' : '1px')
    await page.getByRole('region', { name: 'Activity' }).getByRole('listitem').first().waitFor()
    await button(page, 'Delete account…').scrollIntoViewIfNeeded()
    await look('end')
    await button(page, 'Change name').click()
    await page.getByRole('dialog').getByLabel('Full name').waitFor()
    await look('name')
    await close()
    await button(page, 'Change password').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Please enter your current password.').waitFor()
    await look('password')
    await close()
    await button(page, 'Delete account…').click()
    await page.getByRole('alertdialog').getByLabel('Password').waitFor()
    await look('delete')
    await close()
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  120_000,
)
