import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { MARKUP } from '../tools/hostile/naughtyCode.ts'
import { screenshot } from './support/browser.ts'
import { item } from './support/fileManager.ts'
import { startServer } from './support/server.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

/** How people call their files is data: it is shown, and nothing else. */
const stage = setStage(() => startServer({ UPLOAD_TYPES: '*' }))

/** By tus, which can say every name: in a form quotes are escaped and stay so. */
async function uploadNamed(page: Page, name: string): Promise<string> {
  const filename = Buffer.from(name).toString('base64')
  const headers = {
    origin: stage.url,
    'tus-resumable': '1.0.0',
    'upload-length': '0',
    'upload-metadata': `filename ${filename}`,
  }
  const answer = await page.request.post(`${stage.url}/api/v1/uploads`, { headers })
  expect(answer.status(), `${name}: ${await answer.text()}`).toBe(201)
  const newest = await page.request.get(`${stage.url}/api/v1/files?view=all&limit=1`)
  const [file] = ((await newest.json()) as { items: { id: string; name: string }[] }).items
  expect(file?.name).toBe(name)
  return file?.id ?? ''
}

/** Elements that names would have become. */
const BORN =
  'img[src="x"], svg[onload], iframe[srcdoc], details[ontoggle], base[href="evil"], math, body[onload], [onfocus]'

test('names are shown as they are, and as nothing else', async () => {
  const { page, problems } = await stage.person()
  const names = MARKUP.filter((name) => !name.includes('/'))
  const ids = new Map<string, string>()
  for (const name of names) ids.set(name, await uploadNamed(page, `${name}.txt`))
  const isInert = async () => {
    expect(await page.evaluate(() => 'canary' in globalThis)).toBe(false)
    expect(await page.locator(BORN).count()).toBe(0)
  }
  await page.goto(`${stage.url}/file-manager/my-drive`)
  for (const name of names.slice(0, 12)) {
    await page.getByRole('searchbox', { name: 'Search files' }).fill(name)
    // The address says so before: until then the list is another one, and what is selected in that is not selected in this one.
    await expect.poll(() => page.title()).toBe(`“${name}” in My Drive · Skypool`)
    const row = item(page, `${name}.txt`).first()
    await row.waitFor()
    await isInert()
    await row.click()
    await page.keyboard.press('d')
    await page.getByText('Where it is stored').waitFor()
    await isInert()
    await page.keyboard.press('d')
    await page.getByText('Where it is stored').waitFor({ state: 'detached' })
    await row.click()
    await page.getByRole('button', { name: 'Move to Trash' }).first().click()
    await page.locator('[data-sonner-toast]').filter({ hasText: 'Trash' }).first().waitFor()
    await isInert()
  }
  await screenshot(page, 'hostile-names')
  for (const name of names.slice(12)) {
    const { url } = await share(page, stage.url, ids.get(name) ?? '')
    await page.goto(url)
    await page.getByText(`${name}.txt`, { exact: true }).first().waitFor()
    await expect.poll(() => page.title()).toContain(`${name}.txt`)
    await isInert()
  }
  await screenshot(page, 'hostile-share')
  expect(problems).toEqual([])
})

/** Where letters of a row's name are drawn, from its left edge: the first of each part. */
const placesOf = (page: Page, row: string, letters: readonly string[]) =>
  item(page, row)
    .locator('.name')
    .evaluate((name, wanted) => {
      const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT)
      const places: Record<string, number> = {}
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement?.closest('.sr-only')) continue
        for (const letter of wanted) {
          const at = node.textContent?.indexOf(letter) ?? -1
          if (at < 0) continue
          const range = document.createRange()
          range.setStart(node, at)
          range.setEnd(node, at + letter.length)
          places[letter] = Math.round(range.getBoundingClientRect().left)
        }
      }
      return wanted.map((letter) => places[letter] ?? Number.NaN)
    }, letters)

test('a name that turns the direction of writing shows that it does, and one that is written from the right keeps its ending last', async () => {
  const { page, problems } = await stage.person()
  await uploadNamed(page, 'invoice\u202Egpj.exe')
  await uploadNamed(page, 'דוח שנתי.pdf')
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'invoice⟨U+202E⟩gpj.exe').waitFor()
  const [first = 0, code = 0, faked = 0, ending = 0] = await placesOf(page, 'invoice', ['inv', '⟨', 'gpj', '.exe'])
  expect([first < code, code < faked, faked < ending]).toEqual([true, true, true])
  const [start = 0, end = 0, pdf = 0] = await placesOf(page, '.pdf', ['ד', 'י', '.pdf'])
  // Read from the right: the first letter stands to the right of the last, and the ending after both.
  expect([end < start, start < pdf]).toEqual([true, true])
  await item(page, 'invoice').click()
  await page.keyboard.press('d')
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByRole('heading', { name: 'invoice⟨U+202E⟩gpj.exe' }).waitFor()
  expect(await page.locator('body').textContent()).not.toContain('\u202E')
  expect(problems).toEqual([])
})
