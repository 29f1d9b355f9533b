import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect as connectByRest } from '../tools/demo/skypool.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { setStage } from './support/stage.ts'

/** What fills an account: the treemap and the table of it, by keyboard alone and at both widths. */
const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const FOLDER = 'application/vnd.google-apps.folder'
const PATIENCE_MS = 90_000

/** Sizes in KiB, by name; folders have entries. */
type Tree = { readonly [name: string]: number | Tree }

const TREE: Tree = {
  'Client files': {
    'Harbour House': { 'Point cloud, quay.e57': 120, 'Plans.pdf': 68 },
    'Mill Lane 3': { 'Model.rvt': 96 },
    'Town hall': { 'Model.rvt': 71 },
    'North school': { 'Model.rvt': 38 },
  },
  Film: {
    Rushes: { 'Rushes, day 1.mov': 80, 'Rushes, day 3.mov': 61 },
    Exports: { 'Opening speech.mov': 52 },
    'Music.mp3': 10,
  },
  Photos: { '2025': { 'a.jpg': 66 }, '2024': { 'b.jpg': 37 }, 'Drone.jpg': 14 },
  'Archive 2019–2023': { 'Competition 2019.zip': 64 },
  Office: { 'Letters.docx': 32 },
  'Notes.txt': 1,
  'Copy of the notes.txt': 1,
}

async function plant(file: object): Promise<string> {
  const body = JSON.stringify({ user: MAREN, ...file })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/plant`, { method: 'POST', body })
  return ((await answer.json()) as { id: string }).id
}

async function plantTree(tree: Tree, parent?: string): Promise<void> {
  for (const [name, content] of Object.entries(tree)) {
    const where = { name, ...(parent && { parent }) }
    if (typeof content === 'number')
      await plant({ ...where, base64: Buffer.alloc(content * 1024, content).toString('base64') })
    else await plantTree(content, await plant({ ...where, mimeType: FOLDER }))
  }
}

const count = (tree: Tree): number =>
  Object.values(tree).reduce<number>((sum, content) => sum + 1 + (typeof content === 'number' ? 0 : count(content)), 0)

/** A person whose account is shown completely. */
async function settle(page: Page): Promise<string> {
  const rest = restOf(page, stage.url)
  const account = await connectByRest(rest, 'google', 'Studio', MAREN)
  await rest.json('PATCH', `/api/v1/accounts/${account}`, { scope: 'EVERYTHING' })
  await expect
    .poll(
      async () => {
        const { items } = await rest.json<{
          items: { id: string; index: { phase: string; entries: number } | null }[]
        }>('GET', '/api/v1/accounts')
        const index = items.find(({ id }) => id === account)?.index
        return index && `${index.phase} ${index.entries}`
      },
      { timeout: PATIENCE_MS },
    )
    .toBe(`LIVE ${count(TREE)}`)
  return account
}

const tile = (page: Page, name: string) => page.getByRole('list', { name: /by size/ }).getByRole('link', { name })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

let planted: Promise<void> | undefined
const plantOnce = () => {
  planted ??= plantTree(TREE)
  return planted
}

test('is walked into with the keyboard alone, as a treemap and as a table', async () => {
  await plantOnce()
  const { page, problems } = await stage.person()
  await settle(page)
  await page.goto(`${stage.url}/dashboard`)
  await page.getByRole('link', { name: 'Storage use' }).focus()
  await page.keyboard.press('Enter')
  const tab = page.getByRole('tab', { name: 'Google Drive · Studio' })
  await tab.waitFor()
  expect(await tab.getAttribute('aria-selected')).toBe('true')
  await tile(page, 'Client files, 393.00 KB').waitFor()
  const parts = page.getByRole('img', { name: /^Used space: In place 811.00 KB/ })
  await parts.waitFor()

  await tile(page, 'Client files, 393.00 KB').focus()
  await page.keyboard.press('ArrowDown')
  expect(await focused(page)).toBe('Harbour House, 188.00 KB')
  await page.keyboard.press('ArrowRight')
  expect(await focused(page)).toBe('Mill Lane 3, 96.00 KB')
  await page.keyboard.press('ArrowLeft')
  expect(await focused(page)).toBe('Harbour House, 188.00 KB')
  await page.keyboard.press('Enter')
  await tile(page, 'Point cloud, quay.e57, 120.00 KB').waitFor()
  expect(new URL(page.url()).searchParams.get('folder')).toMatch(/^file_/)
  const crumbs = page.getByRole('navigation', { name: 'Folder' })
  expect(await crumbs.getByRole('link').allTextContents()).toEqual([
    'Google Drive · Studio',
    'Client files',
    'Harbour House',
  ])

  await tile(page, 'Point cloud, quay.e57, 120.00 KB').focus()
  await page.keyboard.press('Backspace')
  await tile(page, 'Mill Lane 3, 96.00 KB').waitFor()
  await page.getByRole('button', { name: 'Table' }).focus()
  await page.keyboard.press('Enter')
  const table = page.getByRole('table', { name: /Client files by size/ })
  await table.waitFor()
  expect(await table.getByRole('rowheader').allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining('Harbour House'), 'Total']),
  )
  await table.getByRole('row', { name: /^Total .*393.00 KB 100.0% 5$/ }).waitFor()
  await table.getByRole('link', { name: 'Town hall' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: /Town hall by size/ }).waitFor()
  await page.goBack()
  await table.waitFor()

  await page.getByText('1 group in this account').waitFor()
  await tab.focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name: 'This server', selected: true }).waitFor()
  expect(await focused(page)).toBe('This server')
  await page.getByText('Nothing here takes room').waitFor()
  await page.keyboard.press('ArrowLeft')
  await tab.and(page.getByRole('tab', { selected: true })).waitFor()
  expect(problems).toEqual([])
})

test('follows the account, and says when a folder is gone', async () => {
  await plantOnce()
  const { page } = await stage.person()
  const account = await settle(page)
  await page.goto(`${stage.url}/file-manager/room?account=${account}`)
  await tile(page, 'Office, 32.00 KB').waitFor()
  const more = await plant({ name: 'Zuwachs.bin', base64: Buffer.alloc(300 * 1024).toString('base64') })
  await tile(page, 'Zuwachs.bin, 300.00 KB').waitFor({ timeout: PATIENCE_MS })
  await stage.server.command('google', 'remove', { id: more })
  await tile(page, 'Zuwachs.bin, 300.00 KB').waitFor({ state: 'detached', timeout: PATIENCE_MS })
  await page.goto(`${stage.url}/file-manager/room?account=${account}&folder=file_00000000000040008000000000000000`)
  await page.getByText('There is no such folder. It may have been deleted.').waitFor()
})

test('in each look', async () => {
  await plantOnce()
  const { page, problems } = await stage.person(undefined, FIRST_LOOK)
  const account = await settle(page)
  const { look, found } = examinerOfLooks(page, { prefix: 'room-' })
  await page.goto(`${stage.url}/file-manager/room?account=${account}`)
  await tile(page, 'Client files, 393.00 KB').waitFor()
  await look('treemap')
  await page.getByRole('button', { name: 'Table' }).click()
  await page.getByRole('table', { name: /by size/ }).waitFor()
  await look('table')
  await page.goto(`${stage.url}/file-manager/room?account=${account}&home=POOL`)
  await page.getByText('Nothing here takes room').waitFor()
  await look('empty')
  expect(found).toEqual([])
  expect(problems).toEqual([])
}, 300_000)
