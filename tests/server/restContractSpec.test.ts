import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** The calls that the product's own pages make, with the payloads they send and nothing more: one person's way through them. */
let server: TestServer
let browser: Browser
const created = { defaultCloud: '', cloud: '', file: '' }
const credentials = { email: 'ada@example.org', password: 'correct horse battery' }

beforeAll(async () => {
  server = await startTestServer()
  browser = createBrowser(server.url)
})
afterAll(() => server?.close())

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const user = { id: expect.any(String), fullName: 'Ada', email: credentials.email, avatarUrl: expect.any(String) }
const wholeUser = { ...user, role: 'ADMINISTRATOR', language: null, createdAt: isoTime }
const cloud = {
  id: expect.any(String),
  name: expect.any(String),
  defaultUploadGroup: expect.any(Boolean),
  placement: 'MOST_FREE',
  copies: 1,
  spanning: expect.any(Boolean),
  members: [
    {
      accountId: expect.any(String),
      position: expect.any(Number),
      keepFreeBytes: 0,
      draining: false,
      allowOnlyCopy: false,
    },
  ],
  quota: { state: 'KNOWN', usedBytes: 0, totalBytes: 15 * 1024 ** 3, reservedBytes: 0 },
  createdAt: isoTime,
}
const copy = {
  id: expect.any(String),
  accountId: expect.any(String),
  provider: 'local',
  state: 'STORED',
  changedAt: null,
}

it('auth: register, validate, me, logout, login', async () => {
  const registered = await browser.request('POST', '/api/v1/auth/register', { fullName: 'Ada', ...credentials })
  expect([registered.status, registered.body]).toEqual([201, { user: wholeUser }])
  expect(registered.headers.get('set-cookie')).toMatch(/^sid=[\w-]{43}; .*HttpOnly/)
  const alive = await browser.request('GET', '/api/v1/auth/validate')
  expect([alive.status, alive.body]).toEqual([200, { authenticated: true }])
  const me = await browser.request('GET', '/api/v1/auth/me')
  expect([me.status, me.body]).toEqual([200, { ...wholeUser, key: null, rateLimit: null }])
  expect((await browser.request('POST', '/api/v1/auth/logout')).status).toBe(204)
  expect((await browser.request('GET', '/api/v1/auth/validate')).status).toBe(401)
  const login = await browser.request('POST', '/api/v1/auth/login', credentials)
  expect([login.status, login.body]).toEqual([200, { user: wholeUser }])
})

it('group-clouds: GET, POST { name }, PATCH { defaultUploadGroup: true }, DELETE', async () => {
  const list = await browser.request('GET', '/api/v1/group-clouds')
  expect([list.status, list.body]).toEqual([200, { items: [{ ...cloud, defaultUploadGroup: true }], nextCursor: null }])
  created.defaultCloud = list.body.items[0].id
  const made = await browser.request('POST', '/api/v1/group-clouds', { name: 'Photos' })
  expect([made.status, made.body]).toEqual([201, { ...cloud, name: 'Photos', defaultUploadGroup: false }])
  created.cloud = made.body.id
  const path = `/api/v1/group-clouds/${created.cloud}`
  const changed = await browser.request('PATCH', path, { defaultUploadGroup: true })
  expect([changed.status, changed.body]).toEqual([200, { ...made.body, defaultUploadGroup: true }])
  const { items } = (await browser.request('GET', '/api/v1/group-clouds')).body as { items: (typeof cloud)[] }
  expect(items.filter(({ defaultUploadGroup }) => defaultUploadGroup).map(({ id }) => id)).toEqual([created.cloud])
  const gone = await browser.request('DELETE', `/api/v1/group-clouds/${created.defaultCloud}`)
  expect([gone.status, gone.body]).toEqual([204, ''])
})

it('files: POST with the field file, GET, GET {id}, download', async () => {
  const form = new FormData()
  form.set('file', new File(['hello'], 'Grüße.txt'))
  const sent = await browser.request('POST', '/api/v1/files', form)
  const file = {
    id: expect.any(String),
    name: 'Grüße.txt',
    kind: 'FILE',
    category: 'TEXT',
    mimeType: expect.stringMatching(/^text\/plain/),
    size: 5,
    sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    state: 'STORED',
    stateReason: null,
    parentId: null,
    path: [],
    groupCloudId: created.cloud,
    home: 'POOL',
    accountId: null,
    webUrl: null,
    asOf: null,
    nativeKind: null,
    targetId: null,
    protection: null,
    exportTypes: [],
    picture: null,
    childCount: null,
    thumbnailUrl: expect.stringMatching(/^\/api\/v1\/files\/file_\w+\/thumbnail\?size=medium&content=[0-9a-f]{16}$/),
    durationMs: null,
    rights: null,
    starred: false,
    tags: [],
    color: null,
    trashedAt: null,
    createdAt: isoTime,
    updatedAt: isoTime,
    etag: expect.stringMatching(/^"[\w-]+"$/),
  }
  const whole = { ...file, copies: [{ ...copy, pieces: [expect.anything()], why: expect.any(String) }], shares: [] }
  expect([sent.status, sent.body]).toEqual([201, whole])
  created.file = sent.body.id
  const list = await browser.request('GET', '/api/v1/files')
  expect([list.status, list.body]).toEqual([200, { items: [file], nextCursor: null }])
  const one = await browser.request('GET', `/api/v1/files/${created.file}`)
  expect([one.status, one.body]).toEqual([200, sent.body])
  const bytes = await browser.request('GET', `/api/v1/files/${created.file}/download`)
  expect([bytes.status, bytes.body]).toEqual([200, 'hello'])
  expect(bytes.headers.get('content-length')).toBe('5')
  expect(bytes.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''Gr%C3%BC%C3%9Fe\.txt/)
})

it('files: DELETE, to the trash and then for good', async () => {
  const path = `/api/v1/files/${created.file}`
  const trashed = await browser.request('DELETE', path)
  expect([trashed.status, trashed.body]).toEqual([204, ''])
  expect((await browser.request('GET', path)).body.trashedAt).toEqual(isoTime)
  expect((await browser.request('DELETE', path)).status).toBe(204)
  expect((await browser.request('GET', path)).status).toBe(404)
  expect((await browser.request('GET', '/api/v1/files')).body).toEqual({ items: [], nextCursor: null })
})
