import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createGithub, GITHUB_APP, GITHUB_OAUTH_APP } from '../../fakes/github/github.ts'

/** What the emulated GitHub refuses, as the real one does. */
const user = 'ann@example.com'
const github = createGithub()
let emulators: Emulators
let token = ''
let appToken = ''

beforeAll(async () => {
  emulators = await startEmulators({ services: [github] })
  github.commands.addUser({ email: user, login: 'ann' })
  github.commands.addRepository({ user, repository: 'store', hasCommit: true })
  token = github.commands.mintToken({ user, client: GITHUB_OAUTH_APP.id }).access_token
  appToken = github.commands.mintToken({ user, client: GITHUB_APP.id }).access_token
})
afterAll(async () => {
  expect(emulators.log().flatMap(({ bug }) => bug ?? [])).toEqual([])
  await emulators.close()
})

type Asked = { readonly body?: object | string; readonly by?: string; readonly headers?: Record<string, string> }

async function ask(method: string, address: string, { body, by = token, headers = {} }: Asked = {}) {
  const response = await fetch(`${emulators.url}/@${address}`, {
    method,
    headers: { authorization: `Bearer ${by}`, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, body: (await response.json().catch(() => null)) as any }
}

const API = 'api.github.com'
const releases = `${API}/repos/ann/store/releases`
const raw = { 'content-type': 'application/octet-stream' }

async function newRelease(tag: string): Promise<string> {
  const { body } = await ask('POST', releases, { body: { tag_name: tag } })
  return `uploads.github.com/repos/ann/store/releases/${body.id}/assets`
}

it('knows no one without a token, and no program without a name', async () => {
  expect(await ask('GET', `${API}/user`, { by: 'gho_other' })).toMatchObject({
    status: 401,
    body: { message: 'Bad credentials' },
  })
  const nameless = await ask('GET', `${API}/user`, { headers: { 'user-agent': '' } })
  expect([nameless.status, nameless.body.message]).toEqual([403, expect.stringContaining('User-Agent')])
})

it('hides what a token may not see, and lets apps make no repository', async () => {
  expect((await ask('GET', `${API}/repos/ann/store`)).status).toBe(200)
  for (const path of ['repos/ann/other', 'repos/ben/store']) {
    expect((await ask('GET', `${API}/${path}`)).status).toBe(404)
  }
  expect((await ask('GET', `${API}/repos/ann/store`, { by: appToken })).status).toBe(404)
  expect((await ask('POST', `${API}/user/repos`, { by: appToken, body: { name: 'new' } })).status).toBe(403)
  expect((await ask('GET', `${API}/user/installations`)).status).toBe(403)
})

it('takes a release only with a commit, and each tag once', async () => {
  github.commands.addRepository({ user, repository: 'bare' })
  const empty = await ask('POST', `${API}/repos/ann/bare/releases`, { body: { tag_name: 'v1' } })
  expect([empty.status, empty.body.message]).toEqual([422, 'Repository is empty.'])
  await newRelease('once')
  const twice = await ask('POST', releases, { body: { tag_name: 'once' } })
  expect([twice.status, twice.body.errors[0].code]).toEqual([422, 'already_exists'])
})

it('rewrites names of assets, and takes each once, not empty, and a thousand in a release', async () => {
  const uploads = await newRelease('assets')
  const stored = await ask('POST', `${uploads}?name=plan%20(1).txt&label=Pl%C3%A4n`, { headers: raw, body: 'text' })
  expect(stored).toMatchObject({
    status: 201,
    body: { name: 'plan.1..txt', label: 'Plän', state: 'uploaded', size: 4, digest: expect.stringMatching(/^sha256:/) },
  })
  const again = await ask('POST', `${uploads}?name=plan.1..txt`, { headers: raw, body: 'text' })
  expect([again.status, again.body.errors[0].code]).toEqual([422, 'already_exists'])
  expect((await ask('POST', `${uploads}?name=empty`, { headers: raw, body: '' })).status).toBe(400)
  github.commands.settings({ assetsPerRelease: 1 })
  const full = await ask('POST', `${uploads}?name=more`, { headers: raw, body: 'text' })
  github.commands.settings({ assetsPerRelease: 1000 })
  expect([full.status, full.body.errors[0].message]).toEqual([422, 'file_count limited to 1 assets per release'])
})

it('refuses tokens with 200, as a form where no JSON is asked for', async () => {
  const form = new URLSearchParams({ client_id: GITHUB_APP.id, client_secret: 'wrong', code: 'x' })
  const post = (headers: Record<string, string>) =>
    fetch(`${emulators.url}/@github.com/login/oauth/access_token`, { method: 'POST', body: form, headers })
  const [asJson, asForm] = [await post({ accept: 'application/json' }), await post({})]
  expect([asJson.status, await asJson.json()]).toMatchObject([200, { error: 'incorrect_client_credentials' }])
  expect(new URLSearchParams(await asForm.text()).get('error')).toBe('incorrect_client_credentials')
})
