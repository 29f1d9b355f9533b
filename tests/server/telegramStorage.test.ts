import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { bytesOf } from '../conformance/kit.ts'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createNextcloud, NEXTCLOUD_HOST } from '../fakes/nextcloud/nextcloud.ts'
import { createTelegram } from '../fakes/telegram/telegram.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { eventually } from './shares/world.ts'

const PATH = '/api/v1/telegram-storage-accounts'
const PASSPHRASE = 'correct horse battery staple'
const DAV_PASSWORD = 'abcde-fghij-klmno-pqrst'
const telegram = createTelegram()
const nextcloud = createNextcloud()
let emulators: Emulators
let server: TestServer
let browser: Browser
let client: GraphqlClient
let people = 0

beforeAll(async () => {
  emulators = await startEmulators({ services: [telegram, nextcloud] })
  const config = { allowPrivateHosts: ['127.0.0.1'], providerEmulatorUrl: new URL(emulators.url) }
  server = await startTestServer(config, { openProviders })
})
beforeEach(async () => {
  emulators.clearFaults()
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  client = createGraphqlClient(server.url, token)
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

/** A channel with a bot in it, and what its owner types in. */
function newChannel() {
  people += 1
  const token = `${1000 + people}:${'secretOfTheBot'.padEnd(35, 'x')}`
  telegram.commands.addBot({ token, username: `Bot${people}` })
  const { id } = telegram.commands.addChannel({ title: `Channel ${people}` })
  telegram.commands.setAdmin({ channel: id, token })
  return { channel: id, token, fields: { botToken: token, passphrase: PASSPHRASE } }
}

async function connectNextcloud(): Promise<string> {
  const user = `person-${people}`
  nextcloud.commands.addUser({ id: user, appPassword: DAV_PASSWORD, quotaBytes: 1024 ** 3 })
  const fields = { address: `${emulators.url}/@${NEXTCLOUD_HOST}`, user, password: DAV_PASSWORD }
  const { body } = await browser.request('POST', '/api/v1/webdav-accounts/auth', { name: 'Files', fields })
  return body.id
}

describe('a channel of Telegram as an account', () => {
  it('is offered with a form that says how to make one', async () => {
    const { body } = await browser.request('GET', '/api/v1/providers?limit=100')
    const shown = body.items.find(({ id }: { id: string }) => id === 'telegram')
    expect(shown).toMatchObject({ availability: 'READY', connectsBy: 'FORM', restPath: 'telegram-storage-accounts' })
    const fields = shown.fields.map(({ name, secret, required, stored }: { [key: string]: unknown }) => [
      name,
      secret,
      required,
      stored,
    ])
    expect(fields).toEqual([
      ['botToken', true, true, true],
      ['channel', false, false, true],
      ['passphrase', true, true, false],
    ])
    expect(shown.fields[0].help).toContain('@BotFather')
    // The link that confirms a person, which the specification has there.
    expect((await browser.request('GET', '/api/v1/telegram-accounts')).status).toBe(200)
  })

  it('keeps an additional copy, from which is read when the other account is away', async () => {
    const { channel, fields } = newChannel()
    const account = (await browser.request('POST', `${PATH}/auth`, { name: 'Channel', fields })).body
    expect(account).toMatchObject({ provider: 'telegram', status: 'CONNECTED' })
    const quotas = await browser.request('POST', '/api/v1/quotas/by-ids-and-types', [
      { id: account.id, type: 'telegram' },
    ])
    expect(quotas.body).toMatchObject([{ quota: { totalBytes: null } }])
    const accountIds = [await connectNextcloud(), account.id]
    const cloud = await browser.request('POST', '/api/v1/group-clouds', { name: 'Pool', accountIds, copies: 2 })
    const bytes = bytesOf(300_000)
    const form = new FormData()
    form.set('groupCloudId', cloud.body.id)
    form.set('file', new File([new Uint8Array(bytes)], 'photo.jpg', { type: 'image/jpeg' }))
    const file = (await browser.request('POST', '/api/v1/files', form)).body
    await eventually(
      async () => (await browser.request('GET', `/api/v1/files/${file.id}`)).body,
      ({ state, copies }) => state === 'STORED' && copies.length === 2,
    )
    expect(telegram.commands.posts({ channel })).toMatchObject([{ document: { size: expect.any(Number) } }])

    emulators.plan({ kind: 'serverError', service: 'nextcloud', count: 0 })
    const url = `${server.url}/api/v1/files/${file.id}/download`
    const read = async (headers = {}) => {
      const answer = await fetch(url, { headers: { cookie: `sid=${browser.token}`, ...headers } })
      return Buffer.from(await answer.arrayBuffer())
    }
    expect((await read()).equals(bytes)).toBe(true)
    expect((await read({ range: 'bytes=100000-200000' })).equals(bytes.subarray(100_000, 200_001))).toBe(true)
    emulators.clearFaults()

    await browser.request('DELETE', `/api/v1/files/${file.id}`)
    await browser.request('POST', '/api/v1/files/delete', { ids: [file.id] })
    await eventually(
      async () => telegram.commands.posts({ channel }),
      (posts) => posts.length === 0,
    )
  })

  it('is connected by GraphQL, keeps its secrets, and is connected again only with the same channel and passphrase', async () => {
    const { channel, token, fields } = newChannel()
    const list = Object.entries(fields).map(([name, value]) => ({ name, value }))
    const { data } = await client(
      `mutation($input: ConnectAccountByFormInput!) { connectAccountByForm(input: $input) { __typename
        ... on Error { message } ... on ConnectAccountByFormPayload { account { id provider status } } } }`,
      { input: { provider: 'telegram', name: 'Channel', fields: list } },
    )
    const { account } = data.connectAccountByForm
    expect(account).toMatchObject({ provider: 'telegram', status: 'CONNECTED' })
    const { rows } = await server.pool.query<{ text: string }>('select t::text as text from account_credentials t')
    for (const secret of ['secretOfTheBot', PASSPHRASE]) {
      expect(rows.filter(({ text }) => text.includes(secret))).toEqual([])
      expect(server.logs.filter((line) => line.includes(secret))).toEqual([])
      expect(JSON.stringify((await browser.request('GET', PATH)).body)).not.toContain(secret)
    }
    const reconnect = (more: object) =>
      browser.request('PUT', `${PATH}/${account.id}`, { fields: { ...fields, channel: String(channel), ...more } })
    const wrong = await reconnect({ passphrase: 'another passphrase' })
    expect([wrong.status, wrong.body.code]).toEqual([409, 'OTHER_LOGIN'])
    expect(wrong.body.detail).toMatch(/^This is another channel, or another passphrase: both have to be the same/)
    // The token is stored, the passphrase is not.
    const withPassphrase = { botToken: '', passphrase: PASSPHRASE }
    expect((await reconnect(withPassphrase)).status).toBe(200)
    expect((await reconnect({ ...withPassphrase, passphrase: '' })).body.errors).toEqual([
      { path: 'fields.passphrase', message: 'Passphrase is required.' },
    ])
    telegram.commands.revokeToken({ token })
    const renewed = telegram.commands.addBot({ token: `${token}y`, username: 'Renewed' })
    const again = await reconnect({ botToken: renewed.token })
    expect([again.status, again.body]).toMatchObject([200, { id: account.id, status: 'CONNECTED' }])
  })

  it('says what is wrong with what was entered', async () => {
    const { channel, token, fields } = newChannel()
    const connect = (more: object) =>
      browser.request('POST', `${PATH}/auth`, { name: 'Channel', fields: { ...fields, ...more } })
    expect((await connect({ passphrase: 'short' })).body).toMatchObject({ status: 400 })
    expect((await connect({ botToken: `1:${'x'.repeat(35)}` })).body.detail).toMatch(/does not know this bot token/)
    telegram.commands.setAdmin({ channel, token, rights: null })
    expect((await connect({ channel: String(channel) })).body.detail).toMatch(/administrator/)
    expect((await browser.request('GET', PATH)).body.items).toEqual([])
  })
})
