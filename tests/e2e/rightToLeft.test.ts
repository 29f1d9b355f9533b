import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PSEUDO_ARABIC } from '../../web/languages/pseudo.ts'
import { startEmulatedServer } from './support/emulated.ts'
import { examine } from './support/examine.ts'
import { item } from './support/fileManager.ts'
import { FIRST_LOOK, inEachLook, LOOKS, type Look, loaded, wear } from './support/looks.ts'
import { mirrorFinds, orderFinds } from './support/mirror.ts'
import { buildPseudoClient, type PseudoClient } from './support/pseudoLanguage.ts'
import { setStage } from './support/stage.ts'
import { furnish, movedTo, tour, tourAsVisitor, tourPreviews, type World } from './support/tour.ts'

// The whole client in Arabic letters that say nothing. Each page is compared with its own mirror image.

const stage = setStage(() => startEmulatedServer({ UPLOAD_TYPES: '*' }))
let client: PseudoClient
let world: World

beforeAll(async () => {
  const [built, furnished] = await Promise.all([buildPseudoClient('pseudo-arabic'), furnish(stage)])
  client = built
  world = movedTo(await client.serve(stage.url), furnished)
}, 900_000)
afterAll(() => client?.close())

const shown = (english: string) => PSEUDO_ARABIC.translate(english, '') ?? english

function open(options: object = {}, isVisitor = false) {
  const state = isVisitor ? {} : { storageState: world.storageState }
  return stage.anonymous({ ...options, ...state })
}

/** Looks at the page as it stands: axe, nothing wider than the window, the mirror image, and the order of names. */
function lookerAt(page: Page) {
  const found: string[] = []
  const judge = async (name: string, { label }: Look) => {
    await examine(page, `rtl-${name.replaceAll(/\W+/g, '-')}-${label}`, found)
    const finds = [...(await page.evaluate(mirrorFinds)), ...(await page.evaluate(orderFinds))]
    found.push(...finds.map((find) => `${name}, ${label}: ${find}`))
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).direction)).toBe('rtl')
  }
  const look = (name: string) => inEachLook(page, (each) => judge(name, each))
  return { found, judge, look }
}

const SCREENS = [
  '/dashboard',
  '/file-manager/my-drive',
  '/file-manager/trash',
  '/file-manager/room',
  '/file-manager/duplicates',
  '/cloud-integration',
  '/cloud-integration?add',
  '/group-cloud',
  '/api-keys',
  '/settings',
]
const OPENED = ['grid', 'photos', 'list', 'share', 'move', 'palette', 'editor', 'group cloud']
/** What another width of the window closes, or replaces. */
const OPENED_AGAIN = ['menu', 'details', 'versions']

describe('from right to left, in each look', () => {
  test('the screens are the mirror image of those from left to right', async () => {
    const visitor = await open(FIRST_LOOK, true)
    const before = lookerAt(visitor.page)
    for (const path of ['/login', '/register', '/forgot-password', '/privacy-policy']) {
      await visitor.page.goto(world.url + path)
      await visitor.page.getByRole('heading', { level: 1 }).waitFor()
      await loaded(visitor.page)
      await before.look(path)
    }
    const { page, problems } = await open(FIRST_LOOK)
    const { judge, found } = lookerAt(page)
    for (const path of SCREENS) {
      await page.goto(world.url + path)
      await page.locator('main').waitFor()
      await loaded(page)
      await inEachLook(page, async (look) => {
        await judge(path, look)
        // Below a dialog there is nothing else.
        if (look.width < 768 || path.endsWith('?add')) return
        const sidebar = await page.getByRole('complementary').first().boundingBox()
        expect((sidebar?.x ?? 0) + (sidebar?.width ?? 0)).toBe(look.width)
      })
    }
    expect([...before.found, ...found]).toEqual([])
    expect(problems).toEqual([])
  }, 600_000)

  test('so is what opens over them', async () => {
    const { page } = await open(FIRST_LOOK)
    const { look, judge, found } = lookerAt(page)
    await tour(page, { world, shown, look }, OPENED)
    for (const each of LOOKS) {
      await wear(page, each)
      await tour(page, { world, shown, look: (name) => judge(name, each) }, OPENED_AGAIN)
    }
    expect(found).toEqual([])
  }, 600_000)

  test('so are previews, and what visitors see', async () => {
    const { page } = await open(FIRST_LOOK)
    const { look, found } = lookerAt(page)
    await tourPreviews(page, { world, shown, look }, [
      'Harbour view.png',
      'areas.csv',
      'Brief.md',
      'model.json',
      'measure.ts',
      'Backup.zip',
    ])
    const visitor = await open(FIRST_LOOK, true)
    const theirs = lookerAt(visitor.page)
    await tourAsVisitor(visitor.page, { world, shown, look: theirs.look })
    expect([...found, ...theirs.found]).toEqual([])
  }, 600_000)
})

