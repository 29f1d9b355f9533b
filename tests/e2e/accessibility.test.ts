import { expect, test } from 'vitest'
import { signUp } from './support/browser.ts'
import { examinerOfLooks } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

test('every screen has no violation in any look', async () => {
  const { page, problems } = await stage.anonymous(FIRST_LOOK)
  const { look, found } = examinerOfLooks(page)

  for (const path of ['login', 'register', 'privacy-policy']) {
    await page.goto(`${stage.url}/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look(path)
  }
  await signUp(page, stage.url)
  await page.goto(`${stage.url}/file-manager`)
  await page
    .getByText('No files yet')
    .or(page.getByRole('heading', { level: 2 }))
    .first()
    .waitFor()
  await look('first-run')
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page.getByRole('toolbar', { name: 'Files' }).waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples())
  await item(page, 'areas.csv').waitFor()
  await item(page, 'página').waitFor()
  await look('my-drive')
  for (const view of ['', '/shared', '/starred', '/trash']) {
    await page.goto(`${stage.url}/file-manager${view}`)
    await page.getByRole('main').waitFor()
    await page
      .locator('[data-id]')
      .or(page.getByRole('main').getByRole('heading', { level: 2 }))
      .first()
      .waitFor()
    await look(`files${view.replace('/', '-')}`, async ({ width }) => {
      const grid = await page.getByRole('button', { name: 'Grid' }).boundingBox()
      expect((grid?.x ?? 0) + (grid?.width ?? 0), `${view}: the last tool is in sight`).toBeLessThan(width)
    })
  }
  await page.goto(`${stage.url}/file-manager/my-drive?q=nothing-of-this-name`)
  await page
    .getByText(/No (files|results|matches)|Nothing/)
    .first()
    .waitFor()
  await look('no-result')
  await page.goto(`${stage.url}/nowhere`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await look('not-found')

  expect(found).toEqual([])
  expect(problems).toEqual([])
})
