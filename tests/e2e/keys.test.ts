import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pick } from './support/connecting.ts'
import { examinerOfLooks } from './support/examine.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const run = promisify(execFile)

const stage = setStage()

const card = (page: Page, name: string) => page.getByRole('article', { name })
const keyOf = async (page: Page, name: string) => (await card(page, name).locator('code').textContent()) ?? ''
const statusWith = async (key: string) =>
  (await fetch(`${stage.url}/api/v1/files`, { headers: { authorization: `Bearer ${key}` } })).status

/** By the keyboard: a toast that covers the button stays while the mouse is on it. */
const openDialog = (page: Page) => page.getByRole('button', { name: 'Generate API Key' }).press('Enter')

async function generate(page: Page, name: string): Promise<void> {
  await openDialog(page)
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Generate', exact: true }).click()
  await card(page, name).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a key is generated, used, counted, regenerated and revoked by the keyboard alone', async () => {
  const { page, problems } = await stage.person('/file-manager')
  await page.getByRole('link', { name: 'API Keys' }).press('Enter')
  await page.getByText('No API keys').waitFor()
  await openDialog(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Please provide a name for the API key').waitFor()
  expect(await dialog.getByRole('button', { name: 'Generate', exact: true }).isDisabled()).toBe(true)
  await page.keyboard.type('Backup script')
  await page.keyboard.press('Enter')
  await page.getByText('API Key generated').waitFor()
  const first = await keyOf(page, 'Backup script')
  expect(first).toMatch(/^sky_live_[0-9A-Za-z]{36}$/)
  expect(await statusWith(first)).toBe(200)

  await card(page, 'Backup script').getByRole('button', { name: 'Regenerate' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Regenerate' }).press('Enter')
  await page.getByText('API Key regenerated').waitFor()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  const second = await keyOf(page, 'Backup script')
  expect([second === first, await statusWith(first), await statusWith(second)]).toEqual([false, 401, 200])
  // Use is written down every few seconds.
  await expect
    .poll(
      async () => {
        await page.reload()
        await card(page, 'Backup script').getByText('in 30 days').or(page.getByText('Never used')).waitFor()
        return card(page, 'Backup script').textContent()
      },
      { timeout: 120_000 },
    )
    .toMatch(/Last used today, \d\d:\d\d · 2 calls in 30 days/)

  await card(page, 'Backup script').getByRole('button', { name: 'Revoke' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).press('Enter')
  await page.getByText('API Key revoked').waitFor()
  expect(await statusWith(second)).toBe(401)
  expect(await keyOf(page, 'Backup script')).not.toBe(second)
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Backup script')
  expect(problems).toEqual([])
})

test('the examples of the page work as they stand', async () => {
  const { page, problems } = await stage.person('/key-management', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await generate(page, 'First steps')
  await page.getByRole('tab', { name: 'Settings' }).click()
  const copied = async (name: string): Promise<unknown> => {
    await page.getByRole('button', { name: `Copy the ${name} example` }).click()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    const { stdout } = await run('sh', ['-c', command])
    return JSON.parse(stdout)
  }
  expect(await copied('REST')).toMatchObject({ items: [] })
  expect(await copied('GraphQL')).toEqual({ data: { viewer: { files: { edges: [] } } } })
  await page.getByText('Copied to clipboard').first().waitFor()
  await page.getByRole('link', { name: 'GraphQL explorer' }).click()
  await page.waitForURL('**/docs/graphql')
  await page.goBack()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'REST reference' }).click()
  await page.waitForURL('**/api/v1/docs')
  expect(problems).toEqual([])
})

test('the key page has no violation in any look', async () => {
  const { page, problems } = await stage.person('/key-management', FIRST_LOOK)
  const { look, found } = examinerOfLooks(page, { prefix: 'keys-' })
  await page.getByText('No API keys').waitFor()
  await look('empty')
  await generate(page, 'Old laptop')
  await generate(page, 'Backup of everything in the studio on the second floor')
  await card(page, 'Old laptop').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('alertdialog').getByText('never works again').waitFor()
  await look('revoke')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await card(page, 'Old laptop').getByText('Revoked', { exact: true }).waitFor()
  await openDialog(page)
  await page.getByRole('dialog').getByText('Limit what it can do').click()
  await pick(page, 'How long it works', 'Until a date…')
  await page.getByRole('dialog').getByLabel('Name').fill('Reader')
  await page.getByRole('dialog').getByRole('button', { name: 'Generate', exact: true }).click()
  await page.getByText('Please choose tomorrow').waitFor()
  await look('dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await look('cards')
  await page.getByRole('tab', { name: 'Settings' }).click()
  await look('settings')
  expect(found).toEqual([])
  expect(problems).toEqual([])
}, 120_000)
