import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect } from './support/connecting.ts'
import { startEmulatedServer } from './support/emulated.ts'
import { examiner } from './support/examine.ts'
import { item } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

/** Copying and moving between an account and My Drive, as a job. */
const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const FOLDER = 'application/vnd.google-apps.folder'
const PATIENCE_MS = 90_000
const FILES = 60

async function control<Answer>(command: string, body: object): Promise<Answer> {
  const url = `${stage.server.emulatorUrl}/__control/google/${command}`
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ user: MAREN, ...body }) })
  return (await answer.json()) as Answer
}

const plant = async (file: object) => (await control<{ id: string }>('plant', file)).id

/** Paths at Google, with what is in the trash marked. */
async function atGoogle(): Promise<string[]> {
  const objects = await control<{ path: string; trashed: boolean }[]>('objects', {})
  return objects.map(({ path, trashed }) => (trashed ? `${path} (trash)` : path)).sort()
}

const throttle = (bytesPerSecond: number | null) =>
  stage.server.command('google', 'throttle', { user: MAREN, bytesPerSecond })

/** A folder with another one, and a file that takes half a minute while the account is slow; nothing else. */
async function plantPhotos(files: number): Promise<void> {
  const before = await control<{ id: string }[]>('objects', {})
  for (const { id } of before.reverse()) await stage.server.command('google', 'remove', { id })
  const photos = await plant({ name: 'Photos', mimeType: FOLDER })
  const summer = await plant({ name: 'Summer', mimeType: FOLDER, parent: photos })
  for (let number = 1; number <= files; number += 1) {
    const name = `IMG ${String(number).padStart(3, '0')}.txt`
    await plant({ name, text: `photo ${number}`, mimeType: 'text/plain', parent: number % 2 ? photos : summer })
  }
  await plant({ name: 'Film.txt', text: 'film '.repeat(400_000), mimeType: 'text/plain', parent: photos })
}

async function openAccount(page: Page, entries: number): Promise<void> {
  await page.goto(`${stage.url}/cloud-integration`)
  const account = await connect(page, MAREN, { everything: true })
  await account.getByText(new RegExp(`^${entries} entries`)).waitFor({ timeout: PATIENCE_MS })
  await account.getByRole('link', { name: 'Open' }).click()
  await item(page, 'Photos').waitFor()
}

async function openMoveDialog(page: Page) {
  await item(page, 'Photos').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Go to the parent folder' }).click()
  await dialog.getByRole('heading', { name: 'What will happen' }).waitFor()
  return dialog
}

const said = (page: Page, text: string) => page.locator('[data-sonner-toast]').filter({ hasText: text }).first()

test('a folder of an account is moved to My Drive as a job that is paused, reloaded and resumed, and a file moved back', async () => {
  await plantPhotos(FILES)
  await plant({ name: 'Archive', mimeType: FOLDER })
  const { page, problems } = await stage.person()
  await openAccount(page, FILES + 4)
  const dialog = await openMoveDialog(page)
  await dialog.getByRole('heading', { name: 'Move “Photos”' }).waitFor()
  await dialog
    .getByRole('button', { name: /^Private/ })
    .locator('span[style*="--h:"]')
    .waitFor()
  await dialog.getByText(`${FILES + 1} files in 2 folders. The tree and the dates are kept.`).waitFor()
  await dialog.getByText(/^Originals go to the trash of “/).waitFor()
  await throttle(64 * 1024)
  await dialog.getByRole('button', { name: /^Move \d/ }).click()

  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByRole('button', { name: 'Pause Photos' }).click()
  await panel.getByText('Paused').waitFor()
  await page.reload()
  await panel.getByText('Paused').waitFor()
  expect(await atGoogle()).toContain('/Photos')
  await throttle(null)
  await panel.getByRole('button', { name: 'Resume Photos' }).click()
  await said(page, 'Moved “Photos”').waitFor({ timeout: PATIENCE_MS })
  expect(await atGoogle()).toContain('/Photos (trash)')

  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Photos').dblclick()
  for (const name of ['Summer', 'Film.txt', 'IMG 001.txt']) await item(page, name).waitFor()

  // Back into the account, with the keyboard alone.
  await item(page, 'IMG 001.txt').focus()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Move to…' }).press('Enter')
  await dialog.getByRole('button', { name: 'Go to the parent folder' }).press('Enter')
  await dialog.getByRole('button', { name: /^Private/ }).press('Enter')
  await dialog.getByRole('button', { name: 'Archive' }).press('Enter')
  await dialog.getByText(/^Stored in “/).waitFor()
  await dialog.getByRole('button', { name: /^Move \d/ }).press('Enter')
  await said(page, 'Moved “IMG 001.txt”').waitFor({ timeout: PATIENCE_MS })
  await item(page, 'IMG 001.txt').waitFor({ state: 'detached' })
  expect(await atGoogle()).toContain('/Archive/IMG 001.txt')
  expect(problems).toEqual([])
})

test.each(LOOKS)(
  'the dialog and the panel of a job, in $theme at $width px',
  async ({ label, options }) => {
    await plantPhotos(4)
    const document = 'application/vnd.google-apps.document'
    await plant({ name: 'Diary', mimeType: document })
    const { page } = await stage.person(undefined, options)
    const { look, found } = examiner(page, label, 'jobs-')
    await page.goto(`${stage.url}/cloud-integration`)
    const account = await connect(page, MAREN, { everything: true })
    await account.getByText(/entries · checked/).waitFor({ timeout: PATIENCE_MS })
    await account.getByRole('link', { name: 'Open' }).click()
    const dialog = await openMoveDialog(page)
    await dialog.getByText(/^Originals go to the trash of “/).waitFor()
    await look('dialog')
    await throttle(64 * 1024)
    await dialog.getByRole('button', { name: /^Move \d/ }).click()
    if (options.viewport.width < 768) await page.getByRole('button', { name: /in progress/ }).click()
    const panel = page.getByRole('region', { name: 'Transfers' })
    await panel.getByRole('button', { name: 'Pause Photos' }).waitFor()
    await look('panel')
    await panel.getByRole('button', { name: 'Cancel Photos' }).click()
    await throttle(null)
    expect(found).toEqual([])
  },
  300_000,
)
