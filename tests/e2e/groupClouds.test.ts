import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { screenshot } from './support/browser.ts'
import { consent, makePool, restOf, startEmulatedServer } from './support/emulated.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { mp4, type Sample } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3

const stage = setStage(startEmulatedServer)

/** People at the providers whom no other test knows. */
async function newLogins(): Promise<{ drive: string; box: string }> {
  const id = crypto.randomUUID().slice(0, 8)
  const logins = { drive: `drive-${id}@post.example`, box: `box-${id}@post.example` }
  await stage.server.command('google', 'addUser', { email: logins.drive, name: 'Maren Holt', quotaBytes: 15 * GB })
  await stage.server.command('dropbox', 'addUser', { email: logins.box, name: 'Maren Holt', quotaBytes: 2 * GB })
  return logins
}

/** Goes to My Drive with the details open, drops the files, and selects the first. */
async function add(page: Page, files: readonly Sample[]): Promise<void> {
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page.getByRole('button', { name: /^New/ }).first().waitFor()
  await dropFiles(page, page.getByRole('main'), files)
  await item(page, files[0]?.name ?? '').click()
  await page.keyboard.press('d')
  await whereStored(page).waitFor()
}

const whereStored = (page: Page) => page.getByRole('region', { name: 'Where it is stored' })
const transfers = (page: Page) => page.getByRole('region', { name: 'Transfers' })
const pool = (page: Page, name: string) => page.getByRole('region', { name })

test('what cannot be stored says so, can be tried again, and can be cancelled', async () => {
  const { page, problems } = await stage.person()
  const { drive } = await newLogins()
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await page.getByRole('button', { name: /^New/ }).first().waitFor()
  await makePool(page, stage.url, { name: 'Lost', accounts: [{ service: 'google', name: 'Private', email: drive }] })
  // The account itself is well: one that is lost would be found out, and nothing be received for it any more.
  await stage.server.fault({ kind: 'full', service: 'google', user: drive, count: 0 })
  await dropFiles(page, page.getByRole('main'), [mp4('One.mp4', MB), mp4('Two.mp4', MB)])
  const panel = transfers(page)
  const again = panel.getByRole('button', { name: 'Retry One.mp4' })
  await again.waitFor()
  await panel.getByRole('button', { name: 'Retry Two.mp4' }).waitFor()
  await screenshot(page, 'storing-stuck')
  await again.click()
  await again.waitFor()
  await panel.getByRole('button', { name: 'Cancel storing Two.mp4' }).click()
  await panel.getByRole('button', { name: 'Retry Two.mp4' }).waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a group cloud of which the page has read only the name is shown once the rest is there', async () => {
  const { page } = await stage.person()
  const isLive = (data: string | null) => data?.includes('useLiveSubscription') ?? false
  await page.route('**/graphql', (route) => (isLive(route.request().postData()) ? route.abort() : route.fallback()))
  await page.goto(`${stage.url}/group-cloud`)
  await page.getByRole('button', { name: 'New group cloud' }).waitFor()
  const { drive } = await newLogins()
  await makePool(page, stage.url, {
    name: 'Elsewhere',
    accounts: [{ service: 'google', name: 'Private', email: drive }],
  })
  await page.getByRole('button', { name: 'Upload Files' }).click()
  await pool(page, 'Elsewhere').getByText('1 copy').waitFor()
})

