import { expect, test } from 'vitest'
import { examinerOfLooks } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { FIRST_LOOK, loaded, THEMES } from './support/looks.ts'
import { tenSamples } from './support/samples.ts'
import { startServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startServer, { full: true })

const NAMES = ['Harbour view', 'Site plan', 'Interview', 'README', 'model', 'IMG_10', 'página']

test('the preview of every kind of file has no violation in light and dark', async () => {
  const { page, problems } = await stage.person('/file-manager/my-drive', FIRST_LOOK)
  const { look, found } = examinerOfLooks(page, { looks: THEMES })
  await page.getByRole('button', { name: /^New/ }).first().waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples())
  await item(page, 'página').waitFor()
  const dialog = page.getByRole('dialog')
  for (const name of NAMES) {
    // Of a list that is still being read again, a row may be gone between two clicks.
    await loaded(page)
    await item(page, name).dblclick()
    await dialog.waitFor({ state: 'attached' })
    await look(`preview-${name.replace(/\W+/g, '-')}`)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  expect(await page.title()).not.toBe('run')
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
