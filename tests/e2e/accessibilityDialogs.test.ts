import { expect, test } from 'vitest'
import { examinerOfLooks } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { FIRST_LOOK, THEMES } from './support/looks.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

test('dialogs, menus and details have no violation in light and dark', async () => {
  const { page, problems } = await stage.person('/file-manager/my-drive', FIRST_LOOK)
  const { look, found } = examinerOfLooks(page, { looks: THEMES })
  const close = async () => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Upload Files' }).first().click()
  await page.getByRole('heading', { name: 'Upload Files' }).waitFor()
  await look('upload-dialog')
  await close()
  await dropFiles(page, page.getByRole('main'), tenSamples())
  await item(page, 'página').waitFor()

  await item(page, 'Harbour view').click()
  await page.keyboard.press('d')
  await page.getByText('Where it is stored').waitFor()
  await look('details')
  await page.keyboard.press('v')
  // The list stays in sight until the tiles are there.
  expect(await item(page, 'Harbour view').count()).toBe(1)
  await page.locator('[role="grid"][data-layout="grid"]').waitFor()
  await look('grid')
  await page.keyboard.press('v')
  await page.locator('[role="grid"][data-layout="grid"]').waitFor({ state: 'detached' })
  await item(page, 'Harbour view').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Download' }).waitFor()
  await look('menu')
  await page.getByRole('menuitem', { name: 'Move to…' }).click()
  await page.getByRole('button', { name: 'Move here' }).waitFor()
  await look('move-dialog')
  await close()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor({ state: 'attached' })
  await look('shortcuts')
  await close()
  await item(page, 'Harbour view').click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /name/i }).first().waitFor()
  await look('renaming')
  await page.keyboard.press('Escape')
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
