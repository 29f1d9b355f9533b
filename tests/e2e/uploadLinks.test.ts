import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { restOf } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { ALL_LOOKS, FIRST_LOOK } from './support/looks.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

/** Upload links: their owner creates and watches them, visitors send files through them. */
const stage = setStage()

const directory = mkdtempSync(join(tmpdir(), 'skypool-send-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const OWNER = { permissions: ['clipboard-read', 'clipboard-write'] }
const MEBIBYTE = 1024 * 1024
const samples = tenSamples().slice(0, 2)
/** Refusals are answers, not faults of the page. */
const real = (problems: readonly string[]) => problems.filter((text) => !/status of (401|403|404|409|413)/.test(text))

type Link = { readonly id: string; readonly url: string }

async function makeFolder(page: Page, name: string): Promise<string> {
  const folder = await restOf(page, stage.url).json<{ id: string }>('POST', '/api/v1/files/folders', { name })
  return folder.id
}

function makeLink(page: Page, folderId: string, settings: object = {}): Promise<Link> {
  const body = { folderId, title: 'Harbour House: survey photos', ...settings }
  return restOf(page, stage.url).json<Link>('POST', '/api/v1/upload-links', body)
}

const choose = (page: Page) => page.locator('input[type=file]')

test('a folder is asked for files, a visitor sends some, the owner sees them and ends the link', async () => {
  const { page, problems } = await stage.person(undefined, OWNER)
  await makeFolder(page, 'Projects')
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Projects').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Request files' }).click()
  const dialog = page.getByRole('dialog', { name: 'Request files' })
  const title = dialog.getByLabel('Title that visitors see')
  // By keyboard alone: the focus is in the first field, and Enter creates the link.
  await expect.poll(() => title.evaluate((field) => field === document.activeElement)).toBe(true)
  // No mail is set up on this server: the switch says so instead of doing nothing.
  await dialog.getByText('This server sends no mail. What arrives is in the activity log.').waitFor()
  expect(await dialog.getByRole('switch', { name: /^Tell me when files arrive/ }).isDisabled()).toBe(true)
  await page.keyboard.type('Harbour House: survey photos')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Please send the photos of the quay wall.')
  await title.press('Enter')
  await page.getByText('Copied to clipboard').first().waitFor()
  await dialog.getByText(/No files yet/).waitFor()
  const url = await page.evaluate(() => navigator.clipboard.readText())
  expect(url).toMatch(new RegExp(`^${stage.url}/upload/drop_[0-9a-f]{32}$`))
  await dialog.getByRole('button', { name: 'Done' }).click()

  const guest = await stage.anonymous()
  const asked: string[] = []
  guest.page.on('request', (request) => asked.push(request.url()))
  await guest.page.goto(url)
  await guest.page.getByRole('heading', { level: 1, name: 'Harbour House: survey photos' }).waitFor()
  await guest.page.getByText('Maren Holt asks you for files').waitFor()
  expect(await guest.page.content()).not.toContain('Projects')
  // Files wait until the name is there.
  await dropFiles(guest.page, guest.page.getByRole('button', { name: 'Choose files to send' }), samples)
  await guest.page.getByText('Please enter your name.').waitFor()
  await guest.page.getByLabel('Your name').fill('Tove Lind')
  await guest.page.keyboard.press('Enter')
  const thanks = guest.page.getByRole('heading', { level: 1, name: 'Thank you, Tove Lind' })
  await thanks.waitFor()
  await expect.poll(() => thanks.evaluate((heading) => heading === document.activeElement)).toBe(true)
  await guest.page.getByText('2 files have arrived').waitFor()
  expect(asked.filter((address) => /graphql|auth\/me/.test(address))).toEqual([])

  await page.goto(`${stage.url}/file-manager/shared`)
  await item(page, 'Projects').getByRole('button', { name: 'Links to Projects' }).click()
  const section = page.getByRole('region', { name: 'Upload links' })
  await section.getByText(/2 files/).waitFor()
  await item(page, 'Projects').dblclick()
  await item(page, 'Tove Lind').dblclick()
  await item(page, samples[0]?.name ?? '').waitFor()
  await page.goto(`${stage.url}/settings`)
  await page
    .getByText(/A visitor named “Tove Lind” sent/)
    .first()
    .waitFor()

  await page.goto(`${stage.url}/file-manager/shared`)
  await item(page, 'Projects').getByRole('button', { name: 'Links to Projects' }).click()
  await section.getByRole('button', { name: 'End link' }).click()
  await section.getByRole('button', { name: 'End link' }).click()
  await item(page, 'Projects').waitFor({ state: 'detached' })
  await guest.page.reload()
  await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  expect(await guest.page.getByRole('button', { name: 'Choose files to send' }).count()).toBe(0)
  expect(real(guest.problems)).toEqual([])
  expect(problems).toEqual([])
})

