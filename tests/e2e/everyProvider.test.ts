import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBucket } from '../conformance/amazonS3Harness.ts'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import { MEGA, NEXTCLOUD, TELEGRAM_TOKEN } from '../tools/demo/people.ts'
import { freePort } from '../tools/demo/processes.ts'
import { PERSON } from '../tools/demo/scenario.ts'
import { startSftpServer } from '../tools/demo/sftpServer.ts'
import { launchBrowser, visit } from './support/browser.ts'
import {
  allow,
  card,
  choose,
  connectButton,
  dialogOf,
  enter,
  pick,
  popupOf,
  startConnecting,
} from './support/connecting.ts'
import { consent, restOf } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { LOOKS } from './support/looks.ts'
import { accountsOf, type Stored, uploadRandom } from './support/roundTrip.ts'
import { share } from './support/sharing.ts'

/** The size of the file. Without it the test does not run: all of this takes minutes, and tests of each provider cover it. */
const MEGABYTES = Number(process.env.MEGABYTES ?? 0)
const PATIENCE_MS = 120_000 + MEGABYTES * 3_000

/** `npm run demo`, as a process of its own, and what it says can be entered in forms. */
type Demo = {
  readonly url: string
  readonly emulator: string
  readonly webdav: { readonly address: string; readonly user: string; readonly password: string }
  stop(): Promise<void>
}

