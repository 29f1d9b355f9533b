import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, it, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { item, upload } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const BRIEF = '# Brief\n\nHarbour House opens in March 2027.\n\n- Lift: one cabin\n- [ ] Lamps: who pays?\n'

const headersOf = () => ({ origin: stage.url })
const apiOf = (id: string) => `${stage.url}/api/v1/files/${id}`

async function opened(bytes: string | Buffer = BRIEF, name = 'Brief.md', options: BrowserContextOptions = {}) {
  const visited = await stage.person(undefined, options)
  const { page } = visited
  const id = await upload(page, stage.url, { name, type: 'text/markdown', bytes: Buffer.from(bytes) })
  await page.goto(`${stage.url}/file-manager/my-drive?edit=${id}`)
  const text = page.getByRole('textbox', { name: `Text of ${name}` })
  await text.waitFor()
  return { ...visited, id, text }
}

const contentOf = async (page: Page, id: string) => (await page.request.get(`${apiOf(id)}/download`)).body()
const textOf = async (page: Page, id: string) => (await contentOf(page, id)).toString()
const versionsOf = async (page: Page, id: string): Promise<{ source: string }[]> =>
  (await (await page.request.get(`${apiOf(id)}/versions`)).json()).items
const stateOf = (page: Page) => page.getByRole('dialog', { name: 'Editor' }).getByRole('status').first()

async function savedElsewhere(page: Page, id: string, text: string): Promise<void> {
  const answer = await page.request.put(`${apiOf(id)}/content`, { data: text, headers: headersOf() })
  expect(answer.status()).toBe(200)
}

async function typeAtStart(page: Page, text: Locator, words: string): Promise<void> {
  await text.focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type(words)
}

describe('the editor', () => {
  it('opens from the menu, saves a version, and closes with Back', async () => {
    const { page, problems } = await stage.person('/file-manager/my-drive')
    await page.getByText('My Drive is empty').waitFor()
    const id = await upload(page, stage.url, { name: 'Brief.md', type: 'text/markdown', bytes: Buffer.from(BRIEF) })
    await item(page, 'Brief').locator('[data-menu]').click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.waitForURL(`**/my-drive?edit=${id}`)
    const text = page.getByRole('textbox', { name: 'Text of Brief.md' })
    await typeAtStart(page, text, 'Mine: ')
    await expect.poll(() => stateOf(page).textContent()).toContain('Unsaved changes')
    await page.keyboard.press('Control+s')
    await expect.poll(() => stateOf(page).textContent()).toMatch(/Saved \d\d:\d\d/)
    expect(await textOf(page, id)).toBe(`Mine: ${BRIEF}`)
    expect((await versionsOf(page, id)).map(({ source }) => source)).toEqual(['EDITOR', 'UPLOAD'])
    await page.goBack()
    await page.waitForURL('**/my-drive')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(problems).toEqual([])
  }, 120_000)

  it('creates a document in the open folder', async () => {
    const { page, problems } = await stage.person('/file-manager/my-drive')
    await page.getByText('My Drive is empty').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'New document' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'New Markdown document' })
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Please enter a name.').waitFor()
    await dialog.getByLabel('Name').fill('Notes')
    await page.keyboard.press('Enter')
    const text = page.getByRole('textbox', { name: 'Text of Notes.md' })
    await text.waitFor()
    const id = new URL(page.url()).searchParams.get('edit') ?? ''
    await typeAtStart(page, text, '# Notes')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => textOf(page, id)).toBe('# Notes')
    await page.getByRole('heading', { name: 'Notes', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close the editor' }).click()
    await item(page, 'Notes').waitFor()
    await page.getByRole('toolbar', { name: 'Files' }).getByRole('button', { name: 'New', exact: true }).click()
    await page.getByRole('menuitem', { name: 'New Markdown document' }).click()
    await dialog.getByLabel('Name').fill('Notes.md')
    await page.keyboard.press('Enter')
    await dialog.getByText('“Notes.md” already exists here.').waitFor()
    expect(problems.filter((each) => !each.includes('409'))).toEqual([])
  }, 120_000)

  it('keeps line ends and the mark, and opens other encodings read-only', async () => {
    const { page, text, id } = await opened('\uFEFFone\r\ntwo\r\n', 'Lines.txt')
    await typeAtStart(page, text, 'x')
    await page.keyboard.press('Control+s')
    await expect.poll(() => textOf(page, id)).toBe('\uFEFFxone\r\ntwo\r\n')
    const latin = await upload(page, stage.url, {
      name: 'Latin.txt',
      type: 'text/plain',
      bytes: Buffer.from('Gr\xfc\xdfe', 'latin1'),
    })
    await page.goto(`${stage.url}/file-manager/my-drive?edit=${latin}`)
    await page.getByText('This text is not UTF-8, so it is read-only').waitFor()
    await page.getByRole('textbox', { name: 'Text of Latin.txt' }).focus()
    await page.keyboard.type('x')
    expect(await page.getByRole('textbox', { name: 'Text of Latin.txt' }).textContent()).toBe('Grüße')
  }, 120_000)

  it('is left by keyboard: Escape, then Tab', async () => {
    const { page, text, problems } = await opened()
    await text.focus()
    await page.keyboard.press('Tab')
    await expect.poll(() => stateOf(page).textContent()).toContain('Unsaved changes')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    expect(focused).toBe('Preview')
    await page.getByRole('button', { name: 'Close the editor' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(problems).toEqual([])
  }, 120_000)
})

describe('a conflict', () => {
  async function conflicting(options?: BrowserContextOptions) {
    const visited = await opened(BRIEF, 'Brief.md', options)
    await typeAtStart(visited.page, visited.text, 'Mine: ')
    await savedElsewhere(visited.page, visited.id, 'Theirs\n')
    await visited.page.getByText('A newer version was saved elsewhere').waitFor()
    return visited
  }

  it('saves nothing until one decides; mine becomes a new version over theirs', async () => {
    const { page, id } = await conflicting()
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('dialog', { name: 'Compare “Brief.md”' }).locator('[data-change]').first().waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await textOf(page, id)).toBe('Theirs\n')
    await page.getByRole('button', { name: 'Save mine as new version' }).click()
    await expect.poll(() => textOf(page, id)).toBe(`Mine: ${BRIEF}`)
    expect((await versionsOf(page, id)).map(({ source }) => source)).toEqual(['EDITOR', 'UPLOAD', 'UPLOAD'])
  }, 120_000)

  it('saves mine as a copy, which is edited then', async () => {
    const { page, id } = await conflicting()
    await page.getByRole('button', { name: 'Save mine as a copy' }).click()
    await page.getByRole('textbox', { name: 'Text of Brief (my copy).md' }).waitFor()
    const copy = new URL(page.url()).searchParams.get('edit') ?? ''
    expect(copy).not.toBe(id)
    expect([await textOf(page, id), await textOf(page, copy)]).toEqual(['Theirs\n', `Mine: ${BRIEF}`])
  }, 120_000)

  it('uses theirs', async () => {
    const { page, id, text } = await conflicting()
    await page.getByRole('button', { name: 'Use theirs' }).click()
    await expect.poll(() => text.textContent()).toBe('Theirs')
    await typeAtStart(page, text, 'All of ')
    await page.keyboard.press('Control+s')
    await expect.poll(() => textOf(page, id)).toBe('All of Theirs\n')
  }, 120_000)

  it('is found by saving where the change was not heard of', async () => {
    const { page, id, text, context } = await opened()
    await typeAtStart(page, text, 'Mine: ')
    let isDeaf = true
    await context.route('**/download?disposition=inline', (route) =>
      isDeaf ? route.fulfill({ status: 304 }) : route.continue(),
    )
    await savedElsewhere(page, id, 'Theirs\n')
    isDeaf = false
    await page.keyboard.press('Control+s')
    await page.getByText('A newer version was saved elsewhere').waitFor()
    expect(await textOf(page, id)).toBe('Theirs\n')
  }, 120_000)
})

