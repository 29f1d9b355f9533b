import type { Locator, Page } from 'playwright-core'
import { describe, expect, vi } from 'vitest'
import { formatBytes } from '../../web/lib/formatBytes.ts'
import { startEmulatedServer } from '../e2e/support/emulated.ts'
import { item } from '../e2e/support/fileManager.ts'
import { mp4 } from '../e2e/support/samples.ts'
import { setStage } from '../e2e/support/stage.ts'
import { line } from './line.ts'
import { toastOf } from './support.ts'

// Unset, files of every type are accepted.
const stage = setStage(() => startEmulatedServer({ UPLOAD_TYPES: 'documents' }))

type Chosen = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }

const text = (name: string, content = 'north wall'): Chosen => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

function film(name: string, size: number): Chosen {
  const { type, bytes } = mp4(name, size)
  return { name, mimeType: type, buffer: bytes }
}

async function openDialog(options = {}): Promise<{ page: Page; dialog: Locator }> {
  const { page } = await stage.person('/file-manager', options)
  // Small screens have no sidebar: there it is the button of the empty list.
  const upload = page.getByRole('button', { name: /^Upload (Files|to this server)$/ }).first()
  await upload.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Select Group Cloud').waitFor()
  return { page, dialog }
}

const choose = (dialog: Locator, ...files: Chosen[]) => dialog.locator('input[type=file]').setInputFiles(files)
const uploadButton = (dialog: Locator) => dialog.getByRole('button', { name: /^(Upload|Uploading\.\.\.|Uploaded)$/ })
const list = (dialog: Locator) => dialog.getByRole('list', { name: 'Files to upload' })

/** Uploads go on only when let: what a slow line shows for long. */
async function holdUploads(page: Page): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/api\/v1\/uploads\b/, async (route) => {
    await released
    await route.continue()
  })
  return release
}

