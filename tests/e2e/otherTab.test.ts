import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepToasts } from './support/browser.ts'
import { card, connect } from './support/connecting.ts'
import { type EmulatedServer, restOf, startEmulatedServer } from './support/emulated.ts'
import { dropFiles, item } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

/** What is done in another tab, or before an answer was lost, is what the page shows. */
const stage = setStage<EmulatedServer>(() => startEmulatedServer())

const gone = (page: Page) => page.getByRole('heading', { name: 'This folder no longer exists' })

async function makeFolder(page: Page, name: string, parentId?: string): Promise<string> {
  const folder = { name, ...(parentId && { parentId }) }
  return (await restOf(page, stage.url).json<{ id: string }>('POST', '/api/v1/files/folders', folder)).id
}

test('a folder that goes to the trash in another tab is said to be gone, and comes back', async () => {
  const { page } = await stage.person()
  const outer = await makeFolder(page, 'Outer')
  const inner = await makeFolder(page, 'Inner', outer)
  await page.goto(`${stage.url}/file-manager/my-drive?folder=${inner}`)
  await page.getByText('This folder is empty').waitFor()
  const rest = restOf(page, stage.url)
  await rest.send('POST', '/api/v1/files/trash', { ids: [outer] })
  await gone(page).waitFor()
  await rest.send('POST', '/api/v1/files/restore', { ids: [outer] })
  await page.getByText('This folder is empty').waitFor()
})

test('a tab in which nothing was done says that it was signed out in another one', async () => {
  const { page, context } = await stage.person('/file-manager')
  await page.getByRole('heading', { name: 'All Files' }).waitFor()
  const other = await context.newPage()
  await other.goto(`${stage.url}/file-manager`)
  await other.getByRole('button', { name: /Maren Holt/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByText('You were signed out. Sign in again to continue.').waitFor()
  expect(await other.getByText('You were signed out.').count()).toBe(0)
})

test('an upload into a folder that is deleted in another tab is not lost, and the folder is said to be gone', async () => {
  const { page } = await stage.person()
  const folder = await makeFolder(page, 'Films')
  await page.goto(`${stage.url}/file-manager/my-drive?folder=${folder}`)
  await page.getByText('This folder is empty').waitFor()
  const bytes = Buffer.alloc(9 * 1024 ** 2, 7)
  let letGo = () => {}
  const isDeleted = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/api/v1/uploads/*', async (route) => {
    await isDeleted
    await route.continue()
  })
  const sending = page.waitForRequest((request) => request.method() === 'PATCH')
  await dropFiles(page, page.getByRole('main'), [{ name: 'Film.bin', type: 'application/octet-stream', bytes }])
  await sending
  await restOf(page, stage.url).send('POST', '/api/v1/files/trash', { ids: [folder] })
  await gone(page).waitFor()
  letGo()
  await page.getByRole('region', { name: 'Transfers' }).getByText('Uploaded', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Go to My Drive' }).click()
  await item(page, 'Film.bin').waitFor()
})

test('the files of an account that is disconnected in another tab are gone, and one whose answer was lost is said to be disconnected', async () => {
  const { page, context } = await stage.person('/cloud-integration')
  await connect(page, 'studio@post.example', { name: 'Studio', everything: true })
  const other = await context.newPage()
  await other.goto(`${stage.url}/file-manager/my-drive`)
  await item(other, 'Studio').first().dblclick()
  await other.getByText('This folder is empty').waitFor()
  await keepToasts(page)
  let sent = 0
  await page.route('**/graphql', async (route) => {
    if (route.request().postDataJSON()?.operationName !== 'disconnectAccountMutation') return route.fallback()
    sent += 1
    if (sent > 1) return route.fallback()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await card(page, 'Studio').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Account disconnected').waitFor()
  expect(sent).toBe(2)
  await card(page, 'Studio').waitFor({ state: 'detached' })
  expect(await page.getByText('could not be disconnected').count()).toBe(0)
  await gone(other).waitFor()
})
