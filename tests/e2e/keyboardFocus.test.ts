import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import { seedFolder } from '../tools/bench/seed.ts'
import { setStage } from './support/stage.ts'

/** More than one answer of the server holds, so that the end is not loaded at first. */
const ROWS = 1_500

const stage = setStage()

async function openFolder(rows: number, name = 'Keys') {
  const { page, problems } = await stage.person()
  const me = await (await page.request.get(`${stage.url}/api/v1/auth/me`)).json()
  const clouds = await (await page.request.get(`${stage.url}/api/v1/group-clouds`)).json()
  const owner = { userId: parsePublicId(me.id)?.id ?? '', groupCloudId: parsePublicId(clouds.items[0].id)?.id ?? '' }
  const { pool } = stage.server.database
  const folder = await seedFolder(pool, owner, name, rows)
  await page.goto(`${stage.url}/file-manager/my-drive?folder=${publicId('File', folder)}`)
  await page.locator('[data-id]').first().waitFor()
  return { page, problems }
}

/** What has the focus: the name of a row, or of whatever else it is. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const active = document.activeElement
    if (active === null || active === document.body) return 'BODY'
    return (
      active.getAttribute('data-drop-name') ??
      active.getAttribute('aria-label') ??
      active.getAttribute('data-list-focus')
    )
  })

const names = (page: Page) =>
  page
    .locator('[role="row"][data-id]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-drop-name') ?? ''))

/** The list moves the focus in the next frame, and a closing dialog in a timer after that: both have happened then. */
const settled = (page: Page) =>
  page.evaluate(async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((done) => requestAnimationFrame(done))
      await new Promise((done) => setTimeout(done))
    }
  })

/** Once nothing moves any more, the focus is where it is said to be. */
const expectFocus = (page: Page, name: string) => expect.poll(() => focused(page)).toBe(name)

test('rename, delete, undo, the menu and a new folder by keyboard alone never lose the focus', async () => {
  const { page, problems } = await openFolder(6)
  const [first = '', second = '', third = '', fourth = ''] = await names(page)
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, first)

  await page.keyboard.press('F2')
  await expectFocus(page, 'New name')
  await page.keyboard.press('Escape')
  await expectFocus(page, first)
  await page.keyboard.press('F2')
  await expectFocus(page, 'New name')
  await page.keyboard.type('0 renamed')
  await page.keyboard.press('Enter')
  await page.locator('[data-sonner-toast]').getByText('Renamed to').waitFor()
  const renamed = `0 renamed${first.slice(first.lastIndexOf('.'))}`
  await expectFocus(page, renamed)

  await page.keyboard.press('Shift+F10')
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await expectFocus(page, renamed)

  // Delete, Down, Delete: the row after the first one stays.
  await page.keyboard.press('Delete')
  await expectFocus(page, second)
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, third)
  await page.keyboard.press('Delete')
  await expectFocus(page, fourth)
  await expect.poll(() => names(page)).not.toContain(third)
  expect(await names(page)).toContain(second)

  await page.keyboard.press('Control+z')
  await expect.poll(() => names(page)).toContain(third)
  await expectFocus(page, fourth)

  // The button of the toast takes the focus with it when it goes.
  await page.keyboard.press('Delete')
  await expect.poll(() => names(page)).not.toContain(fourth)
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: fourth })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => names(page)).toContain(fourth)
  await expect.poll(() => page.locator('[data-id]:focus').count()).toBe(1)
  await page.locator('[data-id]').filter({ hasText: fourth }).focus()
  await expectFocus(page, fourth)

  await page.keyboard.press('n')
  await expectFocus(page, 'New folder name')
  await page.keyboard.press('Escape')
  await expectFocus(page, fourth)
  await page.keyboard.press('n')
  await expectFocus(page, 'New folder name')
  await page.keyboard.type('Made by keys')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Made by keys')

  await page.keyboard.press('Escape')
  await expectFocus(page, 'Made by keys')
  expect(problems).toEqual([])
})

test('deleting the last row goes to the one before, and all of them to the empty folder', async () => {
  const { page } = await openFolder(3)
  const [first = '', second = '', third = ''] = await names(page)
  await page.keyboard.press('End')
  await expectFocus(page, third)
  await page.keyboard.press('Delete')
  await expectFocus(page, second)
  await page.keyboard.press('Delete')
  await expectFocus(page, first)
  await page.keyboard.press('Delete')
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  await expect.poll(() => focused(page)).toBe('empty')
  await page.keyboard.press('Control+z')
  await expect.poll(() => names(page)).toHaveLength(1)
  await expect.poll(() => focused(page)).not.toBe('BODY')
})

