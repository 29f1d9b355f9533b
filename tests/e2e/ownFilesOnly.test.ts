import { expect, test } from 'vitest'
import { allow, card, choose, connectButton, popupOf } from './support/connecting.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { item } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

/** A server that asks only for access to the files that it stores itself. */
const stage = setStage(() => startEmulatedServer({ GOOGLE_SCOPE: 'drive.file', DROPBOX_ACCESS: 'app_folder' }))

const ACCOUNTS = [
  { provider: 'Google Drive', name: 'Private', email: 'maren@post.example' },
  { provider: 'Dropbox', name: 'Exports', email: 'box@post.example' },
] as const

test('nothing else that an account holds is listed, and every text says so', async () => {
  await stage.server.command('google', 'plant', { user: ACCOUNTS[0].email, name: 'Diary.txt', text: 'dear' })
  await stage.server.command('dropbox', 'plant', { user: ACCOUNTS[1].email, path: '/Diary.txt', text: 'dear' })
  const { page, problems } = await stage.person()
  for (const { provider, name, email } of ACCOUNTS) {
    await page.goto(`${stage.url}/cloud-integration`)
    await choose(page, provider)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: /^Only what Skypool stores/, checked: true }).waitFor()
    expect(await dialog.getByRole('radio').count()).toBe(1)
    await dialog
      .getByText('With the access that this server asks for, other files of the account cannot be shown.')
      .waitFor()
    await dialog.getByText('Skypool can read and write only the files that it stores there itself.').waitFor()
    await page.getByLabel('Account name').fill(name)
    const popup = await popupOf(page, () => connectButton(page).click())
    await allow(page, popup, email)
    const account = card(page, `${name} - ${email}`)
    await account.getByText('Shows only what Skypool stores here.').waitFor()
    for (const action of ['Show everything', 'Index settings', 'Look again'])
      expect(await account.getByRole('button', { name: new RegExp(action) }).count()).toBe(0)
  }
  await page.getByRole('tab', { name: 'Add New Connection' }).click()
  await page.getByText('Skypool asks only for what it needs to store your files and to show what you choose.').waitFor()

  const own = /Of “Exports” and “Private”, only what Skypool stores there is shown\.|Of “Private” and “Exports”/
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page.getByText(own).waitFor()
  await page.goto(`${stage.url}/file-manager`)
  await page.getByText(own).waitFor()
  await page.goto(`${stage.url}/file-manager?q=diary`)
  await page.getByText('No files match “diary”').waitFor()
  await page.getByText(own).waitFor()
  expect(await item(page, 'Diary').count()).toBe(0)
  await page.goto(`${stage.url}/privacy-policy`)
  await page.getByText('Of an account that shows only what Skypool stores, nothing else is listed.').waitFor()

  const client = restOf(page, stage.url)
  const { items } = await client.json<{ items: { id: string; name: string; scope: string; index: unknown }[] }>(
    'GET',
    '/api/v1/accounts',
  )
  for (const { id, scope, index } of items.filter(({ name }) => name !== 'This server')) {
    expect({ scope, index }).toEqual({ scope: 'OWN', index: null })
    const asked = client.json('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
    await expect(asked).rejects.toThrow(/answered 4/)
  }
  expect(problems).toEqual([])
})
