import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { dropFiles, item, upload } from './support/fileManager.ts'
import { setStage } from './support/stage.ts'

/** Without a network: what is open stays usable, and what was begun is done when it is back. */
const stage = setStage()

async function makeFolder(page: Page, name: string, parentId?: string): Promise<string> {
  const answer = await page.request.post(`${stage.url}/api/v1/files/folders`, {
    headers: { origin: stage.url },
    data: { name, ...(parentId && { parentId }) },
  })
  return (await answer.json()).id
}

const text = (name: string) => ({ name, type: 'text/plain', bytes: Buffer.from(name) })

test('a folder that cannot be opened offline opens by itself later, and an upload that waits is not lost', async () => {
  const { page, context } = await stage.person()
  const outer = await makeFolder(page, 'Outer')
  const inner = await makeFolder(page, 'Inner', outer)
  await upload(page, stage.url, text('Inside.txt'), inner)
  await page.goto(`${stage.url}/file-manager/my-drive?folder=${outer}`)
  await item(page, 'Inner').waitFor()
  // With the first upload comes the code for all others.
  await dropFiles(page, page.getByRole('main'), [text('First.txt')])
  await item(page, 'First.txt').waitFor()

  await context.setOffline(true)
  await page.getByText('You are offline.').waitFor()
  await dropFiles(page, page.getByRole('main'), [text('Waiting.txt')])
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('Resumes by itself when you are back online.').waitFor()
  await panel.getByText('Waiting for the connection').waitFor()
  expect(await panel.getByText('Failed').count()).toBe(0)
  await item(page, 'Inner').dblclick()
  const offline = page.getByRole('heading', { name: 'You are offline' })
  await offline.waitFor()

  // Back leads to what is still known.
  await page.goBack()
  await item(page, 'Inner').waitFor()
  await page.goForward()
  await offline.waitFor()

  await context.setOffline(false)
  await item(page, 'Inside.txt').waitFor()
  await page.goBack()
  await item(page, 'Waiting.txt').waitFor()
  expect(await page.getByText('The server cannot be reached').count()).toBe(0)
}, 60_000)

test('a file that is dropped offline before any other is uploaded once online, although its code was not loaded', async () => {
  const { page, context } = await stage.person('/file-manager/my-drive')
  await page.getByText('My Drive is empty').waitFor()
  const late = '**/assets/{TransfersPanel,UploadDialog,tusUpload}-*.js'
  await page.route(late, (route) => route.abort())
  await context.setOffline(true)
  await page.getByText('You are offline.').waitFor()
  const asked = page.waitForRequest(/TransfersPanel/)
  await dropFiles(page, page.getByRole('main'), [text('Early.txt')])
  await asked
  await page.unroute(late)
  await context.setOffline(false)
  await item(page, 'Early.txt').waitFor()
})

test('the code of uploads is loaded ahead, so that a file that is dropped offline has its row', async () => {
  const { page, context } = await stage.person()
  const loaded = ['TransfersPanel', 'tusUpload'].map((name) =>
    page.waitForResponse((response) => response.url().includes(`/assets/${name}-`)),
  )
  await page.goto(`${stage.url}/file-manager/my-drive`)
  for (const response of await Promise.all(loaded)) await response.finished()
  await context.setOffline(true)
  await dropFiles(page, page.getByRole('main'), [text('Late.txt')])
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('Resumes by itself when you are back online.').waitFor()
  await context.setOffline(false)
  await item(page, 'Late.txt').waitFor()
})

test('offline, a dialog that was never opened says so and leaves the list, and opens once online', async () => {
  const { page, context } = await stage.person()
  await upload(page, stage.url, text('Kept.txt'))
  const toasts = page.waitForResponse((response) => response.url().includes('/assets/ToastHost-'))
  await page.goto(`${stage.url}/file-manager/my-drive`)
  await (await toasts).finished()
  await item(page, 'Kept.txt').waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline.').waitFor()
  await item(page, 'Kept.txt').click()
  await page.keyboard.press('t')
  await page.getByText('This cannot be opened offline').waitFor()
  expect(await item(page, 'Kept.txt').isVisible()).toBe(true)
  await context.setOffline(false)
  await page.getByText('You are offline.').waitFor({ state: 'detached' })
  await page.keyboard.press('t')
  await page.getByRole('dialog', { name: 'Tags' }).waitFor({ state: 'attached' })
})
