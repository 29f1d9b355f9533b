import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { newPerson } from '../e2e/support/browser.ts'
import { startEmulatedServer } from '../e2e/support/emulated.ts'
import { setStage } from '../e2e/support/stage.ts'
import { line } from './line.ts'
import { toastOf } from './support.ts'

const stage = setStage(startEmulatedServer)
const TOKEN = 'a-token-of-more-than-ten-characters'

async function open(path: string): Promise<Page> {
  const { page } = await stage.anonymous()
  await page.goto(stage.url + path)
  await page.getByRole('button').first().waitFor()
  return page
}

async function ask(page: Page, email = newPerson().email): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.locator('button[type=submit]').click()
}

async function choosePassword(page: Page, password: string, confirm = password): Promise<void> {
  const [first, second] = await page.locator('input[type=password]').all()
  await first?.fill(password)
  await second?.fill(confirm)
  await page.locator('button[type=submit]').click()
}

describe('a forgotten password', () => {
  line('2.6', async () => {
    const page = await open('/forgot-password')
    await ask(page)
    await page
      .getByRole('link', { name: /(return|back) to log ?in/i })
      .or(page.getByRole('button', { name: /(return|back) to log ?in/i }))
      .click()
    await page.waitForURL('**/login')
  })

  line('9.9', async () => {
    const page = await open('/forgot-password')
    await ask(page)
    await page.getByText(/expires? in 24 hours/).waitFor()
  })

  line('4.19', async () => {
    const page = await open('/forgot-password')
    const [request] = await Promise.all([page.waitForRequest('**/graphql'), ask(page)])
    expect(request.postData()).toMatch(/forgot/i)
    const reset = await open(`/reset-password?token=${TOKEN}`)
    const [second] = await Promise.all([reset.waitForRequest('**/graphql'), choosePassword(reset, 'harbour at dusk')])
    expect(second.postData()).toMatch(/reset/i)
  })

  line('8.4', async () => {
    const page = await open('/forgot-password')
    await page.route('**/graphql', (route) => route.abort())
    await ask(page)
    const text = 'There was a problem sending the reset link. Please try again.'
    await toastOf(page, 'Something went wrong', text).waitFor()
  })
})

describe('a new password', () => {
  line('2.7', async () => {
    const page = await open(`/reset-password?token=${TOKEN}`)
    await expect.poll(() => page.locator('input[type=password]').count()).toBe(2)
  })

  line('5.10', async () => {
    for (const query of ['', '?token=', '?token=0123456789']) {
      const page = await open(`/reset-password${query}`)
      await page.getByText('Invalid or expired token').waitFor()
      await page.getByRole('link', { name: /new link/i }).click()
      await page.waitForURL('**/forgot-password')
    }
  })

  line('5.11', async () => {
    const page = await open(`/reset-password?token=${TOKEN}`)
    await choosePassword(page, 'harbour at dusk', 'harbour at dawn')
    await page.getByText("Passwords don't match").first().waitFor()
  })

  line('5.12', async () => {
    const page = await open(`/reset-password?token=${TOKEN}`)
    await choosePassword(page, 'seven77')
    await page.getByText('Password must be at least 8 characters long').first().waitFor()
  })

  line('9.8', async () => {
    const page = await open('/reset-password?token=01234567890')
    await choosePassword(page, '1234567')
    await page.getByText('Password must be at least 8 characters long').first().waitFor()
  })

  line('8.5', async () => {
    const page = await open(`/reset-password?token=${TOKEN}`)
    await page.route('**/graphql', (route) => route.abort())
    await choosePassword(page, 'harbour at dusk')
    const text = 'There was a problem resetting your password. Please try again.'
    await toastOf(page, 'Password reset failed', text).waitFor()
  })

  line('8.6', async () => {
    const { page, person } = await stage.person('/file-manager')
    await page.goto(`${stage.url}/forgot-password`)
    await ask(page, person.email)
    await expect.poll(() => tokenIn(stage.server.dataDir)).not.toBe('')
    const reset = await open(`/reset-password?token=${tokenIn(stage.server.dataDir)}`)
    await choosePassword(reset, 'harbour at dusk')
    const text = 'Your password has been updated. You can now log in with your new password.'
    await toastOf(reset, 'Password reset successful', text).waitFor()
    await reset.waitForURL('**/login')
    await reset.getByLabel('Email').fill(person.email)
    await reset.getByLabel('Password', { exact: true }).fill('harbour at dusk')
    await reset.getByRole('button', { name: 'Log in' }).click()
    await reset.waitForURL('**/file-manager')
  })
})

/** What the newest mail's link carries; without SMTP_URL mails lie in the data folder. */
function tokenIn(dataDir: string): string {
  const folder = join(dataDir, 'mail')
  if (!existsSync(folder)) return ''
  const newest = readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .at(-1)
  if (!newest) return ''
  // Quoted-printable (RFC 2045 6.7): lines are folded with "=", and "=" itself is written out.
  const text = readFileSync(join(folder, newest), 'utf8')
    .replaceAll(/=\r?\n/g, '')
    .replaceAll('=3D', '=')
  return /reset-password\?token=([\w-]+)/.exec(text)?.[1] ?? ''
}
