import { createHash } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { allow, startConnecting } from './support/connecting.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { downloadOf, item } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

/**
 * What a person does with an account that already holds files, from connecting it on: with the mouse, with the keyboard alone and on a
 * phone. `HELD=5000 MOVED=300` holds and moves more files.
 */
const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const HELD = Number(process.env.HELD ?? 60)
const MOVED = Number(process.env.MOVED ?? 12)
const PATIENCE_MS = Math.max(90_000, HELD * 60)

async function control<Answer>(command: string, body: object): Promise<Answer> {
  const url = `${stage.server.emulatorUrl}/__control/google/${command}`
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ user: MAREN, ...body }) })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Answer
}

type Stored = {
  readonly id: string
  readonly path: string
  readonly isFolder: boolean
  readonly trashed: boolean
  readonly sha256: string | null
  readonly modifiedTime: string
}

const stored = () => control<Stored[]>('objects', {})
/** Paths at Google, with what is in its trash marked. */
const atGoogle = async () => (await stored()).map(({ path, trashed }) => (trashed ? `${path} (trash)` : path))
const throttle = (bytesPerSecond: number | null) =>
  stage.server.command('google', 'throttle', { user: MAREN, bytesPerSecond })

/** "Survey" in three folders, a document, and as many other files as wanted; each file is a day older than the one before. */
async function plantAccount(): Promise<void> {
  // With each folder goes what is in it.
  for (const { id, path } of await stored()) {
    if (path.lastIndexOf('/') === 0) await stage.server.command('google', 'remove', { id })
  }
  const day = (index: number) => `${new Date(Date.UTC(2024, 5, 1) - index * 86_400_000).toISOString().slice(0, 19)}Z`
  const file = (path: string, index: number) => ({
    path,
    mimeType: 'text/plain',
    text: `${path} of ${index}`,
    modified: day(index),
  })
  const survey = Array.from({ length: MOVED }, (_, index) => {
    const folder = ['', 'North/', 'North/Tower/'][index % 3]
    return file(`/Survey/${folder}Sheet ${String(index).padStart(3, '0')}.txt`, index)
  })
  const others = Array.from({ length: Math.max(0, HELD - MOVED - 3) }, (_, index) =>
    file(`/Archive/${2010 + (index % 12)}/Paper ${String(index).padStart(4, '0')}.txt`, index),
  )
  const files = [
    ...survey,
    ...others,
    file('/Plan of the north wall.txt', 3),
    { path: '/Letters/Letter to the harbour', mimeType: 'application/vnd.google-apps.document' },
    { path: '/Film.txt', mimeType: 'text/plain', text: 'film '.repeat(20_000), modified: day(9) },
  ]
  await control('plantTree', { files })
}

const toast = (page: Page, text: string) => page.locator('[data-sonner-toast]').filter({ hasText: text }).first()

/** Connects the account slowly enough that its rows are seen to arrive. */
async function connectWhileListed(page: Page, open: (row: Locator) => Promise<void> = (row) => row.dblclick()) {
  await page.goto(`${stage.url}/cloud-integration`)
  const popup = await startConnecting(page, { everything: true })
  await stage.server.fault({ kind: 'delay', operation: 'drive.files.list', ms: 1_500, count: 3 })
  await allow(page, popup, MAREN)
  await page.goto(`${stage.url}/file-manager/my-drive`)
  const root = item(page, 'Private')
  await root.getByText('found so far').or(root.getByText('Up to date')).first().waitFor()
  await open(root)
  await page.getByRole('heading', { level: 1, name: 'Private' }).waitFor()
}

