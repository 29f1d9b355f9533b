import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect as connectByRest } from '../tools/demo/skypool.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { item } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const FOLDER = 'application/vnd.google-apps.folder'
const PATIENCE_MS = 90_000

const plant = (file: object) => stage.server.command('google', 'plant', { user: MAREN, ...file })

/** Paths of what is at Google, without its trash. */
async function atGoogle(): Promise<string[]> {
  const body = JSON.stringify({ user: MAREN })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/objects`, { method: 'POST', body })
  const objects = (await answer.json()) as { path: string; trashed: boolean }[]
  return objects.flatMap(({ path, trashed }) => (trashed ? [] : path)).sort()
}

/** Drags a file from the desktop over an element, and drops it there. */
async function dragFile(page: Page, selector: string, name: string, drop = true): Promise<void> {
  const transfer = await page.evaluateHandle((fileName) => {
    const data = new DataTransfer()
    data.items.add(new File(['dropped'], fileName, { type: 'text/plain' }))
    return data
  }, name)
  await page.dispatchEvent(selector, 'dragover', { dataTransfer: transfer })
  if (drop) await page.dispatchEvent(selector, 'drop', { dataTransfer: transfer })
}

test('files are uploaded into a folder of an account by the dialog, by dropping and on a phone', async () => {
  await plant({ name: 'Travel', mimeType: FOLDER })
  await plant({ name: 'Theirs', mimeType: FOLDER })
  const { page, problems } = await stage.person()
  const account = await connectByRest(restOf(page, stage.url), 'google', 'Private', MAREN)
  await restOf(page, stage.url).json('PATCH', `/api/v1/accounts/${account}`, { scope: 'EVERYTHING' })
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Private').dblclick()
  await item(page, 'Travel').waitFor({ timeout: PATIENCE_MS })
  await item(page, 'Travel').dblclick()
  await page.getByText('This folder is empty').waitFor()

  await page.keyboard.press('u')
  const dialog = page.getByRole('dialog', { name: 'Upload Files' })
  await dialog.getByText('Private / Travel').waitFor()
  await dialog.getByText('Files are stored in your Google Drive under their own names').waitFor()
  await dialog
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'ticket.txt', mimeType: 'text/plain', buffer: Buffer.from('from Oslo') })
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByText('Successfully uploaded 1 file(s) to Travel').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await item(page, 'ticket.txt').waitFor()
  await expect.poll(atGoogle, { timeout: PATIENCE_MS }).toContain('/Travel/ticket.txt')

  await dragFile(page, 'main', 'dropped.txt')
  await item(page, 'dropped.txt').waitFor()
  await expect.poll(atGoogle, { timeout: PATIENCE_MS }).toContain('/Travel/dropped.txt')

  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('button.only-m', { hasText: 'Upload' }).click()
  await dialog.getByText('Private / Travel').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.setViewportSize({ width: 1440, height: 900 })

  // A folder that the account does not allow to be changed.
  await page.route('**/graphql**', async (route) => {
    const response = await route.fetch()
    // In every answer: the list is read again in the meantime.
    const body = (await response.text()).replaceAll('"write":true', '"write":false')
    await route.fulfill({ response, body })
  })
  await page.goBack()
  await item(page, 'Theirs').dblclick()
  await page.getByText('Its account does not allow putting anything into it.').waitFor()
  await dragFile(page, 'main', 'refused.txt')
  const refusal = page.locator('[data-sonner-toast]').filter({ hasText: 'Nothing was uploaded' })
  await refusal.getByText('The connected account does not allow putting anything into “Theirs”.').waitFor()
  await refusal.getByRole('button', { name: 'Dismiss' }).click()
  await refusal.waitFor({ state: 'detached' })
  expect(await atGoogle()).not.toContain('/Theirs/refused.txt')
  await dragFile(page, 'main', 'refused.txt', false)
  await page.locator('b', { hasText: 'does not allow putting anything into “Theirs”.' }).waitFor()
  expect(problems).toEqual([])
})

test('a group cloud that is made while its list is open is listed there, and can be chosen', async () => {
  const { page, problems } = await stage.person('/file-manager/my-drive')
  const account = await connectByRest(restOf(page, stage.url), 'google', 'Private', MAREN)
  await page.getByRole('complementary', { name: 'Main' }).getByRole('button', { name: 'Upload Files' }).click()
  await page.getByRole('button', { name: /^Select Group Cloud/ }).click()
  await page.getByRole('option').first().waitFor()
  await restOf(page, stage.url).json('POST', '/api/v1/group-clouds', { name: 'Later', accountIds: [account] })
  await page.getByRole('option', { name: /^Later/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload Files' })
  await dialog.getByRole('button', { name: /Later/ }).waitFor()
  await dialog.getByText(/Private/).waitFor()
  expect(problems).toEqual([])
})
