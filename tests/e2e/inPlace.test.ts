import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect as connectByRest } from '../tools/demo/skypool.ts'
import { card, connect } from './support/connecting.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { downloadOf, item } from './support/fileManager.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const DOCUMENT = 'application/vnd.google-apps.document'
/** A change at the provider is seen within 30 s, and the machine may be slow. */
const PATIENCE_MS = 90_000

const plant = async (file: object): Promise<string> => {
  const body = JSON.stringify({ user: MAREN, ...file })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/plant`, { method: 'POST', body })
  return ((await answer.json()) as { id: string }).id
}

async function connected(page: Page): Promise<void> {
  await connectByRest(restOf(page, stage.url), 'google', 'Private', MAREN)
}

test('what an account holds is shown, found, opened, downloaded and copied, and follows the account', async () => {
  const folder = await plant({ name: 'Travel', mimeType: 'application/vnd.google-apps.folder' })
  const plan = await plant({ name: 'Plan of the house.txt', text: 'the north wall', mimeType: 'text/plain' })
  await plant({ name: 'Ticket.txt', text: 'from Oslo', mimeType: 'text/plain', parent: folder })
  await plant({ name: 'Diary', mimeType: DOCUMENT })
  const { page, problems } = await stage.person()
  await connected(page)
  await page.goto(`${stage.url}/cloud-integration`)

  const account = card(page, `Private - ${MAREN}`)
  await account.getByText('Shows only what Skypool stores here.').waitFor()
  await account.getByRole('button', { name: 'Show everything in Private' }).click()
  await account.getByText(/^4 entries/).waitFor({ timeout: PATIENCE_MS })
  const open = account.getByRole('link', { name: 'Open' })
  expect(await open.evaluate((link) => link === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Private' }).waitFor()
  for (const name of ['Travel', 'Plan of the house.txt', 'Diary']) await item(page, name).waitFor()

  await item(page, 'Diary').click()
  await page.keyboard.press('d')
  await page.getByText('In the account Private, under its own name.').waitFor()
  await item(page, 'Diary').waitFor()

  const { bytes } = await downloadOf(page, async () => {
    await item(page, 'Plan of the house.txt').click({ button: 'right' })
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem', { name: 'Open in Google Drive' }).waitFor()
    await menu.getByRole('menuitem', { name: 'Download' }).click()
  })
  expect(bytes.toString()).toBe('the north wall')

  await stage.server.command('google', 'alter', {
    user: MAREN,
    id: plan,
    name: 'Plan of the barn.txt',
    text: 'the barn',
  })
  await item(page, 'Plan of the barn.txt').waitFor({ timeout: PATIENCE_MS })
  await item(page, 'Plan of the house.txt').waitFor({ state: 'detached' })
  await stage.server.command('google', 'remove', { id: plan })
  await item(page, 'Plan of the barn.txt').waitFor({ state: 'detached', timeout: PATIENCE_MS })

  await page.goto(`${stage.url}/file-manager?q=ticket`)
  await item(page, 'Ticket.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Copy to…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Copy \d/ })
    .click()
  await page.locator('[data-sonner-toast]').filter({ hasText: 'Copied “Ticket.txt”' }).first().waitFor()
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Ticket.txt').waitFor()
  await item(page, 'Private').waitFor()

  await page.goto(`${stage.url}/cloud-integration`)
  await account.getByRole('button', { name: 'Index settings of Private' }).click()
  const settings = page.getByRole('dialog', { name: 'Index settings' })
  await settings.getByRole('radio', { name: /Only what Skypool stores/ }).check()
  await settings.getByRole('button', { name: 'Save' }).click()
  await account.getByText('Shows only what Skypool stores here.').waitFor()
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Ticket.txt').waitFor()
  await item(page, 'Private').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

/** Everything that the person has at Google. */
async function objects(): Promise<{ id: string; path: string; trashed: boolean }[]> {
  const body = JSON.stringify({ user: MAREN })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/objects`, { method: 'POST', body })
  return (await answer.json()) as { id: string; path: string; trashed: boolean }[]
}

