import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect as connectByRest } from '../tools/demo/skypool.ts'
import { card } from './support/connecting.ts'
import { consent, restOf, startEmulatedServer } from './support/emulated.ts'
import { item } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'

/** What has the focus, by name; with the state that a screen reader says with it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const active = document.activeElement
    if (active === null || active === document.body) return 'BODY'
    const label = active instanceof HTMLInputElement ? active.labels?.[0] : null
    const name = active.getAttribute('aria-label') ?? active.getAttribute('data-drop-name') ?? label?.textContent
    return name ?? active.textContent ?? ''
  })

const expectFocus = (page: Page, name: string | RegExp) => expect.poll(() => focused(page)).toMatch(name)

const dialog = (page: Page) => page.locator('[role=dialog], [role=alertdialog]').last()

/** Presses a button with the keyboard. */
const press = (page: Page, name: string | RegExp) => {
  const exact = typeof name === 'string'
  return dialog(page).getByRole('button', { name, exact }).press('Enter')
}

/** A person with three folders and a document, at My Drive, with the row of one of the folders in focus. */
async function openDrive() {
  const { page, problems } = await stage.person()
  const rest = restOf(page, stage.url)
  const ids: string[] = []
  for (const name of ['Atlas', 'Boats', 'Buoys'])
    ids.push((await rest.json<{ id: string }>('POST', '/api/v1/files/folders', { name })).id)
  await rest.json('POST', '/api/v1/files/folders', { name: 'Charts', parentId: ids[1] })
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Atlas').waitFor()
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, /^Atlas/)
  return { page, problems }
}

/** Chooses in the menu of the row in focus. */
async function fromMenu(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name }).press('Enter')
  await dialog(page).waitFor({ state: 'attached' })
}

test('the folders of the move dialog are a list for the keyboard: arrows, Home, End, letters, in and out', async () => {
  const { page, problems } = await openDrive()
  await fromMenu(page, 'Move to…')
  await expectFocus(page, 'Folders in My Drive')
  await dialog(page).getByText('Buoys').waitFor()
  await page.keyboard.press('End')
  await expectFocus(page, 'Buoys')
  await page.keyboard.press('Home')
  await expectFocus(page, 'Boats')
  await page.keyboard.type('bu')
  await expectFocus(page, 'Buoys')
  await page.keyboard.press('ArrowUp')
  await expectFocus(page, 'Boats')
  await page.keyboard.press('ArrowRight')
  await expectFocus(page, 'Folders in Boats')
  await dialog(page).getByText('Charts').waitFor()
  await page.keyboard.press('End')
  await expectFocus(page, 'Charts')
  // One stop for the whole list.
  await page.keyboard.press('Tab')
  await expectFocus(page, 'Cancel')
  await page.keyboard.press('Shift+Tab')
  await expectFocus(page, 'Folders in Boats')
  await page.keyboard.press('ArrowLeft')
  await expectFocus(page, 'Folders in My Drive')
  await page.keyboard.press('Escape')
  await expectFocus(page, /^Atlas/)
  expect(problems).toEqual([])
})

test('in dialogs the focus stays near what is replaced, and goes to the field with an error', async () => {
  const { page, problems } = await openDrive()
  await fromMenu(page, 'Share')
  await expectFocus(page, 'Password')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('button', { name: 'Copy link' }).waitFor()
  await expectFocus(page, 'Link')
  // These buttons make room for what they open.
  await press(page, 'Change')
  await dialog(page).getByLabel('Download limit').waitFor()
  await expectFocus(page, 'Link')
  await press(page, 'Cancel')
  await expectFocus(page, 'Change')
  await press(page, 'End link')
  await expectFocus(page, 'Keep')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'End link')
  await page.keyboard.press('Escape')
  await expectFocus(page, /^Atlas/)

  await page.keyboard.press('t')
  await expectFocus(page, 'Find or create a tag')
  await page.keyboard.type('Sea')
  await page.keyboard.press('Enter')
  await press(page, 'Edit tag Sea')
  await expectFocus(page, 'Name')
  await press(page, 'Delete tag')
  await page.getByRole('alertdialog').waitFor({ state: 'attached' })
  await page.keyboard.press('Escape')
  await expectFocus(page, 'Delete tag')
  await press(page, 'Cancel')
  await expectFocus(page, 'Sea')
  await page.keyboard.press('Escape')
  await expectFocus(page, /^Atlas/)

  await page.getByRole('button', { name: /^New/ }).first().press('Enter')
  await page.getByRole('menuitem', { name: /Markdown/ }).press('Enter')
  await expectFocus(page, 'Name')
  await press(page, 'Create')
  await dialog(page).getByRole('alert').waitFor()
  await expectFocus(page, 'Name')
  // Without a change, it stays so.
  await press(page, 'Create')
  await expectFocus(page, 'Name')
  expect(problems).toEqual([])
})

test('what a dialog or a button has done on a page leaves the focus near it', async () => {
  const { page, problems } = await stage.person()
  const rest = restOf(page, stage.url)
  const account = await connectByRest(rest, 'google', 'Private', MAREN, 'EVERYTHING')
  await page.goto(`${stage.url}/cloud-integration`)
  const shown = card(page, `Private - ${MAREN}`)

  // A dialog without a field of its own begins with its first control, not with its frame.
  await page.getByRole('button', { name: 'Add Storage' }).press('Enter')
  await expectFocus(page, /^Google Drive/)
  await page.keyboard.press('Escape')
  await expectFocus(page, 'Add Storage')

  // The buttons that opened these dialogs go away with what they do.
  await shown.getByRole('button', { name: /^Index settings/ }).press('Enter')
  await expectFocus(page, /^Everything in this account/)
  await page.keyboard.press('ArrowDown')
  await press(page, 'Save')
  await expectFocus(page, 'Show everything in Private')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Open')
  await shown.getByRole('button', { name: /^Add Private to/ }).press('Enter')
  await press(page, /^Add to /)
  await shown.getByText('Not in a group cloud').waitFor({ state: 'detached' })
  await expectFocus(page, 'Open')

  // An expired account has no “Look again now”. “Re-connect” keeps the focus until the account is connected again.
  expect(await shown.getByRole('button', { name: /^Look again/ }).count()).toBe(1)
  await stage.server.command('google', 'revokeUser', { user: MAREN })
  await rest.send('POST', `/api/v1/accounts/${account}/refresh`).catch(() => undefined)
  await shown.getByText('Expired').waitFor({ timeout: 120_000 })
  await shown.getByRole('button', { name: /^Look again/ }).waitFor({ state: 'detached' })
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    shown.getByRole('button', { name: 'Re-connect' }).press('Enter'),
  ])
  await popup.waitForURL('**/@**')
  await expectFocus(page, 'Connecting...')
  await consent(popup, MAREN)
  await page.getByText('Reconnection successfully').waitFor()
  await expectFocus(page, 'Re-connect')

  await page.goto(`${stage.url}/group-cloud`)
  const main = page.getByRole('main')
  await main.getByRole('button', { name: 'New group cloud' }).press('Enter')
  await expectFocus(page, 'Name')
  await page.keyboard.type('Second')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('alert').waitFor()
  await expectFocus(page, /^(This server|Private)/)
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'New group cloud')
  await main.getByRole('button', { name: 'Set as default' }).press('Enter')
  await main.getByRole('button', { name: 'Set as default' }).waitFor()
  await expectFocus(page, /^(More|Edit|Actions|Add account|Set as default)/)
  expect(problems).toEqual([])
})
