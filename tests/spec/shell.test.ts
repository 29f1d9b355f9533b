import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { startEmulatedServer } from '../e2e/support/emulated.ts'
import { setStage } from '../e2e/support/stage.ts'
import { line } from './line.ts'
import { toastOf } from './support.ts'

const stage = setStage(startEmulatedServer)
const PHONE = { viewport: { width: 390, height: 844 } }

const open = async (path = '/file-manager', options = {}) => (await stage.person(path, options)).page

const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Main' })
const width = async (element: Locator) => (await element.boundingBox())?.width
/** One rem of this page, in pixels. */
const rem = (page: Page) => page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize))

/** The words of the tooltip that is shown. */
const tip = (page: Page) => page.getByRole('tooltip').allInnerTexts()

/** Links of a group of the sidebar, in order. */
async function entries(page: Page, group: string): Promise<string[]> {
  const links = page.getByRole('navigation', { name: group }).getByRole('link')
  await links.first().waitFor()
  return links.allInnerTexts()
}

async function shows(path: string, heading: string | RegExp): Promise<void> {
  const page = await open(path)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await sidebar(page).waitFor()
}

describe('protected routes', () => {
  line('2.16', async () => {
    const page = await open('/group-cloud')
    await sidebar(page).waitFor()
    await page.getByRole('main').waitFor()
  })
  line('2.17', () => shows('/dashboard', 'Dashboard'))
  line('2.18', () => shows('/file-manager', 'All Files'))
  line('2.19', () => shows('/file-manager/my-drive', 'My Drive'))
  line('2.20', () => shows('/file-manager/shared', 'Shared'))
  line('2.21', () => shows('/file-manager/starred', 'Starred'))
  line('2.22', () => shows('/file-manager/trash', 'Trash'))
  line('2.23', () => shows('/cloud-integration', 'Cloud Integration'))
  line('2.24', () => shows('/group-cloud', 'Group Cloud Manager'))
  line('2.25', () => shows('/key-management', 'API Keys'))
  line('2.26', () => shows('/settings', 'Settings'))
})