describe('the upload dialog', () => {
  line('2.37', async () => {
    const { page, dialog } = await openDialog()
    await dialog.getByText('Select Group Cloud', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: /\(Default\)/ }).waitFor()
    await page.route('**/graphql', async (route) => {
      if (route.request().headers().accept?.startsWith('text/event-stream')) return route.continue()
      const response = await route.fetch()
      const body = await response.text()
      await route.fulfill({
        response,
        body: body.replaceAll('"defaultUploadGroup":true', '"defaultUploadGroup":false'),
      })
    })
    await page.reload()
    await page.getByRole('button', { name: 'Upload Files' }).first().click()
    await dialog.getByText('Select a group cloud', { exact: true }).waitFor()
  })

  line('2.38', async () => {
    const { page, dialog } = await openDialog()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByText('Drag and drop files here or click to browse').click(),
    ])
    await chooser.setFiles([text('a.txt')])
    await list(dialog).getByText('a.txt').waitFor()
    await dialog.getByText(/^Total: 1 file/).waitFor()
  })

  line('2.39', async () => {
    const { dialog } = await openDialog()
    await dialog.getByText('Drag and drop files here or click to browse').waitFor()
    const hint = "Drag 'n' drop files here, or click to select files"
    expect(await dialog.getByText(hint).count()).toBe(1)
  })

  line('2.40', async () => {
    const { page, dialog } = await openDialog()
    await dialog.getByText('Supports images, PDFs, videos, audio, and documents').waitFor()
    const dataTransfer = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'a.txt', { type: 'text/plain' }))
      return data
    })
    await dialog.getByRole('button', { name: 'Drag and drop files here' }).dispatchEvent('dragenter', { dataTransfer })
    await dialog.getByText('Drop the files here...').waitFor()
  })

  line('2.41', async () => {
    const { dialog } = await openDialog()
    await choose(dialog, text('a.txt'), text('b.txt', 'x'.repeat(2048)))
    await dialog.getByText('Files to upload (2)').waitFor()
    const row = list(dialog).getByRole('listitem').filter({ hasText: 'b.txt' })
    await row.getByText('2.00 KB').waitFor()
    expect(await row.getByTestId('file-icon').count()).toBe(1)
    await row.getByRole('button', { name: 'Remove b.txt' }).click()
    await dialog.getByText('Files to upload (1)').waitFor()
  })

  line('2.42', async () => {
    const { page, dialog } = await openDialog()
    const release = await holdUploads(page)
    await choose(dialog, film('flight.mp4', 200_000))
    await uploadButton(dialog).click()
    await list(dialog).getByRole('progressbar', { name: 'Progress of flight.mp4' }).waitFor()
    release()
    await list(dialog).getByText('Uploaded').waitFor()
  })

  line('2.43', async () => {
    const many = Array.from({ length: 12 }, (_, index) => text(`file ${index}.txt`))
    for (const [width, rems] of [
      [390, 10],
      [1440, 15],
    ] as const) {
      const { page, dialog } = await openDialog({ viewport: { width, height: 900 } }).catch(async () => {
        throw new Error('The dialog did not open.')
      })
      await choose(dialog, ...many)
      await dialog.getByText('Files to upload (12)').waitFor()
      const rem = await page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
      const [height, scrolls] = await list(dialog).evaluate((ul) => [
        ul.clientHeight,
        ul.scrollHeight > ul.clientHeight,
      ])
      expect([height, scrolls]).toEqual([rems * rem, true])
    }
  })

  line('2.44', async () => {
    const { page, dialog } = await openDialog()
    const release = await holdUploads(page)
    await choose(dialog, text('a.txt', 'x'.repeat(1024)), text('b.txt', 'x'.repeat(512)))
    await dialog.getByText('Total: 2 file(s) (1.50 KB)').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
    await uploadButton(dialog).click()
    await dialog.getByRole('button', { name: 'Uploading...' }).waitFor()
    release()
    await dialog.getByRole('button', { name: 'Uploaded' }).waitFor()
  })

  line('4.5', async () => {
    const { page, dialog } = await openDialog()
    await dialog.getByRole('button', { name: /\(Default\)/ }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    const made = await page.request.post(`${stage.url}/api/v1/group-clouds`, {
      data: { name: 'Archive' },
      headers: { origin: stage.url },
    })
    expect(made.status()).toBe(201)
    await page.getByRole('button', { name: 'Upload Files' }).first().click()
    await dialog.getByRole('button', { name: /\(Default\)/ }).waitFor()
    // A press on what still moves into its place would end beside it, and open nothing.
    await dialog.evaluate((element) =>
      Promise.all(element.getAnimations({ subtree: true }).map((each) => each.finished)),
    )
    // The list closes when the new group cloud arrives by the live stream while it is open.
    const option = page.getByRole('option', { name: /Archive/ })
    await vi.waitFor(async () => {
      if (!(await option.isVisible())) await dialog.getByRole('button', { name: /\(Default\)/ }).click()
      await option.click({ timeout: 2_000 })
    }, 120_000)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Upload Files' }).first().click()
    await dialog.getByRole('button', { name: /Archive/ }).waitFor()
  })

  line('4.6', async () => {
    const { page, dialog } = await openDialog()
    const release = await holdUploads(page)
    await choose(dialog, film('flight.mp4', 100_000))
    await uploadButton(dialog).click()
    const bar = list(dialog).getByRole('progressbar')
    await bar.waitFor()
    expect(await bar.getAttribute('aria-valuenow')).toBe('0')
    release()
    await list(dialog).getByText('Uploaded').waitFor()
  })

  line('4.7', async () => {
    const { page, dialog } = await openDialog()
    await choose(dialog, text('a.txt'), text('b.txt'))
    await uploadButton(dialog).click()
    await toastOf(page, 'Upload Complete', 'Successfully uploaded 2 file(s) to My Cloud').waitFor()
  })

  line('4.8', async () => {
    const { page, dialog } = await openDialog()
    expect(await uploadButton(dialog).isDisabled()).toBe(true)
    const release = await holdUploads(page)
    await choose(dialog, text('a.txt'))
    expect(await uploadButton(dialog).isEnabled()).toBe(true)
    await uploadButton(dialog).click()
    await expect.poll(() => uploadButton(dialog).isDisabled()).toBe(true)
    release()
    await dialog.getByRole('button', { name: 'Uploaded' }).waitFor()
    expect(await uploadButton(dialog).isDisabled()).toBe(true)
  })

  line('4.9', async () => {
    const { page, dialog } = await openDialog()
    await holdUploads(page)
    await choose(dialog, text('a.txt'))
    await uploadButton(dialog).click()
    await expect.poll(() => dialog.getByRole('button', { name: 'Remove a.txt' }).isDisabled()).toBe(true)
    expect(await dialog.getByRole('button', { name: /\(Default\)/ }).isDisabled()).toBe(true)
  })

  line('5.1', async () => {
    const { dialog } = await openDialog()
    const office = 'application/vnd.openxmlformats-officedocument'
    const taken: Chosen[] = [
      { ...text('a.png'), mimeType: 'image/png' },
      { ...text('a.pdf'), mimeType: 'application/pdf' },
      { ...text('a.mp4'), mimeType: 'video/mp4' },
      { ...text('a.mp3'), mimeType: 'audio/mpeg' },
      text('a.txt'),
      { ...text('a.docx'), mimeType: `${office}.wordprocessingml.document` },
      { ...text('a.xlsx'), mimeType: `${office}.spreadsheetml.sheet` },
      { ...text('a.pptx'), mimeType: `${office}.presentationml.presentation` },
    ]
    await choose(dialog, ...taken, { ...text('a.exe'), mimeType: 'application/x-msdownload' })
    await dialog.getByText('Files to upload (8)').waitFor()
    await dialog.getByText('this type of file is not accepted here.').waitFor()
    expect(await dialog.locator('input[type=file]').getAttribute('multiple')).not.toBeNull()
  })

  line('5.2', async () => {
    const { dialog } = await openDialog()
    expect(await uploadButton(dialog).isDisabled()).toBe(true)
    await choose(dialog, text('a.txt'))
    expect(await uploadButton(dialog).isEnabled()).toBe(true)
  })

  line('5.3', async () => {
    const { page, dialog } = await openDialog()
    await holdUploads(page)
    await choose(dialog, text('a.txt'))
    await uploadButton(dialog).click()
    const bar = list(dialog).getByRole('progressbar')
    await bar.waitFor()
    const [now, max] = await bar.evaluate((element) => [element.ariaValueNow, element.ariaValueMax].map(Number))
    expect(max).toBe(100)
    expect(now).toBeGreaterThanOrEqual(0)
    expect(now).toBeLessThanOrEqual(100)
  })
})

