import type { Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { makePool, restOf, startEmulatedServer } from './support/emulated.ts'
import { examiner, examinerOfLooks } from './support/examine.ts'
import { item } from './support/fileManager.ts'
import { FIRST_LOOK, LOOKS } from './support/looks.ts'
import { type Sample, tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

/** Looks at what no other test here looks at: links as visitors see them, the callback, failures, details and preview. */
const stage = setStage(startEmulatedServer)
let owner: Awaited<ReturnType<typeof furnish>>

beforeAll(async () => {
  owner = await furnish()
})

/** A person with files in a Google account, and four links to them. */
async function furnish() {
  const { page, context } = await stage.person()
  await makePool(page, stage.url, {
    name: 'Studio pool',
    accounts: [{ service: 'google', name: 'Studio', email: 'studio@post.example' }],
  })
  const rest = restOf(page, stage.url)
  const folder = await rest.json<{ id: string }>('POST', '/api/v1/files/folders', { name: 'Harbour House' })
  const files: string[] = []
  for (const sample of tenSamples()) files.push(await upload(page, sample, folder.id))
  files.push(await upload(page, { name: 'Minutes.txt', type: 'text/plain', bytes: Buffer.from('Present: all') }))
  const [pictureId = ''] = files
  for (const id of files) {
    const isStored = async () => (await rest.json<{ state: string }>('GET', `/api/v1/files/${id}`)).state === 'STORED'
    await vi.waitUntil(isStored, { timeout: 120_000 })
  }
  const link = (body: object) => rest.json<{ id: string; url: string }>('POST', '/api/v1/shares', body)
  const ended = await link({ fileId: pictureId })
  await rest.send('DELETE', `/api/v1/shares/${ended.id}`)
  const links = {
    file: (await link({ fileId: pictureId, expiresAt: new Date(Date.now() + 7 * 86_400_000).toISOString() })).url,
    folder: (await link({ fileId: folder.id })).url,
    locked: (await link({ fileId: pictureId, password: 'north wall' })).url,
    ended: ended.url,
  }
  return { pictureId, links, storageState: await context.storageState() }
}

async function upload(page: Page, { name, type, bytes }: Sample, parentId?: string): Promise<string> {
  const file = { name, mimeType: type, buffer: bytes }
  const multipart = { ...(parentId && { parentId }), file }
  const answer = await page.request.post(`${stage.url}/api/v1/files`, { headers: { origin: stage.url }, multipart })
  if (answer.status() !== 201) throw new Error(`upload answered ${answer.status()}: ${await answer.text()}`)
  return (await answer.json()).id
}

/** The network cut on purpose, a refused password, a window that no script opened: no faults of the page. */
const EXPECTED = /ERR_FAILED|UnreachableError|status of (401|403|404)|Scripts may close only/
const real = (problems: readonly string[]) => problems.filter((problem) => !EXPECTED.test(problem))

/** Waits for the picture itself. */
async function drawn(page: Page): Promise<void> {
  const picture = page.getByRole('img', { name: 'Harbour view.png' })
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(64)
}

test('links, callback and failures in each look', async () => {
  const { page, problems } = await stage.anonymous(FIRST_LOOK)
  const { look, found } = examinerOfLooks(page)
  const { links } = owner
  await page.goto(links.file)
  await drawn(page)
  await look('share-file')
  await page.goto(links.folder)
  await page.getByRole('link', { name: 'areas.csv' }).waitFor()
  await look('share-folder')
  await page.goto(links.locked)
  await page.getByLabel('Password', { exact: true }).waitFor()
  await look('share-password')
  await page.getByLabel('Password', { exact: true }).fill('south wall')
  await page.keyboard.press('Enter')
  await page.getByText('Incorrect password. Please try again.').waitFor()
  await look('share-password-wrong')
  await page.goto(links.ended)
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await look('share-ended')
  await page.goto(`${stage.url}/oauth/google/callback?code=code&state=state`)
  await page
    .getByText(/Processing google|You can close this window/)
    .first()
    .waitFor()
  await look('callback')
  await page.route('**/graphql', (route) => route.abort())
  await page.goto(`${stage.url}/dashboard`)
  await page.getByRole('heading', { name: 'The server cannot be reached' }).first().waitFor()
  await look('error')
  expect(found).toEqual([])
  expect(real(problems)).toEqual([])
})

// The details are another panel in a narrow window: they are opened in each.
test.each(LOOKS)('list, details and preview in $theme at $width px', async ({ options, label }) => {
  const { storageState, pictureId } = owner
  const { page, problems } = await stage.anonymous({ ...options, storageState })
  const { look, found } = examiner(page, label)
  await page.goto(`${stage.url}/file-manager`)
  await item(page, 'Harbour view').waitFor()
  await look('files-full')
  await item(page, 'Harbour view').click()
  await page.keyboard.press('d')
  await page.getByText('Where it is stored').waitFor()
  await look('details-open')
  await page.goto(`${stage.url}/file-manager?preview=${pictureId}`)
  await page.getByRole('dialog').getByText('Harbour view.png').first().waitFor()
  await drawn(page)
  await look('preview-open')
  expect(found).toEqual([])
  expect(problems).toEqual([])
})

test('a link without a readable copy in each look', async () => {
  await stage.server.command('google', 'revokeUser', { user: 'studio@post.example' })
  const { pictureId, storageState } = owner
  const asOwner = await stage.anonymous({ storageState })
  const reading = restOf(asOwner.page, stage.url).send('GET', `/api/v1/files/${pictureId}/download`)
  await expect(reading).rejects.toThrow()
  const { page, problems } = await stage.anonymous(FIRST_LOOK)
  const { look, found } = examinerOfLooks(page)
  await page.goto(owner.links.file)
  await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor()
  await look('share-unavailable')
  expect(found).toEqual([])
  expect(real(problems)).toEqual([])
})
