import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Answer,
  type Api,
  askToken,
  connect,
  createApi,
  EMAIL,
  type Harness,
  startDropbox,
} from './dropboxHarness.ts'

let dropbox: Harness
let api: Api
let token: string
beforeEach(async () => {
  dropbox = await startDropbox()
  token = (await connect(dropbox)).access_token
  api = createApi(dropbox, token)
})
afterEach(() => dropbox.close())

const upload = (path: string, text = 'hello') => api.send('files/upload', { path }, text)
const names = async () => {
  const { entries } = (await api.rpc('files/list_folder', { path: '' })).json as { entries: { name: string }[] }
  return entries.map(({ name }) => name)
}
const stored = () => dropbox.commands.objects({ user: EMAIL })
const lost = (answer: Promise<Answer>) => expect(answer).rejects.toThrow()
const session = async (body: string) =>
  ((await api.send('files/upload_session/start', {}, body)).json as { session_id: string }).session_id
const append = (session_id: string, offset: number, body: string) =>
  api.send('files/upload_session/append_v2', { cursor: { session_id, offset } }, body)

test('too many requests: the wire shape, with and without the header', async () => {
  dropbox.plan({ kind: 'rateLimit', operation: 'files/upload', user: EMAIL, retryAfter: 7 })
  const limited = await upload('/a')
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
  expect(limited.json).toEqual({
    error_summary: 'too_many_requests/..',
    error: { reason: { '.tag': 'too_many_requests' }, retry_after: 7 },
  })
  dropbox.plan({ kind: 'rateLimit', reason: 'too_many_write_operations' })
  const writes = await upload('/a')
  expect([writes.status, writes.headers.get('retry-after')]).toEqual([429, null])
  expect(writes.json).toMatchObject({ error: { reason: { '.tag': 'too_many_write_operations' } } })
})

test('too many writes, as each route says it', async () => {
  const told = async (operation: string, ask: () => Promise<Answer>) => {
    dropbox.plan({ kind: 'rateLimit', operation, status: 409 })
    return ((await ask()).json as { error: object }).error
  }
  const reason = { '.tag': 'too_many_write_operations' }
  expect(await told('files/upload', () => upload('/a'))).toMatchObject({ '.tag': 'path', reason })
  expect(await told('files/delete_v2', () => api.rpc('files/delete_v2', { path: '/a' }))).toEqual(reason)
  const relocation = { from_path: '/a', to_path: '/b' }
  expect(await told('files/move_v2', () => api.rpc('files/move_v2', relocation))).toEqual({ '.tag': 'to', to: reason })
  const folder = () => api.rpc('files/create_folder_v2', { path: '/f' })
  expect(await told('files/create_folder_v2', folder)).toEqual({ '.tag': 'path', path: reason })

  dropbox.commands.writeLock({ ms: 500 })
  expect((await upload('/a')).status).toBe(200)
  expect((await upload('/b')).json).toMatchObject({ error: { reason } })
  dropbox.pass(500)
  expect((await upload('/b')).status).toBe(200)
})

test('an append that was kept, and a finish that was done, whose replies are lost', async () => {
  const id = await session('0123')
  dropbox.plan({ kind: 'lostReply', operation: 'files/upload_session/append_v2' })
  await lost(append(id, 4, '4567'))
  expect((await append(id, 4, '4567')).json).toMatchObject({ error: { '.tag': 'incorrect_offset', correct_offset: 8 } })
  const args = { cursor: { session_id: id, offset: 8 }, commit: { path: '/a' } }
  dropbox.plan({ kind: 'lostReply', operation: 'files/upload_session/finish' })
  await lost(api.send('files/upload_session/finish', args))
  expect((await api.send('files/upload_session/finish', args)).json).toMatchObject({
    error: { lookup_failed: { '.tag': 'not_found' } },
  })
  expect((await api.rpc('files/get_metadata', { path: '/a' })).json).toMatchObject({ size: 8 })
})

test('an append that is cut keeps nothing, one that breaks may keep a part', async () => {
  const id = await session('')
  dropbox.plan({ kind: 'cutUp', operation: 'files/upload_session/append_v2', bytes: 3 })
  await lost(append(id, 0, '0123456789'))
  dropbox.plan({ kind: 'serverError', operation: 'files/upload_session/append_v2', bytes: 6, status: 500 })
  expect((await append(id, 0, '0123456789')).status).toBe(500)
  expect((await append(id, 0, '0123456789')).json).toMatchObject({ error: { correct_offset: 6 } })
  dropbox.plan({ kind: 'serverError', operation: 'files/upload_session/append_v2' })
  expect((await append(id, 6, '6789')).status).toBe(503)
  expect((await append(id, 6, '6789')).status).toBe(200)
})

test('what is stored is shorter, or nowhere, though the service says it is done', async () => {
  dropbox.plan({ kind: 'truncate', operation: 'files/upload', bytes: 2 })
  expect((await upload('/short')).json).toMatchObject({ size: 3 })
  dropbox.plan({ kind: 'vanish', operation: 'files/upload' })
  expect((await upload('/gone')).json).toMatchObject({ name: 'gone', size: 5 })
  const sha256 = createHash('sha256').update('hel').digest('hex')
  expect(await stored()).toEqual([expect.objectContaining({ path: '/short', size: 3, sha256 })])
  expect((await api.download({ path: '/short' })).text).toBe('hel')
})