describe('sizes', () => {
  line('5.4', () => {
    expect([0, 512, 1536, 5 * 1024 ** 2, 1.25 * 1024 ** 3, 2 * 1024 ** 4].map(formatBytes)).toEqual([
      '0 Bytes',
      '512 Bytes',
      '1.50 KB',
      '5.00 MB',
      '1.25 GB',
      '2.00 TB',
    ])
  })

  line('9.7', () => {
    expect(formatBytes(1024)).toBe('1.00 KB')
    expect(formatBytes(1000)).toBe('1000 Bytes')
  })
})

describe('what was read stays read', () => {
  /** The operations that the page asks from now on, by name. */
  function watch(page: Page): string[] {
    const asked: string[] = []
    page.on('request', (request) => {
      if (!request.url().endsWith('/graphql')) return
      asked.push((request.postDataJSON() as { operationName?: string } | null)?.operationName ?? '')
    })
    return asked
  }

  async function pageWithFile(): Promise<Page> {
    const { page } = await stage.person('/privacy-policy')
    await page.request.post(`${stage.url}/api/v1/files`, {
      multipart: { file: text('plan.txt') },
      headers: { origin: stage.url },
    })
    await page.goto(`${stage.url}/file-manager`)
    await item(page, 'plan.txt').waitFor()
    return page
  }

  line('9.3', async () => {
    const page = await pageWithFile()
    await page.getByRole('link', { name: 'Starred' }).click()
    await page.getByRole('heading', { level: 1, name: 'Starred' }).waitFor()
    const asked = watch(page)
    await page.getByRole('link', { name: 'All Files' }).click()
    await item(page, 'plan.txt').waitFor()
    expect(asked.filter((name) => /page/i.test(name))).toEqual([])
    await page.request.post(`${stage.url}/api/v1/files`, {
      multipart: { file: text('elsewhere.txt') },
      headers: { origin: stage.url },
    })
    await item(page, 'elsewhere.txt').waitFor()
  })

  line('7.35', async () => {
    const page = await pageWithFile()
    await page.getByRole('button', { name: 'Upload Files' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Select Group Cloud').waitFor()
    await choose(dialog, text('second.txt'))
    await uploadButton(dialog).click()
    await dialog.getByRole('button', { name: 'Uploaded' }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await item(page, 'second.txt').waitFor()
    await item(page, 'second.txt').click()
    await page.keyboard.press('Delete')
    await item(page, 'second.txt').waitFor({ state: 'detached' })
  })

  /** Opens the details and hears how often they are asked for. */
  async function withDetails(page: Page): Promise<{ asked: () => number; select: (name: string) => Promise<void> }> {
    const names = watch(page)
    const select = (name: string) => item(page, name).click()
    await select('plan.txt')
    await page.keyboard.press('d')
    await page.getByRole('complementary', { name: 'Details' }).getByText('plan.txt').first().waitFor()
    return { asked: () => names.filter((name) => name === 'OneDetailsQuery').length, select }
  }

  line('9.4', async () => {
    const page = await pageWithFile()
    for (const name of ['other.txt', 'third.txt']) {
      await page.request.post(`${stage.url}/api/v1/files`, {
        multipart: { file: text(name) },
        headers: { origin: stage.url },
      })
      await item(page, name).waitFor()
    }
    const { asked, select } = await withDetails(page)
    const panel = page.getByRole('complementary', { name: 'Details' })
    await select('other.txt')
    await panel.getByText('other.txt').first().waitFor()
    const before = asked()
    await select('plan.txt')
    await panel.getByText('plan.txt').first().waitFor()
    expect(asked()).toBe(before)
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as { operationName?: string }
      await (operationName === 'OneDetailsQuery' ? route.abort() : route.continue())
    })
    const failing = asked()
    await select('third.txt')
    await panel.getByText('This could not be loaded.').waitFor()
    expect(asked() - failing).toBe(3)
    await page.unroute('**/graphql')
    await page.clock.setFixedTime(Date.now() + 61_000)
    const last = asked()
    await select('other.txt')
    await expect.poll(asked).toBe(last + 1)
  })

  line('9.6', async () => {
    const page = await pageWithFile()
    const moments: { name: string; at: number }[] = []
    page.on('request', (request) => {
      const url = request.url()
      if (url.includes('/api/v1/uploads')) moments.push({ name: 'upload', at: Date.now() })
      if (!url.endsWith('/graphql')) return
      const { operationName = '' } = request.postDataJSON() as { operationName?: string }
      if (/page/i.test(operationName)) moments.push({ name: 'list', at: Date.now() })
    })
    await page.getByRole('button', { name: 'Upload Files' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Select Group Cloud').waitFor()
    await choose(dialog, text('second.txt'))
    await uploadButton(dialog).click()
    await item(page, 'second.txt').waitFor({ state: 'attached' })
    const sent = moments.findLast(({ name }) => name === 'upload')?.at ?? 0
    const read = moments.find(({ name, at }) => name === 'list' && at >= sent)?.at ?? 0
    expect(read - sent).toBeGreaterThanOrEqual(340)
  })

  line('8.13', async () => {
    const page = await pageWithFile()
    const logged: string[] = []
    page.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
    await page.route('**/api/v1/files/*/download**', (route) => route.abort())
    await item(page, 'plan.txt').click()
    await page.getByRole('button', { name: 'Download' }).first().click()
    await expect.poll(() => logged.join()).toContain('The download of plan.txt failed')
    await page.getByText('The connection was lost. Retry when you are back online.').waitFor()
    expect(await page.getByRole('progressbar', { name: /plan\.txt/ }).count()).toBe(0)
  })
})
