import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { consent, makePool, restOf, startEmulatedServer } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const GB = 1024 ** 3

const stage = setStage(startEmulatedServer)

async function upload(page: Page, name: string, mimeType: string, size: number, parentId?: string): Promise<string> {
  const file = { name, mimeType, buffer: Buffer.alloc(size, name) }
  const answer = await page.request.post(`${stage.url}/api/v1/files`, {
    headers: { origin: stage.url },
    multipart: { ...(parentId && { parentId }), file },
  })
  if (answer.status() !== 201) throw new Error(`upload answered ${answer.status()}: ${await answer.text()}`)
  return (await answer.json()).id
}

type Furnished = { readonly lost: string }

/** A pool of three accounts, one of which expires with the files on it; another is nearly full, and one knows no limit. */
async function furnish(page: Page): Promise<Furnished> {
  const id = randomBytes(4).toString('hex')
  const [full, lost, endless] = [`full-${id}@post.example`, `lost-${id}@post.example`, `endless-${id}@post.example`]
  const box = `box-${id}@post.example`
  const add = (email: string, quotaBytes: number | null, usedByOthersBytes = 0) =>
    stage.server.command('google', 'addUser', { email, name: 'Maren Holt', quotaBytes, usedByOthersBytes })
  await add(full, 15 * GB, 13 * GB)
  await add(lost, 20 * GB, 2 * GB)
  await add(endless, null, 6 * GB)
  const atBox = { email: box, name: 'Maren Holt', quotaBytes: 40 * GB, usedByOthersBytes: 12 * GB }
  await stage.server.command('dropbox', 'addUser', atBox)
  await makePool(page, stage.url, {
    name: 'Old projects',
    accounts: [{ service: 'google', name: 'Old', email: lost }],
  })
  const risky = await upload(page, 'Lost film.mp4', 'video/mp4', 300_000)
  const rest = restOf(page, stage.url)
  const stateOf = async (file: string) => (await rest.json<{ state: string }>('GET', `/api/v1/files/${file}`)).state
  await expect.poll(() => stateOf(risky)).toBe('STORED')
  await makePool(page, stage.url, {
    name: 'Studio pool',
    accounts: [
      { service: 'dropbox', name: 'Boxes', email: box },
      { service: 'google', name: 'Private', email: full },
      { service: 'google', name: 'Endless', email: endless },
    ],
  })
  const { id: folder } = await rest.json<{ id: string }>('POST', '/api/v1/files/folders', { name: '03 Renders' })
  const long = 'Facade study, north elevation, approved by client in November.pdf'
  await upload(page, long, 'application/pdf', 90_000)
  await upload(page, 'Planning statement.docx', 'text/plain', 40_000).catch(() => undefined)
  await upload(page, 'Notes.txt', 'text/plain', 12_000)
  for (let number = 1; number <= 4; number += 1) await upload(page, `Render ${number}.txt`, 'text/plain', 8_000, folder)
  await stage.server.command('google', 'revokeUser', { user: lost })
  // Reading it finds out at once.
  await expect(rest.send('GET', `/api/v1/files/${risky}/download`)).rejects.toThrow()
  await expect.poll(() => stateOf(risky)).toBe('AT_RISK')
  return { lost }
}

test('the dashboard has no violation in any look, empty and full', async () => {
  const { page, problems } = await stage.person('/dashboard', FIRST_LOOK)
  const { look, found } = examinerOfLooks(page, { prefix: 'dashboard-' })
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  await page.getByText('No problems found.').waitFor()
  await look('empty')

  await furnish(page)
  await page.goto(`${stage.url}/dashboard`)
  await page.getByText('Google Drive · Old has expired').waitFor()
  await page.getByText('1 file is at risk until you re-connect.').waitFor()
  await page.getByText('Google Drive · Private is 86% full').waitFor()
  await look('full')
  await page.getByRole('button', { name: 'By group cloud' }).click()
  await page.getByRole('region', { name: 'Storage' }).getByRole('img', { name: /Boxes/ }).waitFor()
  await look('pools')
  await page.getByRole('switch', { name: 'Show as table' }).click()
  await page.getByRole('rowheader', { name: 'Studio pool' }).waitFor()
  await look('pools-table')
  await page.getByRole('button', { name: 'By account' }).click()
  await page.getByRole('rowheader', { name: 'Google Drive · Private' }).waitFor()
  await look('table')
  await look('end', () => page.evaluate(() => document.querySelector('[data-testid="page"]')?.scrollTo(0, 9999)))
  expect(found).toEqual([])
  expect(problems).toEqual([])
})

test('it changes by itself, leads to what it shows, and mends what it can', async () => {
  const { page, problems } = await stage.person()
  const { lost } = await furnish(page)
  await page.goto(`${stage.url}/file-manager`)
  await page.getByRole('link', { name: 'Dashboard' }).click()
  const recent = page.getByRole('region', { name: 'Recent files' })
  const activity = page.getByRole('region', { name: 'Activity' })
  await recent.getByRole('link', { name: /Notes.txt/ }).waitFor()
  await activity
    .getByText('You uploaded 4 files to “03 Renders”.')
    .or(activity.getByText(/uploaded.*03 Renders/))
    .first()
    .waitFor()

  await upload(page, 'Just now.txt', 'text/plain', 10)
  await recent.getByRole('link', { name: /Just now.txt/ }).waitFor()
  await activity
    .getByText(/Just now.txt/)
    .first()
    .waitFor()

  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText('1 file is at risk', { exact: true }).waitFor()
  await stage.server.command('google', 'restoreUser', { user: lost }).catch(() => undefined)
  const popup = page.waitForEvent('popup')
  await attention.getByRole('button', { name: 'Re-connect' }).click()
  await consent(await popup, lost)
  await attention.getByText('has expired').waitFor({ state: 'detached' })
  await attention.getByText('1 file is at risk', { exact: true }).waitFor({ state: 'detached' })
  await activity.getByText('You re-connected “Old” (Google Drive).').waitFor()

  await recent.getByRole('link', { name: /Just now.txt/ }).click()
  await page.getByRole('dialog').getByText('Just now.txt').first().waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'All activity' }).click()
  await page.getByText('You re-connected “Old” (Google Drive).').waitFor()
  await page.goBack()
  await page.getByRole('searchbox', { name: 'Search files' }).fill('render 3')
  await page.keyboard.press('Enter')
  await page.getByText('Render 3.txt').first().waitFor()
  expect(new URL(page.url()).search).toContain('q=render')
  expect(problems).toEqual([])
})
