import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { consent } from './emulated.ts'

/** The card of an account, called "name - login". */
export function card(page: Page, name: string): Locator {
  return page.getByRole('article', { name })
}

export const dialogOf = (page: Page): Locator => page.getByRole('dialog')

/** Fills in the fields of the open dialog, by their labels. */
export async function enter(page: Page, entered: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(entered)) {
    await dialogOf(page).getByLabel(label, { exact: true }).fill(value)
  }
}

export function connectButton(page: Page): Locator {
  return page.getByRole('button', { name: 'Connect', exact: true })
}

/** From the page of accounts to the second step of its dialog. */
export async function choose(page: Page, provider: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Storage' }).click()
  const rows = page.getByRole('dialog').getByRole('button', { name: new RegExp(`^${provider}`) })
  await rows.first().click()
}

/** The provider's window that `act` opens, at its first page. */
export async function popupOf(page: Page, act: () => Promise<void>): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent('popup'), act()])
  await popup.waitForURL('**/@**')
  return popup
}

type Connection = { readonly provider?: string; readonly name?: string; readonly everything?: boolean }

/** As far as the provider's window. Everything that the account holds is shown only if asked for. */
export async function startConnecting(page: Page, options: Connection = {}) {
  const { provider = 'Google Drive', name = 'Private', everything = false } = options
  await choose(page, provider)
  await page.getByLabel('Account name').fill(name)
  if (!everything) await page.getByRole('radio', { name: 'Only what Skypool stores' }).check()
  return popupOf(page, () => connectButton(page).click())
}

/** From the provider's window to the toast and past the offer of group clouds, which waits for an answer. */
export async function allow(page: Page, popup: Page, email: string): Promise<void> {
  const said = await recordToasts(page)
  await consent(popup, email)
  const offered = page.getByRole('button', { name: 'Not now' }).click({ timeout: PATIENCE_MS })
  await offered.catch(async (error: Error) => {
    const dialogs = await page.getByRole('dialog').allTextContents()
    throw new Error(`${error.message}\nToasts: ${(await said()).join(' | ')}\nDialogs: ${dialogs.join(' | ')}`)
  })
  expect(await said()).toContainEqual(expect.stringContaining('Account connected successfully'))
}

/** The provider's window, our page and the server work on it in turn. */
const PATIENCE_MS = 60_000

/** @returns a function that returns the texts of all toasts since then, also of those that are gone */
async function recordToasts(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said: string[] = []
    const note = () => {
      for (const toast of document.querySelectorAll('[data-sonner-toast]')) said.push(toast.textContent ?? '')
    }
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
    Object.assign(window, { said })
  })
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said)
}

/** As far as the account's card. @returns it */
export async function connect(page: Page, email: string, { name = 'Private', ...rest }: Connection = {}) {
  await allow(page, await startConnecting(page, { name, ...rest }), email)
  const shown = card(page, `${name} - ${email}`)
  await shown.waitFor()
  return shown
}

/** Picks an option of one of the page's own lists. */
export async function pick(page: Page, list: string, option: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${list}`) }).click()
  await page.getByRole('option', { name: option }).click()
}