test('an upload that a reload interrupts continues at its last byte when the same file is chosen again', async () => {
  const { page } = await stage.person()
  const link = await makeLink(page, await makeFolder(page, 'Large'))
  const path = join(directory, 'Point cloud.txt')
  writeFileSync(path, Buffer.alloc(40 * MEBIBYTE, 'point '))

  const guest = await stage.anonymous()
  // The second request of the upload does not get through. It is held back to the end of the test: without a route
  // the browser sends it, even after its page was left.
  let isInterrupted = true
  await guest.page.route('**/uploads/sent_*', (route) => {
    const isSecond = route.request().method() === 'PATCH' && route.request().headers()['upload-offset'] !== '0'
    return isSecond && isInterrupted ? undefined : route.continue()
  })
  await guest.page.goto(link.url)
  const second = guest.page.waitForRequest((request) => request.headers()['upload-offset'] === String(32 * MEBIBYTE))
  await choose(guest.page).setInputFiles(path)
  await second
  await guest.page.goto('about:blank')
  isInterrupted = false
  await guest.page.goto(link.url)
  await guest.page.getByText(/1 file did not arrive completely/).waitFor()
  const offsets: string[] = []
  guest.page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '')
  })
  await choose(guest.page).setInputFiles(path)
  await guest.page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor()
  expect(offsets).toEqual([String(32 * MEBIBYTE)])
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Large').dblclick()
  await item(page, 'Point cloud.txt').waitFor()
  expect(await item(page, 'Point cloud').count()).toBe(1)
})

test('a file that a link does not take is refused with the reason, and the others arrive', async () => {
  const { page } = await stage.person()
  const folderId = await makeFolder(page, 'Small')
  const link = await makeLink(page, folderId, { maxFileBytes: 1000, password: 'north wall' })
  const guest = await stage.anonymous()
  await guest.page.goto(link.url)
  await guest.page.getByLabel('Password', { exact: true }).fill('south wall')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByRole('alert').waitFor()
  expect(await guest.page.content()).not.toContain('Harbour House')
  await guest.page.getByLabel('Password', { exact: true }).fill('north wall')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByText('up to 1000 Bytes per file').waitFor()
  await expect.poll(() => guest.page.locator('h1:focus').count()).toBe(1)
  await choose(guest.page).setInputFiles([
    { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(2000, 'x') },
    { name: 'small.txt', mimeType: 'text/plain', buffer: Buffer.from('small') },
  ])
  await guest.page.getByText('This link takes files of at most 1000 Bytes.').waitFor()
  await guest.page.getByText('Arrived', { exact: true }).waitFor()
  await guest.page.getByRole('button', { name: 'Remove large.txt' }).click()
  const thanks = guest.page.getByRole('heading', { level: 1, name: 'Thank you' })
  await thanks.waitFor()
  await guest.page.reload()
  await thanks.waitFor()
  await guest.page.getByRole('listitem').filter({ hasText: 'small.txt' }).waitFor()
  expect(real(guest.problems)).toEqual([])
})

test('the dialog and the pages for visitors have no violation in either theme, wide and narrow', async () => {
  const { page } = await stage.person(undefined, FIRST_LOOK)
  const owner = examinerOfLooks(page, { prefix: 'upload-link-', looks: ALL_LOOKS })
  const folderId = await makeFolder(page, 'Projects')
  const openDialog = async () => {
    await page.goto(`${stage.url}/file-manager/my-drive`)
    await item(page, 'Projects')
      .getByRole('button', { name: /More actions|Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Request files' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Create link' })
      .or(page.getByRole('button', { name: 'New link' }))
      .first()
      .waitFor()
  }
  await openDialog()
  await page.getByLabel('Title that visitors see').waitFor()
  await owner.look('dialog')
  const expiresAt = new Date(Date.now() + 14 * 86_400_000).toISOString()
  const message = 'Please send the photos of the quay wall and the point cloud, if it is ready.'
  const settings = { message, expiresAt, maxBytes: 5 * 1024 ** 3, asksName: true }
  const link = await makeLink(page, folderId, settings)
  await openDialog()
  await page.getByRole('button', { name: 'Change' }).waitFor()
  await owner.look('links')
  expect(owner.found).toEqual([])

  const guest = await stage.anonymous(FIRST_LOOK)
  const { look, found } = examinerOfLooks(guest.page, { prefix: 'upload-link-', looks: ALL_LOOKS })
  await guest.page.goto(link.url)
  await guest.page.getByLabel('Your name').fill('Tove Lind')
  await look('page')
  await guest.page.route('**/uploads', (route) => {
    const isHeld = route.request().method() === 'POST' && route.request().headers()['upload-length'] === '94'
    return isHeld ? undefined : route.continue()
  })
  const text = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 'x') })
  await choose(guest.page).setInputFiles([text('Quay wall 01.txt', 18), text('Walk along the wall.txt', 94)])
  await guest.page.getByText('1 of 2 files arrived').waitFor()
  await look('sending')
  await guest.page.getByRole('button', { name: 'Cancel Walk along the wall.txt' }).click()
  await guest.page.getByRole('heading', { name: 'Thank you, Tove Lind' }).waitFor()
  await look('thanks')
  const locked = await makeLink(page, folderId, { password: 'north wall' })
  await guest.page.goto(locked.url)
  await guest.page.getByRole('heading', { name: 'This link is protected' }).waitFor()
  await look('password')
  await guest.page.goto(`${stage.url}/upload/nothing`)
  await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await look('ended')
  expect(found).toEqual([])
})