describe('unsaved text', () => {
  it('is offered after a reload', async () => {
    const { page, id, text } = await opened()
    await typeAtStart(page, text, 'Mine: ')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('is kept on this device').waitFor()
    expect(await textOf(page, id)).toBe(BRIEF)
    await page.getByRole('button', { name: 'Take it' }).click()
    await expect.poll(() => text.textContent()).toContain('Mine: # Brief')
    await page.keyboard.press('Control+s')
    await expect.poll(() => textOf(page, id)).toBe(`Mine: ${BRIEF}`)
    const drafts = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft')))
    await expect.poll(drafts).toEqual([])
  }, 120_000)

  it('stays on this device while offline, and is saved when the connection is back', async () => {
    const { page, id, text, context } = await opened()
    await typeAtStart(page, text, 'Mine: ')
    await context.setOffline(true)
    await page.keyboard.press('Control+s')
    await expect.poll(() => stateOf(page).textContent()).toContain('Not saved (offline: kept on this device)')
    await context.setOffline(false)
    await expect.poll(() => textOf(page, id)).toBe(`Mine: ${BRIEF}`)
  }, 120_000)
})

test.each(LOOKS)(
  'the editor and a conflict, in $theme at $width px',
  async ({ label, width, options }) => {
    const { page, id, text, problems } = await opened(BRIEF.repeat(6), 'Brief.md', options)
    const { look, found } = examiner(page, label, 'editor-')
    if (width >= 768) await page.getByRole('heading', { name: 'Brief', exact: true }).nth(1).waitFor()
    await look('text')
    if (width < 768) {
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
      await look('preview')
      await page.getByRole('button', { name: 'Text', exact: true }).click()
    }
    await page.getByRole('button', { name: 'Find in text' }).click()
    await look('find')
    await page.keyboard.press('Escape')
    await typeAtStart(page, text, 'Mine: ')
    await savedElsewhere(page, id, 'Theirs\n')
    await page.getByText('A newer version was saved elsewhere').waitFor()
    await look('conflict')
    await page.getByRole('button', { name: 'Use theirs' }).click()
    await page.getByRole('button', { name: 'Close the editor' }).click()
    await page.keyboard.press('Escape')
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  120_000,
)
