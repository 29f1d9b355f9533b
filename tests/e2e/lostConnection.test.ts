import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepToasts } from './support/browser.ts'
import { dropFiles, item, upload } from './support/fileManager.ts'
import { type OwnServer, startServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

/** The connection is lost while something is done: it is done once, and the page says what has become of it. */
const stage = setStage<OwnServer>(() => startServer())

const text = (name: string) => ({ name, type: 'text/plain', bytes: Buffer.from(name) })

async function openDrive(...names: string[]): Promise<Page> {
  const { page } = await stage.person()
  for (const name of names) await upload(page, stage.url, text(name))
  await page.goto(`${stage.url}/file-manager/my-drive`)
  for (const name of names) await item(page, name).waitFor()
  await keepToasts(page)
  return page
}

/** The next answer to this mutation is lost after the server has done it. @returns how often it was sent */
async function loseAnswer(page: Page, mutation: string): Promise<() => number> {
  let sent = 0
  await page.route('**/graphql', async (route: Route) => {
    if (route.request().postDataJSON()?.operationName !== mutation) return route.fallback()
    sent += 1
    if (sent > 1) return route.fallback()
    await route.fetch()
    await route.abort('connectionreset')
  })
  return () => sent
}

const toast = (page: Page, title: string) => page.locator('[data-sonner-toast]').filter({ hasText: title })
const failures = (page: Page) => page.getByText(/Could not|could not be reached/)

test('what was done although its answer was lost is said to be done, and can be undone', async () => {
  const page = await openDrive('Plan.txt', 'Letter.txt')
  const trashed = await loseAnswer(page, 'trashFilesMutation')
  await item(page, 'Plan.txt').click()
  await page.keyboard.press('Delete')
  await toast(page, 'moved to Trash').getByRole('button', { name: 'Undo' }).click()
  await item(page, 'Plan.txt').waitFor()
  expect(trashed()).toBe(2)

  const renamed = await loseAnswer(page, 'renameFileMutation')
  await item(page, 'Plan.txt').click()
  await page.keyboard.press('F2')
  await page.getByLabel('New name').fill('House.txt')
  await page.keyboard.press('Enter')
  await toast(page, 'Renamed to “House.txt”').waitFor()
  expect(renamed()).toBe(2)
  expect(await failures(page).count()).toBe(0)
})

test('so is emptying the trash, and deleting a group cloud', async () => {
  const page = await openDrive('Plan.txt')
  await item(page, 'Plan.txt').click()
  await page.keyboard.press('Delete')
  await toast(page, 'moved to Trash').waitFor()
  await page.goto(`${stage.url}/file-manager/trash`)
  await item(page, 'Plan.txt').waitFor()
  await keepToasts(page)
  const emptied = await loseAnswer(page, 'emptyTrashMutation')
  await page.getByRole('button', { name: 'Empty trash' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Empty trash' }).click()
  await toast(page, 'Trash emptied').waitFor()
  expect(emptied()).toBe(2)

  const made = await page.request.post(`${stage.url}/api/v1/group-clouds`, {
    data: { name: 'Spare' },
    headers: { origin: stage.url },
  })
  expect(made.status()).toBe(201)
  await page.goto(`${stage.url}/group-cloud`)
  const deleted = await loseAnswer(page, 'deleteGroupCloudMutation')
  await page.getByRole('button', { name: 'More for Spare' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await toast(page, 'Group cloud deleted').waitFor()
  expect(deleted()).toBe(2)
  await expect.poll(() => page.getByText('Spare').count()).toBe(0)
  expect(await failures(page).count()).toBe(0)
})

test('what is created is created once', async () => {
  const page = await openDrive('Plan.txt')
  const made = await loseAnswer(page, 'createFolderMutation')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('menuitem', { name: 'New folder' }).click()
  await page.keyboard.type('Plans')
  await page.keyboard.press('Enter')
  await item(page, 'Plans').waitFor()
  await expect.poll(made).toBe(2)

  const copied = await loseAnswer(page, 'copyFilesMutation')
  await item(page, 'Plan.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await toast(page, 'Copied').waitFor()
  expect(copied()).toBe(2)
  await item(page, 'Plan (2).txt').waitFor()

  const shared = await loseAnswer(page, 'createShareMutation')
  await item(page, 'Plan.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Share', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  await expect.poll(shared).toBe(2)
  expect(await failures(page).count()).toBe(0)

  const listed = await page.request.get(`${stage.url}/api/v1/files`)
  const { items } = (await listed.json()) as { items: { name: string }[] }
  expect(items.map(({ name }) => name).sort()).toEqual(['Plan (2).txt', 'Plan.txt', 'Plans'])
  const links = await (await page.request.get(`${stage.url}/api/v1/shares`)).json()
  expect(links.items).toHaveLength(1)
})

test('a change while the server restarts is made afterwards', async () => {
  const page = await openDrive('Plan.txt')
  const isRefused = page.waitForResponse((response) => response.status() === 503)
  let refuses = 2
  await page.route('**/graphql', async (route) => {
    if (route.request().postDataJSON()?.operationName !== 'starFilesMutation' || refuses === 0) return route.fallback()
    refuses -= 1
    const problem = { status: 503, code: 'NOT_READY', detail: 'This server is shutting down.' }
    await route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) })
  })
  await item(page, 'Plan.txt').click()
  await page.getByRole('button', { name: 'Add star' }).click()
  await isRefused
  await toast(page, 'added to Starred').waitFor()
  expect(await failures(page).count()).toBe(0)
})

test('the reason why a name was not saved can be read above the rows below', async () => {
  const page = await openDrive('Letter.txt', 'Plan.txt')
  await item(page, 'Letter.txt').click()
  await page.keyboard.press('F2')
  await page.getByLabel('New name').fill('Plan.txt')
  await page.keyboard.press('Enter')
  const reason = page.getByRole('alert')
  await reason.waitFor()
  const isOnTop = await reason.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const [first = 0, last = 0] = [left + 4, right - 4]
    return [first, (first + last) / 2, last].every((x) => {
      const found = document.elementFromPoint(x, (top + bottom) / 2)
      return found !== null && element.contains(found)
    })
  })
  expect(isOnTop).toBe(true)
})

test('a ZIP that is refused is said to be, leaves the page and what it is doing, and can be tried again', async () => {
  const page = await openDrive('Letter.txt', 'Plan.txt')
  let isAskedToLeave = false
  page.on('dialog', (dialog) => {
    isAskedToLeave = true
    void dialog.dismiss()
  })
  // Something is being uploaded, for which the browser warns of leaving.
  await page.route('**/api/v1/uploads', () => undefined)
  await dropFiles(page, page.getByRole('main'), [text('Waiting.txt')])
  const archives = '**/api/v1/files/archive**'
  await page.route(archives, (route) => {
    const problem = { status: 503, code: 'NOT_READY', detail: 'This server is shutting down. Please try again.' }
    return route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) })
  })
  await item(page, 'Plan.txt').click()
  await page.keyboard.press('Control+a')
  await expect.poll(() => page.getByRole('row', { selected: true }).count()).toBeGreaterThan(1)
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('This server is shutting down.').waitFor()
  expect(await item(page, 'Plan.txt').isVisible()).toBe(true)
  await page.unroute(archives)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Retry Skypool.zip' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Skypool.zip')
  await panel.getByText('Skypool.zip').waitFor({ state: 'detached' })
  expect(isAskedToLeave).toBe(false)
})
