import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect } from '../tools/demo/skypool.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

const MAREN = 'maren@post.example'
const BOX = 'box@post.example'
const PATIENCE_MS = 90_000

type Stored = { readonly path: string; readonly trashed?: boolean }

/** Paths in an emulated account that are not in its trash. */
async function pathsIn(service: 'google' | 'dropbox', user: string): Promise<string[]> {
  const body = JSON.stringify({ user })
  const answer = await fetch(`${stage.server.emulatorUrl}/__control/${service}/objects`, { method: 'POST', body })
  return ((await answer.json()) as Stored[]).flatMap(({ path, trashed }) => (trashed ? [] : path)).sort()
}

/** Three files with one content in two accounts and the pool, two that only reading can tell apart, and others. */
async function gather(page: Page): Promise<void> {
  const walk = 'the walk through the harbour '.repeat(400)
  const google = (file: object) =>
    stage.server.command('google', 'plant', { user: MAREN, mimeType: 'text/plain', ...file })
  const dropbox = (file: object) => stage.server.command('dropbox', 'plant', { user: BOX, ...file })
  const existing = await pathsIn('google', MAREN)
  if (!existing.some((path) => path.endsWith('Harbour walk.txt'))) {
    await google({ name: 'Harbour walk.txt', text: walk })
    await google({ name: 'Harbour walk (copy).txt', text: walk })
    await google({ name: 'Tender.txt', text: 'north' })
    await google({ name: 'Offer.txt', text: 'the offer' })
    await dropbox({ path: '/Exports/Tender.txt', base64: Buffer.from('south').toString('base64') })
    await dropbox({ path: '/Exports/Offer.txt', base64: Buffer.from('the offer').toString('base64') })
  }
  const client = restOf(page, stage.url)
  const accounts = [await connect(client, 'google', 'Private', MAREN), await connect(client, 'dropbox', 'Exports', BOX)]
  for (const id of accounts) await client.json('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
  const pools = await client.json<{ items: { id: string }[] }>('GET', '/api/v1/group-clouds')
  const data = { file: { name: 'Walk, final.txt', mimeType: 'text/plain', buffer: Buffer.from(walk) } }
  const groupCloudId = pools.items[0]?.id ?? ''
  const uploaded = await page.request.post(`${stage.url}/api/v1/files`, {
    headers: { origin: stage.url },
    multipart: { groupCloudId, ...data },
  })
  expect(uploaded.status()).toBe(201)
  await expect
    .poll(
      async () => {
        const { items } = await client.json<{ items: { fileCount: number }[] }>('GET', '/api/v1/duplicates')
        return items.map(({ fileCount }) => fileCount)
      },
      { timeout: PATIENCE_MS },
    )
    .toEqual([3, 2, 2])
}

test('equal files are found, all but one are moved to the trash, and Undo brings them back, with the keyboard', async () => {
  const { page, problems } = await stage.person()
  await gather(page)
  const before = await pathsIn('google', MAREN)
  await page.goto(`${stage.url}/dashboard`)
  await page.getByRole('link', { name: 'Find duplicates' }).focus()
  await page.keyboard.press('Enter')
  const group = page.getByRole('article', { name: 'Harbour walk' }).first()
  await group.waitFor()
  await group.getByText('3 files of').waitFor()
  await group.getByText('Private', { exact: false }).first().waitFor()
  // Nothing is chosen by default.
  expect(await page.locator('input:checked').count()).toBe(0)
  expect(await page.getByRole('region', { name: /selected$/ }).count()).toBe(0)
  await page.getByRole('tab', { name: /^All/ }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name: /^Certain/, selected: true }).waitFor()
  await page.getByRole('article', { name: 'Tender.txt' }).waitFor({ state: 'detached' })

  await group.getByRole('checkbox').focus()
  await page.keyboard.press('Space')
  const bar = page.getByRole('region', { name: '1 group selected' })
  await bar.getByText('Choose which file to keep.').waitFor()
  expect(await bar.getByRole('button', { name: 'Move to Trash' }).isDisabled()).toBe(true)
  await bar.getByRole('button', { name: 'Newest' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('if the newest is kept').waitFor()
  expect(await group.getByText('To Trash').count()).toBe(2)
  await group.getByRole('radio').first().focus()
  await page.keyboard.press('Space')
  await group.getByRole('radio', { checked: true }).waitFor()

  await bar.getByRole('button', { name: 'Move 2 files to Trash' }).focus()
  await page.keyboard.press('Enter')
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: '2 files moved to Trash' })
  await toast.waitFor()
  await group.waitFor({ state: 'detached' })
  await expect.poll(async () => (await pathsIn('google', MAREN)).length).toBeLessThan(before.length)
  await toast.getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('article', { name: 'Harbour walk' }).first().waitFor()
  await expect.poll(() => pathsIn('google', MAREN)).toEqual(before)
  expect(problems).toEqual([])
})

test('likely duplicates are compared by reading them, and what is equal is certain then', async () => {
  const { page, problems } = await stage.person()
  await gather(page)
  await page.goto(`${stage.url}/file-manager/duplicates`)
  const tender = page.getByRole('article', { name: 'Tender.txt' })
  await tender.getByText('same name and size, no hash in common').waitFor()
  expect(await tender.getByRole('radio').count()).toBe(0)
  await tender.getByRole('button', { name: 'Compare (reads 10 Bytes)' }).click()
  await page.getByText('The files are different. They are not duplicates.').waitFor({ timeout: PATIENCE_MS })
  await tender.waitFor({ state: 'detached' })
  const offer = page.getByRole('article', { name: 'Offer.txt' })
  await offer.getByRole('button', { name: /^Compare/ }).click()
  await page.getByText('The files are equal. They are certain duplicates now.').waitFor({ timeout: PATIENCE_MS })
  await offer.getByText('Certain').waitFor()
  expect(await offer.getByRole('radio').count()).toBe(2)
  expect(problems).toEqual([])
})

test('duplicates, in each look', async () => {
  const { page } = await stage.person(undefined, FIRST_LOOK)
  const { look, found } = examinerOfLooks(page, { prefix: 'duplicates-' })
  await page.goto(`${stage.url}/file-manager/duplicates`)
  await page.getByText('No duplicates').waitFor()
  await look('none')
  await gather(page)
  await page.goto(`${stage.url}/file-manager/duplicates`)
  const group = page.getByRole('article', { name: 'Harbour walk' }).first()
  await group.waitFor()
  await look('list')
  await group.getByRole('checkbox').check()
  const oldest = page.getByRole('button', { name: 'Oldest' })
  if (await oldest.isVisible()) await oldest.click()
  else {
    await page
      .getByRole('region', { name: /selected$/ })
      .getByRole('button', { name: /^Keep/ })
      .click()
    await page.getByRole('menuitemradio', { name: 'Oldest' }).click()
  }
  await page.getByText('if the oldest is kept').waitFor()
  await look('chosen')
  expect(found).toEqual([])
}, 240_000)
