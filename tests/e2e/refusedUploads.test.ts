import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { dropFiles, item } from './support/fileManager.ts'
import type { Sample } from './support/samples.ts'
import { startServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

const MB = 1024 ** 2

/** Takes documents only, so that there is something to refuse. */
const stage = setStage(() => startServer({ UPLOAD_TYPES: 'documents' }))

const transfers = (page: Page) => page.getByRole('region', { name: 'Transfers' })
/** The browser names every refused request; what is given up may be gone on the server already. */
const real = (problems: readonly string[]) => problems.filter((problem) => !/status of (415|404)/.test(problem))

test.each([
  ['at its name', { name: 'Setup.exe', type: 'application/x-msdownload', bytes: Buffer.from('MZ\u0090\u0000') }],
  [
    'at its first bytes, in parts',
    { name: 'Film.mp4', type: 'video/mp4', bytes: Buffer.concat([Buffer.from('MZ'), randomBytes(9 * MB)]) },
  ],
] as const)('a file that is refused %s is not offered again, nor after a reload', async (_, refused: Sample) => {
  const { page, problems } = await stage.person('/file-manager/my-drive')
  await page.getByText('My Drive is empty').waitFor()
  await dropFiles(page, page.getByRole('main'), [refused])
  const panel = transfers(page)
  await panel.getByText(/not accepted here|not of an accepted type/).waitFor()
  await panel.getByRole('button', { name: `Remove ${refused.name}` }).waitFor()
  expect(await panel.getByRole('button', { name: /Retry|Resume/ }).count()).toBe(0)
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('skypool.resume'))),
  ).toEqual([])

  await page.reload()
  await page.getByText('My Drive is empty').waitFor()
  await dropFiles(page, page.getByRole('main'), [{ name: 'Plan.txt', type: 'text/plain', bytes: Buffer.from('wall') }])
  await item(page, 'Plan').waitFor()
  await panel.getByText('Plan.txt').waitFor()
  expect(await page.getByText(/did not finish/).count()).toBe(0)
  expect(await panel.getByRole('button', { name: /Retry|Resume/ }).count()).toBe(0)
  expect(real(problems)).toEqual([])
})

test('one that was cut off for another reason is', async () => {
  const { page } = await stage.person('/file-manager/my-drive')
  await page.getByText('My Drive is empty').waitFor()
  const film = Buffer.concat([
    Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'),
    randomBytes(9 * MB),
  ])
  await page.route('**/api/v1/uploads/*', (route) =>
    route.request().method() === 'PATCH' ? undefined : route.continue(),
  )
  await dropFiles(page, page.getByRole('main'), [{ name: 'Film.mp4', type: 'video/mp4', bytes: film }])
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('skypool.resume')).length))
    .toBe(1)
  await page.reload()
  await page.getByRole('button', { name: 'Resume 1 upload' }).waitFor()
})