/** Paths of what is not in Google's trash. */
const atGoogle = async () => (await objects()).flatMap(({ path, trashed }) => (trashed ? [] : path)).sort()

test('what an account holds is renamed, moved, put into the trash and taken back, with the keyboard', async () => {
  for (const { id } of (await objects()).reverse()) await stage.server.command('google', 'remove', { id })
  await plant({ name: 'Archive', mimeType: 'application/vnd.google-apps.folder' })
  await plant({ name: 'Offer.txt', text: 'an offer', mimeType: 'text/plain' })
  const { page, problems } = await stage.person()
  await page.goto(`${stage.url}/cloud-integration`)
  const account = await connect(page, MAREN, { everything: true })
  await account.getByText(/^2 entries/).waitFor({ timeout: PATIENCE_MS })
  await account.getByRole('link', { name: 'Open' }).click()

  await item(page, 'Offer.txt').click()
  await page.keyboard.press('F2')
  const field = page.getByRole('textbox', { name: /name/i })
  await field.fill('Offer 2027.txt')
  await page.keyboard.press('Enter')
  await item(page, 'Offer 2027.txt').waitFor()
  await expect.poll(atGoogle).toEqual(['/Archive', '/Offer 2027.txt'])

  await page.keyboard.press('Control+x')
  await item(page, 'Archive').focus()
  await page.keyboard.press('Enter')
  await page.getByText('This folder is empty').first().waitFor()
  await page.keyboard.press('Control+v')
  await item(page, 'Offer 2027.txt').waitFor()
  await expect.poll(atGoogle).toEqual(['/Archive', '/Archive/Offer 2027.txt'])

  await item(page, 'Offer 2027.txt').click()
  await page.keyboard.press('Delete')
  await item(page, 'Offer 2027.txt').waitFor({ state: 'detached' })
  await expect.poll(atGoogle).toEqual(['/Archive'])
  await page.keyboard.press('Control+z')
  await item(page, 'Offer 2027.txt').waitFor()
  await expect.poll(atGoogle).toEqual(['/Archive', '/Archive/Offer 2027.txt'])

  await page.keyboard.press('n')
  await page.getByRole('textbox', { name: /name/i }).fill('Old')
  await page.keyboard.press('Enter')
  await item(page, 'Old').waitFor()
  await expect.poll(atGoogle).toContain('/Archive/Old')

  await item(page, 'Offer 2027.txt').click()
  await page.keyboard.press('Delete')
  await expect.poll(atGoogle).toEqual(['/Archive', '/Archive/Old'])
  await page.goto(`${stage.url}/file-manager/trash`)
  await item(page, 'Offer 2027.txt').click()
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' }).click()
  await item(page, 'Offer 2027.txt').waitFor({ state: 'detached' })
  await expect.poll(objects).toHaveLength(2)
  expect(problems).toEqual([])
})

test('an account that is shown, in each look', async () => {
  await plant({ name: 'Photos', mimeType: 'application/vnd.google-apps.folder' })
  await plant({ name: 'Budget.csv', text: 'a,b', mimeType: 'text/csv' })
  await plant({ name: 'Letter', mimeType: DOCUMENT })
  const { page } = await stage.person(undefined, FIRST_LOOK)
  await connected(page)
  await page.goto(`${stage.url}/cloud-integration`)
  const { look, found } = examinerOfLooks(page, { prefix: 'in-place-' })
  const account = card(page, `Private - ${MAREN}`)
  await account.getByRole('button', { name: 'Show everything in Private' }).waitFor()
  await look('own')
  await account.getByRole('button', { name: 'Show everything in Private' }).click()
  await account.getByText(/entries · checked/).waitFor({ timeout: PATIENCE_MS })
  await look('card')
  await account.getByRole('link', { name: 'Open' }).click()
  await item(page, 'Budget.csv').first().waitFor()
  await look('list')
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Private').waitFor()
  await look('root')
  expect(found).toEqual([])
}, 240_000)
