import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** Versions by the doors of the API: whatever replaces a file keeps it, and what it had. */
let server: TestServer
let browser: Browser
let client: ReturnType<typeof createGraphqlClient>

const FILES = '/api/v1/files'
const bytes = (text: string) => new TextEncoder().encode(text)

beforeAll(async () => {
  server = await startTestServer()
  const user = await createUser(server.services.users)
  browser = createBrowser(server.url, user.token)
  client = createGraphqlClient(server.url, user.token)
})
afterAll(() => server?.close())

let count = 0
const freshName = () => `note ${++count}.txt`

function multipart(name: string, text: string, through: Browser = browser, headers: Record<string, string> = {}) {
  const form = new FormData()
  form.set('onConflict', 'replace')
  form.set('file', new File([text], name))
  return through.request('POST', FILES, form, headers)
}

async function tus(name: string, text: string): Promise<void> {
  const pairs = { filename: name, onConflict: 'replace' }
  const metadata = Object.entries(pairs).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': String(text.length),
    'upload-metadata': metadata.join(','),
  }
  const made = await browser.request('POST', '/api/v1/uploads', undefined, headers)
  const location = new URL(String(made.headers.get('location')), server.url).pathname
  const sent = await browser.request('PATCH', location, bytes(text), {
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  })
  expect(sent.status).toBe(204)
}

async function graphql(name: string, text: string): Promise<void> {
  const query =
    'mutation($input: UploadFileInput!) { uploadFile(input: $input) { __typename ... on Error { message } } }'
  const variables = { input: { file: null, onConflict: 'REPLACE' } }
  const { data } = await client.upload(query, variables, new File([text], name))
  expect(data.uploadFile.__typename).toBe('UploadFilePayload')
}

const put = (id: string, text: string, headers: Record<string, string> = {}, query = '') =>
  browser.request('PUT', `${FILES}/${id}/content${query}`, bytes(text), {
    'content-type': 'application/octet-stream',
    ...headers,
  })
const versionsOf = async (id: string) => (await browser.request('GET', `${FILES}/${id}/versions`)).body.items
const textOf = async (id: string) => (await browser.request('GET', `${FILES}/${id}/download`)).body

