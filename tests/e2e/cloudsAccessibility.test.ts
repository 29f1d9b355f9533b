import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { makePool, restOf, startEmulatedServer } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { mp4 } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const GB = 1024 ** 3
const MB = 1024 ** 2
const LONG = 'Everything from the studio before the move to the harbour'

const stage = setStage(() => startEmulatedServer({ PCLOUD_CLIENT_ID: '' }))

type Logins = { readonly full: string; readonly lost: string; readonly endless: string; readonly box: string }

async function newLogins(): Promise<Logins> {
  const id = randomBytes(4).toString('hex')
  const logins = {
    full: `full-${id}@post.example`,
    lost: `lost-${id}@post.example`,
    endless: `endless-${id}@post.example`,
    box: `box-${id}@post.example`,
  }
  const add = (email: string, quotaBytes: number | null, usedByOthersBytes = 0) =>
    stage.server.command('google', 'addUser', { email, name: 'Maren Holt', quotaBytes, usedByOthersBytes })
  await add(logins.full, 15 * GB, 13 * GB)
  await add(logins.lost, 20 * GB, 16.2 * GB)
  await add(logins.endless, null, 6 * GB)
  await stage.server.command('dropbox', 'addUser', {
    email: logins.box,
    name: 'Maren Holt',
    quotaBytes: 40 * GB,
    usedByOthersBytes: 12 * GB,
  })
  return logins
}

/** Two group clouds of four accounts: one of these has expired with a file on it, one is nearly full, one has no limit. */
async function furnish(page: Page, { full, lost, endless, box }: Logins): Promise<void> {
  await makePool(page, stage.url, { name: 'Old', accounts: [{ service: 'google', name: LONG, email: lost }] })
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page.getByRole('toolbar', { name: 'Files' }).waitFor()
  await dropFiles(page, page.getByRole('main'), [mp4('Lost film.mp4', MB)])
  await item(page, 'Lost film').getByText('Old').waitFor()
  await expect.poll(() => item(page, 'Lost film').textContent()).not.toContain('Storing')
  const accounts = [
    { service: 'google' as const, name: 'Private', email: full },
    { service: 'dropbox' as const, name: 'Boxes', email: box },
  ]
  await makePool(page, stage.url, { name: 'Studio pool', accounts, copies: 2 })
  await makePool(page, stage.url, {
    name: 'Archive',
    accounts: [{ service: 'google', name: 'Endless', email: endless }],
  })
  await stage.server.command('google', 'revokeUser', { user: lost })
  // Reading it finds out at once.
  const id = await item(page, 'Lost film').getAttribute('data-id')
  const reading = restOf(page, stage.url).send('GET', `/api/v1/files/${id}/download`)
  await expect(reading).rejects.toThrow()
  await item(page, 'Lost film').getByText('At risk').waitFor()
}

test('the screens of accounts and group clouds have no violation in any look', async () => {
  const { page, problems } = await stage.person('/cloud-integration', FIRST_LOOK)
  const { look, found } = examinerOfLooks(page)
  const close = async () => {
    await page.keyboard.press('Escape')
    await page.locator('[role=dialog], [role=alertdialog]').first().waitFor({ state: 'detached' })
  }
  await page.getByText('No connected accounts').waitFor()
  await look('clouds-empty')
  await furnish(page, await newLogins())

  await page.goto(`${stage.url}/cloud-integration`)
  await page.getByText('1 file is at risk until you re-connect.').waitFor()
  await page.getByText('Unlimited').waitFor()
  await look('clouds-cards')
  await page.getByRole('article', { name: LONG }).getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('will no longer be readable').waitFor()
  await look('clouds-disconnect')
  await close()
  await page.getByRole('tab', { name: 'Add New Connection' }).click()
  await look('clouds-add-tab')
  await page.getByRole('button', { name: 'Add Storage' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^pCloud/ })
    .click()
  await look('clouds-add-step1')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Google Drive/ })
    .click()
  await page.getByLabel('Account name').fill('Maren private')
  await look('clouds-add-step2')
  await close()

  await page.goto(`${stage.url}/group-cloud`)
  await page.getByRole('region', { name: 'Archive' }).waitFor()
  await page.getByText('the only account').first().waitFor()
  await look('group-clouds')
  await page.getByRole('region', { name: 'Old' }).scrollIntoViewIfNeeded()
  await look('group-clouds-at-risk')
  const studio = page.getByRole('region', { name: 'Studio pool' })
  // Another width closes a menu.
  await look('group-clouds-member-menu', async () => {
    await studio.getByRole('button', { name: 'Actions for Private' }).click()
    await page.getByRole('menu').waitFor()
  })
  await page.getByRole('menuitem', { name: 'Keep free…' }).click()
  await page.getByRole('dialog').getByLabel('Keep free, in GB').waitFor()
  await look('group-clouds-keep-free')
  await close()
  await studio.getByRole('button', { name: 'More for Studio pool' }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await look('group-clouds-form')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor()
  await close()
  await page.getByRole('button', { name: 'More for Old' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByText('What should happen to it?').waitFor()
  await look('group-clouds-delete')
  await close()
  expect(found).toEqual([])
  expect(problems).toEqual([])
}, 120_000)
