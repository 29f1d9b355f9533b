import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect } from './support/connecting.ts'
import { startEmulatedServer } from './support/emulated.ts'
import { examiner } from './support/examine.ts'
import { downloadOf, item } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

/** The previews of PDFs need the viewer of the whole Chromium. */
const stage = setStage(startEmulatedServer, { full: true })

const MAREN = 'maren@post.example'
const GOOGLE = 'application/vnd.google-apps.'
const PATIENCE_MS = 90_000

async function command(name: string, more: object = {}): Promise<never> {
  const body = JSON.stringify({ user: MAREN, ...more })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/${name}`, { method: 'POST', body })
  return (await answer.json()) as never
}

/** Maren's account with documents, listed in Skypool. */
async function openAccount(page: Page): Promise<void> {
  const objects: { id: string }[] = await command('objects')
  for (const { id } of objects.toReversed()) await command('remove', { id })
  await command('plant', { name: 'Meeting notes, 12 November', mimeType: `${GOOGLE}document` })
  await command('plant', { name: 'Room schedule', mimeType: `${GOOGLE}spreadsheet` })
  await command('plant', { name: 'Survey', mimeType: `${GOOGLE}form` })
  await command('plant', { name: 'Long report', mimeType: `${GOOGLE}document`, exportBytes: 11 * 1024 ** 2 })
  await command('plant', { name: 'Walkthrough.mov', size: 1_200_000, mimeType: 'video/quicktime' })
  await command('plant', { name: 'Letter.txt', text: 'dear', mimeType: 'text/plain' })
  await page.goto(`${stage.url}/cloud-integration`)
  const account = await connect(page, MAREN, { everything: true })
  await account.getByText(/^6 entries/).waitFor({ timeout: PATIENCE_MS })
  await account.getByRole('link', { name: 'Open' }).click()
  await item(page, 'Meeting notes, 12 November').waitFor()
}

test('documents are previewed, and downloaded in a format, with the keyboard and from their details', async () => {
  const { page, problems } = await stage.person()
  await openAccount(page)

  await item(page, 'Meeting notes, 12 November').click()
  await page.keyboard.press('Shift+F10')
  const menu = page.getByRole('menu', { name: /^Actions for/ })
  await menu.getByRole('menuitem', { name: 'Open in Google Drive' }).waitFor()
  await menu.getByRole('menuitem', { name: 'Download as…' }).focus()
  await page.keyboard.press('ArrowRight')
  const formats = page.getByRole('menu', { name: 'Download as…' })
  await formats.getByRole('menuitem', { name: 'PDF (.pdf)' }).waitFor()
  expect(await formats.getByRole('menuitem').first().textContent()).toBe('Word (.docx)')
  const pdf = await downloadOf(page, async () => {
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  })
  expect(pdf.name).toBe('Meeting notes, 12 November.pdf')
  expect(pdf.bytes.toString()).toContain('Meeting notes, 12 November as application/pdf')

  await item(page, 'Room schedule').click()
  await page.keyboard.press('d')
  const properties = page.getByRole('region', { name: 'Properties' })
  await properties.getByRole('img', { name: 'No size' }).waitFor()
  await properties.getByRole('link', { name: 'Open in Google Drive' }).waitFor()
  const table = await downloadOf(page, async () => {
    await properties.getByRole('button', { name: 'Download as…' }).click()
    await page.getByRole('menuitem', { name: 'Excel (.xlsx)' }).click()
  })
  expect(table.name).toBe('Room schedule.xlsx')

  await item(page, 'Meeting notes, 12 November').dblclick()
  const preview = page.getByRole('dialog', { name: 'Preview' })
  await preview.locator('iframe[src^="blob:"]').waitFor()
  await preview.getByText('Google Doc').waitFor()
  await page.keyboard.press('Escape')

  await item(page, 'Survey').click({ button: 'right' })
  const disabled = page.getByRole('menuitem', { name: 'Download' })
  expect(await disabled.getAttribute('aria-description')).toBe('This document can only be opened at its provider.')
  await page.keyboard.press('Escape')

  // What Google does not convert is said, in the preview and by the download.
  problems.length = 0
  await item(page, 'Long report').dblclick()
  await preview.getByText(/^“Long report” is too large/).waitFor()
  await preview.getByRole('link', { name: 'Open in Google Drive' }).waitFor()
  expect(problems.filter((text) => !text.includes('413'))).toEqual([])
})

test('lists are narrowed to places, times and sizes, and the filters are removed one by one', async () => {
  const { page, problems } = await stage.person()
  await openAccount(page)
  await page.goto(`${stage.url}/file-manager`)
  const choose = async (name: string, choice: string | RegExp) => {
    await page.getByRole('toolbar', { name: 'Files' }).getByRole('button', { name, exact: true }).click()
    await page.getByRole('menuitemradio', { name: choice }).click()
  }
  await choose('Where', /Google Drive/)
  await item(page, 'Letter.txt').waitFor()
  await choose('Size', '1 to 10 MB')
  await item(page, 'Walkthrough.mov').waitFor()
  await item(page, 'Letter.txt').waitFor({ state: 'detached' })
  await item(page, 'Room schedule').waitFor({ state: 'detached' })
  await choose('Changed', 'Earlier')
  await page.getByText('No files match these filters').waitFor()
  await page.getByRole('button', { name: 'Remove filter Changed: Earlier' }).click()
  await item(page, 'Walkthrough.mov').waitFor()
  await page.reload()
  await item(page, 'Walkthrough.mov').waitFor()
  await page.getByRole('toolbar', { name: 'Files' }).getByRole('button', { name: 'Clear filters' }).click()
  await item(page, 'Letter.txt').waitFor()
  await choose('Where', 'Stored by Skypool')
  await item(page, 'Letter.txt').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test.each(LOOKS)(
  'documents and filters, in $theme at $width px',
  async ({ label, options }) => {
    const { page } = await stage.person(undefined, options)
    await openAccount(page)
    const { look, found } = examiner(page, label, 'documents-')
    await look('list')
    await item(page, 'Meeting notes, 12 November').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Download as…' }).click()
    await page.getByRole('menuitem', { name: 'Word (.docx)' }).waitFor()
    await look('menu')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.goto(`${stage.url}/file-manager?q=e&changed=year&type=document`)
    await item(page, 'Meeting notes, 12 November').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).waitFor()
    await look('filters')
    await item(page, 'Meeting notes, 12 November').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Details' }).click()
    await page.getByRole('region', { name: 'Properties' }).getByRole('button', { name: 'Download as…' }).waitFor()
    await look('details')
    const id = await item(page, 'Meeting notes, 12 November').first().getAttribute('data-id')
    await page.goto(`${stage.url}/file-manager?preview=${id}`)
    await page.getByRole('dialog', { name: 'Preview' }).locator('iframe').waitFor()
    await look('preview')
    expect(found).toEqual([])
  },
  240_000,
)
