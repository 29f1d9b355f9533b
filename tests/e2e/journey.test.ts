import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newPerson, screenshot, signUp } from './support/browser.ts'
import { downloadOf, dropFiles, item, register } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const samples = tenSamples()
const harbour = samples[0]

async function shown(page: Page, name: string): Promise<void> {
  await item(page, name).first().waitFor()
}

async function gone(page: Page, name: string): Promise<void> {
  await item(page, name).waitFor({ state: 'detached' })
}

/** Of the newest toast: older ones lie behind it. */
function undoTrash(page: Page) {
  return page.locator('[data-sonner-toast]').filter({ hasText: 'Trash' }).getByRole('button', { name: 'Undo' })
}

describe.each([
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
])('with the mouse, %s', (theme, options) => {
  test('files go in, are found, looked at, organised, thrown away, brought back and fetched', async () => {
    const { page, problems } = await stage.anonymous(options)
    await register(page, stage.url, newPerson())
    await page.getByRole('link', { name: 'My Drive' }).click()
    await page.getByRole('button', { name: 'New folder' }).first().click()
    await page.getByLabel('New folder name').fill('Harbour House')
    await page.keyboard.press('Enter')
    await item(page, 'Harbour House').dblclick()
    await page.getByRole('heading', { name: 'Harbour House' }).waitFor()
    await page.waitForURL('**/my-drive?folder=*')

    await dropFiles(page, page.getByRole('main'), samples)
    for (const { name } of samples) await shown(page, name.slice(0, 6))
    await screenshot(page, `journey-${theme}-uploaded`)

    await page.getByRole('searchbox', { name: 'Search files' }).fill('ARBOUR VIEW')
    await gone(page, 'areas.csv')
    await item(page, 'Harbour view').dblclick()
    await page.getByRole('dialog').getByRole('img', { name: 'Harbour view.png' }).waitFor()
    await screenshot(page, `journey-${theme}-preview`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await item(page, 'Harbour view').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.keyboard.type('Quay at dusk')
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search files' }).fill('')
    await shown(page, 'Quay at dusk.png')

    await item(page, 'Quay at dusk').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Move to…' }).click()
    await page.getByRole('button', { name: 'Go to the parent folder' }).click()
    await page.getByRole('button', { name: 'Move here' }).click()
    await gone(page, 'Quay at dusk')
    await page.getByRole('link', { name: 'My Drive' }).first().click()
    await shown(page, 'Quay at dusk')

    await item(page, 'Quay at dusk').click()
    await page.getByRole('button', { name: 'Add star' }).click()
    await item(page, 'Quay at dusk').getByRole('img', { name: 'Starred' }).waitFor()
    await page.getByRole('button', { name: 'Move to Trash' }).first().click()
    await gone(page, 'Quay at dusk')
    await undoTrash(page).click()
    await shown(page, 'Quay at dusk')

    await item(page, 'Quay at dusk').click()
    const saved = await downloadOf(page, () => page.getByRole('button', { name: 'Download' }).first().click())
    expect(saved.name).toBe('Quay at dusk.png')
    expect(saved.bytes.equals(harbour?.bytes ?? Buffer.alloc(0))).toBe(true)

    await page.getByRole('button', { name: /Maren Holt/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    expect(problems).toEqual([])
  })
})

test('with the keyboard alone', async () => {
  const { page, problems } = await stage.anonymous()
  const person = await signUp(page, stage.url)
  await page.goto(`${stage.url}/login`)
  await page.waitForURL('**/file-manager')
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page.getByRole('button', { name: /^New/ }).first().waitFor()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }

  await press('n')
  await page.getByLabel('New folder name').waitFor()
  await page.keyboard.type('Harbour House')
  await press('Enter')
  await shown(page, 'Harbour House')

  await press('u')
  const dialog = page.getByRole('dialog', { name: 'Upload Files' })
  await dialog.getByRole('heading', { name: 'Upload Files' }).waitFor()
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: /Drag and drop files here/ }).press('Enter'),
  ])
  await chooser.setFiles(samples.map(({ name, type, bytes }) => ({ name, mimeType: type, buffer: bytes })))
  await dialog.getByText(`Files to upload (${samples.length})`).waitFor()
  await dialog.getByRole('button', { name: 'Upload', exact: true }).press('Enter')
  await page.getByText(`Successfully uploaded ${samples.length} file(s) to My Cloud`).waitFor()
  await press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await shown(page, 'Harbour view')

  await press('/')
  await page.keyboard.type('harbour v')
  await press('Enter')
  // The only query without it is the complete one: what is focused then stays.
  await gone(page, 'Harbour House')
  await gone(page, 'areas.csv')
  await item(page, 'Harbour view').focus()
  await press('Enter')
  await page.getByRole('dialog').getByRole('img', { name: 'Harbour view.png' }).waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Harbour view')

  await press('F2')
  await page.keyboard.type('Quay')
  await press('Enter')
  // Its new name is not what was searched for: it leaves the result.
  await page.getByText('No files match').waitFor()
  await press('/', 'Escape', 'Escape')
  await shown(page, 'areas.csv')
  await shown(page, 'Quay.png')

  await item(page, 'Quay.png').focus()
  await press('s')
  await item(page, 'Quay.png').getByRole('img', { name: 'Starred' }).waitFor()
  await press('Control+x')
  await item(page, 'Harbour House').focus()
  await press('Enter')
  await page.waitForURL('**/my-drive?folder=*')
  await page.getByText('This folder is empty').first().waitFor()
  await press('Control+v')
  await shown(page, 'Quay.png')
  await item(page, 'Quay.png').focus()
  await press('Delete')
  await gone(page, 'Quay.png')
  await press('Control+z')
  await shown(page, 'Quay.png')

  await item(page, 'Quay.png').focus()
  await press('Shift+F10')
  const saved = await downloadOf(page, async () => {
    await page.getByRole('menuitem', { name: 'Download' }).press('Enter')
  })
  expect(saved.bytes.equals(harbour?.bytes ?? Buffer.alloc(0))).toBe(true)

  await page.getByRole('button', { name: new RegExp(person.fullName) }).press('Enter')
  await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter')
  await page.waitForURL('**/login')
  expect(problems).toEqual([])
})

