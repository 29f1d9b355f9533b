import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { startServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startServer, { full: true })

const NAMES = ['Harbour view', 'Site plan', 'Interview', 'README', 'model', 'IMG_10', 'página']

test.each(['light', 'dark'] as const)('the preview of every kind of file in %s has no violation', async (theme) => {
  const options = { colorScheme: theme, reducedMotion: 'reduce' as const }
  const { page, problems } = await stage.person('/file-manager/my-drive', options)
  const { look, found } = examiner(page, theme)
  await page.getByRole('button', { name: /^New/ }).first().waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples())
  await item(page, 'página').waitFor()
  const dialog = page.getByRole('dialog')
  for (const name of NAMES) {
    await expect
      .poll(async () => {
        if ((await dialog.count()) === 0) await item(page, name).dblclick()
        return dialog.count()
      })
      .toBe(1)
    await page.waitForTimeout(300)
    await look(`preview-${name.replace(/\W+/g, '-')}`)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  expect(await page.title()).not.toBe('run')
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
