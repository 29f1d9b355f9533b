import type { Page, Request } from 'playwright-core'
import { describe, expect } from 'vitest'
import { startEmulatedServer } from '../e2e/support/emulated.ts'
import { setStage } from '../e2e/support/stage.ts'
import { line } from './line.ts'
import { toastOf } from './support.ts'

const stage = setStage(startEmulatedServer)

async function openKeys() {
  const opened = await stage.person('/key-management')
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await opened.page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor()
  return opened
}

const card = (page: Page, name = 'Backup script') => page.getByRole('article').filter({ hasText: name })
const generate = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Generate', exact: true })

async function openDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Generate API Key' }).first().click()
  await page.getByRole('dialog').getByRole('textbox').first().waitFor()
}

async function makeKey(page: Page, name = 'Backup script'): Promise<void> {
  await openDialog(page)
  await page.getByRole('dialog').getByRole('textbox').first().fill(name)
  await generate(page).click()
  await card(page, name).waitFor()
}

async function revoke(page: Page): Promise<void> {
  await card(page).getByRole('button', { name: 'Revoke' }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /Revoke/ })
    .click()
  await card(page).getByText('Revoked', { exact: true }).waitFor()
}

describe('the key page', () => {
  line('2.53', async () => {
    const { page } = await openKeys()
    await page.getByRole('tab', { name: /^API Keys/ }).waitFor()
    await page.getByRole('tab', { name: 'Settings' }).waitFor()
    await page.getByText('No API keys', { exact: true }).waitFor()
    await openDialog(page)
    await page.getByRole('dialog').getByRole('heading', { name: 'Generate API Key' }).waitFor()
  })

  line('2.54', async () => {
    const { page } = await openKeys()
    await makeKey(page)
    const shown = card(page)
    for (const text of ['API Key', 'Active']) await shown.getByText(text, { exact: true }).waitFor()
    const created = shown.getByText(/just now/)
    await created.first().hover()
    await page
      .getByRole('tooltip')
      .getByText(new RegExp(`${new Date().getFullYear()}`))
      .waitFor()
  })

  line('2.55', async () => {
    const { page } = await openKeys()
    await makeKey(page)
    await card(page)
      .getByText(/^sky_live_\w{36}$/)
      .waitFor()
    for (const name of [/Copy/, 'Regenerate', 'Revoke']) await card(page).getByRole('button', { name }).waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/graphql', async (route) => {
      if (/usage/i.test(route.request().postDataJSON()?.operationName ?? '')) await released
      await route.continue()
    })
    await page.reload()
    await card(page).getByTestId('skeleton').first().waitFor()
    release()
    await card(page).getByTestId('skeleton').first().waitFor({ state: 'detached' })
  })

  line('2.56', async () => {
    const { page } = await openKeys()
    await page.getByRole('tab', { name: 'Settings' }).click()
    for (const text of [/^Secure generation/i, /^Limited scope/i, /^Revoke anytime/i]) {
      await page.getByText(text).first().waitFor()
    }
  })

  line('4.11', async () => {
    const { page } = await openKeys()
    await makeKey(page)
    expect(await card(page).getByText('Active', { exact: true }).getAttribute('data-tone')).toBe('success')
    await revoke(page)
    expect(await card(page).getByText('Revoked', { exact: true }).getAttribute('data-tone')).toBe('danger')
  })

  line('4.12', async () => {
    const { page } = await openKeys()
    await makeKey(page)
    const key = () =>
      card(page)
        .getByText(/^sky_live_/)
        .textContent()
    const before = await key()
    await card(page).getByRole('button', { name: 'Regenerate' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /Regenerate/ })
      .click()
    await expect.poll(key).not.toBe(before)
    await revoke(page)
    for (const name of ['Regenerate', 'Revoke']) {
      expect(await card(page).getByRole('button', { name }).isDisabled()).toBe(true)
    }
  })

  line('5.5', async () => {
    const { page } = await openKeys()
    await openDialog(page)
    const name = page.getByRole('dialog').getByRole('textbox').first()
    await name.fill('   ')
    expect(await generate(page).isDisabled()).toBe(true)
    await name.fill(' Backup script ')
    expect(await generate(page).isEnabled()).toBe(true)
    await generate(page).click()
    await card(page, 'Backup script').waitFor()
  })

  line('5.6', async () => {
    const { page } = await openKeys()
    await openDialog(page)
    await page.getByRole('dialog').getByRole('textbox').first().fill('   ')
    await page.keyboard.press('Enter')
    const text = 'A name helps you identify this key later.'
    await toastOf(page, 'Please provide a name for the API key', text).waitFor()
  })

  line('8.7', async () => {
    const { page } = await openKeys()
    await makeKey(page)
    const copy = card(page).getByRole('button', { name: /Copy/ })
    await copy.click()
    await toastOf(page, 'Copied to clipboard').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^sky_live_/)
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('the clipboard is closed'))
    })
    await copy.click()
    await toastOf(page, 'Failed to copy the clipboard is closed').waitFor()
  })

  line('8.8', async () => {
    const { page } = await openKeys()
    await makeKey(page)
    await toastOf(page, 'API Key generated').waitFor()
    await page.route('**/graphql', (route) => route.abort())
    await openDialog(page)
    await page.getByRole('dialog').getByRole('textbox').first().fill('Second')
    await generate(page).click()
    await page.waitForTimeout(500)
    expect(await toastOf(page, 'API Key generated').count()).toBeLessThanOrEqual(1)
    expect(await card(page, 'Second').count()).toBe(0)
  })

  line('9.5', async () => {
    const { page } = await openKeys()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked.push(request.postDataJSON()?.operationName ?? '')
    })
    await makeKey(page)
    // The page hears of what it made itself, as of what others make.
    await expect.poll(() => asked).toContain('KeysQuery')
    const comeBack = async () => {
      asked.length = 0
      await page.getByRole('link', { name: 'Starred' }).click()
      await page.getByRole('heading', { level: 1, name: 'Starred' }).waitFor()
      await page.getByRole('link', { name: 'API Keys' }).click()
      await card(page).waitFor()
    }
    const reads = () => asked.filter((name) => name === 'KeysQuery')
    const comeBackAndCount = async () => {
      await comeBack()
      return reads()
    }
    // The event of the new key can be late, and is answered with one more read; coming back is answered with none.
    await expect.poll(comeBackAndCount).toEqual([])
    expect(await comeBackAndCount()).toEqual([])
    let now = Date.now()
    const readAfterFiveMinutes = async () => {
      now += 5 * 60_000 + 1000
      await page.clock.setFixedTime(now)
      // What was kept is shown at once, and may be there before the question is.
      const isKeysQuery = (request: Request) =>
        request.url().endsWith('/graphql') && request.postDataJSON()?.operationName === 'KeysQuery'
      const isAsked = page.waitForRequest(isKeysQuery, { timeout: 10_000 }).then(
        () => true,
        () => false,
      )
      await comeBack()
      return isAsked
    }
    // If that event is as late as this, its answer is from just before, and is kept for five more minutes.
    await expect.poll(readAfterFiveMinutes).toBe(true)
  })
})

describe('settings', () => {
  const isDark = (page: Page) => page.evaluate(() => document.documentElement.classList.contains('dark'))

  line('2.57', async () => {
    const { page } = await stage.person('/settings')
    const stored = () => page.evaluate(() => localStorage.getItem('theme'))
    for (const [name, theme] of [
      ['Dark Mode', 'dark'],
      ['Light Mode', 'light'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click()
      await expect.poll(stored).toBe(theme)
      expect(await isDark(page)).toBe(theme === 'dark')
    }
  })

  line('2.58', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await stage.person('/settings', { colorScheme })
      expect(await isDark(page)).toBe(colorScheme === 'dark')
      const other = colorScheme === 'dark' ? 'light' : 'dark'
      await page.evaluate((theme) => localStorage.setItem('theme', theme), other)
      await page.reload()
      expect(await isDark(page)).toBe(other === 'dark')
    }
  })
})
