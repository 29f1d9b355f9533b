import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Api, connect, connectedApi, createApi, type Harness, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let api: Api
beforeEach(async () => {
  dropbox = await startDropbox()
  api = await connectedApi(dropbox)
})
afterEach(() => dropbox.close())

const hashOf = (text: string) => createHash('sha256').update(createHash('sha256').update(text).digest()).digest('hex')
const upload = (path: string, text = 'hello', more: object = {}) => api.send('files/upload', { path, ...more }, text)

test.each([
  ['/a/', 'malformed_path'],
  ['/a//b', 'malformed_path'],
  ['/a\\b', 'malformed_path'],
  ['/a\u007f', 'malformed_path'],
  ['/trailing ', 'malformed_path'],
  [`/${'x'.repeat(256)}`, 'malformed_path'],
  ['/Desktop.ini', 'disallowed_name'],
  ['/sub/.DS_Store', 'disallowed_name'],
])('the name %j is refused', async (path, reason) => {
  expect((await upload(path)).json).toMatchObject({ error: { '.tag': 'path', reason: { '.tag': reason } } })
  expect((await api.rpc('files/create_folder_v2', { path })).json).toMatchObject({
    error: { path: { '.tag': reason } },
  })
})

test('a file is in nobody else’s way, and not a folder', async () => {
  await upload('/file')
  expect((await upload('/FILE/inside')).json).toMatchObject({
    error: { reason: { conflict: { '.tag': 'file_ancestor' } } },
  })
  await api.rpc('files/create_folder_v2', { path: '/folder' })
  expect((await upload('/folder', 'x', { mode: 'overwrite' })).json).toMatchObject({
    error: { reason: { conflict: { '.tag': 'folder' } } },
  })
  expect((await api.download({ path: '/folder' })).json).toMatchObject({ error: { path: { '.tag': 'not_file' } } })
  expect((await api.rpc('files/list_folder', { path: '/file' })).json).toMatchObject({
    error: { path: { '.tag': 'not_folder' } },
  })
  expect((await api.download({ path: '/nothing' })).json).toMatchObject({
    error: { '.tag': 'path', path: { '.tag': 'not_found' } },
  })
})

test('what cannot be read is refused in plain text', async () => {
  const cases: [string, unknown, string][] = [
    ['files/get_metadata', { path: 'a' }, "path: 'a' did not match pattern"],
    ['files/get_metadata', { path: '/' }, 'The root folder is unsupported.'],
    ['files/list_folder', { path: '/' }, 'Specify the root folder as an empty string rather than as "/".'],
    ['files/list_folder', { path: '', limt: 5 }, "unknown field 'limt'"],
    ['files/list_folder', { path: '', limit: 2001 }, 'limit: '],
    ['files/list_folder/continue', { cursor: 'made up' }, 'Invalid "cursor"'],
    ['files/nothing', null, 'Unknown API function: "files/nothing"'],
  ]
  for (const [operation, args, text] of cases) {
    const answer = await api.rpc(operation, args)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(answer.text).toContain(text)
  }
  expect((await upload('/a', '', { client_modified: '2020-01-02T03:04:05.678Z' })).text).toContain(
    'does not match format',
  )
  expect((await upload('/a', '', { content_hash: hashOf('other') })).json).toMatchObject({
    error: { '.tag': 'content_hash_mismatch' },
  })
})

test('headers carry nothing but ASCII, and types are what they should be', async () => {
  const { access_token } = await connect(dropbox)
  const ask = async (headers: Record<string, string>, operation = 'files/upload', host = 'content.dropboxapi.com') => {
    const all = { authorization: `Bearer ${access_token}`, ...headers }
    return (await fetch(dropbox.at(host, `/2/${operation}`), { method: 'POST', headers: all, body: '' })).text()
  }
  const data = { 'content-type': 'application/octet-stream' }
  expect(await ask({ ...data, 'dropbox-api-arg': '{"path":"/ü"}' })).toContain('not ASCII')
  expect(await ask({ ...data, 'dropbox-api-arg': '{"path":"/\\u00fc"}' })).toContain('"name": "ü"')
  expect(await ask(data)).toContain('Must provide HTTP header "Dropbox-API-Arg"')
  expect(await ask({ ...data, 'dropbox-api-arg': '{' })).toContain('could not decode input as JSON')
  expect(await ask({ 'content-type': 'text/html', 'dropbox-api-arg': '{"path":"/a"}' })).toContain(
    'Bad HTTP "Content-Type"',
  )
  expect(await ask({ authorization: 'Basic x' }, 'check/user', 'api.dropboxapi.com')).toContain(
    'Invalid authorization value',
  )
  expect(await ask({}, 'files/upload', 'api.dropboxapi.com')).toContain('Unknown API function')
  const bare = await fetch(dropbox.at('api.dropboxapi.com', '/2/users/get_current_account'), { method: 'POST' })
  expect([bare.status, await bare.text()]).toEqual([
    400,
    expect.stringContaining('Must provide HTTP header "Authorization"'),
  ])
})

test('a token does what was allowed, in its own namespace', async () => {
  const { access_token } = await connect(dropbox, { scope: 'files.metadata.read' })
  const narrow = createApi(dropbox, access_token)
  expect((await narrow.rpc('files/list_folder', { path: '' })).status).toBe(200)
  expect(await narrow.send('files/upload', { path: '/a' })).toMatchObject({
    status: 401,
    json: { error: { '.tag': 'missing_scope', required_scope: 'files.content.write' } },
  })
  const inRoot = (root: object) =>
    fetch(dropbox.at('api.dropboxapi.com', '/2/users/get_current_account'), {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'dropbox-api-path-root': JSON.stringify(root) },
    })
  expect((await inRoot({ '.tag': 'home' })).status).toBe(200)
  const wrong = await inRoot({ '.tag': 'root', root: '1' })
  expect([wrong.status, await wrong.json()]).toEqual([
    422,
    expect.objectContaining({
      error: { '.tag': 'invalid_root', invalid_root: expect.objectContaining({ '.tag': 'user' }) },
    }),
  ])
  expect((await inRoot({ '.tag': 'namespace_id', namespace_id: '1' })).status).toBe(422)
  expect((await inRoot('home' as unknown as object)).status).toBe(400)
  const asked = await fetch(dropbox.at('api.dropboxapi.com', '/2/users/get_current_account'))
  expect([asked.status, await asked.text()]).toEqual([400, expect.stringContaining('this function takes POST')])
})
