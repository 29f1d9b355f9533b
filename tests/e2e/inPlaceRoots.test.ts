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
  await page.goto(`${stage.url}/file-manager/my-drive`)

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
  await page.getByRole('link', { name: 'Note.txt' }).waitFor()
  expect(problems).toEqual([])
}, 300_000)
