import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepToasts } from './support/browser.ts'
import { dropFiles, item, upload } from './support/fileManager.ts'
import { type Sample, tenSamples } from './support/samples.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

/** What people meet every day: each of these once stood in somebody's way. */
const stage = setStage()

const PHONE = { viewport: { width: 390, height: 844 } }

const text = (name: string): Sample => ({ name, type: 'text/plain', bytes: Buffer.from(`This is ${name}.`) })
const rows = (page: Page) => page.locator('[data-id]')
const shownNames = (page: Page) => rows(page).locator('a').allInnerTexts()
/** The texts of buttons and links in the colour of the one main action. */
const primaries = (within: Locator) =>
  within.locator('a, button').evaluateAll((all) => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.background = 'var(--accent)'
    const accent = getComputedStyle(probe).backgroundColor
    probe.remove()
    return all.flatMap((one) => (getComputedStyle(one).backgroundColor === accent ? [one.textContent] : []))
  })

/** A folder by REST. @returns its id */
async function makeFolder(page: Page, name: string, parentId?: string): Promise<string> {
  const data = { name, ...(parentId && { parentId }) }
  const headers = { origin: stage.url }
  const answer = await page.request.post(`${stage.url}/api/v1/files/folders`, { data, headers })
  expect(answer.status(), await answer.text()).toBe(201)
  return (await answer.json()).id
}

/** Somebody new with these files in My Drive, at a path. */
async function personWith(files: readonly Sample[], path: string, options = {}) {
  const opened = await stage.person(undefined, options)
  for (const file of files) await upload(opened.page, stage.url, file)
  await opened.page.goto(stage.url + path)
  if (files.length > 0) await rows(opened.page).first().waitFor()
  return opened
}

/** What lies on top in the middle of an element, as the pointer meets it. */
const isOnTop = (element: Locator) =>
  element.evaluate((target) => {
    const { left, top, width, height } = target.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    return hit !== null && target.contains(hit)
  })

test('toasts stay in the top bar: the buttons of the view and of the details can be pressed meanwhile', async () => {
  const { page, problems } = await personWith([text('Plan.txt'), text('Quay.txt')], '/file-manager/my-drive')
  const toasts = page.locator('[data-sonner-toast]')
  const buttons = ['List', 'Grid', 'Details'].map((name) => page.getByRole('button', { name, exact: true }).first())
  await keepToasts(page)
  await item(page, 'Plan').click()
  await page.keyboard.press('s')
  const starred = toasts.filter({ hasText: 'Starred' })
  await starred.waitFor()
  await page.keyboard.press('Delete')
  const trashed = toasts.filter({ hasText: 'Trash' })
  await trashed.getByRole('button', { name: 'Undo' }).waitFor()
  const bar = await page.locator('header').first().boundingBox()
  const floor = (bar?.y ?? 0) + (bar?.height ?? 0)
  await expect.poll(async () => ((await trashed.boundingBox())?.y ?? -1) >= 0).toBe(true)
  const box = await trashed.boundingBox()
  expect(Math.round(box?.height ?? Infinity)).toBeLessThanOrEqual(48)
  expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBeLessThanOrEqual(floor)
  for (const button of buttons) expect(await isOnTop(button), await button.innerHTML()).toBe(true)
  const search = await page.getByRole('searchbox', { name: 'Search files' }).boundingBox()
  expect((search?.x ?? 0) + (search?.width ?? 0)).toBeLessThanOrEqual(box?.x ?? 0)
  expect(problems).toEqual([])
})

test('hits of a search and All Files say in which folder each file lies, in lists and tiles, wide and narrow', async () => {
  const { page, problems } = await stage.person()
  const outer = await makeFolder(page, 'Harbour House')
  const inner = await makeFolder(page, 'Drawings', outer)
  await upload(page, stage.url, text('North wall.txt'), inner)
  await upload(page, stage.url, text('North gate.txt'))
  const deep = 'My Drive / Harbour House / Drawings'
  for (const path of ['/file-manager/my-drive?q=north', '/file-manager']) {
    await page.goto(stage.url + path)
    await item(page, 'North wall').getByText(deep).waitFor()
    await item(page, 'North gate').getByText('My Drive', { exact: true }).waitFor()
  }
  // In its own folder a row has no use for it.
  await page.goto(`${stage.url}/file-manager/my-drive?folder=${inner}`)
  await item(page, 'North wall').waitFor()
  expect(await item(page, 'North wall').getByText(deep).count()).toBe(0)
  await page.goto(`${stage.url}/file-manager/my-drive?q=north&layout=grid`)
  await item(page, 'North wall').getByText(deep).waitFor()
  await page.setViewportSize(PHONE.viewport)
  await page.goto(`${stage.url}/file-manager?layout=list`)
  const place = item(page, 'North wall').getByText(deep)
  await place.waitFor()
  // The date beside it is whole: only the way to the file is shortened.
  const cut = await item(page, 'North wall')
    .getByTestId('row-facts')
    .locator('> span')
    .evaluateAll((parts) =>
      parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent),
    )
  expect(cut.filter((words) => words !== deep)).toEqual([])
  expect(problems).toEqual([])
})

