import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { allow, card, choose, connectButton, dialogOf, enter, pick, startConnecting } from './support/connecting.ts'
import { restOf } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { startFormServer } from './support/formServers.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { accountsOf, type Stored, uploadRandom } from './support/roundTrip.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startFormServer)

/** A larger file by MEGABYTES=200. */
const MEGABYTES = Number(process.env.MEGABYTES ?? 3)
const PATIENCE_MS = 60_000 + MEGABYTES * 3_000

const connectNow = (page: Page) => connectButton(page).click()

async function connected(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Not now' }).click({ timeout: PATIENCE_MS })
  await card(page, name).getByText('Connected', { exact: true }).waitFor()
  const { items } = await restOf(page, stage.url).json<{ items: { id: string; name: string }[] }>(
    'GET',
    '/api/v1/accounts',
  )
  return items.find((account) => name.startsWith(account.name))?.id ?? ''
}

async function connectSftp(page: Page): Promise<string> {
  await choose(page, 'SFTP')
  await enter(page, { 'Account name': 'Quay', ...stage.server.sftp, Password: 'not this one' })
  await connectNow(page)
  await dialogOf(page).getByText('This is the key of my server.', { exact: false }).click()
  await connectNow(page)
  await dialogOf(page).getByText('The server does not accept this password for “maren”.').waitFor()
  await enter(page, stage.server.sftp)
  await connectNow(page)
  return connected(page, 'Quay')
}

async function connectWebdav(page: Page): Promise<string> {
  await choose(page, 'WebDAV')
  await enter(page, { 'Account name': 'Archive', ...stage.server.webdav })
  await connectNow(page)
  return connected(page, 'Archive - maren@example.com')
}

test(
  'a file is stored at pCloud, moves to SFTP and to WebDAV, and is read, ranged and shared at each, until none has it',
  async () => {
    const { page, problems } = await stage.person('/cloud-integration')
    await allow(page, await startConnecting(page, { provider: 'pCloud', name: 'Ring' }), stage.server.pcloud.email)
    const places = {
      pcloud: await restOf(page, stage.url)
        .json<{ items: { id: string }[] }>('GET', '/api/v1/pcloud-accounts')
        .then(({ items }) => items[0]?.id ?? ''),
      sftp: await connectSftp(page),
      webdav: await connectWebdav(page),
    }
    const client = restOf(page, stage.url)
    const pool = await client.json<{ id: string }>('POST', '/api/v1/group-clouds', {
      ...{ name: 'Harbour', accountIds: Object.values(places), copies: 1 },
      ...{ placement: 'IN_ORDER', defaultUploadGroup: true },
    })

    const file = await uploadRandom(page, stage.url, MEGABYTES * 1024 ** 2, PATIENCE_MS)
    const link = await share(page, stage.url, file.id)
    const guest = await stage.anonymous()
    for (const [place, accountId] of Object.entries(places)) {
      const isThere = async () => {
        const stored = await client.json<Stored>('GET', `/api/v1/files/${file.id}`)
        return `${stored.state} ${accountsOf(stored).join(' ')}`
      }
      await expect.poll(isThere, { timeout: PATIENCE_MS }).toBe(`STORED ${accountId}`)
      const only = { pcloud: 0, sftp: 0, webdav: 0, [place]: 1 }
      await expect.poll(stage.server.stored, { timeout: PATIENCE_MS }).toEqual(only)

      await file.expectSame(link.url, guest.page, place)
      if (place === 'webdav') break
      // Emptied, it leaves the group cloud, and the next account has the file.
      await client.json('PATCH', `/api/v1/group-clouds/${pool.id}/members/${accountId}`, { draining: true })
    }

    await file.deleteForGood()
    await expect.poll(stage.server.stored, { timeout: PATIENCE_MS }).toEqual({ pcloud: 0, sftp: 0, webdav: 0 })
    expect(problems).toEqual([])
  },
  300_000 + MEGABYTES * 10_000,
)

test('the dialogs of providers with forms, in each look', async () => {
  const { page, problems } = await stage.person('/cloud-integration', FIRST_LOOK)
  const { look, found } = examinerOfLooks(page, { prefix: 'forms-' })
  for (const provider of ['SFTP', 'WebDAV', 'Amazon S3', 'MEGA', 'Telegram']) {
    await choose(page, provider)
    await dialogOf(page).getByLabel('Account name').waitFor()
    await look(provider)
    await page.keyboard.press('Enter')
    await page.getByText('Please provide a name for this connection').first().waitFor()
    const name = dialogOf(page).getByLabel('Account name')
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)
    await dialogOf(page).getByText('Account name is required.').waitFor()
    await page
      .getByText(/Also required: .* and /)
      .first()
      .waitFor()
    await look(`${provider}-missing`)
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
  }
  await choose(page, 'Amazon S3')
  await pick(page, 'Service', 'Cloudflare R2')
  const isRequired = (label: string) =>
    dialogOf(page)
      .getByLabel(label, { exact: true })
      .evaluate((field: HTMLInputElement) => field.required)
  expect([await isRequired('Endpoint'), await isRequired('Region (optional)')]).toEqual([true, false])
  await connectNow(page)
  await dialogOf(page)
    .getByText(/^Endpoint is required for this service/)
    .waitFor()
  await look('Amazon S3-R2')
  await pick(page, 'Service', 'Backblaze B2')
  expect([await isRequired('Endpoint (optional)'), await isRequired('Region')]).toEqual([false, true])
  await dialogOf(page)
    .getByText(/^Endpoint is required for this service/)
    .waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  await choose(page, 'SFTP')
  await enter(page, { 'Account name': 'Quay', ...stage.server.sftp })
  await connectNow(page)
  await dialogOf(page).getByText('This is the key of my server.', { exact: false }).click()
  await look('SFTP-key')
  await dialogOf(page).getByRole('button', { name: 'Test again' }).click()
  await dialogOf(page).getByText('The connection works').waitFor()
  await look('SFTP-tested')
  await connectNow(page)
  await connected(page, 'Quay')
  await look('SFTP-card')
  await card(page, 'Quay').getByRole('link', { name: 'Open' }).click()
  await page
    .getByText(/As of /)
    .first()
    .waitFor()
  await look('SFTP-walked')

  await page.goto(`${stage.url}/cloud-integration`)
  await choose(page, 'MEGA')
  await enter(page, { 'Account name': 'Safe', ...stage.server.mega })
  await connectNow(page)
  await connected(page, 'Safe - maren@post.example')
  await card(page, 'Safe - maren@post.example')
    .getByRole('button', { name: /Re-connect/ })
    .first()
    .click()
  await expect.poll(() => dialogOf(page).getByLabel('Email address').inputValue()).toBe('maren@post.example')
  await look('MEGA-reconnect')
  expect(found).toEqual([])
  expect(problems).toEqual([])
}, 240_000)
