import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { dropFiles, item, upload } from './support/fileManager.ts'
import { type Sample, tenSamples } from './support/samples.ts'
import { startServer } from './support/server.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startServer, { full: true })

const TASKS =
  '# Tasks\n\n- [ ] order the slates\n- [x] measure the north wall, which is longer than it looks from the quay below\n- plain\n'
const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80" onload="globalThis.canary=1"><script>globalThis.canary=1</script><rect width="120" height="80" fill="#077047"/></svg>'
const svg: Sample = { name: 'Facade.svg', type: 'image/svg+xml', bytes: Buffer.from(DRAWING) }
const markdown: Sample = { name: 'Tasks.md', type: 'text/markdown', bytes: Buffer.from(TASKS) }
const [, , , pdf = svg] = tenSamples()

/** Somebody with this one file, and its preview open. */
async function preview(file: Sample) {
  const { page, problems } = await stage.person()
  const id = await upload(page, stage.url, file)
  await page.goto(`${stage.url}/file-manager?preview=${id}`)
  return { page, problems, id, dialog: page.getByRole('dialog', { name: 'Preview' }) }
}

test('a PDF stands in a frame of its own name, here and behind a link', async () => {
  const { page, problems, id, dialog } = await preview(pdf)
  const titleOf = async (within: Page | typeof dialog) => within.locator('iframe').getAttribute('title')
  await dialog.locator('iframe').waitFor()
  expect(await titleOf(dialog)).toBe('Site plan 1-200.pdf')
  expect(await page.title()).toBe('Site plan 1-200.pdf · Skypool')
  const src = await dialog.locator('iframe').getAttribute('src')
  const answer = await page.request.get(new URL(src ?? '', stage.url).href)
  expect(answer.headers()['content-disposition']).toContain('Site%20plan%201-200.pdf')
  const link = await share(page, stage.url, id)
  await page.goto(link.url)
  await page.locator('iframe').waitFor()
  expect(await titleOf(page)).toBe('Site plan 1-200.pdf')
  expect(problems).toEqual([])
})

test('task boxes of Markdown stand clear before their words, in one line with them', async () => {
  const { page, problems, dialog } = await preview(markdown)
  const tasks = dialog.locator('li:has(> input)')
  await tasks.first().waitFor()
  expect(
    await tasks.locator('input').evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked)),
  ).toEqual([false, true])
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const looks = await dialog.locator('li').evaluateAll((entries) =>
      entries.map((entry) => {
        const letters = document.createRange()
        const words = [...entry.childNodes].filter(({ nodeName }) => nodeName !== 'INPUT')
        letters.setStart(words[0] ?? entry, 0)
        letters.setEndAfter(words.at(-1) ?? entry)
        const box = entry.querySelector('input')?.getBoundingClientRect()
        const lines = [...letters.getClientRects()]
        return {
          marker: getComputedStyle(entry).listStyleType,
          isClear:
            !box || lines.every((line) => line.left >= box.right || line.top >= box.bottom || line.bottom <= box.top),
          isBeside:
            !box || Math.abs((box.top + box.bottom) / 2 - ((lines[0]?.top ?? 0) + (lines[0]?.bottom ?? 0)) / 2) < 6,
          size: box ? Math.round(box.width) : 0,
        }
      }),
    )
    const task = { marker: 'none', isClear: true, isBeside: true }
    expect(looks.slice(0, 2)).toMatchObject([task, task])
    expect(looks[0]?.size).toBeGreaterThan(10)
    expect(looks[2]?.marker).toBe('disc')
  }
  expect(problems).toEqual([])
})

test('an SVG is drawn as the picture it is, and runs nothing, here and behind a link', async () => {
  const { page, problems, id, dialog } = await preview(svg)
  const picture = dialog.getByRole('img', { name: 'Facade.svg' })
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(120)
  expect(await dialog.locator('pre').count()).toBe(0)
  const link = await share(page, stage.url, id)
  await page.goto(link.url)
  const shared = page.getByRole('img', { name: 'Facade.svg' })
  await expect.poll(() => shared.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(120)
  expect(await page.evaluate(() => 'canary' in globalThis)).toBe(false)
  expect(problems).toEqual([])
})

test('the question about a taken name has its focus on an answer, and no line at the foot of the window', async () => {
  const { page } = await stage.person()
  await upload(page, stage.url, markdown)
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Tasks').waitFor()
  await dropFiles(page, page.getByRole('main'), [markdown])
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('heading', { name: 'This name is taken' }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await expect.poll(focused).toBe('Keep both')
  // Headless UI's own element around a dialog has no height: with the focus, it must not be drawn.
  await page.keyboard.press('Tab')
  const line = await dialog.evaluate((root) => {
    ;(root as HTMLElement).focus()
    const { outlineStyle, boxShadow } = getComputedStyle(root)
    return { isFocused: document.activeElement === root, outlineStyle, boxShadow }
  })
  expect(line).toEqual({ isFocused: true, outlineStyle: 'none', boxShadow: 'none' })
  await dialog.getByRole('button', { name: 'Skip' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.locator('[data-id]').count()).toBe(1)
})
