import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { item, upload } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

/** A user's own tags, colours of folders, the columns of lists, and what “New” offers. */
const stage = setStage()

const [view, , , plan] = tenSamples()

async function post(page: Page, path: string, data: object) {
  const response = await page.request.post(stage.url + path, { data, headers: { origin: stage.url } })
  if (!response.ok()) throw new Error(`${path} answered ${response.status()}: ${await response.text()}`)
  return response.json()
}

/** My Drive with a folder and two files. */
async function openDrive(options: Parameters<typeof stage.person>[1] = {}) {
  const opened = await stage.person(undefined, options)
  const { page } = opened
  const folder = (await post(page, '/api/v1/files/folders', { name: 'Papers' })).id as string
  const ids = []
  for (const sample of [view, plan]) if (sample) ids.push(await upload(page, stage.url, sample))
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Site plan').waitFor()
  return { ...opened, folder, ids }
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Tags' })
const tagsOf = (page: Page, name: string) => item(page, name).getByText(/^Tags: /)

test.each(LOOKS)(
  'files get tags, and are found by them, in $theme at $width px',
  async ({ options, label, width }) => {
    const { page, problems, folder, ids } = await openDrive(options)
    const { look, found } = examiner(page, label, 'tags-')
    await item(page, 'Harbour view').locator('[data-menu]').click()
    await page.getByRole('menuitem', { name: 'Tags…' }).click()
    await dialogOf(page).getByText('You have no tags yet').waitFor()
    const field = dialogOf(page).getByLabel('Find or create a tag')
    for (const name of ['Harbour House', 'Urgent', 'Photos of the site']) {
      await field.fill(name)
      await page.keyboard.press('Enter')
      await dialogOf(page).getByRole('checkbox', { name, checked: true }).waitFor()
    }
    await look('dialog')
    await dialogOf(page).getByRole('button', { name: 'Edit tag Urgent' }).click()
    await dialogOf(page).getByLabel('Name', { exact: true }).fill('harbour house')
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await dialogOf(page).getByText('There is already something named “Harbour House” here.').waitFor()
    await dialogOf(page).getByLabel('Name', { exact: true }).fill('Very urgent')
    await dialogOf(page).getByRole('radio', { name: 'Green' }).check()
    await look('edit')
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await dialogOf(page).getByRole('checkbox', { name: 'Very urgent', checked: true }).waitFor()
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(await tagsOf(page, 'Harbour view').textContent()).toBe(
      'Tags: Harbour House, Photos of the site, Very urgent',
    )

    const { items: tags } = await (await page.request.get(`${stage.url}/api/v1/tags`)).json()
    const tag = tags[0].id
    await post(page, '/api/v1/files/tags', { ids: [folder, ids[1]], add: [tag] })
    await post(page, '/api/v1/files/color', { ids: [folder], color: 'GREEN' })
    // By another program: the page shows it by itself.
    await tagsOf(page, 'Papers').waitFor()
    await look('list')
    await page.getByRole('button', { name: 'Grid' }).click()
    await tagsOf(page, 'Papers').waitFor()
    await look('grid')
    await page.getByRole('button', { name: 'List' }).click()

    await page.getByRole('toolbar', { name: 'Files' }).getByRole('button', { name: 'Tag', exact: true }).click()
    await look('filter')
    await page.getByRole('menuitemradio', { name: 'Very urgent' }).click()
    await page.waitForURL(/tag=tag_/)
    await expect.poll(() => page.locator('[data-id]').count()).toBe(1)
    await item(page, 'Harbour view').waitFor()
    if (width > 1000) {
      await item(page, 'Harbour view').click()
      await page.keyboard.press('d')
      await page.getByRole('region', { name: 'Tags' }).getByText('Photos of the site').first().waitFor()
      await look('details')
    }
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  240_000,
)

test('tags by the keyboard alone: several files, a new tag, the palette, and its end', async () => {
  const { page, problems, context } = await openDrive()
  await item(page, 'Harbour view').focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('t')
  const field = dialogOf(page).getByLabel('Find or create a tag')
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.type('Work')
  await page.keyboard.press('Enter')
  await dialogOf(page).getByRole('checkbox', { name: 'Work', checked: true }).waitFor()
  await page.keyboard.press('Escape')
  for (const name of ['Papers', 'Harbour view', 'Site plan']) await tagsOf(page, name).waitFor()
  await page.keyboard.press('Escape')

  const other = await context.newPage()
  await other.goto(`${stage.url}/file-manager`)
  await tagsOf(other, 'Papers').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search files, accounts, pages and actions' }).fill('wor')
  await page.getByRole('group', { name: 'Tags' }).getByRole('option', { name: 'Work' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'Work', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/file-manager\?tag=tag_/)
  await expect.poll(() => page.locator('[data-id]').count()).toBe(3)

  // Of some of them it is taken off, so that it is on some.
  await item(page, 'Papers').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('t')
  await dialogOf(page).getByRole('checkbox', { name: 'Work' }).focus()
  await page.keyboard.press('Space')
  await expect.poll(() => page.locator('[data-id]').count()).toBe(2)
  await dialogOf(page).getByRole('button', { name: 'Edit tag Work' }).focus()
  await page.keyboard.press('Enter')
  await dialogOf(page).getByLabel('Name', { exact: true }).fill('Office')
  await page.keyboard.press('Enter')
  await dialogOf(page).getByRole('button', { name: 'Edit tag Office' }).waitFor()
  // In the other tab, too.
  await other.getByText('Tags: Office').first().waitFor()
  await dialogOf(page).getByRole('button', { name: 'Edit tag Office' }).press('Enter')
  await dialogOf(page).getByRole('button', { name: 'Delete tag' }).press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete the tag “Office”?' })
  await question.getByText('It is taken off everything').waitFor()
  await question.getByRole('button', { name: 'Delete tag' }).press('Enter')
  await dialogOf(page).getByRole('button', { name: 'Edit tag Office' }).waitFor({ state: 'detached' })
  await dialogOf(page).getByLabel('Name', { exact: true }).waitFor({ state: 'detached' })
  expect(await dialogOf(page).getByRole('alert').count()).toBe(0)
  await dialogOf(page).getByLabel('Find or create a tag').waitFor()
  await page.getByText('Tags: Office').first().waitFor({ state: 'detached' })
  await other.getByText('Tags: Office').first().waitFor({ state: 'detached' })
  await item(other, 'Site plan').waitFor()
  expect(problems).toEqual([])
}, 240_000)

test('a folder gets a colour from its menu', async () => {
  const { page, problems } = await openDrive()
  await item(page, 'Papers').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Folder colour' }).press('Enter')
  await page.getByRole('menuitemradio', { name: 'Purple' }).press('Enter')
  const colorOf = () =>
    item(page, 'Papers')
      .getByTestId('file-icon')
      .evaluate((icon) => icon.style.color)
  await expect.poll(colorOf).toBe('var(--label-purple)')
  await page.reload()
  await item(page, 'Papers').waitFor()
  expect(await colorOf()).toBe('var(--label-purple)')
  expect(problems).toEqual([])
}, 120_000)

test('columns are hidden, made wider, kept, and reset', async () => {
  const { page, problems } = await openDrive()
  const { look, found } = examiner(page, 'light-1440', 'columns-')
  const header = (name: string) => page.getByRole('columnheader', { name })
  const widthOf = async (name: string) => Math.round((await header(name).boundingBox())?.width ?? 0)
  const dialog = page.getByRole('dialog', { name: 'Columns' })
  await page.getByRole('button', { name: 'Columns' }).press('Enter')
  await dialog.getByRole('checkbox', { name: 'Modified' }).press('Space')
  const slider = dialog.getByRole('slider', { name: 'Width of Stored in' })
  const before = Number(await slider.inputValue())
  await slider.focus()
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowRight')
  await look('dialog')
  await page.keyboard.press('Escape')
  await header('Size').waitFor()
  expect(await header('Modified').count()).toBe(0)
  expect(await widthOf('Stored in')).toBe(before + 40)

  const edge = await header('Size').boundingBox()
  if (!edge) throw new Error('There is no column for the size.')
  const [x, y] = [edge.x - 4, edge.y + edge.height / 2]
  const size = await widthOf('Size')
  await page.mouse.move(x, y)
  await page.mouse.down()
  // Its code is loaded when it is pressed.
  await expect
    .poll(async () => {
      await page.mouse.move(x - 31, y)
      await page.mouse.move(x - 30, y)
      return widthOf('Size')
    })
    .toBe(size + 30)
  await page.mouse.up()
  await page.reload()
  await item(page, 'Papers').waitFor()
  expect(await widthOf('Size')).toBe(size + 30)
  expect(await header('Modified').count()).toBe(0)
  await look('chosen')

  await page.setViewportSize({ width: 390, height: 844 })
  await item(page, 'Papers').waitFor()
  await look('narrow')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Columns' }).click()
  await dialog.getByRole('button', { name: 'Reset' }).click()
  await page.keyboard.press('Escape')
  await header('Modified').waitFor()
  expect(await widthOf('Size')).toBe(104)
  expect(found).toEqual([])
  expect(problems).toEqual([])
}, 120_000)

test.each(LOOKS)(
  '“New” offers everything that can be made here, in $theme at $width px',
  async ({ options, label, width }) => {
    const { page, problems, folder } = await openDrive(options)
    const { look, found } = examiner(page, label, 'new-')
    await page.goto(`${stage.url}/file-manager/my-drive?folder=${folder}`)
    const isWide = width > 1000
    const open = async () => {
      if (isWide) await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
      else await page.getByRole('button', { name: 'Folder actions' }).click()
      await page.getByRole('menu').waitFor()
    }
    await open()
    const names = await page.getByRole('menuitem').allTextContents()
    const expected = [
      /^New folder/,
      /^Upload files/,
      /^Upload folder/,
      /^New text document/,
      /^New Markdown document/,
      /^Request files/,
      /^New group cloud/,
    ]
    for (const [index, name] of expected.entries()) expect(names[index]).toMatch(name)
    await look('menu')
    await page.getByRole('menuitem', { name: 'New text document' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New text document' })
    await dialog.getByLabel('Name').fill('List')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Text of List.txt' }).waitFor()
    await page.goto(`${stage.url}/file-manager/my-drive?folder=${folder}`)
    await item(page, 'List').waitFor()
    const chosen = page.waitForEvent('filechooser')
    await open()
    await page.getByRole('menuitem', { name: 'Upload folder' }).press('Enter')
    const input = (await chosen).element()
    expect(await input.evaluate((element) => (element as HTMLInputElement).webkitdirectory)).toBe(true)
    if (isWide) {
      await page.getByRole('grid').click({ button: 'right', position: { x: 300, y: 400 } })
      await page.getByRole('menuitem', { name: 'New folder' }).press('Enter')
      await page.getByLabel('New folder name').fill('Inner')
      await page.keyboard.press('Enter')
      await item(page, 'Inner').waitFor()
    }
    await open()
    await page.getByRole('menuitem', { name: 'New group cloud' }).press('Enter')
    await page.waitForURL('**/group-cloud?new')
    await page.getByRole('dialog').getByRole('heading').first().waitFor()
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  240_000,
)
