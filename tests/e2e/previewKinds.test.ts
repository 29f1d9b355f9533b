import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { examinerOfLooks } from './support/examine.ts'
import { downloadOf, item, upload } from './support/fileManager.ts'
import { ALL_LOOKS, FIRST_LOOK } from './support/looks.ts'
import { archives, broken, code, csv, docx, font, hostile, json, log, pptx, xlsx } from './support/previewSamples.ts'
import type { Sample } from './support/samples.ts'
import { startServer } from './support/server.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(() => startServer({ UPLOAD_TYPES: '*' }))

/** Somebody with this one file, and its preview open. */
async function preview(file: Sample) {
  const { page, problems } = await stage.person()
  const id = await upload(page, stage.url, file)
  await page.goto(`${stage.url}/file-manager?preview=${id}`)
  return { page, problems, id, dialog: page.getByRole('dialog', { name: 'Preview' }) }
}

/** The same file behind a link, as a visitor sees it. */
async function shared(page: Page, id: string): Promise<Page> {
  const { url } = await share(page, stage.url, id)
  const visitor = await stage.anonymous()
  await visitor.page.goto(url)
  return visitor.page
}

test('a Word document is drawn in a frame that has no origin, here and behind a link', async () => {
  const { page, problems, id, dialog } = await preview(docx)
  const visitor = await shared(page, id)
  for (const place of [dialog, visitor.locator('main')]) {
    const frame = place.locator('iframe')
    await expect.poll(() => frame.isVisible()).toBe(true)
    expect(await frame.getAttribute('sandbox')).toBe('allow-scripts')
    const content = frame.contentFrame()
    await content.getByText('Harbour report').waitFor()
    await content.getByText('Metres').waitFor()
    expect(await content.locator('body').evaluate(() => self.origin)).toBe('null')
  }
  await dialog.locator('iframe').contentFrame().locator('body').press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a presentation is drawn slide by slide, each with its text for those who cannot see it', async () => {
  const { page, problems, dialog } = await preview(pptx)
  const content = dialog.locator('iframe').contentFrame()
  const slides = content.getByRole('img')
  await expect.poll(() => slides.count()).toBe(2)
  await content.getByRole('img', { name: 'Slide 1: Harbour plan' }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(() => slides.first().evaluate(({ clientWidth }) => clientWidth <= window.innerWidth)).toBe(true)
  await content.getByRole('img', { name: /^Slide 2: North wall/ }).waitFor()
  await expect
    .poll(() =>
      slides.first().evaluate((canvas) => {
        const { width, height } = canvas as HTMLCanvasElement
        const pixels = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? []
        return new Set(pixels).size > 2
      }),
    )
    .toBe(true)
  expect(problems).toEqual([])
})

test('a workbook has its sheets as tabs; ten thousand rows of each can be scrolled to', async () => {
  const { problems, dialog } = await preview(await xlsx())
  await dialog.getByRole('cell', { name: '120.5' }).waitFor()
  const table = dialog.getByRole('region', { name: 'Walls.xlsx, Walls' })
  expect(await dialog.getByRole('row').count()).toBeLessThan(300)
  await table.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await dialog.getByRole('cell', { name: 'Stone 9997' }).waitFor()
  await dialog.getByText('Only the first 10,000 rows are shown.').waitFor()
  await dialog.getByRole('tab', { name: 'Walls' }).press('ArrowRight')
  await dialog.getByRole('cell', { name: '4200' }).waitFor()
  expect(problems).toEqual([])
})

test('separated values are a table whose first row names the columns, and markup in them is text', async () => {
  const { page, problems, id, dialog } = await preview(csv)
  const visitor = await shared(page, id)
  for (const place of [dialog, visitor.locator('main')]) {
    await place.getByRole('columnheader', { name: 'Metres' }).waitFor()
    await place.getByRole('cell', { name: 'tall; and "wide"' }).waitFor()
    await place.getByRole('cell', { name: '<b>x</b>' }).first().waitFor()
  }
  expect(problems).toEqual([])
})

test('JSON is folded, and keeps numbers as they are written', async () => {
  const { problems, dialog } = await preview(json)
  await dialog.getByText('12345678901234567890').waitFor()
  expect(await dialog.getByText('stone').count()).toBe(0)
  await dialog.getByRole('button', { name: 'parts: 2 items' }).click()
  await dialog.getByRole('button', { name: '0: 1 field' }).click()
  await dialog.getByText('stone').waitFor()
  expect(problems).toEqual([])
})

test('code has colours, and stays text', async () => {
  const { problems, dialog } = await preview(code)
  const keyword = dialog.locator('pre span', { hasText: /^export$/ }).first()
  await keyword.waitFor()
  const colourOf = (element: Element) => getComputedStyle(element).color
  expect(await keyword.evaluate(colourOf)).not.toBe(await dialog.locator('pre').last().evaluate(colourOf))
  expect(await dialog.locator('pre').last().textContent()).toBe(code.bytes.toString())
  expect(problems).toEqual([])
})

test('a font is shown in itself', async () => {
  const { page, problems, dialog } = await preview(font)
  const sentence = dialog.getByText('The quick brown fox').first()
  await sentence.waitFor()
  const family = await sentence.evaluate((element) => getComputedStyle(element).fontFamily)
  expect(await page.evaluate((name) => document.fonts.check(`24px ${name}`), family)).toBe(true)
  expect(problems).toEqual([])
})

test('archives are trees; one file of them can be downloaded alone', async () => {
  for (const archive of await archives()) {
    const { page, problems, dialog } = await preview(archive)
    await dialog.getByText('README.txt').waitFor()
    await dialog.getByRole('button', { name: /^plans/ }).click()
    await dialog.getByRole('button', { name: /^quay/ }).click()
    const { name, bytes } = await downloadOf(page, () =>
      dialog.getByRole('button', { name: 'Download level.txt' }).click(),
    )
    expect([name, bytes.toString()]).toEqual(['level.txt', 'level of the quay'])
    expect(problems).toEqual([])
    await page.close()
  }
})

test('a long text opens with its first part and is loaded where it is scrolled to', async () => {
  const { page, problems, dialog } = await preview(log)
  const loaded: number[] = []
  page.on('request', (request) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers().range ?? '') ?? []
    if (from && to) loaded.push(Number(to) - Number(from))
  })
  const text = dialog.getByRole('region', { name: 'server.log' })
  await text.getByText('line 1 of the log').waitFor()
  await text.focus()
  await page.keyboard.press('End')
  await text.getByText('line 60000 of the log').waitFor()
  await page.keyboard.press('Home')
  await text.getByText('line 1 of the log').waitFor()
  const lastLine = async () =>
    Number(
      (await text.locator('pre').last().textContent())
        ?.match(/line (\d+) /g)
        ?.at(-1)
        ?.slice(5),
    )
  for (let step = 0; step < 4; step++) {
    const before = await lastLine()
    // The end moves away while the next part is loaded.
    const scrolled = async () => {
      await text.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      return lastLine()
    }
    await expect.poll(scrolled).toBeGreaterThan(before)
  }
  expect(await text.locator('pre').last().textContent()).toMatch(/line \d{4,5} of the log, with some words äöü/)
  expect(Math.max(...loaded)).toBeLessThan(1024 * 1024)
  const linesDrawn = async () => {
    const drawn = (await text.locator('pre').allTextContents()).join('\n')
    return [...drawn.matchAll(/line (\d+) of/g)].map(([, number]) => Number(number))
  }
  const [first = 0] = await linesDrawn()
  const last = await lastLine()
  await page.setViewportSize({ width: 390, height: 844 })
  const isWrapped = () => text.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)
  await expect.poll(isWrapped).toBe(true)
  // What was in view is still there, although each line is several rows now.
  const stays = async () => (await linesDrawn()).filter((line) => line >= first && line <= last).length
  await expect.poll(stays).toBeGreaterThan(0)
  expect(first).toBeGreaterThan(1)
  expect(problems).toEqual([])
})