describe('the sidebar', () => {
  line('2.27', async () => {
    const page = await open()
    await sidebar(page).getByText('File Manager', { exact: true }).waitFor()
    for (const path of ['/file-manager', '/cloud-integration', '/settings']) {
      await page.goto(stage.url + path)
      await sidebar(page).getByRole('button', { name: 'Upload Files' }).click()
      await page.getByRole('dialog').getByRole('heading', { name: 'Upload Files' }).waitFor()
    }
  })

  line('2.28', async () => {
    const page = await open()
    expect(await entries(page, 'Browse')).toEqual(['Dashboard', 'All Files', 'My Drive', 'Shared', 'Starred', 'Trash'])
  })

  line('2.29', async () => {
    const page = await open()
    const found = await entries(page, 'Settings')
    expect(found.toSorted()).toEqual(['API Keys', 'Cloud Integration', 'Group Cloud Manager', 'Settings'])
  })

  line('2.30', async () => {
    const page = await open()
    await sidebar(page).getByRole('link', { name: 'Privacy policy' }).click()
    await page.waitForURL('**/privacy-policy')
  })

  line('2.31', async () => {
    const { page, person } = await stage.person('/file-manager')
    const menu = page.getByRole('button', { name: /Maren Holt/ })
    expect(await menu.textContent()).toContain(person.email)
    const me = await (await page.request.get(`${stage.url}/api/v1/auth/me`)).json()
    expect(me.avatarUrl).toBe(`/avatars/${me.id}`)
    expect((await page.request.get(stage.url + me.avatarUrl)).status()).toBe(200)
  })

  line('9.13', async () => {
    const page = await open()
    const picture = page
      .getByRole('button', { name: /Maren Holt/ })
      .locator('span')
      .first()
    expect(await picture.boundingBox()).toMatchObject({ width: 40, height: 40 })
  })

  line('2.32', async () => {
    const page = await open()
    await page.getByRole('button', { name: /Maren Holt/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
  })

  line('2.33', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Collapse sidebar' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Expand sidebar' }).waitFor()
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'sidebar_state')
    expect(cookie?.value).toBe('false')
  })

  line('9.11', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Collapse sidebar' }).click()
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'sidebar_state')
    const days = ((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400
    expect(days).toBeGreaterThan(6.99)
    expect(days).toBeLessThanOrEqual(7)
    await page.setViewportSize({ width: 767, height: 800 })
    await page.getByRole('button', { name: 'Open menu' }).waitFor()
    await page.setViewportSize({ width: 768, height: 800 })
    await page.getByRole('button', { name: 'Open menu' }).waitFor({ state: 'detached' })
  })

  line('2.34', async () => {
    const page = await open()
    await sidebar(page).waitFor()
    expect(await width(sidebar(page))).toBe(16 * (await rem(page)))
    await page.getByRole('button', { name: 'Collapse sidebar' }).click()
    await expect.poll(() => width(sidebar(page))).toBe(48)
    const phone = await open('/file-manager', PHONE)
    await phone.getByRole('button', { name: 'Open menu' }).click()
    const sheet = phone.getByRole('dialog').getByTestId('sidebar-sheet')
    await expect.poll(async () => width(sheet)).toBe(18 * (await rem(phone)))
  })

  line('2.35', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Collapse sidebar' }).waitFor()
    for (const [keys, then] of [
      ['Control+b', 'Expand sidebar'],
      ['Meta+b', 'Collapse sidebar'],
    ] as const) {
      await page.keyboard.press(keys)
      await page.getByRole('button', { name: then }).waitFor()
    }
  })

  line('2.36', async () => {
    const page = await open('/file-manager', { viewport: { width: 767, height: 800 } })
    await page.getByRole('button', { name: 'Open menu' }).waitFor()
    expect(await sidebar(page).count()).toBe(0)
  })

  line('9.12', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Collapse sidebar' }).click()
    await page.mouse.move(700, 500)
    // Past the time in which the button's own tooltip would let the next one come at once.
    await page.waitForTimeout(400)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 5000)
    const links = page.getByRole('navigation', { name: 'Browse' }).getByRole('link')
    await links.nth(1).hover()
    await page.clock.runFor(690)
    expect(await tip(page)).toEqual([])
    await page.clock.runFor(20)
    await expect.poll(() => tip(page)).toEqual(['All Files'])
    await links.nth(2).hover()
    await page.clock.runFor(10)
    await expect.poll(() => tip(page)).toEqual(['My Drive'])
    await page.mouse.move(700, 500)
    await expect.poll(() => tip(page)).toEqual([])
    await page.clock.runFor(310)
    await links.nth(1).hover()
    await page.clock.runFor(600)
    expect(await tip(page)).toEqual([])
  })
})