test('at 390 px by touch', async () => {
  const { page, problems } = await stage.anonymous({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await register(page, stage.url, newPerson())
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page
    .getByRole('button', { name: /Upload/ })
    .last()
    .tap()
  const dialog = page.getByRole('dialog', { name: 'Upload Files' })
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: /Tap to choose files/ }).tap(),
  ])
  await chooser.setFiles(samples.map(({ name, type, bytes }) => ({ name, mimeType: type, buffer: bytes })))
  await dialog.getByRole('button', { name: 'Upload', exact: true }).tap()
  await page.getByText(`Successfully uploaded ${samples.length} file(s) to My Cloud`).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).tap()
  await shown(page, 'Harbour view')
  await screenshot(page, 'journey-390-list')

  await item(page, 'Harbour view').tap()
  await page.getByRole('dialog').getByRole('img', { name: 'Harbour view.png' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).first().tap()

  await page.getByRole('button', { name: 'More actions for Harbour view.png' }).tap()
  await screenshot(page, 'journey-390-actions')
  await page.getByRole('menuitem', { name: 'Add star' }).tap()
  await item(page, 'Harbour view').getByRole('img', { name: 'Starred' }).waitFor()
  await page.getByRole('button', { name: 'More actions for Harbour view.png' }).tap()
  await page.getByRole('menuitem', { name: 'Details' }).tap()
  await page.getByText('Where it is stored').waitFor()
  await page.getByRole('button', { name: 'Close' }).last().tap()
  await page.getByText('Where it is stored').waitFor({ state: 'detached' })
  await item(page, 'Structural notes').tap()
  await page.getByRole('dialog').getByText('South wall').first().waitFor()
  await page.getByRole('button', { name: 'Close' }).first().tap()
  await page.getByRole('button', { name: 'More actions for Harbour view.png' }).tap()
  await page.getByRole('menuitem', { name: 'Move to Trash' }).tap()
  await gone(page, 'Harbour view')
  await undoTrash(page).tap()
  await shown(page, 'Harbour view')
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
  expect(problems).toEqual([])
})

test('a change in one tab appears in another by itself', async () => {
  const { page, context, problems } = await stage.person('/file-manager/my-drive')
  await page.getByRole('button', { name: /^New/ }).first().waitFor()
  const other = await context.newPage()
  await other.goto(`${stage.url}/file-manager/my-drive`)
  await other.getByRole('button', { name: /^New/ }).first().waitFor()
  await dropFiles(other, other.getByRole('main'), samples.slice(0, 2))
  await shown(other, 'IMG_2')
  await shown(page, 'IMG_2')
  await shown(page, 'Harbour view')
  expect(problems).toEqual([])
})
