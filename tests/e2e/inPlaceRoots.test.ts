import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect as connectByRest } from '../tools/demo/skypool.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { item } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const OTHER = 'olav@post.example'
/** A change at the provider is seen within 30 s, and the machine may be slow. */
const PATIENCE_MS = 90_000

async function command<Answer>(name: string, body: object): Promise<Answer> {
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/${name}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  return (await answer.json()) as Answer
}
const plant = async (file: object): Promise<string> =>
  (await command<{ id: string }>('plant', { user: MAREN, mimeType: 'text/plain', ...file })).id

async function menuOf(page: Page, name: string, action: string): Promise<void> {
  await item(page, name).click({ button: 'right' })
  // "Open" also begins the name of a later action.
  await page.getByRole('menu').getByRole('menuitem', { name: action }).first().click()
}

test('the folder of an account has its menu; shared drives are chosen there, and shortcuts lead to their targets', async () => {
  await command('addUser', { email: OTHER, quotaBytes: null })
  const { id: drive } = await command<{ id: string }>('addDrive', {
    name: 'Choir',
    members: { [MAREN]: 'reader', [OTHER]: 'owner' },
  })
  await plant({ user: OTHER, name: 'Score.txt', text: 'la la', parent: drive })
  const note = await plant({ name: 'Note.txt', text: 'the north wall' })
  await plant({ name: 'To the note', mimeType: 'application/vnd.google-apps.shortcut', target: note })
  await plant({ name: 'To nothing', mimeType: 'application/vnd.google-apps.shortcut', target: 'gone' })
  const { page, problems } = await stage.person()
  const account = await connectByRest(restOf(page, stage.url), 'google', 'Private', MAREN)
  await restOf(page, stage.url).json('PATCH', `/api/v1/accounts/${account}`, { scope: 'EVERYTHING' })
  await restOf(page, stage.url).json('POST', '/api/v1/files/folders', { name: 'Zebra' })
  await page.goto(`${stage.url}/file-manager/my-drive`)

  // After the user's own folders, under a heading, with the mark of its provider and its state.
  const root = item(page, 'Private')
  await root.getByText('Up to date').waitFor({ timeout: PATIENCE_MS })
  await root.getByRole('img', { name: 'Google Drive' }).waitFor()
  await page.getByText('Connected accounts').waitFor()
  expect(await page.locator('[data-id]').evaluateAll((rows) => rows.map((row) => row.dataset.dropName))).toEqual([
    'Zebra',
    'Private',
  ])
  expect(await root.getAttribute('draggable')).toBe('false')
  await root.click()
  await page.keyboard.press('d')
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByText('Space in this account').waitFor()
  await details.getByRole('button', { name: 'Index settings' }).click()
  await page.getByRole('dialog', { name: 'Index settings' }).getByRole('button', { name: 'Cancel' }).click()
  await page.keyboard.press('d')

  await item(page, 'Private').click({ button: 'right' })
  await page.getByRole('menu').getByRole('menuitem', { name: 'Look again now' }).waitFor()
  const names = await page.getByRole('menu').getByRole('menuitem').allInnerTexts()
  for (const name of ['Open', 'Look again now', 'Index settings', 'Re-connect', 'Disconnect'])
    expect(names.map((text) => text.split('\n')[0])).toContain(name)
  expect(names.some((text) => text.startsWith('Rename') || text.startsWith('Move to Trash'))).toBe(false)
  await page.keyboard.press('Escape')

  const looked = page.waitForResponse(async (response) => {
    const isAnswer = response.headers()['content-type']?.includes('json')
    return isAnswer === true && (await response.text()).includes('RefreshAccountIndexPayload')
  })
  await menuOf(page, 'Private', 'Look again now')
  await looked
  await menuOf(page, 'Private', 'Re-connect')
  await page.getByRole('alertdialog', { name: 'Re-connect “Private”?' }).getByRole('button', { name: 'Cancel' }).click()
  await menuOf(page, 'Private', 'Disconnect')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()

  await menuOf(page, 'Private', 'Index settings')
  const settings = page.getByRole('dialog', { name: 'Index settings' })
  await settings.getByRole('checkbox', { name: /^Choir/ }).check()
  await settings.getByRole('button', { name: 'Save' }).click()
  await settings.waitFor({ state: 'detached' })
  await menuOf(page, 'Private', 'Open')
  const toolbar = page.getByRole('toolbar', { name: 'Files' })
  await toolbar.getByText('Up to date').waitFor()
  await toolbar.getByRole('button', { name: 'Look again' }).click()
  await page.getByText('Looking again in Private').last().waitFor()
  await item(page, 'Choir').waitFor({ timeout: PATIENCE_MS })
  await menuOf(page, 'Choir', 'Open')
  await item(page, 'Score.txt').waitFor({ timeout: PATIENCE_MS })
  await page.goBack()

  await menuOf(page, 'To the note', 'Open')
  await page.getByText('the north wall').waitFor()
  await page.keyboard.press('Escape')
  await item(page, 'To nothing').click()
  await page.keyboard.press('d')
  await page.getByText('points to something that was deleted').waitFor()
  await item(page, 'To the note').click()
  await page.getByRole('region', { name: 'Properties' }).getByRole('link', { name: 'Note.txt' }).waitFor()
  expect(problems).toEqual([])
})

test('when more than half of an account is gone at once, it is shown until the user decides', async () => {
  const folder = await plant({ name: 'Half', mimeType: 'application/vnd.google-apps.folder' })
  await plant({ name: 'Page ', parent: folder, text: 'x', count: 120 })
  const { page, problems } = await stage.person()
  await connectByRest(restOf(page, stage.url), 'google', 'Private', MAREN, 'EVERYTHING')
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Private').getByText('Up to date').waitFor({ timeout: PATIENCE_MS })

  await stage.server.command('google', 'remove', { id: folder })
  const notice = page.getByText(/^121 entries seem to be gone from “Private”: more than half of it\./)
  await notice.waitFor({ timeout: PATIENCE_MS })
  await item(page, 'Private').getByText('121 seem to be gone').waitFor()
  await item(page, 'Private').dblclick()
  await item(page, 'Half').waitFor()
  await notice.waitFor()

  // It is still gone after another look, so that it is held again.
  await page.getByRole('button', { name: 'Keep and look again' }).click()
  await notice.waitFor({ state: 'detached' })
  await notice.waitFor({ timeout: PATIENCE_MS })
  await item(page, 'Half').waitFor()
  await page.goto(`${stage.url}/cloud-integration`)
  await page.getByText(/^121 entries seem to be gone from this account/).waitFor()
  await page.getByRole('button', { name: 'Yes, they are gone' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/seem to be gone/).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { level: 1, name: 'Private' }).waitFor()
  await item(page, 'Half').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})