/** What is below a folder of My Drive: path, times and SHA-256. */
async function below(page: Page, name: string): Promise<Map<string, { sha256: string | null; updatedAt: string }>> {
  const rest = restOf(page, stage.url)
  type Row = { id: string; name: string; kind: string; home: string; sha256: string | null; updatedAt: string }
  type List = { items: Row[]; nextCursor: string | null }
  const found = new Map<string, { sha256: string | null; updatedAt: string }>()
  const list = async (parentId: string | null): Promise<Row[]> => {
    const rows: Row[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = new URLSearchParams({ view: 'drive', limit: '200' })
      if (parentId) query.set('parentId', parentId)
      if (cursor) query.set('cursor', cursor)
      const page: List = await rest.json<List>('GET', `/api/v1/files?${query}`)
      rows.push(...page.items)
      cursor = page.nextCursor
    }
    return rows
  }
  const walk = async (parentId: string, path: string): Promise<void> => {
    for (const row of await list(parentId)) {
      found.set(`${path}/${row.name}`, row)
      if (row.kind === 'FOLDER') await walk(row.id, `${path}/${row.name}`)
    }
  }
  const top = (await list(null)).find((row) => row.name === name && row.home === 'POOL')
  if (top) await walk(top.id, `/${name}`)
  return found
}

test('an account is connected, its files are found, read, shared, changed, moved into the pool and back', async () => {
  await plantAccount()
  const before = await stored()
  const { page, problems } = await stage.person()
  await connectWhileListed(page)

  // Found by name, read, and compared with what Google has.
  await page.keyboard.press('/')
  await page.keyboard.type('north wall')
  const plan = item(page, 'Plan of the north wall.txt')
  await plan.waitFor({ timeout: PATIENCE_MS })
  await plan.dblclick()
  const preview = page.getByRole('dialog', { name: 'Preview' })
  await preview.getByText('/Plan of the north wall.txt of 3').waitFor()
  await page.keyboard.press('Escape')
  const { bytes } = await downloadOf(page, async () => {
    await plan.click({ button: 'right' })
    await page.getByRole('menu').getByRole('menuitem', { name: 'Download' }).click()
  })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(sha256).toBe(before.find(({ path }) => path === '/Plan of the north wall.txt')?.sha256)
  await plan.click()
  await page.keyboard.press('s')
  await plan.getByRole('img', { name: 'Starred' }).waitFor()

  await plan.click({ button: 'right' })
  await page.getByRole('menu').getByRole('menuitem', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /create link/i }).click()
  const link = await dialog.locator('input[readonly]').inputValue()
  await page.keyboard.press('Escape')
  const visitor = await stage.anonymous()
  await visitor.page.goto(link)
  const received = await downloadOf(visitor.page, () =>
    visitor.page
      .getByRole('link', { name: /download/i })
      .or(visitor.page.getByRole('button', { name: /download/i }))
      .first()
      .click(),
  )
  expect(received.bytes.equals(bytes)).toBe(true)

  // Renamed, moved, put into the trash and taken back, at Google each time.
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Private').getByText('Up to date').waitFor({ timeout: PATIENCE_MS })
  await item(page, 'Private').dblclick()
  await plan.click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /name/i }).fill('North wall.txt')
  await page.keyboard.press('Enter')
  await expect.poll(atGoogle).toContain('/North wall.txt')
  await item(page, 'North wall.txt').dragTo(item(page, 'Letters'))
  await item(page, 'North wall.txt').waitFor({ state: 'detached' })
  await expect.poll(atGoogle).toContain('/Letters/North wall.txt')
  await item(page, 'Letters').dblclick()
  await item(page, 'North wall.txt').click()
  await page.keyboard.press('Delete')
  await expect.poll(atGoogle).toContain('/Letters/North wall.txt (trash)')
  await toast(page, 'moved to Trash').getByRole('button', { name: 'Undo' }).click()
  await item(page, 'North wall.txt').waitFor()
  await expect.poll(atGoogle).toContain('/Letters/North wall.txt')

  // A document of Google's, as Word.
  await item(page, 'Letter to the harbour').click({ button: 'right' })
  const word = await downloadOf(page, async () => {
    await page.getByRole('menuitem', { name: 'Download as…' }).click()
    await page.getByRole('menuitem', { name: 'Word (.docx)' }).click()
  })
  expect(word.name).toBe('Letter to the harbour.docx')

  // A folder is dragged into the pool, paused, found again after a reload, and resumed.
  await page.getByRole('link', { name: 'Private' }).click()
  await item(page, 'Survey').waitFor()
  await throttle(512)
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
  await item(page, 'Survey').dragTo(crumbs.getByRole('link', { name: 'My Drive' }))
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByRole('button', { name: 'Pause Survey' }).click()
  await panel.getByText('Paused').waitFor()
  await page.reload()
  await panel.getByText('Paused').waitFor()
  expect(await atGoogle()).toContain('/Survey')
  await throttle(null)
  await panel.getByRole('button', { name: 'Resume Survey' }).click()
  await toast(page, 'Moved “Survey”').waitFor({ timeout: PATIENCE_MS })
  const moved = before.filter(({ path }) => path.startsWith('/Survey/'))
  const found = await below(page, 'Survey')
  expect([...found.keys()].sort()).toEqual(moved.map(({ path }) => path).sort())
  for (const { path, isFolder, sha256: hash, modifiedTime } of moved) {
    if (isFolder) continue
    const { updatedAt = '', sha256: ours = null } = found.get(path) ?? {}
    expect([path, ours, Date.parse(updatedAt)]).toEqual([path, hash, Date.parse(modifiedTime)])
  }
  const trash = (await atGoogle()).filter((path) => path.startsWith('/Survey') && path.endsWith(' (trash)'))
  expect(trash).toHaveLength(moved.length + 1)

  // One of them is dragged back: a folder opens while it is held over it.
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Survey').dblclick()
  const sheet = item(page, 'Sheet 000.txt')
  await sheet.waitFor()
  await drag(page, sheet, [crumbs.getByRole('link', { name: 'My Drive' }), item(page, 'Private')])
  await toast(page, 'Moved “Sheet 000.txt”').waitFor({ timeout: PATIENCE_MS })
  expect(await atGoogle()).toContain('/Sheet 000.txt')
  expect(problems).toEqual([])
}, 900_000)