test('End is the last row of the whole list, Home the first, and pages go a window at a time', async () => {
  const { page } = await openFolder(ROWS, 'Long')
  const rowNumber = () => page.evaluate(() => Number(document.activeElement?.getAttribute('aria-rowindex')))
  await page.keyboard.press('ArrowDown')
  await expect.poll(rowNumber).toBe(2)
  await page.keyboard.press('End')
  await expect.poll(rowNumber).toBe(ROWS + 1)
  await page.keyboard.press('Home')
  await expect.poll(rowNumber).toBe(2)
  await page.keyboard.press('PageDown')
  await expect.poll(rowNumber).toBeGreaterThan(10)
  const fits = await page.locator('[role="rowgroup"]').evaluate((list) => Math.floor(list.clientHeight / 40))
  expect(await rowNumber()).toBeLessThanOrEqual(2 + fits)
  await page.keyboard.press('PageUp')
  await expect.poll(rowNumber).toBe(2)
  expect(await focused(page)).not.toBe('BODY')
})

/**
 * Presses keys as fast as they can come: each in a task of its own, with nothing else waited for. A browser that is busy goes back in its
 * history only after the next key: here it always is.
 */
const pressAtOnce = (page: Page, keys: readonly string[]) =>
  page.evaluate(async (all) => {
    const go = window.history.go.bind(window.history)
    const late: (() => void)[] = []
    window.history.go = (delta) => void late.push(() => go(delta))
    for (const key of all) {
      const target = document.activeElement ?? document.body
      target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      await new Promise((done) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = done
        port2.postMessage(null)
      })
    }
    window.history.go = go
    for (const act of late) act()
  }, keys)

const byKey = (key: string) => (page: Page) => page.keyboard.press(key)
const fromMenu = (name: string) => async (page: Page) => {
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name }).press('Enter')
}

/** What covers the list, or takes the keys from it, and how it is opened. */
const OVERLAYS = [
  { open: byKey('Enter'), role: 'dialog', name: 'Preview' },
  { open: byKey('Shift+F10'), role: 'menu', name: /^Actions for/ },
  { open: byKey('t'), role: 'dialog', name: 'Tags' },
  { open: byKey('?'), role: 'dialog', name: 'Keyboard shortcuts' },
  { open: byKey('Control+k'), role: 'dialog', name: 'Go to' },
  { open: byKey('u'), role: 'dialog', name: /^Upload/ },
  { open: byKey('Shift+Delete'), role: 'alertdialog', name: /^Delete/ },
  { open: byKey('F2'), role: 'textbox', name: 'New name' },
  { open: byKey('n'), role: 'textbox', name: 'New folder name' },
  { open: fromMenu('Move to…'), role: 'dialog', name: /^Move/ },
  { open: fromMenu('Share'), role: 'dialog', name: /^Share/ },
] as const

