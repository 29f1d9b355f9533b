import { expect, test } from 'vitest'
import { createHarbour, HARBOUR_ADDRESS } from '../fakes/harbour/harbour.ts'
import { startHarbourServer } from '../setup/harbourServer.ts'
import { screenshot } from './support/browser.ts'
import { card } from './support/connecting.ts'
import { dropFiles } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const harbour = createHarbour()
const stage = setStage(() => startHarbourServer(harbour, { webDirectory: 'dist/web' }))

test('a provider with a form is chosen, filled in, corrected, pooled and given a file', async () => {
  // More than this server has, so that it takes the file.
  harbour.setPassword('maren', 'a plank', { quota: 100 * 1024 ** 3 })
  const { page, problems } = await stage.person('/cloud-integration?add')
  const rows = page.getByRole('dialog', { name: 'Add Storage' }).getByRole('button', { name: /\S+ \S+/ })
  await rows.filter({ hasText: 'Harbour' }).waitFor()
  expect((await rows.allTextContents()).at(-1)).toContain('Harbour')
  await rows.filter({ hasText: 'Google Drive' }).click()
  await page
    .getByRole('dialog', { name: 'Add Storage' })
    .getByRole('link', { name: /Google Drive/ })
    .click()
  await page.getByRole('heading', { name: 'Create a project in the Google Cloud console' }).waitFor()
  await screenshot(page, 'add-storage-setup')
  await page.goto(`${stage.url}/cloud-integration?add`)
  await rows.filter({ hasText: 'Harbour' }).click()
  const form = page.getByRole('dialog', { name: 'Connect Harbour' })
  await form.getByLabel('Account name').fill('Quay')
  await form.getByLabel('Server address').fill('harbour')
  await form.getByLabel('Password').fill('a plonk')
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await form.getByText('User name is required.').waitFor()
  await form.getByText('Server address must be an address that begins with https:// or http://.').waitFor()
  await screenshot(page, 'add-storage-form')
  await form.getByLabel('Server address').fill(HARBOUR_ADDRESS)
  await form.getByLabel('User name').fill('maren')
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Harbour did not accept what you entered. Please check it and try again.').waitFor()
  await form.getByLabel('Password').fill('a plank')
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Account connected successfully').waitFor()
  await page.getByRole('button', { name: 'Add to My Cloud' }).click()
  await card(page, 'Quay - maren@example.com').getByText('Connected', { exact: true }).waitFor()
  await screenshot(page, 'harbour-connected')

  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page.getByText('Quay').first().waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples().slice(0, 1))
  await expect.poll(() => harbour.cloud.objects('maren').filter(({ kind }) => kind === 'file').length).toBe(1)
  expect(problems).toEqual([])
})