test('full, forbidden, expired and broken', async () => {
  dropbox.plan({ kind: 'full' })
  expect((await upload('/a')).json).toMatchObject({ error: { reason: { '.tag': 'insufficient_space' } } })
  dropbox.plan({ kind: 'policy', operation: 'files/upload' })
  expect(await upload('/a')).toMatchObject({ status: 403, json: { error: { '.tag': 'team_access_denied' } } })
  dropbox.plan({ kind: 'expired' })
  expect(await upload('/a')).toMatchObject({ status: 401, json: { error: { '.tag': 'expired_access_token' } } })
  dropbox.plan({ kind: 'serverError', status: 500 })
  expect((await upload('/a')).status).toBe(500)
  dropbox.plan({ kind: 'html' })
  expect(await upload('/a')).toMatchObject({ status: 200, text: expect.stringContaining('<!doctype html>') })
  expect(await stored()).toEqual([])
})

test('planned failures of the token endpoint', async () => {
  const { refresh_token } = await connect(dropbox)
  const refresh = () => askToken(dropbox, { grant_type: 'refresh_token', refresh_token })
  dropbox.plan({ kind: 'invalidGrant', operation: 'oauth2/token', user: EMAIL })
  expect((await refresh()).json).toMatchObject({ error: 'invalid_grant' })
  dropbox.plan({ kind: 'serverError', operation: 'oauth2/token', status: 502 })
  expect((await refresh()).status).toBe(502)
  expect((await refresh()).status).toBe(200)
  expect((await askToken(dropbox, { grant_type: 'password' })).json).toMatchObject({ error: 'unsupported_grant_type' })
})

test('wrong bytes on the way down', async () => {
  await upload('/a', '0123456789')
  await upload('/b', 'abcdefghij')
  const read = (headers = {}) => api.download({ path: '/a' }, headers)
  dropbox.plan({ kind: 'flip', operation: 'files/download' })
  expect((await read()).text).not.toBe('0123456789')
  dropbox.plan({ kind: 'wrongObject' })
  expect(await read()).toMatchObject({ status: 200, text: 'abcdefghij' })
  dropbox.plan({ kind: 'ignoreRange' })
  expect(await read({ range: 'bytes=2-3' })).toMatchObject({ status: 200, text: '0123456789' })
  dropbox.plan({ kind: 'shortBody', bytes: 4 })
  await lost(read())
  dropbox.plan({ kind: 'cutDown', operation: 'files/download', bytes: 4 })
  await lost(read())
  expect((await read()).text).toBe('0123456789')
  await api.rpc('files/delete_v2', { path: '/b' })
  dropbox.plan({ kind: 'wrongObject' })
  expect((await read()).text).toBe('\0'.repeat(10))
})

test('lists that lag or repeat themselves', async () => {
  await upload('/a')
  await upload('/c')
  await upload('/b')
  dropbox.plan({ kind: 'staleList' })
  expect(await names()).toEqual(['a', 'c'])
  dropbox.plan({ kind: 'duplicate', operation: 'files/list_folder' })
  expect(await names()).toEqual(['a', 'b', 'c', 'a'])
  expect(await names()).toEqual(['a', 'b', 'c'])
})

test('the user changes things past the app', async () => {
  const { id } = (await upload('/a', 'one')).json as { id: string }
  await dropbox.commands.alter({ user: EMAIL, path: '/A', text: 'two' })
  expect((await api.download({ path: id })).text).toBe('two')
  await dropbox.commands.alter({ user: EMAIL, path: '/a', to: '/sub/b' })
  expect((await api.rpc('files/get_metadata', { path: id })).json).toMatchObject({ path_display: '/sub/b' })
  expect(await dropbox.commands.read({ user: EMAIL, path: '/sub/b' })).toEqual({ base64: btoa('two') })
  await dropbox.commands.remove({ user: EMAIL, path: '/sub' })
  expect((await api.rpc('files/get_metadata', { path: id })).status).toBe(409)
  await dropbox.commands.plant({ user: EMAIL, path: '/p', base64: btoa('planted') })
  expect((await api.download({ path: '/p' })).text).toBe('planted')
  await dropbox.commands.alter({ user: EMAIL, path: '/p', flipAt: 0 })
  expect((await api.download({ path: '/p' })).text).toBe('qlanted')
  await dropbox.commands.plant({ user: EMAIL, path: '/folder', folder: true })
  expect(await names()).toEqual(['folder', 'p'])
  await expect(dropbox.commands.plant({ user: EMAIL, path: '/p/q', text: '' })).rejects.toThrow('Nothing can be stored')
  await expect(dropbox.commands.remove({ user: EMAIL, path: '/z' })).rejects.toThrow('has nothing at /z')
  expect(() => dropbox.commands.objects({ user: 'nobody' })).toThrow('There is no user')
})

test('every call is in the log, under its name and its user', async () => {
  dropbox.resetLog()
  await upload('/a')
  expect(dropbox.log()).toEqual([
    expect.objectContaining({ service: 'dropbox', operation: 'files/upload', user: EMAIL, status: 200, bytesIn: 5 }),
  ])
  expect(dropbox.log().some(({ bug }) => bug)).toBe(false)
})
