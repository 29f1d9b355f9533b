import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { located, photo } from '../conformance/googlePhotosCases.ts'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { allow } from '../tools/demo/skypool.ts'
import { eventually } from './shares/world.ts'

const PATH = '/api/v1/google-photos-accounts'
const google = createGoogle()
let emulators: Emulators
let server: TestServer
let browser: Browser
let client: GraphqlClient
let people = 0
let user: string

beforeAll(async () => {
  emulators = await startEmulators({ services: [google] })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
  }
  const config = { providers, providerEmulatorUrl: new URL(emulators.url), accountPollMs: 1000 }
  server = await startTestServer(config, { openProviders })
})
beforeEach(async () => {
  emulators.clearFaults()
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  client = createGraphqlClient(server.url, token)
  people += 1
  user = `person-${people}@example.com`
  google.commands.addUser({ email: user, name: `Person ${people}`, quotaBytes: 1024 ** 3 })
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

async function connect(path = PATH): Promise<string> {
  const { body: init } = await browser.request('GET', `${path}/init`)
  const code = await allow(init.authorizationUrl, user)
  const { status, body } = await browser.request('POST', `${path}/auth`, { code, state: init.state, name: 'Photos' })
  expect([status, body]).toMatchObject([201, { email: user }])
  return body.id
}

/** The folder that shows the account, once its content is known. */
async function rootOf(id: string): Promise<string> {
  const account = await eventually(
    async () => {
      const { items } = (await browser.request('GET', '/api/v1/accounts')).body
      return items.find((one: { id: string }) => one.id === id)
    },
    ({ index }) => index?.phase === 'LIVE',
  )
  expect(account).toMatchObject({ scope: 'EVERYTHING', rootFileId: expect.any(String) })
  return account.rootFileId
}

const childrenOf = async (parentId: string) =>
  (await browser.request('GET', `/api/v1/files?view=drive&parentId=${parentId}`)).body.items

async function storedHere(name: string, bytes: Buffer): Promise<string> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes)], name, { type: 'image/jpeg' }))
  return (await browser.request('POST', '/api/v1/files', form)).body.id
}

describe('a library of Google Photos as an account', () => {
  it('shows what is copied into it, with albums as folders, and gives it back', async () => {
    const root = await rootOf(await connect())
    const album = (await browser.request('POST', '/api/v1/files/folders', { name: 'Oslo', parentId: root })).body
    expect(album).toMatchObject({ name: 'Oslo', kind: 'FOLDER', home: 'ACCOUNT' })
    const original = await storedHere('fjord.jpg', located(1))
    const job = await browser.request('POST', '/api/v1/files/copy', { ids: [original], parentId: album.id })
    expect(job.status).toBe(202)
    const [shown] = await eventually(
      () => childrenOf(album.id),
      (items) => items.length === 1,
    )
    expect(shown).toMatchObject({
      name: 'fjord.jpg',
      home: 'ACCOUNT',
      rights: { read: true, delete: false, rename: false },
    })
    expect(google.commands.photos({ user })).toMatchObject([{ name: 'fjord.jpg', albums: ['Oslo'] }])
    const read = await fetch(`${server.url}/api/v1/files/${shown.id}/download`, {
      headers: { cookie: `sid=${browser.token}` },
    })
    const bytes = Buffer.from(await read.arrayBuffer())
    expect([bytes.length, bytes.includes('GPS:')]).toEqual([shown.size, false])
    expect((await browser.request('GET', `/api/v1/files/${original}`)).body).toMatchObject({ trashedAt: null })
  })

  it('is no place to move originals to, and none for other files', async () => {
    const root = await rootOf(await connect())
    const original = await storedHere('kept.jpg', photo(3))
    const { body: job } = await browser.request('POST', '/api/v1/files/move', { ids: [original], parentId: root })
    const done = await eventually(
      async () => (await browser.request('GET', `/api/v1/jobs/${job.id}`)).body,
      ({ endedAt }) => endedAt !== null,
    )
    expect(JSON.stringify(done)).toMatch(/can be copied there, but not be moved/)
    expect(google.commands.photos({ user })).toEqual([])
    expect((await browser.request('GET', `/api/v1/files/${original}`)).body).toMatchObject({
      trashedAt: null,
      home: 'POOL',
    })
  })

  it('is not connected while the project has not enabled its API, and says so', async () => {
    emulators.plan({ kind: 'policy', service: 'google', operation: 'photos.*', count: 0 })
    const { body: init } = await browser.request('GET', `${PATH}/init`)
    const code = await allow(init.authorizationUrl, user)
    const { status, body } = await browser.request('POST', `${PATH}/auth`, { code, state: init.state, name: 'Photos' })
    expect([status, body.detail]).toEqual([
      409,
      'The Photos Library API is not enabled in the project of this server. Its administrator has to enable it in the Google Cloud console, and to wait a few minutes.',
    ])
    emulators.clearFaults()
    await connect()
  })

  it('is told with its limits, and connected by GraphQL', async () => {
    const { data } = await client(
      '{ providers { id availability connectsBy canShowEverything capabilities setupSteps } }',
    )
    const shown = data.providers.find(({ id }: { id: string }) => id === 'google-photos')
    expect(shown).toMatchObject({ availability: 'READY', connectsBy: 'OAUTH', canShowEverything: true })
    expect(shown.capabilities).toContain('Changes made there are noticed within 6 hours.')
    const begun = await client(
      `mutation($input: AuthorizeAccountInput!) { authorizeAccount(input: $input) {
        ... on AuthorizeAccountPayload { authorizationUrl state } } }`,
      { input: { provider: 'google-photos' } },
    )
    const { authorizationUrl, state } = begun.data.authorizeAccount
    expect(authorizationUrl).toContain('photoslibrary.appendonly')
    expect(authorizationUrl).not.toContain('auth%2Fdrive')
    const code = await allow(authorizationUrl, user)
    const connected = await client(
      `mutation($input: ConnectAccountInput!) { connectAccount(input: $input) { __typename
        ... on Error { message } ... on ConnectAccountPayload { account { provider status email } } } }`,
      { input: { provider: 'google-photos', name: 'Photos', code, state } },
    )
    expect(connected.data.connectAccount.account).toEqual({
      provider: 'google-photos',
      status: 'CONNECTED',
      email: user,
    })
  })

  it('leaves the access of Google Drive when it is disconnected', async () => {
    const photos = await connect()
    const drive = await connect('/api/v1/google-accounts')
    expect((await browser.request('DELETE', `${PATH}/${photos}`)).status).toBeLessThan(300)
    expect(google.commands.tokens({ user }).refresh).toBeGreaterThan(0)
    expect((await browser.request('DELETE', `/api/v1/google-accounts/${drive}`)).status).toBeLessThan(300)
    expect(google.commands.tokens({ user }).refresh).toBe(0)
  })
})