const leftOf = async (element: Locator) => (await element.boundingBox())?.x ?? Number.NaN
const focused = (page: Page) => page.locator(':focus')

describe('the arrow to the left', () => {
  test.each(['Grid', 'Photos'])('goes on to what is at the left in %s', async (layout) => {
    const { page } = await open()
    await page.goto(`${world.url}/file-manager/my-drive`)
    await item(page, 'areas.csv').waitFor()
    await page.getByRole('button', { name: shown(layout), exact: true }).click()
    await page.locator('[role=gridcell][data-id] img, [role=gridcell][data-id]').nth(2).waitFor()
    await loaded(page)
    const first = page.locator('[role=gridcell][data-id]').first()
    await first.focus()
    const from = await leftOf(first)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => leftOf(focused(page))).toBeLessThan(from)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => leftOf(focused(page))).toBe(from)
  })

  test('goes on in tabs, opens a menu inside a menu, and the next file of a preview', async () => {
    const { page } = await open()
    await page.goto(`${world.url}/cloud-integration`)
    const tab = page.getByRole('tab', { selected: true })
    const from = await leftOf(tab)
    await tab.press('ArrowLeft')
    await expect.poll(() => leftOf(page.getByRole('tab', { selected: true }))).toBeLessThan(from)

    await page.goto(`${world.url}/file-manager/my-drive`)
    await item(page, 'areas.csv').click({ button: 'right' })
    const inner = page.locator('[aria-haspopup=menu][role=menuitem]').first()
    if ((await inner.count()) > 0) {
      await inner.press('ArrowLeft')
      await expect.poll(() => page.getByRole('menu').count()).toBe(2)
      expect(await leftOf(page.getByRole('menu').last())).toBeLessThan(await leftOf(page.getByRole('menu').first()))
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.getByRole('menu').count()).toBe(1)
    }
    await page.keyboard.press('Escape')

    await page.goto(`${world.url}/file-manager/my-drive?preview=${world.ids.get('model.json')}`)
    const next = page.getByRole('button', { name: shown('Next file') })
    const previous = page.getByRole('button', { name: shown('Previous file') })
    await next.waitFor()
    expect(await leftOf(next)).toBeLessThan(await leftOf(previous))
    const title = () => page.getByRole('dialog').getByRole('heading').first().textContent()
    const before = await title()
    await page.getByRole('dialog').press('ArrowLeft')
    await expect.poll(title).not.toBe(before)
    await page.getByRole('dialog').press('ArrowRight')
    await expect.poll(title).toBe(before)
  })

  test('goes to the box at the left in the map of what takes the room', async () => {
    const { page } = await open()
    await page.goto(`${world.url}/file-manager/room`)
    const boxes = page.getByRole('main').getByRole('list').locator('a[style]')
    await boxes.filter({ hasText: 'Chart' }).waitFor()
    await boxes.filter({ hasText: 'Travel' }).waitFor()
    const places = await Promise.all((await boxes.all()).map(leftOf))
    const from = Math.max(...places)
    await boxes.nth(places.indexOf(from)).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => leftOf(focused(page))).toBeLessThan(from)
  })
})

test('icons that point along the line of reading are mirrored, others are not', async () => {
  const { page } = await open()
  await page.goto(`${world.url}/file-manager/my-drive`)
  await item(page, 'areas.csv').waitFor()
  const scaleOf = (name: string) =>
    page
      .locator(`.lucide-${name}`)
      .first()
      .evaluate((icon) => getComputedStyle(icon).scale)
  expect(await scaleOf('list')).toBe('-1 1')
  expect(await scaleOf('panel-right')).toBe('-1 1')
  expect(await scaleOf('search')).toBe('none')
  await page.goto(`${world.url}/file-manager/my-drive?edit=${world.edited}`)
  await page.locator('.cm-content').waitFor()
  expect(await scaleOf('arrow-left')).toBe('-1 1')
  expect(await page.locator('.cm-content').evaluate((text) => getComputedStyle(text).direction)).toBe('ltr')
})