/** Holds a row over each place until the next one is there, and lets go over the last. */
async function drag(page: Page, row: Locator, places: readonly Locator[]): Promise<void> {
  await row.hover()
  await page.mouse.down()
  for (const [index, place] of places.entries()) {
    const middle = async () => {
      const box = await place.boundingBox()
      if (!box) throw new Error('A place to drop on is not visible.')
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    }
    const { x, y } = await middle()
    await page.mouse.move(x, y, { steps: 5 })
    const next = places[index + 1]
    // The browser reports a drag only while the pointer moves.
    if (next)
      await expect
        .poll(async () => {
          await page.mouse.move(x + (Date.now() % 3), y)
          return next.isVisible()
        })
        .toBe(true)
  }
  await page.mouse.up()
}

test('the same with the keyboard alone', async () => {
  await plantAccount()
  const { page, problems } = await stage.person()
  await connectWhileListed(page)
  await item(page, 'Survey').waitFor({ timeout: PATIENCE_MS })
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Goes down to a row. */
  const goTo = async (row: Locator) => {
    const isThere = async () => (await row.getAttribute('aria-selected')) === 'true'
    for (let steps = 0; steps < 20 && !(await isThere()); steps += 1) await press('ArrowDown')
    expect(await isThere()).toBe(true)
  }
  const menu = async (name: string) => {
    await press('Shift+F10')
    await page.getByRole('menu', { name: /^Actions for/ }).waitFor()
    await page.getByRole('menuitem', { name }).press('Enter')
  }
  await press('/')
  await page.keyboard.type('north wall')
  const plan = item(page, 'Plan of the north wall.txt')
  await plan.waitFor({ timeout: PATIENCE_MS })
  await goTo(plan)
  await press('Enter')
  await page.getByRole('dialog', { name: 'Preview' }).getByText('north wall.txt of 3').waitFor()
  await press('Escape')
  await press('s')
  await plan.getByRole('img', { name: 'Starred' }).waitFor()
  const { bytes } = await downloadOf(page, () => menu('Download'))
  expect(bytes.toString()).toBe('/Plan of the north wall.txt of 3')
  await menu('Share')
  // The dialog gives the focus to its first field once it is open.
  await page.getByRole('dialog').locator('input:focus').waitFor()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /create link/i })
    .press('Enter')
  await page.getByRole('dialog').locator('input[readonly]').waitFor()
  await press('Escape')

  // From the root into the account.
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Private').getByText('Up to date').waitFor({ timeout: PATIENCE_MS })
  await goTo(item(page, 'Private'))
  await press('Enter')
  await plan.waitFor()
  await goTo(item(page, 'Survey'))
  await throttle(512)
  await menu('Move to…')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Go to the parent folder' }).press('Enter')
  await dialog.getByRole('heading', { name: 'What will happen' }).waitFor()
  await dialog.getByRole('button', { name: /^Move \d/ }).press('Enter')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByRole('button', { name: 'Pause Survey' }).press('Enter')
  await panel.getByText('Paused').waitFor()
  await throttle(null)
  await panel.getByRole('button', { name: 'Resume Survey' }).press('Enter')
  await toast(page, 'Moved “Survey”').waitFor({ timeout: PATIENCE_MS })
  await expect.poll(atGoogle).toContain('/Survey (trash)')

  await item(page, 'Letters').focus()
  await press('Enter')
  await item(page, 'Letter to the harbour').waitFor()
  await goTo(item(page, 'Letter to the harbour'))
  await press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Download as…' }).focus()
  await press('ArrowRight')
  const word = await downloadOf(page, () => page.getByRole('menuitem', { name: 'Word (.docx)' }).press('Enter'))
  expect(word.name).toBe('Letter to the harbour.docx')
  expect(problems).toEqual([])
}, 900_000)