test('the words beside a switch switch it, and what is chosen holds: folders first, endings, single keys', async () => {
  const { page, problems } = await stage.person()
  await makeFolder(page, 'Zeppelin')
  await upload(page, stage.url, text('Anchor.txt'))
  const toggle = async (name: string, isOn: boolean) => {
    await page.goto(`${stage.url}/settings`)
    await page.getByText(name, { exact: true }).click()
    await expect.poll(() => page.getByRole('switch', { name }).isChecked()).toBe(isOn)
    await page.goto(`${stage.url}/file-manager/my-drive`)
    await item(page, 'Zeppelin').waitFor()
  }
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Zeppelin').waitFor()
  expect(await shownNames(page)).toEqual(['Zeppelin', 'Anchor.txt'])
  await toggle('Folders first', false)
  expect(await shownNames(page)).toEqual(['Anchor.txt', 'Zeppelin'])
  await toggle('Folders first', true)
  expect(await shownNames(page)).toEqual(['Zeppelin', 'Anchor.txt'])
  await toggle('Show file name extensions', false)
  expect(await shownNames(page)).toEqual(['Zeppelin', 'Anchor'])
  await toggle('Single-key shortcuts', false)
  await item(page, 'Anchor').click()
  await page.keyboard.press('s')
  await page.keyboard.press('F2')
  await page.getByLabel('New name').waitFor()
  expect(await page.getByRole('img', { name: 'Starred' }).count()).toBe(0)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await page.getByText('Use single keys', { exact: true }).click()
  await expect.poll(() => page.getByRole('switch', { name: 'Use single keys' }).isChecked()).toBe(true)
  await page.goto(`${stage.url}/dashboard`)
  await page.getByText('Show as table', { exact: true }).click()
  await page.getByRole('rowheader', { name: 'This server' }).waitFor()
  await page.goto(`${stage.url}/group-cloud`)
  await page.getByRole('button', { name: 'New group cloud' }).click()
  await page.getByText('Use for uploads by default', { exact: true }).click()
  await expect.poll(() => page.getByRole('switch', { name: 'Use for uploads by default' }).isChecked()).toBe(true)
  expect(problems).toEqual([])
})

test('Back after a preview goes to where one came from, and never opens it again', async () => {
  const samples = [text('First.txt'), text('Second.txt'), text('Third.txt')]
  const { page, problems } = await personWith(samples, '/file-manager')
  await page.getByRole('link', { name: 'My Drive' }).first().click()
  await page.waitForURL('**/my-drive')
  // The page before shows the file, too.
  await page.getByRole('heading', { level: 1, name: 'My Drive' }).waitFor()
  await item(page, 'First').dblclick()
  const preview = page.getByRole('dialog', { name: 'Preview' })
  await preview.getByText('This is First.txt.').waitFor()
  await expect.poll(() => page.title()).toBe('First.txt · Skypool')
  await page.keyboard.press('ArrowRight')
  await preview.getByText('This is Second.txt.').waitFor()
  await page.keyboard.press('Escape')
  await preview.waitFor({ state: 'detached' })
  await item(page, 'Third').dblclick()
  await preview.getByText('This is Third.txt.').waitFor()
  await preview.getByRole('button', { name: 'Close preview' }).click()
  await preview.waitFor({ state: 'detached' })
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/file-manager')
  await page.getByRole('heading', { level: 1, name: 'All Files' }).waitFor()
  expect(await preview.count()).toBe(0)

  // One that was opened by its address has no list behind it: Back leaves, and does not open it.
  const id = await item(page, 'First').getAttribute('data-id')
  await page.goto(`${stage.url}/settings`)
  await page.goto(`${stage.url}/file-manager?preview=${id}`)
  await preview.getByText('This is First.txt.').waitFor()
  await page.keyboard.press('Escape')
  await preview.waitFor({ state: 'detached' })
  await page.goBack()
  await page.waitForURL('**/settings')
  expect(problems).toEqual([])
})

