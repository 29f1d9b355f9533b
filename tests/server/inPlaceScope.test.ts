import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { allow } from '../tools/demo/skypool.ts'

/** What is shown of accounts that programs connect, by what the server asks of the providers. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let people = 0

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
})
afterAll(() => emulators?.close())

describe.each([
  { asks: 'everything', GOOGLE_SCOPE: 'drive', DROPBOX_ACCESS: 'full', first: 'EVERYTHING' },
  { asks: 'its own files', GOOGLE_SCOPE: 'drive.file', DROPBOX_ACCESS: 'app_folder', first: 'OWN' },
])('a server that asks for $asks', ({ GOOGLE_SCOPE, DROPBOX_ACCESS, first }) => {
  let server: TestServer
  let browser: Browser

  beforeAll(async () => {
    const providers = {
      GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
      GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
      GOOGLE_SCOPE,
      DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
      DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
      DROPBOX_ACCESS,
    }
    const options = { providers, providerEmulatorUrl: new URL(emulators.url) }
    server = await startTestServer(options, { openProviders, feedEveryMs: 200 })
  })
  beforeEach(async () => {
    browser = createBrowser(server.url, (await createUser(server.services.users)).token)
  })
  afterAll(() => server?.close())

  async function granted(service: 'google' | 'dropbox') {
    people += 1
    const email = `owner-${people}@example.com`
    const { commands } = service === 'google' ? google : dropbox
    commands.addUser({ email, name: 'Owner', quotaBytes: 10 ** 9 })
    if (service === 'google') await google.commands.plant({ user: email, name: 'Letter.txt', text: 'dear' })
    else await dropbox.commands.plant({ user: email, path: '/Letter.txt', text: 'dear' })
    const { body } = await browser.request('GET', `/api/v1/${service}-accounts/init`)
    return { code: await allow(body.authorizationUrl, email), state: body.state, name: 'Drive' }
  }
  const connect = async (service: 'google' | 'dropbox', more: object = {}) =>
    browser.request('POST', `/api/v1/${service}-accounts/auth`, { ...(await granted(service)), ...more })
  const shown = async () =>
    (await browser.request('GET', '/api/v1/files?view=drive')).body.items.map(({ name }: { name: string }) => name)

  it.each(['google', 'dropbox'] as const)('%s: shows that by default', async (service) => {
    const { status, body } = await connect(service)
    expect([status, body.scope]).toEqual([201, first])
    expect(body.rootFileId).toEqual(first === 'OWN' ? null : expect.any(String))
    expect(await shown()).toEqual(first === 'OWN' ? [] : ['Drive'])
    const { items } = (await browser.request('GET', '/api/v1/providers')).body
    const provider = items.find(({ restPath }: { restPath: string }) => restPath === `${service}-accounts`)
    expect(provider.canShowEverything).toBe(first === 'EVERYTHING')
    expect(provider.access).toMatch(first === 'EVERYTHING' ? /all files/ : /only the files that it stores/)
  })

  it.each(['google', 'dropbox'] as const)(
    '%s: shows only what Skypool stores where that is asked for',
    async (service) => {
      const { status, body } = await connect(service, { scope: 'OWN' })
      expect([status, body.scope, body.index]).toEqual([201, 'OWN', null])
      expect(await shown()).toEqual([])
    },
  )

  it.each(['google', 'dropbox'] as const)('%s: refuses what it cannot show, before it connects', async (service) => {
    const { status, body } = await connect(service, { scope: 'EVERYTHING' })
    if (first === 'EVERYTHING') return expect([status, body.scope]).toEqual([201, 'EVERYTHING'])
    expect([status, body.errors?.[0].path]).toEqual([400, 'scope'])
    expect((await browser.request('GET', `/api/v1/${service}-accounts`)).body.items).toEqual([])
    const connected = (await connect(service)).body
    const later = await browser.request('PATCH', `/api/v1/accounts/${connected.id}`, { scope: 'EVERYTHING' })
    expect([later.status, later.body.errors?.[0].path]).toEqual([400, 'scope'])
  })

  it('says that an expired account has to be connected again before more of it can be shown', async () => {
    const { body } = await connect('dropbox', { scope: 'OWN' })
    await server.pool.query(`update accounts set status = 'EXPIRED' where name = 'Drive'`)
    const refused = await browser.request('PATCH', `/api/v1/accounts/${body.id}`, { scope: 'EVERYTHING' })
    expect([refused.status, refused.body.detail]).toEqual([409, '“Drive” needs to be connected again.'])
  })

  it('does the same for clients of GraphQL', async () => {
    const { code, state, name } = await granted('google')
    const query = `mutation ($input: ConnectAccountInput!) { connectAccount(input: $input) {
      ... on ConnectAccountPayload { account { scope canShowEverything } } ... on Error { message } } }`
    const ask = async (input: object) =>
      (await browser.request('POST', '/graphql', { query, variables: { input } })).body.data.connectAccount
    if (first === 'OWN') {
      const refused = await ask({ provider: 'google-drive', code, state, name, scope: 'EVERYTHING' })
      expect(refused.message).toBe('Skypool can see only what it stores in accounts of Google Drive.')
    }
    const { account } = await ask({ provider: 'google-drive', code, state, name })
    expect(account).toEqual({ scope: first, canShowEverything: first === 'EVERYTHING' })
  })
})
