import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { screenshot } from './support/browser.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { startServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

/** The app as it is on phones and desktops that have installed it. */

// The headless shell knows nothing of installing.
const stage = setStage(startServer, { full: true })

const allowed = { serviceWorkers: 'allow' } as const

/** Loads the page once more, under the service worker. */
async function underWorker(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
}

type Shared = { readonly name: string; readonly type: string; readonly text: string }

/** What another app does that shares files with this one. */
async function shareFiles(page: Page, files: readonly Shared[], leadsTo = /\/file-manager/): Promise<void> {
  await page.evaluate((sent) => {
    const form = document.createElement('form')
    form.method = 'post'
    form.action = '/share-target'
    form.enctype = 'multipart/form-data'
    const input = document.createElement('input')
    input.type = 'file'
    input.name = 'files'
    input.multiple = true
    const transfer = new DataTransfer()
    for (const { name, type, text } of sent) transfer.items.add(new File([text], name, { type }))
    input.files = transfer.files
    form.append(input)
    document.body.append(form)
    form.submit()
  }, files)
  await page.waitForURL(leadsTo)
}

test('it can be installed', async () => {
  const { page } = await stage.person('/file-manager/my-drive', allowed)
  await underWorker(page)
  const session = await page.context().newCDPSession(page)
  const { manifest, errors } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  expect(manifest).toMatchObject({ name: 'Skypool', startUrl: `${stage.url}/file-manager` })
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  // A profile that is thrown away after the test installs nothing.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
})

test('it opens without a connection, says so, and goes on when there is one again', async () => {
  const { page, context } = await stage.person('/file-manager/my-drive', allowed)
  await page.getByText('My Drive is empty').waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples().slice(0, 2))
  await item(page, 'Harbour view').waitFor()
  await underWorker(page)
  await item(page, 'Harbour view').waitFor()
  await context.setOffline(true)
  await page.reload()
  await page.getByText('You are offline').waitFor()
  await screenshot(page, 'installed-offline')
  await context.setOffline(false)
  await item(page, 'Harbour view').waitFor()
})

test('nothing that belongs to a person is kept for the time without a connection', async () => {
  const { page } = await stage.person('/file-manager/my-drive', allowed)
  await page.getByText('My Drive is empty').waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples().slice(0, 2))
  await item(page, 'Harbour view').waitFor()
  await underWorker(page)
  await item(page, 'Harbour view').waitFor()
  const kept = await page.evaluate(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })
  expect(kept).toContain('/')
  expect(kept.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([])
})

test('files that another app shares are offered for uploading', async () => {
  const { page, problems } = await stage.person('/file-manager/my-drive', allowed)
  await underWorker(page)
  await shareFiles(page, [
    { name: 'Größe & Weite.txt', type: 'text/plain', text: 'wide' },
    { name: 'note.md', type: 'text/markdown', text: '# Note' },
  ])
  const dialog = page.getByRole('dialog', { name: 'Upload Files' })
  await dialog.getByText('Größe & Weite.txt').waitFor()
  await screenshot(page, 'installed-received')
  await dialog.getByRole('button', { name: /^Upload/ }).click()
  await page.getByText('Successfully uploaded 2 file(s)').waitFor()
  await dialog
    .getByRole('button', { name: 'Cancel' })
    .or(dialog.getByRole('button', { name: 'Close' }))
    .first()
    .click()
  await item(page, 'note.md').waitFor()
  // They are given once.
  await page.goto(`${stage.url}/share-target`)
  await page.getByText('No files arrived').waitFor()
  expect(problems).toEqual([])
})

test('files that were shared before somebody signs in are offered afterwards', async () => {
  const { page, context, person } = await stage.person('/file-manager/my-drive', allowed)
  await underWorker(page)
  await context.clearCookies()
  await page.goto(`${stage.url}/login`)
  await page.getByLabel('Email').waitFor()
  await shareFiles(page, [{ name: 'later.txt', type: 'text/plain', text: 'later' }], /\/login\?/)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Upload Files' }).getByText('later.txt').waitFor()
})

test('on a phone a picture can be taken and uploaded', async () => {
  const { page } = await stage.person('/file-manager/my-drive', { viewport: { width: 390, height: 844 } })
  await page.getByText('My Drive is empty').waitFor()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload Files' })
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Take a picture' }).click()
  const [picture] = tenSamples()
  if (!picture) throw new Error('There is no sample.')
  await (await chooser).setFiles({ name: 'image.jpg', mimeType: 'image/jpeg', buffer: picture.bytes })
  await dialog.getByText('image.jpg').waitFor()
  await screenshot(page, 'installed-camera')
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await item(page, 'image.jpg').waitFor()
})

test('one file can be dragged out of the page to the desktop', async () => {
  const { page } = await stage.person('/file-manager/my-drive')
  await page.getByText('My Drive is empty').waitFor()
  const sample = tenSamples().find(({ type }) => type === 'text/plain')
  if (!sample) throw new Error('There is no sample.')
  await dropFiles(page, page.getByRole('main'), [{ ...sample, name: 'Plan: 2026.txt' }])
  const row = item(page, 'Plan: 2026.txt')
  const offered = await row.evaluate((element) => {
    const transfer = new DataTransfer()
    element.dispatchEvent(new DragEvent('dragstart', { bubbles: true, dataTransfer: transfer }))
    element.dispatchEvent(new DragEvent('dragend', { bubbles: true }))
    return transfer.getData('DownloadURL')
  })
  const [, name, url] = /^text\/plain:([^:]*):(http.*)$/.exec(offered) ?? []
  expect(name).toBe('Plan_ 2026.txt')
  const response = await page.request.get(url ?? '')
  expect(await response.body()).toEqual(sample.bytes)
})