test('the same on a phone', async () => {
  await plantAccount()
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const { page, problems } = await stage.person(undefined, options)
  await connectWhileListed(page, (row) => row.tap())
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Private').getByText('Up to date').waitFor({ timeout: PATIENCE_MS })
  await item(page, 'Private').tap()
  const plan = item(page, 'Plan of the north wall.txt')
  await plan.waitFor()
  await plan.tap()
  await page.getByRole('dialog', { name: 'Preview' }).getByText('north wall.txt of 3').waitFor()
  await page.getByRole('dialog', { name: 'Preview' }).getByRole('button', { name: 'Close' }).first().tap()
  const act = async (row: Locator, name: string) => {
    await row.getByRole('button', { name: /^More actions/ }).tap()
    await page.getByRole('menuitem', { name }).tap()
  }
  await act(plan, 'Rename')
  await page.getByRole('textbox', { name: /name/i }).fill('North wall.txt')
  await page.keyboard.press('Enter')
  await expect.poll(atGoogle).toContain('/North wall.txt')
  const wall = item(page, 'North wall.txt')
  const { bytes } = await downloadOf(page, () => act(wall, 'Download'))
  expect(bytes.toString()).toBe('/Plan of the north wall.txt of 3')
  await act(wall, 'Move to Trash')
  await expect.poll(atGoogle).toContain('/North wall.txt (trash)')
  await toast(page, 'moved to Trash').getByRole('button', { name: 'Undo' }).tap()
  await wall.waitFor()
  await act(item(page, 'Survey'), 'Move to…')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Go to the parent folder' }).tap()
  await dialog.getByRole('button', { name: /^Move \d/ }).tap()
  await toast(page, 'Moved “Survey”').waitFor({ timeout: PATIENCE_MS })
  await expect.poll(atGoogle).toContain('/Survey (trash)')
  expect(problems).toEqual([])
}, 900_000)
