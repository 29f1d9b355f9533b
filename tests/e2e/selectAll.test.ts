import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import { seedFolder } from '../tools/bench/seed.ts'
import { keepToasts } from './support/browser.ts'
import { setStage } from './support/stage.ts'

/** More than a page of the server holds, and than may be named one by one in a call. */
const ROWS = 1_300
const ALL = ROWS.toLocaleString('en-GB')

const stage = setStage()

/** A long folder of somebody new, of which the beginning is loaded. */
async function openFolder() {
  const { page, problems } = await stage.person()
  const me = await (await page.request.get(`${stage.url}/api/v1/auth/me`)).json()
  const clouds = await (await page.request.get(`${stage.url}/api/v1/group-clouds`)).json()
  const owner = { userId: parsePublicId(me.id)?.id ?? '', groupCloudId: parsePublicId(clouds.items[0].id)?.id ?? '' }
  const { pool } = stage.server.database
  const folder = await seedFolder(pool, owner, 'Survey', ROWS)
  await page.goto(`${stage.url}/file-manager/my-drive?folder=${publicId('File', folder)}`)
  await page.locator('[data-id]').first().waitFor()
  await keepToasts(page)
  const inTrash = async () => {
    const text = 'select count(*)::int as count from files where user_id = $1 and trashed_at is not null'
    return (await pool.query(text, [owner.userId])).rows[0].count as number
  }
  return { page, problems, inTrash }
}

const box = (page: Page) => page.getByRole('checkbox', { name: 'Select all' })
const bar = (page: Page, count: string) => page.getByRole('toolbar', { name: `${count} selected` })
/** The rows are planted, without contents: their pictures cannot be shown. */
const real = (problems: readonly string[]) => problems.filter((problem) => !/503/.test(problem))
const isMixed = (page: Page) => box(page).evaluate((element) => (element as HTMLInputElement).indeterminate)

/** The list gets its first rows only, until what is returned is called. */
async function holdLaterPages(page: Page): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/graphql', async (route) => {
    const asked = route.request().postData() ?? ''
    if (asked.includes('"filesPageQuery"') && !asked.includes('"after":null')) await released
    await route.continue()
  })
  return release
}

test('what was done to all although the answer was lost is said to be done, and can be undone', async () => {
  const { page, problems, inTrash } = await openFolder()
  let sent = 0
  await page.route('**/graphql', async (route) => {
    if (route.request().postDataJSON()?.operationName !== 'changeFilesMutation' || sent++ > 0) return route.fallback()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: `${ALL} items moved to Trash` })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(inTrash).toBe(0)
  expect(sent).toBe(3)
  expect(real(problems).filter((problem) => !/ERR_CONNECTION_RESET/.test(problem))).toEqual([])
})

test('all means all: what was never loaded is counted, thrown away and brought back with the rest', async () => {
  const { page, problems, inTrash } = await openFolder()
  // At once: nobody waits for the count before pressing the next key.
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: `${ALL} items moved to Trash` })
  await toast.waitFor()
  expect(await inTrash()).toBe(ROWS)
  const release = await holdLaterPages(page)
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(inTrash).toBe(0)
  await page.locator('[data-id]').first().waitFor()

  // Its end is still being read again: what is there is not all.
  await box(page).click()
  await bar(page, ALL).waitFor()
  release()
  expect([await box(page).isChecked(), await isMixed(page)]).toEqual([true, false])
  const name = await page.locator('[data-id]').nth(2).getAttribute('data-drop-name')
  // By its name: while rows are read again, its index can change.
  await page.locator(`[data-drop-name="${name}"]`).getByRole('checkbox').click()
  await bar(page, (ROWS - 1).toLocaleString('en-GB')).waitFor()
  expect(await isMixed(page)).toBe(true)
  await page.keyboard.press('Delete')
  await page
    .getByText(`${(ROWS - 1).toLocaleString('en-GB')} items moved to Trash`)
    .first()
    .waitFor()
  // A page that was requested before the deletion may still arrive: its rows are read again.
  const names = () =>
    page.locator('[data-id]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-drop-name')))
  await expect.poll(names).toEqual([name])
  expect(await inTrash()).toBe(ROWS - 1)
  expect(real(problems)).toEqual([])
})

test('the details of more than a thousand selected files are a short answer', async () => {
  const { page, problems } = await openFolder()
  const answers: number[] = []
  page.on('response', async (response) => {
    if (!/ManyDetailsQuery/.test(response.request().postData() ?? '')) return
    answers.push((await response.body()).length)
  })
  const details = page.getByRole('complementary', { name: 'Details' })
  const asked: number[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql')) asked.push(request.postData()?.length ?? 0)
  })
  await page.keyboard.press('Control+a')
  await bar(page, ALL).waitFor()
  // Neither the bar nor the panel names what is selected: that is what took hundreds of kilobytes.
  expect(Math.max(...asked)).toBeLessThan(2_000)
  await page.keyboard.press('d')
  await details.getByRole('heading', { name: `${ALL} selected` }).waitFor()
  await details.getByText(`${ALL} files`).waitFor()

  // Row by row, not as a whole: each of them is named in the question.
  await page.keyboard.press('Escape')
  await page.locator('[data-id]').first().click()
  await page.keyboard.press('Shift+End')
  await bar(page, ALL).waitFor()
  await details.getByRole('heading', { name: `${ALL} selected` }).waitFor()
  await details.getByText(`${ALL} files`).waitFor()
  expect(await details.getByText('could not be loaded').count()).toBe(0)
  expect(answers.length).toBeGreaterThan(1)
  expect(Math.max(...answers)).toBeLessThan(2_000)
  expect(real(problems)).toEqual([])
})