test('broken and hostile files say why they cannot be shown, and can be downloaded', async () => {
  const { page, problems } = await stage.person()
  const reasons: Record<string, string> = {}
  for (const file of await hostile()) {
    const id = await upload(page, stage.url, file)
    await page.goto(`${stage.url}/file-manager?preview=${id}`)
    const dialog = page.getByRole('dialog', { name: 'Preview' })
    const tile = dialog.getByText(/^This file cannot be shown: /)
    await tile.waitFor()
    expect(await dialog.getByRole('button', { name: 'Download' }).count(), file.name).toBe(2)
    reasons[file.name] = (await tile.textContent()) ?? ''
  }
  expect(reasons['bomb.docx']).toContain('its unpacked content is too large')
  expect(reasons['bomb.xlsx']).toContain('its unpacked content is too large')
  expect(reasons['secret.docx']).toContain('protected with a password')
  expect(reasons['broken.woff2']).toContain('your browser cannot open it')
  for (const name of ['broken.docx', 'cut.docx', 'broken.zip', 'broken.tar', 'broken.tgz', 'broken.xlsx', 'empty.pptx'])
    expect(reasons[name], name).toContain('it is damaged')
  // What libraries and the browser say of damaged content is no problem of the page.
  expect(problems.filter((problem) => !/File not found in ZIP|OTS parsing error/.test(problem))).toEqual([])
})

test('a file is shared, starred and renamed in its preview, and the keys stay those of the preview', async () => {
  const { page, problems, dialog } = await preview(json)
  await dialog.getByRole('button', { name: 'Add star' }).click()
  await dialog.getByRole('button', { name: 'Remove star' }).waitFor()
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByRole('textbox', { name: 'New name' }).fill('plan.json')
  await page.keyboard.press('Enter')
  await dialog.getByRole('heading', { name: 'plan.json' }).waitFor()
  await dialog.getByRole('button', { name: 'Share' }).click()
  const question = page.getByRole('dialog', { name: /plan/ })
  await question.getByRole('button', { name: 'Create link' }).click()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(await dialog.count()).toBe(1)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await item(page, 'plan').waitFor()
  expect(problems).toEqual([])
})

test('every kind has no violation in either theme, wide and narrow', async () => {
  const { page, problems } = await stage.person('/file-manager', FIRST_LOOK)
  const { look, found } = examinerOfLooks(page, { looks: ALL_LOOKS })
  const samples = [docx, pptx, await xlsx(), csv, json, code, font, log, ...(await archives()), broken]
  for (const file of samples) {
    const id = await upload(page, stage.url, file)
    await page.goto(`${stage.url}/file-manager?preview=${id}`)
    const dialog = page.getByRole('dialog', { name: 'Preview' })
    await dialog.waitFor()
    await expect.poll(() => dialog.getByRole('status').count()).toBe(0)
    await look(`preview-${file.name.replace(/\W+/g, '-')}`)
  }
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
