import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, screenshot, signUp, type Visit, visit } from './support/browser.ts'
import { consent, type EmulatedServer, poolAll, startEmulatedServer } from './support/emulated.ts'

let server: EmulatedServer
let browser: Browser

beforeAll(async () => {
  server = await startEmulatedServer()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
})

async function open(): Promise<Visit> {
  const opened = await visit(browser)
  await signUp(opened.page, server.url)
  await opened.page.goto(`${server.url}/cloud-integration`)
  await opened.page.getByRole('heading', { level: 1, name: 'Cloud Integration' }).waitFor()
  return opened
}

/** As far as the provider's window. */
async function startConnecting(page: Page, provider: string, name: string): Promise<Page> {
  await page.getByRole('button', { name: 'Add Storage' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(`^${provider}`) })
    .click()
  await page.getByLabel('Account name').fill(name)
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Connect', exact: true }).click(),
  ])
  await popup.waitForURL('**/@**')
  return popup
}

async function connect(page: Page, provider: string, name: string, email: string): Promise<void> {
  await consent(await startConnecting(page, provider, name), email)
  await page.getByText('Account connected successfully').first().waitFor()
  await card(page, `${name} - ${email}`).waitFor()
}

const card = (page: Page, name: string) => page.getByRole('article', { name })

test('two Google accounts and a Dropbox are connected, one expires and is connected again, one is disconnected', async () => {
  const { page, context, problems } = await open()
  await page.getByText('No connected accounts').waitFor()
  await screenshot(page, 'clouds-empty')
  await page.getByRole('button', { name: 'Add Cloud Storage' }).waitFor()

  await connect(page, 'Google Drive', 'Private', 'maren@post.example')
  await connect(page, 'Google Drive', 'Studio', 'studio@post.example')
  await connect(page, 'Dropbox', 'Boxes', 'box@post.example')
  await expect.poll(() => page.getByRole('tab', { name: 'Connected Accounts' }).textContent()).toContain('3')
  const first = card(page, 'Private - maren@post.example')
  await first.getByText('Connected', { exact: true }).waitFor()
  await first.getByText('of 15.00 GB').waitFor()
  await first.getByText('Connected at just now').waitFor()
  await screenshot(page, 'clouds-connected')

  // An account in use is asked how it is every few seconds, an idle one once a minute.
  await poolAll(page, server.url)
  await server.command('google', 'revokeUser', { user: 'maren@post.example' })
  await first.getByText('Expired').waitFor({ timeout: 60_000 })
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    first.getByRole('button', { name: 'Re-connect' }).click(),
  ])
  await page.getByText('Reconnection initiated').waitFor()
  await consent(popup, 'maren@post.example')
  await page.getByText('Reconnection successfully').waitFor()
  await first.getByText('Connected', { exact: true }).waitFor()

  await card(page, 'Boxes - box@post.example').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Account disconnected').waitFor()
  await card(page, 'Boxes - box@post.example').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('a window that is closed, denied, blocked or another login ends in words', async () => {
  const { page, context, problems } = await open()

  const closed = await startConnecting(page, 'Google Drive', 'Private')
  await page.getByRole('button', { name: 'Connecting...' }).waitFor()
  // A person needs as long: a window that is gone sooner is one that the provider cut off.
  await page.waitForTimeout(500)
  await closed.close()
  await page.getByText('Popup closed without authorization').waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).waitFor()
  await page.keyboard.press('Escape')

  await consent(await startConnecting(page, 'Dropbox', 'Boxes'), 'box@post.example', 'deny')
  await page.getByText('Access was not allowed').waitFor()
  await page.keyboard.press('Escape')

  await page.evaluate(() => {
    window.open = () => null
  })
  await page.getByRole('button', { name: 'Add Storage' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Dropbox/ })
    .click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Please provide a name for this connection').waitFor()
  await page.getByLabel('Account name').fill('Boxes')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Popup blocked').waitFor()
  await page.reload()

  await connect(page, 'Google Drive', 'Private', 'maren@post.example')
  const [other] = await Promise.all([
    page.waitForEvent('popup'),
    card(page, 'Private').getByRole('button', { name: 'Re-connect' }).click(),
  ])
  await consent(other, 'studio@post.example')
  await page.getByText('The account could not be connected again').waitFor()
  await card(page, 'Private - maren@post.example').getByText('Connected', { exact: true }).waitFor()
  expect(problems.filter((problem) => !/409|without code/.test(problem))).toEqual([])
  await context.close()
}, 120_000)

test('a provider whose pages cut off their opener is connected all the same', async () => {
  const { page, context } = await open()
  await server.command('google', 'coop', { on: true })
  try {
    await connect(page, 'Google Drive', 'Private', 'maren@post.example')
  } finally {
    await server.command('google', 'coop', { on: false })
    await context.close()
  }
}, 60_000)

test('what cannot be connected says why', async () => {
  const { page, context } = await open()
  await page.getByRole('tab', { name: 'Add New Connection' }).click()
  await page.getByRole('heading', { name: 'How your accounts stay safe' }).waitFor()
  await screenshot(page, 'clouds-add')
  await page.getByRole('button', { name: /^MEGA/ }).click()
  await page.getByText('cannot connect MEGA yet').waitFor()
  await context.close()
}, 60_000)
