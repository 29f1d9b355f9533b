import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const TEXT = `# Meeting notes\n\n${'Nothing of interest here. '.repeat(20)}Tove: the tenants of <b>Harbour House</b> move in on 1 March, so the lift must be approved.`

test.each(LOOKS)('files are found by the text in them, in $theme at $width px', async ({ options, label }) => {
  const { page, problems } = await stage.person('/file-manager', options)
  const { look, found } = examiner(page, label)
  const upload = async (name: string, buffer: Buffer, mimeType: string) => {
    const multipart = { file: { name, mimeType, buffer } }
    const response = await page.request.post(`${stage.url}/api/v1/files`, { multipart, headers: { origin: stage.url } })
    expect(response.status()).toBe(201)
  }
  await upload('Notes.md', Buffer.from(TEXT), 'text/markdown')
  await upload('Mooring.pdf', readFileSync('tests/factories/documents/quay.pdf'), 'application/pdf')
  await upload('Harbour.txt', Buffer.from('its name only'), 'text/plain')
  // Read by a job within seconds.
  await expect
    .poll(
      async () => {
        const response = await page.request.get(`${stage.url}/api/v1/files/content-matches?q=harbour`)
        return (await response.json()).items.length
      },
      { timeout: 30_000 },
    )
    .toBe(2)

  await page.goto(`${stage.url}/file-manager?q=harbour`)
  const choice = page.getByRole('group', { name: 'Search in' })
  await choice.getByRole('button', { name: 'Name', pressed: true }).waitFor()
  await page.getByRole('row', { name: /Harbour\.txt/ }).waitFor()
  await choice.getByRole('button', { name: 'Text inside' }).click()
  await page.waitForURL(/in=text/)

  const matches = page.getByRole('list', { name: 'Files with “harbour” inside' })
  await expect.poll(() => matches.getByRole('listitem').count()).toBe(2)
  const notes = matches.getByRole('listitem').filter({ hasText: 'Notes.md' })
  // The text of a file is shown as text.
  await expect.poll(() => notes.locator('mark').allTextContents()).toEqual(['Harbour'])
  expect(await notes.textContent()).toContain('<b>Harbour House</b> move in')
  await look('content-matches')

  await notes.getByRole('link', { name: 'Notes.md' }).click()
  await page.waitForURL(/preview=/)
  await page.getByRole('dialog').getByText('Meeting notes').first().waitFor()
  await page.keyboard.press('Escape')
  await matches.waitFor()

  // Keys that are about the list of names do nothing to what is not shown.
  await page.locator('body').press('Control+a')
  expect(await page.getByRole('toolbar', { name: /selected/ }).count()).toBe(0)

  await page.goto(`${stage.url}/file-manager?q=lighthouse&in=text`)
  await page.getByRole('heading', { name: 'No text with “lighthouse”' }).waitFor()
  await look('content-matches-none')
  await page.getByRole('link', { name: 'Choose accounts' }).click()

  const setting = page.getByRole('switch', { name: 'Files that Skypool stores' })
  await setting.waitFor()
  expect(await setting.isChecked()).toBe(true)
  await look('content-search-settings')
  await setting.click()
  await page.getByText('Turned off. The texts are being deleted.').waitFor()
  await page.goto(`${stage.url}/file-manager?q=harbour&in=text`)
  await page.getByRole('heading', { name: 'No text with “harbour”' }).waitFor()
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