describe('toasts', () => {
  const toasts = (page: Page) => page.locator('[data-sonner-toast]')
  const shown = (page: Page) => page.locator('[data-sonner-toast][data-visible=true][data-removed=false]')
  const HOVERED = { x: 20, y: 20 }

  /** Toasts stay while the page counts as hidden, however slow the machine is. */
  const hide = (page: Page, hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, hidden)

  /** A hidden page of the main layout that says "Copied to clipboard" each time it is asked. */
  async function openTeller(): Promise<{ page: Page; tell: () => Promise<void> }> {
    const { page, context } = await stage.person('/file-manager/my-drive')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const data = { name: 'Plans' }
    const made = await page.request.post(`${stage.url}/api/v1/files/folders`, { data, headers: { origin: stage.url } })
    await page.goto(`${stage.url}/file-manager/my-drive?folder=${(await made.json()).id}`)
    const folder = page.getByRole('heading', { level: 1 }).getByRole('button', { name: 'Plans' })
    await folder.waitFor()
    await hide(page, true)
    const tell = async () => {
      const before = await toasts(page).count()
      await folder.click()
      await page.getByRole('menuitem', { name: 'Copy path' }).click()
      await expect.poll(() => toasts(page).count()).toBeGreaterThan(before)
    }
    return { page, tell }
  }

  /** From now on the page's time passes only when a test says so. */
  async function stopClock(page: Page): Promise<void> {
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
  }

  /** Lets time pass until no toast is left. */
  async function expectGone(page: Page): Promise<void> {
    await expect
      .poll(async () => {
        await page.clock.runFor(500)
        return toasts(page).count()
      })
      .toBe(0)
  }

  /** Shows the page and expects its toast to disappear after this time (ms), measured by the page's clock. */
  async function expectLife(page: Page, ms: number): Promise<void> {
    await stopClock(page)
    await hide(page, false)
    await page.clock.runFor(ms - 100)
    expect(await shown(page).count()).toBe(1)
    await page.clock.runFor(200)
    await expect.poll(() => shown(page).count()).toBe(0)
  }

  async function swipe(page: Page, by: number, steps: number): Promise<void> {
    const box = await toasts(page).first().boundingBox()
    if (!box) throw new Error('There is no toast.')
    const [x, y] = [box.x + HOVERED.x, box.y + HOVERED.y]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + by, y, { steps })
    // Slower than the speed that counts as a flick.
    if (by < 45) await page.waitForTimeout(by / 0.11 + 200)
    await page.mouse.up()
  }

  line('2.59', async () => {
    const { page, tell } = await openTeller()
    for (let time = 0; time < 4; time++) await tell()
    const list = page.locator('[data-sonner-toaster]')
    expect(await list.getAttribute('data-y-position')).toBe('top')
    expect(await list.getAttribute('data-x-position')).toBe('right')
    await expect.poll(() => shown(page).count()).toBe(3)
  })

  line('9.2', async () => {
    const { page, tell } = await openTeller()
    for (let time = 0; time < 3; time++) await tell()
    await toasts(page).first().hover({ position: HOVERED })
    expect(await width(toasts(page).first())).toBe(356)
    const gap = async () => {
      const boxes = await Promise.all((await toasts(page).all()).map((toast) => toast.boundingBox()))
      const [first, second] = boxes.flatMap((box) => box ?? []).toSorted((a, b) => a.y - b.y)
      return first && second ? Math.round(second.y - first.y - first.height) : null
    }
    await expect.poll(gap).toBe(14)
  })

  line('2.60', async () => {
    const hovered = await openTeller()
    await hovered.tell()
    await toasts(hovered.page).first().hover({ position: HOVERED })
    await stopClock(hovered.page)
    await hide(hovered.page, false)
    await hovered.page.clock.runFor(10_000)
    expect(await toasts(hovered.page).count()).toBe(1)
    await hovered.page.mouse.move(600, 600)
    await expectGone(hovered.page)
    const { page, tell } = await openTeller()
    await tell()
    await stopClock(page)
    await page.clock.runFor(10_000)
    expect(await toasts(page).count()).toBe(1)
    await hide(page, false)
    await expectGone(page)
  })

  line('2.61', async () => {
    const { page, tell } = await openTeller()
    await tell()
    await swipe(page, 30, 10)
    expect(await shown(page).count()).toBe(1)
    await swipe(page, 60, 10)
    await toasts(page).first().waitFor({ state: 'detached' })
  })

  line('2.62', async () => {
    const { page, tell } = await openTeller()
    await tell()
    await page.keyboard.press('Alt+t')
    expect(await page.evaluate(() => Boolean(document.activeElement?.closest('[data-sonner-toaster]')))).toBe(true)
  })

  line('2.63', async () => {
    const { page, tell } = await openTeller()
    await tell()
    await expectLife(page, 3000)
  })

  line('9.1', async () => {
    const { page } = await openTeller()
    await page.getByRole('button', { name: 'Upload Files' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Upload Files' })
    await dialog.getByText('Select Group Cloud').waitFor()
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('north wall'),
    })
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
    await toastOf(page, 'Upload Complete').waitFor()
    await expectLife(page, 4000)
  })
})