async function startDemo(): Promise<Demo> {
  const ports = { PORT: String(await freePort(0)), EMULATOR_PORT: String(await freePort(0)), SFTP_PORT: '0' }
  const demo = spawn(process.execPath, ['--import', 'tsx', 'tests/tools/demo/main.ts'], {
    env: { ...process.env, ...ports },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(demo, 'exit')
  let text = ''
  for await (const line of createInterface(demo.stdout)) {
    text += `${line}\n`
    if (line.startsWith('Everything is gone')) break
  }
  const said = (pattern: RegExp): string[] => {
    const found = pattern.exec(text)
    if (!found) throw new Error(`The demo does not say ${pattern}: ${text}`)
    return found.slice(1)
  }
  const [url = ''] = said(/ready on (\S+)/)
  const [emulator = ''] = said(/Emulated providers: (\S+)/)
  const [address = '', user = '', password = ''] = said(/WebDAV +(\S+), user (\S+), password (\S+)/)
  return {
    ...{ url, emulator },
    webdav: { address, user, password },
    async stop() {
      demo.kill('SIGTERM')
      await exited
    },
  }
}

let demo: Demo
let browser: Awaited<ReturnType<typeof launchBrowser>>
beforeAll(async () => {
  if (MEGABYTES === 0) return
  ;[demo, browser] = await Promise.all([startDemo(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

const connectNow = (page: Page) => connectButton(page).click()
const says = (page: Page, text: string | RegExp) => dialogOf(page).getByText(text).first().waitFor()

const reconnectNow = (page: Page) => dialogOf(page).getByRole('button', { name: 'Re-connect', exact: true }).click()
const notNow = (page: Page) => page.getByRole('button', { name: 'Not now' }).click({ timeout: PATIENCE_MS })
const isConnected = (page: Page, name: string) =>
  card(page, name).getByText('Connected', { exact: true }).waitFor({ timeout: PATIENCE_MS })

/** A provider knows nothing of us any more, as if its user had withdrawn the access. */
async function withdraw(service: string, command: string, body: object): Promise<void> {
  const response = await fetch(`${demo.emulator}/__control/${service}/${command}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
}

type Account = { readonly id: string; readonly name: string; readonly provider: string; readonly status: string }

/** An S3 service of the test's own, so that its keys can be replaced. */
async function startShelf() {
  const server = await startS3Emulator()
  const { name } = await makeBucket(server, '', 'shelf')
  const entered = (keys: { readonly accessKey: string; readonly secretKey: string }) => ({
    'Access key': keys.accessKey,
    'Secret key': keys.secretKey,
  })
  return {
    entered: { Bucket: name, ...entered(server), Endpoint: server.endpoint },
    replaceKeys: () => entered(server.replaceKeys()),
    close: server.close,
  }
}

/** An SFTP server of the test's own, so that it can get another key. */
async function startQuay() {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-e2e-sftp-'))
  const [port, login] = [await freePort(0), { user: 'maren', password: 'a plank for the harbour' }]
  let server = await startSftpServer(folder, login, port)
  return {
    entered: {
      ...{ Server: '127.0.0.1', 'Port (optional)': String(port) },
      ...{ 'User name': login.user, Password: login.password },
    },
    async replaceKey() {
      await server.close()
      server = await startSftpServer(folder, login, port)
    },
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Of MEGA, with two factors. */
const [SAFE = { email: '', password: '', code: '' }] = MEGA.flatMap(({ email, password, code }) =>
  code === undefined ? [] : [{ email, password, code }],
)

const POPUPS = [
  { service: 'onedrive', provider: 'OneDrive', name: 'Sky', email: 'maren.holt@outlook.example' },
  { service: 'box', provider: 'Box', name: 'Crate', email: 'maren.box@post.example' },
  { service: 'pcloud', provider: 'pCloud', name: 'Ring', email: 'maren.pcloud@post.example' },
  { service: 'github', provider: 'GitHub', name: 'Forge', email: 'maren.github@post.example', everything: true },
]

const PROVIDERS = [
  ...['amazon-s3', 'box', 'dropbox', 'github', 'google-drive', 'google-photos', 'local', 'mega', 'onedrive'],
  ...['pcloud', 'sftp', 'telegram', 'webdav'],
]

test.runIf(MEGABYTES > 0)(
  'every provider is connected in its own way, all are in one group cloud, and a file goes from one to the next',
  async () => {
    const { page, problems } = await visit(browser)
    const { email, password } = PERSON
    const signIn = { data: { email, password }, headers: { origin: demo.url } }
    expect((await page.request.post(`${demo.url}/api/v1/auth/login`, signIn)).status()).toBe(200)
    const client = restOf(page, demo.url)
    const accounts = async () => (await client.json<{ items: Account[] }>('GET', '/api/v1/accounts')).items
    const { found, look } = examinerOfLooks(page, { prefix: 'every-provider-', looks: LOOKS })
    await page.goto(`${demo.url}/cloud-integration`)

    for (const { provider, name, email, everything = false } of POPUPS) {
      await allow(page, await startConnecting(page, { provider, name, everything }), email)
    }
    const photos = await startConnecting(page, { provider: 'Google Photos', name: 'Album', everything: true })
    await consent(photos, 'archive@studioholt.example')
    await dialogOf(page).getByRole('button', { name: 'Done' }).click({ timeout: PATIENCE_MS })

    const quay = await startQuay()
    await choose(page, 'SFTP')
    await enter(page, { 'Account name': 'Quay', ...quay.entered, Password: 'not this one' })
    await connectNow(page)
    await dialogOf(page).getByText('This is the key of my server.', { exact: false }).click()
    await connectNow(page)
    await says(page, 'The server does not accept this password for “maren”.')
    await enter(page, quay.entered)
    await connectNow(page)
    await notNow(page)

    await choose(page, 'WebDAV')
    const { address, user, password: appPassword } = demo.webdav
    const webdav = { 'Server address': address, 'User name': user, Password: appPassword }
    await enter(page, { 'Account name': 'Attic', ...webdav, Password: 'not this one' })
    await connectNow(page)
    await says(page, /does not accept|did not accept/)
    await enter(page, webdav)
    await connectNow(page)
    await notNow(page)

    await choose(page, 'Amazon S3')
    await pick(page, 'Service', 'Another service with the S3 API')
    const shelf = await startShelf()
    await enter(page, { 'Account name': 'Shelf', ...shelf.entered, Bucket: 'no-such-bucket' })
    await connectNow(page)
    await says(page, 'There is no bucket with this name.')
    await enter(page, shelf.entered)
    await connectNow(page)
    await notNow(page)

    await choose(page, 'MEGA')
    await enter(page, { 'Account name': 'Safe', 'Email address': SAFE.email, Password: SAFE.password })
    await connectNow(page)
    await says(page, 'This account uses two-factor authentication.')
    await enter(page, { 'Two-factor code': SAFE.code })
    await connectNow(page)
    await notNow(page)

    await choose(page, 'Telegram')
    const telegram = { 'Bot token': TELEGRAM_TOKEN, Passphrase: 'a long rope for the harbour' }
    await enter(page, { 'Account name': 'Channel', ...telegram, 'Bot token': TELEGRAM_TOKEN.replace('holt', 'hold') })
    await connectNow(page)
    await says(page, 'Telegram does not know this bot token.')
    await enter(page, telegram)
    await connectNow(page)
    await notNow(page)
    await look('connected')

    // The two that the demo itself connects are the first.
    const all = await accounts()
    expect(all.map(({ provider }) => provider).sort()).toEqual(PROVIDERS)
    const members = all.filter(({ provider }) => provider !== 'google-photos' && provider !== 'local')
    const allowOnlyCopy = members
      .filter(({ provider }) => ['github', 'telegram'].includes(provider))
      .map(({ id }) => id)
    const pool = await client.json<{ id: string }>('POST', '/api/v1/group-clouds', {
      ...{ name: 'All of them', accountIds: members.map(({ id }) => id), allowOnlyCopy },
      ...{ copies: 1, placement: 'IN_ORDER', defaultUploadGroup: true },
    })

    await page.setViewportSize({ width: 1440, height: 900 })
    const file = await uploadRandom(page, demo.url, MEGABYTES * 1024 ** 2, PATIENCE_MS)
    const link = await share(page, demo.url, file.id)
    const guest = await visit(browser)

    const left = new Map(members.map((account) => [account.id, account.provider]))
    const seen: string[] = []
    while (left.size > 0) {
      const holders = async () => {
        const stored = await client.json<Stored>('GET', `/api/v1/files/${file.id}`)
        const ids = accountsOf(stored)
        const isThere = stored.state === 'STORED' && stored.copies.length === 1 && ids.every((each) => left.has(each))
        return isThere ? ids : []
      }
      await expect.poll(holders, { timeout: PATIENCE_MS }).not.toEqual([])
      const at = await holders()
      const place = at.map((each) => left.get(each)).join(' + ')
      seen.push(place)
      await file.expectSame(link.url, guest.page, place)
      for (const each of at) left.delete(each)
      if (left.size === 0) break
      // Emptied, it leaves the group cloud, and the next account has the file.
      for (const each of at) {
        await client.json('PATCH', `/api/v1/group-clouds/${pool.id}/members/${each}`, { draining: true })
      }
    }
    expect(seen.join(' + ').split(' + ').sort()).toEqual(members.map(({ provider }) => provider).sort())

    await file.deleteForGood()
    const state = () => page.request.get(`${demo.url}/api/v1/files/${file.id}`).then((response) => response.status())
    await expect.poll(state, { timeout: PATIENCE_MS }).toBe(404)

    await page.goto(`${demo.url}/cloud-integration`)
    for (const { service, name, email } of POPUPS) {
      await withdraw(service, 'revokeUser', { user: email })
      const shown = card(page, name)
      await shown.getByText('Expired').waitFor({ timeout: PATIENCE_MS })
      const popup = await popupOf(page, () => shown.getByRole('button', { name: 'Re-connect' }).click())
      await consent(popup, email)
      await isConnected(page, name)
    }
    const reconnect = async (name: string, entered: Readonly<Record<string, string>>): Promise<void> => {
      const shown = card(page, name)
      await shown.getByText('Expired').waitFor({ timeout: PATIENCE_MS })
      await shown.getByRole('button', { name: 'Re-connect' }).click()
      await enter(page, entered)
      await reconnectNow(page)
      await isConnected(page, name)
    }
    await withdraw('mega', 'endSessions', { user: SAFE.email })
    await card(page, 'Safe').getByText('Expired').waitFor({ timeout: PATIENCE_MS })
    await look('expired')
    await card(page, 'Safe').getByRole('button', { name: 'Re-connect' }).click()
    await enter(page, { Password: SAFE.password })
    await reconnectNow(page)
    await says(page, 'This account uses two-factor authentication.')
    await enter(page, { 'Two-factor code': SAFE.code })
    await reconnectNow(page)
    await isConnected(page, 'Safe')
    await withdraw('nextcloud', 'setPassword', { id: NEXTCLOUD.user, appPassword: 'another-harbour-house' })
    await reconnect('Attic', { Password: 'another-harbour-house' })
    await reconnect('Shelf', shelf.replaceKeys())
    await withdraw('telegram', 'revokeToken', { token: TELEGRAM_TOKEN })
    const token = TELEGRAM_TOKEN.replace('holt', 'hold')
    await withdraw('telegram', 'addBot', { token, username: 'StudioHoltBot' })
    // Telegram reports a channel only while the bot is new in it: its id is in the form already.
    await reconnect('Channel', { ...telegram, 'Bot token': token })
    await quay.replaceKey()
    await card(page, 'Quay').getByText('Expired').waitFor({ timeout: PATIENCE_MS })
    await look('changed-key')

    await Promise.all([quay.close(), shelf.close()])
    expect(found).toEqual([])
    expect(problems.filter((problem) => !/400|409|422|404/.test(problem))).toEqual([])
  },
  600_000 + MEGABYTES * 20_000,
)
