import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createGithub, GITHUB_APP } from '../fakes/github/github.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** An emulated GitHub as people use it: an app that is installed for a repository, connected through its consent page, and pooled. */
const github = createGithub()
let emulators: Emulators
let server: TestServer
let browser: Browser
let token: string
let user: string
let people = 0

const patient = { timeout: 120_000, interval: 100 }

beforeAll(async () => {
  emulators = await startEmulators({ services: [github] })
  const providers = { GITHUB_CLIENT_ID: GITHUB_APP.id, GITHUB_CLIENT_SECRET: GITHUB_APP.secret }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders, feedEveryMs: 200 },
  )
})
beforeEach(async () => {
  token = (await createUser(server.services.users)).token
  browser = createBrowser(server.url, token)
  emulators.clearFaults()
  people += 1
  user = `person-${people}@example.com`
  github.commands.addUser({ email: user, login: `person-${people}` })
  github.commands.addRepository({ user, repository: 'store' })
})
afterAll(async () => {
  expect(emulators.log().flatMap(({ bug }) => bug ?? [])).toEqual([])
  await server?.close()
  await emulators?.close()
})

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const post = (path: string, body: unknown = {}) => browser.request('POST', `/api/v1${path}`, body)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const objects = () => github.commands.objects({ user })
const client = {
  json: async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never,
}

/** @returns the account's id */
async function connected(): Promise<string> {
  github.commands.install({ user, repositories: ['store'] })
  return connect(client, 'github', 'Attic', user)
}

async function download(id: string, range?: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const headers = { cookie: `sid=${browser.token}`, ...(range && { range }) }
  const response = await fetch(`${server.url}/api/v1/files/${id}/download`, { headers })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('the connection', () => {
  const quota = async (id: string) => (await post('/quotas/by-ids-and-types', [{ id, type: 'github' }])).body[0]
  const forgetQuotas = () => server.pool.query('update accounts set quota_checked_at = null')

  it('says what to do before the app is installed', async () => {
    const { state, authorizationUrl } = await get('/github-accounts/init')
    const form = new URLSearchParams({ account: user, decision: 'allow' })
    const answer = await fetch(authorizationUrl, { method: 'POST', body: form, redirect: 'manual' })
    const back = new URL(answer.headers.get('location') ?? '')
    expect(back.href).toContain(`${server.url}/oauth/github/callback`)
    const grant = { code: back.searchParams.get('code'), state, name: 'Attic' }
    const { status, body } = await post('/github-accounts/auth', grant)
    expect([status, body.code]).toEqual([400, 'AUTHORIZATION_FAILED'])
    expect(body.detail).toContain('Install it at GitHub')
  })

  it('has a login, no quota, and refreshes its access by itself', async () => {
    const id = await connected()
    const [found] = (await get('/github-accounts')).items
    expect(found).toMatchObject({ id, status: 'CONNECTED', provider: 'github' })
    const graphql = createGraphqlClient(server.url, token)
    const { data } = await graphql('{ viewer { accounts { provider providerName name poolUse status } } }')
    expect(data.viewer.accounts).toContainEqual(
      expect.objectContaining({ provider: 'github', providerName: 'GitHub', name: 'Attic', poolUse: 'EXTRA_COPIES' }),
    )
    for (let round = 0; round < 3; round += 1) {
      github.commands.expireAccessTokens({ user })
      await forgetQuotas()
      expect((await quota(id)).error).toBeUndefined()
    }
    expect((await get('/github-accounts')).items[0].status).toBe('CONNECTED')
  })

  it('expires when GitHub hides the repository', async () => {
    const id = await connected()
    github.commands.install({ user, repositories: [] })
    await forgetQuotas()
    expect((await quota(id)).error).toMatch(/needs to be connected again/)
    expect((await get('/github-accounts')).items[0].status).toBe('EXPIRED')
  })

  it('ends at GitHub, too, when it is disconnected', async () => {
    const id = await connected()
    expect((await browser.request('DELETE', `/api/v1/github-accounts/${id}`)).status).toBe(204)
    expect(github.commands.grants({ user })).toEqual({ count: 0 })
  })
})

it('a pooled file is stored there, read, renamed and deleted', async () => {
  const id = await connected()
  const cloud = await post('/group-clouds', { name: 'Pool', accountIds: [id], allowOnlyCopy: [id] })
  expect(cloud.status).toBe(201)
  const bytes = randomBytes(700_000)
  const form = new FormData()
  form.set('groupCloudId', cloud.body.id)
  form.set('file', new Blob([new Uint8Array(bytes)]), 'Grüße & more.bin')
  const file = (await post('/files', form)).body
  await vi.waitFor(async () => expect((await get(`/files/${file.id}`)).state).toBe('STORED'), patient)
  await vi.waitFor(() => expect(objects()).toHaveLength(1), patient)
  expect(objects()).toMatchObject([
    { repository: 'store', release: 'skypool-1', label: 'Grüße & more.bin', state: 'uploaded', sha256: sha256(bytes) },
  ])
  expect(sha256((await download(file.id)).bytes)).toBe(sha256(bytes))
  const part = await download(file.id, 'bytes=1000-1999')
  expect([part.status, sha256(part.bytes)]).toEqual([206, sha256(bytes.subarray(1000, 2000))])
  expect((await browser.request('PATCH', `/api/v1/files/${file.id}`, { name: 'plan.bin' })).status).toBe(200)
  await vi.waitFor(() => expect(objects()).toMatchObject([{ label: 'plan.bin' }]), patient)
  expect((await browser.request('DELETE', `/api/v1/files/${file.id}?permanent=true`)).status).toBe(204)
  await vi.waitFor(() => expect(objects()).toEqual([]), patient)
})