test('accounts are pooled, a file is stored in two of them under the eyes of its owner, and its details say where', async () => {
  const { page, context, problems } = await stage.person()
  const { drive, box } = await newLogins()
  await makePool(page, stage.url, {
    name: 'First',
    accounts: [
      { service: 'google', name: 'Private', email: drive },
      { service: 'dropbox', name: 'Boxes', email: box },
    ],
  })
  const other = await context.newPage()
  await other.goto(`${stage.url}/group-cloud`)
  await pool(other, 'First').waitFor()

  await page.goto(`${stage.url}/group-cloud`)
  await page.getByRole('button', { name: 'New group cloud' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Studio pool')
  await dialog.getByRole('checkbox', { name: /Private/ }).check()
  await dialog.getByRole('checkbox', { name: /Boxes/ }).check()
  await dialog.getByRole('radio', { name: '2', exact: true }).check()
  await dialog.getByRole('switch', { name: 'Use for uploads by default' }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await pool(page, 'Studio pool').getByText('2 copies').waitFor()
  // The other tab hears of it by itself.
  await pool(other, 'Studio pool').getByText('Default', { exact: true }).waitFor()

  await stage.server.command('google', 'throttle', { user: drive, bytesPerSecond: 32 * 1024 })
  await add(page, [mp4('Harbour walkthrough.mp4', 4 * MB)])
  await whereStored(page).getByText('Storing', { exact: true }).waitFor()
  const panel = transfers(page)
  await panel.getByRole('progressbar', { name: 'Storing Harbour walkthrough.mp4' }).first().waitFor()
  await screenshot(page, 'storing')
  await panel.getByRole('button', { name: 'Pause Harbour walkthrough.mp4' }).first().click()
  await panel.getByText('Paused').waitFor()
  await panel.getByRole('button', { name: 'Resume Harbour walkthrough.mp4' }).click()
  await panel.getByText('Paused').waitFor({ state: 'detached' })
  await stage.server.command('google', 'throttle', { user: drive, bytesPerSecond: null })

  const details = whereStored(page)
  await details.getByText('Stored, 2 copies').waitFor()
  await details.getByText('Private').first().waitFor()
  await details.getByText('Boxes').first().waitFor()
  await item(page, 'Harbour').getByText('Studio pool').waitFor()
  await screenshot(page, 'details-two-copies')

  await page.getByRole('button', { name: /Maren Holt/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  await other.waitForURL('**/login')
  expect(problems).toEqual([])
})

test('a lost account puts its files at risk everywhere until it is connected again, and says what leaving would cost', async () => {
  const { page, problems } = await stage.person()
  const { drive } = await newLogins()
  await makePool(page, stage.url, {
    name: 'Studio pool',
    accounts: [{ service: 'google', name: 'Private', email: drive }],
  })
  await add(page, [mp4('Only copy.mp4', MB)])
  await whereStored(page).getByText('Stored', { exact: true }).waitFor()

  await stage.server.command('google', 'revokeUser', { user: drive })
  // Reading it finds out at once.
  const id = await item(page, 'Only copy').getAttribute('data-id')
  const reading = restOf(page, stage.url).send('GET', `/api/v1/files/${id}/download`)
  await expect(reading).rejects.toThrow()
  await item(page, 'Only copy').getByText('At risk').waitFor()
  await whereStored(page).getByText('At risk', { exact: true }).waitFor()
  await screenshot(page, 'details-at-risk')
  await page.getByRole('link', { name: 'Group Cloud Manager' }).click()
  await pool(page, 'Studio pool').getByText('The only file is at risk').waitFor()
  await screenshot(page, 'group-cloud-at-risk')
  await pool(page, 'Studio pool').getByRole('link', { name: 'Show it' }).click()
  await page.waitForURL('**/file-manager?*state=at-risk*')
  await item(page, 'Only copy').waitFor()

  await page.getByRole('link', { name: 'Cloud Integration' }).click()
  const card = page.getByRole('article', { name: `Private - ${drive}` })
  await card.getByText('1 file is at risk until you re-connect.').waitFor()
  await card.getByRole('button', { name: 'Disconnect' }).click()
  const warning = page.getByRole('alertdialog')
  await warning.getByText('1 file (1.00 MB) will no longer be readable').waitFor()
  await warning.getByRole('button', { name: 'Disconnect anyway' }).waitFor()
  await screenshot(page, 'disconnect-loses')
  await warning.getByRole('button', { name: 'Cancel' }).click()

  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    card.getByRole('button', { name: 'Re-connect' }).click(),
  ])
  await consent(popup, drive)
  await page.getByText('Reconnection successfully').waitFor()
  await card.getByText('at risk').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'My Drive' }).click()
  await item(page, 'Only copy').getByText('At risk').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('an account is emptied into the others and then leaves', async () => {
  const { page, context, problems } = await stage.person()
  const { drive, box } = await newLogins()
  await makePool(page, stage.url, {
    name: 'Studio pool',
    accounts: [
      { service: 'google', name: 'Private', email: drive },
      { service: 'dropbox', name: 'Boxes', email: box },
    ],
  })
  await add(page, [mp4('Moves on.mp4', MB)])
  const details = whereStored(page)
  await details.getByText('Stored', { exact: true }).waitFor()
  await details.getByRole('listitem').filter({ hasText: 'Private' }).waitFor()

  const other = await context.newPage()
  await other.goto(`${stage.url}/group-cloud`)
  await pool(other, 'Studio pool').getByRole('button', { name: 'Actions for Private' }).click()
  await other.getByRole('menuitem', { name: 'Empty and remove' }).click()
  await pool(other, 'Studio pool').getByRole('listitem').filter({ hasText: 'Private' }).waitFor({ state: 'detached' })
  await details.getByRole('listitem').filter({ hasText: 'Boxes' }).waitFor()
  expect(problems).toEqual([])
})