describe('replacing', () => {
  it('says of a file in the trash that it is there, also when its folder was trashed', async () => {
    const folder = (await browser.request('POST', `${FILES}/folders`, { name: freshName() })).body
    const form = new FormData()
    form.set('parentId', folder.id)
    form.set('file', new File(['old'], freshName()))
    const { id } = (await browser.request('POST', FILES, form)).body
    await browser.request('POST', `${FILES}/trash`, { ids: [folder.id] })
    const refused = await put(id, 'new')
    expect(refused.status).toBe(404)
    expect(refused.body.detail).toBe('This file does not exist any more, or it is in the trash.')
  })

  it.each([
    ['multipart', async (name: string) => void (await multipart(name, 'new'))],
    ['tus', (name: string) => tus(name, 'new')],
    ['GraphQL', (name: string) => graphql(name, 'new')],
  ])('by %s keeps the file, its link and its star', async (_door, replace) => {
    const name = freshName()
    const { id } = (await multipart(name, 'old')).body
    await browser.request('PATCH', `${FILES}/${id}`, { starred: true })
    await replace(name)
    const { body } = await browser.request('GET', `${FILES}/${id}`)
    expect(body).toMatchObject({ id, name, starred: true, size: 3 })
    expect(await textOf(id)).toBe('new')
    const [current, earlier] = await versionsOf(id)
    expect(current).toMatchObject({ isCurrent: true, source: 'UPLOAD', byKey: false })
    const download = await browser.request('GET', `/api/v1/versions/${earlier.id}/download`)
    expect([download.body, download.headers.get('etag')]).toEqual(['old', `"${earlier.sha256}"`])
  })

  it('answers the same request with the same file, also a second time', async () => {
    const name = freshName()
    const { id } = (await multipart(name, 'old')).body
    const headers = { 'idempotency-key': `replace ${name}` }
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await multipart(name, 'new', browser, headers)).body.id).toBe(id)
    }
    expect(await versionsOf(id)).toHaveLength(2)
  })

  it('names the key that did it', async () => {
    const name = freshName()
    const { id } = (await multipart(name, 'old')).body
    const { key } = (
      await browser.request('POST', '/api/v1/keys', { name: 'Backup script', scopes: ['READ', 'WRITE'] })
    ).body
    const form = new FormData()
    form.set('onConflict', 'replace')
    form.set('file', new File(['by key'], name))
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${server.url}${FILES}`, { method: 'POST', headers, body: form })
    expect(answer.status).toBe(201)
    expect((await versionsOf(id))[0]).toMatchObject({ by: 'Backup script', byKey: true })
  })

  it('with If-Match only replaces what was read', async () => {
    const { id } = (await multipart(freshName(), 'old')).body
    const tag = (await browser.request('GET', `${FILES}/${id}/download`)).headers.get('etag') ?? ''
    const edited = await put(id, 'mine', { 'if-match': tag }, '?source=editor')
    expect([edited.status, edited.body.id, edited.body.size]).toEqual([200, id, 4])
    expect((await versionsOf(id))[0].source).toBe('EDITOR')
    const refused = await put(id, 'theirs', { 'if-match': tag })
    expect([refused.status, refused.body.code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await put(id, 'any', { 'if-match': '*' })).status).toBe(200)
    expect((await put(id, 'weak', { 'if-match': `W/${tag}` })).status).toBe(412)
    expect(await textOf(id)).toBe('any')
  })
})

describe('versions', () => {
  it('are restored, undone and deleted, over REST and GraphQL', async () => {
    const { id } = (await multipart(freshName(), 'one')).body
    await put(id, 'two')
    const [, first] = await versionsOf(id)
    const restored = await browser.request('POST', `/api/v1/versions/${first.id}/restore`)
    expect([restored.status, restored.body.id, await textOf(id)]).toEqual([200, id, 'one'])
    const [current, second] = await versionsOf(id)
    expect(current).toMatchObject({ source: 'RESTORE', restoredFrom: first.createdAt })
    const query = `mutation($id: ID!) { restoreVersion(input: { id: $id }) {
      __typename ... on RestoreVersionPayload { previousId file { id versions { id isCurrent by source } } } ... on Error { message } } }`
    const { body } = await browser.request('POST', '/graphql', { query, variables: { id: second.id } })
    expect(body.data.restoreVersion).toMatchObject({ previousId: current.id, file: { id } })
    expect(await textOf(id)).toBe('two')
    const refused = await browser.request('DELETE', `/api/v1/versions/${(await versionsOf(id))[0].id}`)
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT'])
    expect((await browser.request('DELETE', `/api/v1/versions/${first.id}`)).status).toBe(204)
    expect((await browser.request('GET', `/api/v1/versions/${first.id}/download`)).status).toBe(404)
    expect(await versionsOf(id)).toHaveLength(3)
  })

  it('are in no list and no search, and cannot be changed as files', async () => {
    const name = freshName()
    const { id } = (await multipart(name, 'one')).body
    await put(id, 'two')
    for (const query of [
      `?q=${encodeURIComponent(name)}`,
      '?view=all&limit=200',
      '?view=drive&limit=200',
      '?view=trash',
    ]) {
      const { items } = (await browser.request('GET', `${FILES}${query}`)).body
      expect(items.filter((item: { name: string }) => item.name === name)).toHaveLength(query === '?view=trash' ? 0 : 1)
    }
  })

  it('have limits that are checked', async () => {
    const changed = await browser.request('PATCH', '/api/v1/version-limits', { days: 7 })
    expect(changed.body).toMatchObject({ days: 7, most: 100 })
    const refused = await browser.request('PATCH', '/api/v1/version-limits', { most: 0 })
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'most'])
  })
})