/** Waits until an overlay is there and has the focus, as for a person who sees it. */
async function waitOpen(page: Page, { role, name }: (typeof OVERLAYS)[number]): Promise<Locator> {
  const overlay = page.getByRole(role, { name })
  await overlay.waitFor({ state: 'attached' })
  await expect.poll(() => overlay.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  return overlay
}

test('no key is lost right after Escape, whatever it has closed', async () => {
  const { page } = await openFolder(6)
  const [first = '', second = ''] = await names(page)
  // Counted where it is sent: a list that was asked for before can show the star as it was for a moment.
  let stars = 0
  page.on('request', (request) => {
    if (request.postData()?.includes('starFilesMutation')) stars += 1
  })
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, first)
  for (const [index, overlay] of OVERLAYS.entries()) {
    await overlay.open(page)
    const element = await waitOpen(page, overlay)
    await pressAtOnce(page, ['Escape', 's'])
    await expect.poll(() => stars, { timeout: 60_000 }).toBe(index + 1)
    await element.waitFor({ state: 'detached' })
    await expectFocus(page, first)
  }

  // The next preview is opened before the browser has gone back from the one before: one step back closes it.
  const list = page.url()
  await page.keyboard.press('Enter')
  await waitOpen(page, OVERLAYS[0])
  await pressAtOnce(page, ['Escape', 'ArrowDown', 'Enter'])
  await page.getByRole('dialog', { name: 'Preview' }).getByText(second).first().waitFor()
  await page.goBack()
  await page.getByRole('dialog', { name: 'Preview' }).waitFor({ state: 'detached' })
  expect(page.url()).toBe(list)
  await page.goForward()
  await page.getByRole('dialog', { name: 'Preview' }).getByText(second).first().waitFor()

  // One that came by its address has no list behind it.
  const address = page.url()
  await page.goto('about:blank')
  await page.goto(address)
  await waitOpen(page, OVERLAYS[0])
  await pressAtOnce(page, ['Escape', 's'])
  await page.locator('[data-id]').nth(1).getByRole('img', { name: 'Starred' }).waitFor()

  // Nor by the preview, when a dialog above it is closed.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Home')
  await expectFocus(page, first)
  await page.keyboard.press('Enter')
  const preview = await waitOpen(page, OVERLAYS[0])
  await preview.getByRole('button', { name: 'Share' }).press('Enter')
  await waitOpen(page, { open: byKey('Enter'), role: 'dialog', name: /^Share/ })
  await pressAtOnce(page, ['Escape', 'ArrowRight'])
  await preview.getByText(second).first().waitFor()
  await preview.getByRole('button', { name: 'Rename' }).press('Enter')
  await expect.poll(() => preview.locator('input').evaluate((field) => field === document.activeElement)).toBe(true)
  await pressAtOnce(page, ['Escape', 'ArrowLeft'])
  await preview.getByText(first).first().waitFor()
})

test('Tab leaves the page after the list, whether it has rows or not', async () => {
  const { page } = await openFolder(3, 'Left')
  const leave = async (from: string) => {
    await page.keyboard.press('Tab')
    await expect.poll(() => focused(page)).not.toBe(from)
    await settled(page)
    return focused(page)
  }
  const [first = ''] = await names(page)
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, first)
  expect(await leave(first)).toBe('BODY')
  // Behind the last control comes the first one again.
  await page.keyboard.press('Tab')
  await expect.poll(() => focused(page)).not.toBe('BODY')
  expect(await focused(page)).not.toBe(first)

  await page.goto(`${stage.url}/file-manager/trash`)
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await page.getByRole('toolbar', { name: 'Files' }).getByRole('button', { name: 'Details' }).focus()
  expect(await leave('Details')).toBe('BODY')
})

test('after a fresh load, a dialog gives the focus back to the button that opened it', async () => {
  const { page } = await openFolder(3, 'Openers')
  for (const name of ['Keyboard shortcuts', 'Columns']) {
    await page.reload()
    const button = page.getByRole('button', { name, exact: true })
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name })
    await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await settled(page)
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  }
})

test('a name that is being typed stays while the list is scrolled, in the list and in the grid', async () => {
  const { page } = await openFolder(ROWS, 'Scrolled')
  const [first = ''] = await names(page)
  const drawn = () => page.locator('[data-id]').evaluateAll((all) => all.map((one) => one.getAttribute('data-id')))
  for (const layout of ['list', 'grid']) {
    await page.goto(`${page.url().replace(/&layout=.*/, '')}&layout=${layout}`)
    await page.locator('[data-id]').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await expectFocus(page, first)
    await page.keyboard.press('F2')
    await expectFocus(page, 'New name')
    await page.keyboard.type('half')
    const list = page.locator('[role="rowgroup"]')
    for (const top of [3_000, 20_000, 40_000, 39_000]) {
      const before = await drawn()
      // It can be scrolled as far as rows are loaded: the rest is while it is scrolled.
      const scrolled = () =>
        list.evaluate((element, to) => {
          element.scrollTo(0, to)
          return element.scrollTop
        }, top)
      await expect.poll(scrolled).toBe(top)
      await expect.poll(drawn).not.toEqual(before)
      await settled(page)
      expect(await focused(page)).toBe('New name')
    }
    await page.keyboard.type(' typed')
    await list.evaluate((element) => element.scrollTo(0, 0))
    await settled(page)
    expect(await page.getByRole('textbox', { name: 'New name' }).inputValue()).toMatch(/^half typed/)
    expect(await focused(page)).toBe('New name')
    await page.keyboard.press('Escape')
    await expectFocus(page, first)
  }
})
