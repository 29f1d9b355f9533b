import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** Connecting through the emulated consent pages of Google and Dropbox, as a browser does. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: ReturnType<typeof createBrowser>
let people = 0

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
  const [g, d] = [GOOGLE_CLIENT, DROPBOX_CLIENT]
  const config = {
    providers: {
      GOOGLE_CLIENT_ID: g.id,
      GOOGLE_CLIENT_SECRET: g.secret,
      GOOGLE_SCOPE: 'drive',
      DROPBOX_CLIENT_ID: d.id,
      DROPBOX_CLIENT_SECRET: d.secret,
    },
    providerEmulatorUrl: new URL(emulators.url),
  }
  server = await startTestServer(config, { openProviders })
})
beforeEach(async () => {
  browser = createBrowser(server.url, (await createUser(server.services.users)).token)
  emulators.clearFaults()
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const SERVICES = {
  google: { path: '/api/v1/google-accounts', commands: google.commands },
  dropbox: { path: '/api/v1/dropbox-accounts', commands: dropbox.commands },
} as const
type Kind = keyof typeof SERVICES

function newPerson(kind: Kind): string {
  people += 1
  const email = `person-${people}@example.com`
  SERVICES[kind].commands.addUser({ email, name: `Person ${people}`, quotaBytes: 1_000_000 })
  return email
}

/** Goes to the consent page, decides there, and comes back with what the provider puts into the address. */
async function consent(kind: Kind, email: string, { decision = 'allow', scopes = null as string[] | null } = {}) {
  const { body } = await browser.request('GET', `${SERVICES[kind].path}/init`)
  const page = await (await fetch(body.authorizationUrl)).text()
  const offered = [...page.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope = '']) => scope)
  const form = new URLSearchParams({ account: email, decision })
  for (const scope of scopes ?? offered) form.append('scope', scope)
  const answer = await fetch(body.authorizationUrl, { method: 'POST', body: form, redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  expect(back.href).toContain(`${server.url}/oauth/${kind}/callback`)
  return back.searchParams
}

async function connect(kind: Kind, email: string) {
  const back = await consent(kind, email)
  const grant = { code: back.get('code'), state: back.get('state') }
  return browser.request('POST', `${SERVICES[kind].path}/auth`, { ...grant, name: `${kind} of ${email}` })
}

const forgetQuotas = () => server.pool.query('update accounts set quota_checked_at = null')
const quotaOf = async (kind: Kind, id: string) =>
  (await browser.request('POST', '/api/v1/quotas/by-ids-and-types', [{ id, type: kind }])).body[0]

describe.each<Kind>(['google', 'dropbox'])('%s', (kind) => {
  const { path, commands } = SERVICES[kind]

  it('connects with name, address and quota, and refreshes its access by itself', async () => {
    const email = newPerson(kind)
    const { status, body } = await connect(kind, email)
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        email,
        status: 'CONNECTED',
        quota: { state: 'KNOWN', usedBytes: 0, totalBytes: 1_000_000, reservedBytes: 0 },
      }),
    ])
    commands.expireAccessTokens({ user: email })
    await forgetQuotas()
    expect(await quotaOf(kind, body.id)).toEqual({ id: body.id, quota: { usedBytes: 0, totalBytes: 1_000_000 } })
  })

  it('that was refused by its owner is expired, and the same login reconnects it', async () => {
    const email = newPerson(kind)
    const { id } = (await connect(kind, email)).body
    commands.revokeUser({ user: email })
    await forgetQuotas()
    expect((await quotaOf(kind, id)).error).toMatch(/needs to be connected again/)
    expect((await browser.request('GET', path)).body.items[0]).toMatchObject({ id, status: 'EXPIRED' })

    const other = await consent(kind, newPerson(kind))
    const wrong = await browser.request('PUT', `${path}/${id}`, { code: other.get('code'), state: other.get('state') })
    expect([wrong.status, wrong.body.code]).toEqual([409, 'OTHER_LOGIN'])
    const back = await consent(kind, email)
    const right = await browser.request('PUT', `${path}/${id}`, { code: back.get('code') })
    expect([right.status, right.body]).toEqual([200, expect.objectContaining({ id, status: 'CONNECTED' })])
    expect((await quotaOf(kind, id)).error).toBeUndefined()
  })

  it('keeps its accounts through an outage of the provider', async () => {
    const email = newPerson(kind)
    const { id } = (await connect(kind, email)).body
    commands.expireAccessTokens({ user: email })
    emulators.plan({ service: kind, kind: 'serverError', count: 100 })
    await forgetQuotas()
    expect((await quotaOf(kind, id)).error).toMatch(/could not be checked/)
    emulators.clearFaults()
    expect((await browser.request('GET', path)).body.items[0]).toMatchObject({ id, status: 'CONNECTED' })
  })

  it('is revoked at the provider when it is disconnected', async () => {
    const email = newPerson(kind)
    const { id } = (await connect(kind, email)).body
    expect((await browser.request('DELETE', `${path}/${id}`)).status).toBe(204)
    expect(commands.tokens({ user: email })).toMatchObject({ refresh: 0 })
  })

  it('uses a code once, and only with its verifier and state', async () => {
    const email = newPerson(kind)
    const back = await consent(kind, email)
    const code = back.get('code')
    const post = (body: object) => browser.request('POST', `${path}/auth`, { name: 'Drive', ...body })
    await consent(kind, email)
    // The newest state of the session is not the one of this code, so neither is its verifier.
    expect((await post({ code })).body.code).toBe('AUTHORIZATION_FAILED')
    expect((await post({ code, state: 'guessed' })).body.code).toBe('AUTHORIZATION_FAILED')
    const denied = await consent(kind, email, { decision: 'deny' })
    expect([denied.get('code'), denied.get('error')]).toEqual([null, 'access_denied'])
  })
})

it('google: says which permission was not given', async () => {
  const back = await consent('google', newPerson('google'), { scopes: [] })
  const grant = { code: back.get('code'), state: back.get('state'), name: 'Drive' }
  const { status, body } = await browser.request('POST', '/api/v1/google-accounts/auth', grant)
  expect([status, body.code]).toEqual([400, 'AUTHORIZATION_FAILED'])
  expect(body.detail).toMatch(/Access to Google Drive .* was not allowed/)
})

it('google: says that the project has not enabled the API, and not that the client is wrong', async () => {
  const email = newPerson('google')
  emulators.plan({
    service: 'google',
    kind: 'policy',
    operation: 'drive.about.get',
    reason: 'accessNotConfigured',
    count: 0,
  })
  const { status, body } = await connect('google', email)
  expect([status, body.code]).toEqual([409, 'PROVIDER_UNAVAILABLE'])
  expect(body.detail).toMatch(/^The Google Drive API is not enabled in the project of this server/)
  emulators.clearFaults()
  expect((await connect('google', email)).status).toBe(201)
})

it('accounts of a provider whose settings are missing since the last start are still listed', async () => {
  const email = newPerson('google')
  await connect('google', email)
  await server.pool.query(`update accounts set provider = 'box' where email = $1`, [email])
  const query = 'query { viewer { accounts { name canShowEverything } } }'
  const { body } = await browser.request('POST', '/graphql', { query })
  expect(body.errors).toBeUndefined()
  expect(body.data.viewer.accounts).toContainEqual(expect.objectContaining({ canShowEverything: false }))
  expect((await browser.request('GET', '/api/v1/accounts')).status).toBe(200)
})
