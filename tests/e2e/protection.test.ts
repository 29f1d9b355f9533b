import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect as connectByRest } from '../tools/demo/skypool.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { item } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const FOLDER = 'application/vnd.google-apps.folder'
/** A change at the provider is seen within 30 s, and the machine may be slow. */
const PATIENCE_MS = 90_000

const plant = async (file: object): Promise<string> => {
  const body = JSON.stringify({ user: MAREN, ...file })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/plant`, { method: 'POST', body })
  return ((await answer.json()) as { id: string }).id
}

/** Paths of what is at Google, with contents. */
async function atGoogle(): Promise<string[]> {
  const body = JSON.stringify({ user: MAREN })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/objects`, { method: 'POST', body })
  const objects = (await answer.json()) as { path: string; trashed: boolean }[]
  return objects.flatMap(({ path, trashed }) => (trashed ? [] : path)).sort()
}

async function openAccount(page: Page): Promise<void> {
  await connectByRest(restOf(page, stage.url), 'google', 'Private', MAREN, 'EVERYTHING')
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await item(page, 'Private').waitFor({ timeout: PATIENCE_MS })
  await item(page, 'Private').dblclick()
}

test('a folder of an account is protected, its state is shown, and an earlier version is restored', async () => {
  const folder = await plant({ name: 'Travel', mimeType: FOLDER })
  const plan = await plant({ name: 'Plan.txt', text: 'first', mimeType: 'text/plain', parent: folder })
  const { page, problems } = await stage.person()
  await openAccount(page)

  await item(page, 'Travel').waitFor({ timeout: PATIENCE_MS })
  // The menu closes when the list is read again, as it is while the account is being listed.
  const choice = page.getByRole('menuitem', { name: 'Protect…' })
  await expect
    .poll(
      async () => {
        await item(page, 'Travel').click({ button: 'right' })
        return choice.click({ timeout: 2_000 }).then(
          () => true,
          () => false,
        )
      },
      { timeout: PATIENCE_MS },
    )
    .toBe(true)
  const dialog = page.getByRole('dialog', { name: 'Protect “Travel”' })
  await dialog.getByText('1 of 1 files (5 Bytes) would be gone').waitFor()
  await dialog.getByRole('button', { name: 'Protect', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await item(page, 'Travel').getByRole('img', { name: 'Protected' }).waitFor({ timeout: PATIENCE_MS })

  await stage.server.command('google', 'alter', { user: MAREN, id: plan, name: 'Plan.txt', text: 'second' })
  await item(page, 'Travel').dblclick()
  await page.getByRole('heading', { level: 1, name: 'Travel' }).waitFor()
  await item(page, 'Plan.txt').click()
  await page.keyboard.press('d')
  // A double click can end after the folder is open, and select nothing.
  const state = page.getByRole('region', { name: 'Protection' })
  await expect
    .poll(
      async () => {
        if (!(await state.isVisible())) await item(page, 'Plan.txt').click()
        return state.isVisible()
      },
      { timeout: PATIENCE_MS, interval: 1_000 },
    )
    .toBe(true)
  const versions = page.getByRole('region', { name: 'Earlier versions' })
  await versions.waitFor({ timeout: PATIENCE_MS })
  await state.getByText('Protected', { exact: true }).waitFor()
  await versions.getByRole('button', { name: 'Restore Plan.txt' }).click()
  await expect.poll(atGoogle, { timeout: PATIENCE_MS }).toContain('/Travel/Plan (2).txt')
  await item(page, 'Plan (2).txt').waitFor({ timeout: PATIENCE_MS })

  await page.goto(`${stage.url}/cloud-integration`)
  await page
    .getByRole('button', { name: /Disconnect/ })
    .first()
    .click()
  await page.getByText(/are protected by a copy elsewhere/).waitFor()
  expect(problems).toEqual([])
}, 400_000)
