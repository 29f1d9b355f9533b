import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connect } from '../tools/demo/skypool.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { examiner } from './support/examine.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

/** More than a page shows. */
const GROUPS = 60
const GB = 1024 ** 3
const PATIENCE_MS = 90_000

/** Two accounts with the same files. @returns their people */
async function gather(page: Page, label: string): Promise<string[]> {
  const people = ['first', 'second'].map((name) => `${name}-${label}@post.example`)
  const client = restOf(page, stage.url)
  for (const email of people) {
    await stage.server.command('google', 'addUser', { email, name: 'Holder', quotaBytes: GB })
    for (let number = 0; number < GROUPS; number += 1) {
      const file = { name: `Report ${number}.txt`, mimeType: 'text/plain', text: `report ${number} `.repeat(40) }
      await stage.server.command('google', 'plant', { user: email, ...file })
    }
    const id = await connect(client, 'google', email.startsWith('first') ? 'Studio' : 'Archive', email)
    await client.json('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
  }
  const counted = async () =>
    (await client.json<{ certainGroups: number }>('GET', '/api/v1/duplicates/summary')).certainGroups
  await expect.poll(counted, { timeout: PATIENCE_MS }).toBe(GROUPS)
  return people
}

/** Names of what is in the accounts and not in their trash. */
async function held(people: readonly string[]): Promise<string[]> {
  const lists = people.map(async (user) => {
    const body = JSON.stringify({ user })
    const answer = await fetch(`${stage.server.emulatorUrl}/__control/google/objects`, { method: 'POST', body })
    const objects = (await answer.json()) as { path: string; trashed?: boolean; isFolder?: boolean }[]
    return objects.flatMap(({ path, trashed, isFolder }) => (trashed || isFolder ? [] : `${user} ${path}`))
  })
  return (await Promise.all(lists)).flat().sort()
}

async function press(target: Locator, key = 'Enter'): Promise<void> {
  await target.focus()
  await target.press(key)
}

/** Chooses the newest, as far as the width allows. */
async function keepNewest(page: Page, bar: Locator): Promise<void> {
  const button = bar.getByRole('button', { name: 'Newest', exact: true })
  if (await button.isVisible()) return press(button)
  await press(bar.getByRole('button', { name: /^Keep/ }))
  await press(page.getByRole('menuitemradio', { name: 'Newest' }))
}

async function moveAll(page: Page, look: (name: string) => Promise<void>): Promise<Locator> {
  const all = page.getByRole('checkbox', { name: `Select all ${GROUPS} groups` })
  await all.waitFor({ timeout: PATIENCE_MS })
  // Nothing is chosen by default.
  expect(await page.locator('input:checked').count()).toBe(0)
  await press(all, 'Space')
  const bar = page.getByRole('region', { name: `All ${GROUPS} groups selected` })
  await bar.getByText('Choose which file to keep.').waitFor()
  expect(await bar.getByRole('button', { name: 'Move to Trash' }).isDisabled()).toBe(true)
  await keepNewest(page, bar)
  await bar.getByText(`${GROUPS} files to Trash, `).waitFor()
  await page.getByText('if the newest is kept').waitFor()
  await look('all')
  await press(bar.getByRole('button', { name: `Move ${GROUPS} files to Trash` }))
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: `Moving ${GROUPS} files to Trash` })
  await toast.waitFor()
  return toast
}

test.each(LOOKS)(
  'all groups go to the trash in one job, and Undo brings every file back, with the keyboard, in $theme at $width px',
  async ({ label, width, options }) => {
    const { page, problems } = await stage.person(undefined, options)
    const { look, found } = examiner(page, label, 'duplicates-all-')
    const people = await gather(page, label)
    const before = await held(people)
    expect(before).toHaveLength(GROUPS * 2)
    await page.goto(`${stage.url}/file-manager/duplicates`)

    // What is chosen for one group is no choice for those of other pages.
    await press(page.getByRole('checkbox', { name: `Select all ${GROUPS} groups` }), 'Space')
    await press(page.getByRole('checkbox', { name: /^Select group/ }).first(), 'Space')
    const some = page.getByRole('region', { name: '49 groups selected' })
    await some.waitFor()
    await press(some.getByRole('button', { name: 'Clear selection' }))
    await some.waitFor({ state: 'detached' })

    const toast = await moveAll(page, look)
    await press(toast.getByRole('button', { name: 'Undo' }))
    await expect.poll(() => held(people), { timeout: PATIENCE_MS }).toEqual(before)

    await moveAll(page, async () => undefined)
    await page.getByText('No duplicates').waitFor({ timeout: PATIENCE_MS })
    await expect.poll(async () => (await held(people)).length, { timeout: PATIENCE_MS }).toBe(GROUPS)
    // It can still be undone where jobs are shown, also after a reload.
    await page.reload()
    if (width < 768) await press(page.getByRole('button', { name: /1 job has ended/ }))
    const undo = page.getByRole('button', { name: /^Undo Report/ })
    await undo.waitFor({ timeout: PATIENCE_MS })
    await page.getByText(`Moved to Trash: ${GROUPS} of ${GROUPS}`).waitFor()
    await look('undo')
    await press(undo)
    await expect.poll(() => held(people), { timeout: PATIENCE_MS }).toEqual(before)
    await undo.waitFor({ state: 'detached' })
    expect(problems).toEqual([])
    expect(found).toEqual([])
  },
  300_000,
)