test('long ways to a folder are cut with an ellipsis, never in mid-letter or by the search, and all tools are in reach', async () => {
  const { page, problems } = await stage.person()
  const names = [
    'Harbour House, competition entry',
    'Structural engineering and foundations',
    'Correspondence with the city council',
    'Minutes of the meetings in November',
  ]
  let id: string | undefined
  for (const name of names) id = await makeFolder(page, name, id)
  /** Crumbs whose letters are cut by a plain edge, by their neighbour, or by the search field. */
  const clipped = () =>
    page.evaluate(() => {
      const nav = document.querySelector('nav[aria-label="Breadcrumb"]')
      if (!nav) return ['no breadcrumbs']
      const search = document.querySelector('header search')?.getBoundingClientRect()
      const parts = [...nav.querySelectorAll('a, button[aria-current] .ell')]
      const wrong = parts.flatMap((part) => {
        const { overflow, textOverflow } = getComputedStyle(part)
        const isCut = part.scrollWidth > part.clientWidth
        const letters = document.createRange()
        letters.selectNodeContents(part)
        const isBeside =
          letters.getBoundingClientRect().right > (isCut ? Infinity : part.getBoundingClientRect().right + 1)
        const isOverSearch = search !== undefined && part.getBoundingClientRect().right > search.left
        const isPlain = isCut && (overflow !== 'hidden' || textOverflow !== 'ellipsis')
        return isPlain || isBeside || isOverSearch ? [part.textContent ?? ''] : []
      })
      return nav.scrollWidth > nav.clientWidth ? [...wrong, 'the whole'] : wrong
    })
  for (const width of [1440, 1280, 1100, 800]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${stage.url}/file-manager/my-drive?folder=${id}`)
    const here = page.getByRole('heading', { level: 1 }).getByText(names[3] ?? '')
    await here.waitFor()
    expect(await clipped(), `${width} px`).toEqual([])
    expect((await here.boundingBox())?.width, `${width} px`).toBeGreaterThan(40)
    for (const name of ['New', 'List', 'Grid', 'Details']) {
      const button = page.getByRole('toolbar', { name: 'Files' }).getByRole('button', { name, exact: true })
      expect(await isOnTop(button), `${name} at ${width} px`).toBe(true)
    }
  }
  expect(await page.title()).toBe(`${names[3]} · Skypool`)
  expect(problems).toEqual([])
})

test('every page of files is titled by what it shows', async () => {
  const { page } = await personWith([text('Plan.txt')], '/file-manager')
  const titles: string[] = []
  for (const path of ['', '/my-drive', '/shared', '/starred', '/trash', '/my-drive?q=plan']) {
    await page.goto(`${stage.url}/file-manager${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    titles.push(await page.title())
  }
  expect(titles.map((title) => title.replace(' · Skypool', ''))).toEqual([
    'All Files',
    'My Drive',
    'Shared',
    'Starred',
    'Trash',
    '“plan” in My Drive',
  ])
})

test('first of all an account is connected: the first run offers that before anything else', async () => {
  const { page, problems } = await stage.person('/file-manager')
  await page.getByRole('heading', { name: 'Connect your first account' }).waitFor()
  const main = page.getByRole('main')
  expect(await primaries(main)).toEqual(['Connect storage'])
  await main.getByRole('button', { name: 'Upload to this server' }).waitFor()
  await main.getByRole('link', { name: 'Connect storage' }).click()
  await page.getByRole('dialog').getByRole('heading', { name: 'Add Storage' }).waitFor()
  await page.goto(`${stage.url}/dashboard`)
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  expect(await primaries(main)).toEqual(['Add Storage'])
  expect(problems).toEqual([])
})

test('a selection can be copied elsewhere from its bar', async () => {
  const { page, problems } = await stage.person()
  await makeFolder(page, 'Archive')
  await upload(page, stage.url, text('Plan.txt'))
  await upload(page, stage.url, text('Quay.txt'))
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Plan').click()
  await item(page, 'Quay').click({ modifiers: ['Control'] })
  await page.getByRole('toolbar', { name: '2 selected' }).getByRole('button', { name: 'Copy to…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy 2 items' })
  await dialog.getByRole('button', { name: 'Archive' }).click()
  await dialog.getByText('To My Drive › Archive').waitFor()
  await dialog.getByRole('button', { name: 'Copy here' }).click()
  await dialog.waitFor({ state: 'detached' })
  await item(page, 'Archive').dblclick()
  await page.getByRole('heading', { level: 1, name: 'Archive' }).waitFor()
  await item(page, 'Quay').waitFor()
  expect((await shownNames(page)).toSorted()).toEqual(['Plan.txt', 'Quay.txt'])
  expect(problems).toEqual([])
})

test('details say who changed a file, and when its copies were checked', async () => {
  const { page, problems } = await personWith([text('Plan.txt')], '/file-manager/my-drive')
  const made = await page.request.post(`${stage.url}/api/v1/keys`, {
    data: { name: 'Backup script' },
    headers: { origin: stage.url },
  })
  const { key } = await made.json()
  await item(page, 'Plan').click()
  await page.keyboard.press('d')
  const properties = page.getByRole('region', { name: 'Properties' })
  const value = (name: string) => properties.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]')
  await expect.poll(() => value('Modified').textContent()).toMatch(/^Today, \d\d:\d\d by you$/)
  expect(await value('Added').textContent()).toMatch(/^Today, \d\d:\d\d by you$/)
  expect(await value('Checked').textContent()).toMatch(/^Today, \d\d:\d\d, all pieces match$/)
  const id = await item(page, 'Plan').getAttribute('data-id')
  const renamed = await fetch(`${stage.url}/api/v1/files/${id}`, {
    method: 'PATCH',
    body: JSON.stringify({ name: 'Plan B.txt' }),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  expect(renamed.status).toBe(200)
  await expect.poll(() => value('Modified').textContent()).toContain('by Backup script')
  expect(await value('Added').textContent()).toContain('by you')
  expect(problems).toEqual([])
})

test('a visitor reports a link at the foot of its page, and its owner reads of it', async () => {
  const { page } = await personWith(tenSamples().slice(0, 1), '/file-manager/my-drive')
  const id = (await rows(page).first().getAttribute('data-id')) ?? ''
  const { url } = await share(page, stage.url, id)
  const guest = await stage.anonymous(PHONE)
  await guest.page.goto(url)
  const foot = guest.page.getByRole('contentinfo')
  await foot.getByRole('button', { name: 'Report this file' }).click()
  const dialog = guest.page.getByRole('dialog', { name: 'Report this link' })
  const send = dialog.getByRole('button', { name: 'Send report' })
  await send.waitFor()
  expect(await send.isDisabled()).toBe(true)
  await dialog.getByText('It contains harmful software').click()
  await Promise.all([guest.page.getByText('Report sent').waitFor(), send.click()])
  await dialog.waitFor({ state: 'detached' })
  expect(guest.problems).toEqual([])
  await page.goto(`${stage.url}/settings`)
  await page
    .getByRole('region', { name: 'Activity' })
    .getByText(/reported .*Harbour view/)
    .waitFor()
})

test('a ZIP is taken like anything else, as long as nobody has narrowed what is', async () => {
  const { page, problems } = await personWith([], '/file-manager/my-drive')
  await page.getByText('My Drive is empty').waitFor()
  const zip = {
    name: 'Drawings.zip',
    type: 'application/zip',
    bytes: Buffer.from('PK\u0005\u0006'.padEnd(22, '\0'), 'latin1'),
  }
  await page.getByRole('complementary', { name: 'Main' }).getByRole('button', { name: 'Upload Files' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload Files' })
  await dialog.getByText('Select Group Cloud').waitFor()
  await dialog.locator('input[type=file]').setInputFiles({ name: zip.name, mimeType: zip.type, buffer: zip.bytes })
  await dialog.getByText('Files to upload (1)').waitFor()
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await dialog.getByRole('listitem').getByText('Uploaded').waitFor()
  await page.keyboard.press('Escape')
  await item(page, 'Drawings.zip').waitFor()
  await dropFiles(page, page.getByRole('main'), [{ ...zip, name: 'Models.7z', type: '' }])
  await item(page, 'Models.7z').waitFor()
  expect(problems).toEqual([])
})

test('phones speak of taps, show what is selected by checkboxes, and copy a link', async () => {
  const phone = { ...PHONE, hasTouch: true, isMobile: true, permissions: ['clipboard-read', 'clipboard-write'] }
  const { page, problems } = await personWith([text('Plan.txt'), text('Quay.txt')], '/file-manager/my-drive', phone)
  await page
    .getByRole('button', { name: /^Upload/ })
    .last()
    .tap()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Tap to choose files').waitFor()
  expect(await dialog.getByText(/Drag and drop files here/).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Cancel' }).tap()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'More actions for Plan.txt' }).tap()
  await page.getByRole('menuitem', { name: 'Copy link' }).tap()
  const id = await item(page, 'Plan').getAttribute('data-id')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(id)

  expect(await page.getByTestId('row-check').count()).toBe(0)
  await page.keyboard.press('Control+a')
  await page.getByRole('toolbar', { name: '2 selected' }).waitFor()
  expect(
    await page.getByTestId('row-check').evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked)),
  ).toEqual([true, true])
  expect(await isOnTop(page.getByTestId('row-check').first())).toBe(true)
  expect(problems).toEqual([])
})
