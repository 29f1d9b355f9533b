import { expect, test } from 'vitest'
import { newPerson } from './support/browser.ts'
import { downloadOf, dropFiles, item, register } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

test('files and folders are copied by the menu, beside themselves and by the keyboard, byte for byte', async () => {
  const { page, problems } = await stage.anonymous()
  const samples = tenSamples().slice(0, 2)
  const [harbour] = samples
  const view = harbour?.name ?? ''
  const second = view.replace('.png', ' (2).png')
  await register(page, stage.url, newPerson())
  await page.getByRole('link', { name: 'My Drive' }).click()
  await page.getByRole('button', { name: 'New folder' }).first().click()
  await page.getByLabel('New folder name').fill('Archive')
  await page.keyboard.press('Enter')
  await item(page, 'Archive').waitFor()
  await dropFiles(page, page.getByRole('main'), samples)
  await item(page, view).waitFor()
  const choose = async (name: string, action: string) => {
    await item(page, name).first().click({ button: 'right' })
    await page.getByRole('menuitem', { name: action }).click()
  }
  const told = (text: string) => page.locator('[data-sonner-toast]').filter({ hasText: text }).first().waitFor()
  const sameBytes = async (name: string) => {
    await item(page, name).first().click()
    const saved = await downloadOf(page, () => page.getByRole('button', { name: 'Download' }).first().click())
    expect(saved.name).toBe(name)
    expect(saved.bytes.equals(harbour?.bytes ?? Buffer.alloc(0))).toBe(true)
  }

  await choose(view, 'Duplicate')
  await told(`Copied “${view}”`)
  await item(page, second).waitFor()
  await sameBytes(second)

  await choose(view, 'Copy to…')
  const dialog = page.getByRole('dialog', { name: `Copy “${view}”` })
  await dialog.getByRole('button', { name: 'Archive' }).click()
  await dialog.getByText('To My Drive › Archive').waitFor()
  await dialog.getByRole('button', { name: 'Copy here' }).click()
  await dialog.waitFor({ state: 'detached' })
  await item(page, view).first().waitFor()
  await item(page, 'Archive').dblclick()
  await page.getByRole('heading', { name: 'Archive' }).waitFor()
  await item(page, view).waitFor()
  expect(await page.locator('[data-id]').count()).toBe(1)
  await sameBytes(view)

  await page.getByRole('link', { name: 'My Drive' }).first().click()
  await item(page, 'Archive').click()
  await page.keyboard.press('Control+c')
  await told('“Archive” ready to paste')
  await page.keyboard.press('Control+v')
  await item(page, 'Archive (2)').dblclick()
  await page.getByRole('heading', { name: 'Archive (2)' }).waitFor()
  await item(page, view).waitFor()
  await sameBytes(view)
  expect(problems).toEqual([])
})

test('on a phone they are in the sheet of actions', async () => {
  const { page, problems } = await stage.anonymous({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await register(page, stage.url, newPerson())
  await page.goto(`${stage.url}/file-manager/my-drive`)
  const [harbour] = tenSamples()
  const view = harbour?.name ?? ''
  await page
    .getByRole('button', { name: /Upload/ })
    .last()
    .waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples().slice(0, 1))
  await item(page, view).waitFor()
  const choose = async (action: string) => {
    await page.getByRole('button', { name: `More actions for ${view}` }).tap()
    await page.getByRole('menuitem', { name: action }).tap()
  }
  await choose('Duplicate')
  await item(page, view.replace('.png', ' (2).png')).waitFor()
  await choose('Copy to…')
  await page.getByRole('button', { name: 'Copy here' }).tap()
  await item(page, view.replace('.png', ' (3).png')).waitFor()
  expect(problems).toEqual([])
})
