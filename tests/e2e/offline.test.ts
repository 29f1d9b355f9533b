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
  await page.getByRole('region', { name: 'Transfers' }).getByText('The connection was lost').first().waitFor()
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
