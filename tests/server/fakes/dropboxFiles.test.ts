import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Api, connect, connectedApi, EMAIL, type Harness, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let api: Api
beforeEach(async () => {
  dropbox = await startDropbox()
  api = await connectedApi(dropbox)
})
afterEach(() => dropbox.close())

const EMPTY_HASH = createHash('sha256').digest('hex')
const hashOf = (text: string) => createHash('sha256').update(createHash('sha256').update(text).digest()).digest('hex')
const upload = (path: string, text = 'hello', more: object = {}) => api.send('files/upload', { path, ...more }, text)
const paths = async (folder = '') => {
  const { entries } = (await api.rpc('files/list_folder', { path: folder, recursive: true })).json as List
  return entries.map(({ path_display }) => path_display)
}
type List = {
  readonly entries: { readonly '.tag': string; readonly path_display: string; readonly id: string }[]
  readonly cursor: string
  readonly has_more: boolean
}

test('a file is stored, described and read', async () => {
  const stored = await upload('/Täst/Ünï.txt', 'hello', { client_modified: '2020-01-02T03:04:05Z' })
  expect(stored.json).toEqual({
    name: 'Ünï.txt',
    path_lower: '/täst/ünï.txt',
    path_display: '/Täst/Ünï.txt',
    id: expect.stringMatching(/^id:/),
    client_modified: '2020-01-02T03:04:05Z',
    server_modified: '2026-11-21T10:00:00Z',
    rev: expect.stringMatching(/^[0-9a-f]{9,}$/),
    size: 5,
    is_downloadable: true,
    content_hash: hashOf('hello'),
  })
  const { id, rev } = stored.json as { id: string; rev: string }
  for (const path of ['/TÄST/ünï.TXT', id, `rev:${rev}`]) {
    expect((await api.rpc('files/get_metadata', { path })).json).toEqual({ '.tag': 'file', ...(stored.json as object) })
    expect((await api.download({ path })).text).toBe('hello')
  }
  expect((await api.rpc('files/get_metadata', { path: '/täst' })).json).toEqual({
    '.tag': 'folder',
    name: 'Täst',
    path_lower: '/täst',
    path_display: '/Täst',
    id: expect.stringMatching(/^id:/),
  })
  expect((await upload('/empty', '')).json).toMatchObject({ size: 0, content_hash: EMPTY_HASH })
  expect((await api.download({ path: '/empty' })).text).toBe('')
})

test('a part of a file is read, as HTTP does it', async () => {
  const { rev } = (await upload('/a', '0123456789')).json as { rev: string }
  const part = await api.download({ path: '/a' }, { range: 'bytes=2-4' })
  expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
  expect(part.headers.get('etag')).toBe(`W/"${rev}"`)
  expect(JSON.parse(part.headers.get('dropbox-api-result') ?? '')).toMatchObject({ name: 'a', size: 10 })
  expect((await api.download({ path: '/a' }, { range: 'bytes=-3' })).text).toBe('789')
  expect((await api.download({ path: '/a' }, { range: 'bytes=8-' })).text).toBe('89')
  const beyond = await api.download({ path: '/a' }, { range: 'bytes=10-' })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  expect((await api.download({ path: '/a' }, { 'if-none-match': `W/"${rev}"` })).status).toBe(304)
})

test('writing over a file follows the write mode', async () => {
  const { rev, id } = (await upload('/a.txt', 'one')).json as { rev: string; id: string }
  expect((await upload('/A.TXT', 'one')).json).toMatchObject({ rev, path_display: '/a.txt' })
  expect((await upload('/a.txt', 'one', { strict_conflict: true })).status).toBe(409)
  const conflict = await upload('/a.txt', 'two')
  expect(conflict).toMatchObject({
    status: 409,
    json: {
      error_summary: expect.stringMatching(/^path\/conflict\/file\/\.+$/),
      error: {
        '.tag': 'path',
        reason: { '.tag': 'conflict', conflict: { '.tag': 'file' } },
        upload_session_id: expect.any(String),
      },
    },
  })
  expect((await upload('/a.txt', 'two', { autorename: true })).json).toMatchObject({ name: 'a (1).txt' })
  expect((await upload('/a.txt', 'three', { mode: 'overwrite' })).json).toMatchObject({ id, size: 5 })
  const update = (text: string, known: string, more = {}) =>
    upload('/a.txt', text, { mode: { '.tag': 'update', update: known }, ...more })
  expect((await update('four', rev)).status).toBe(409)
  expect((await update('four', rev, { autorename: true })).json).toMatchObject({ name: 'a (conflicted copy).txt' })
  const { rev: newest } = (await api.rpc('files/get_metadata', { path: '/a.txt' })).json as { rev: string }
  expect((await update('five', newest)).json).toMatchObject({ id, size: 4 })

  // What was refused is still there, and can be saved elsewhere.
  const session_id = (conflict.json as { error: { upload_session_id: string } }).error.upload_session_id
  const args = { cursor: { session_id, offset: 3 }, commit: { path: '/b.txt' } }
  expect((await api.send('files/upload_session/finish', args)).json).toMatchObject({ content_hash: hashOf('two') })
})

test('folders are made once, or under another name', async () => {
  const made = await api.rpc('files/create_folder_v2', { path: '/a/b' })
  expect(made.json).toEqual({
    metadata: { name: 'b', path_lower: '/a/b', path_display: '/a/b', id: expect.any(String) },
  })
  expect((await api.rpc('files/create_folder_v2', { path: '/A/B' })).json).toMatchObject({
    error: { '.tag': 'path', path: { '.tag': 'conflict', conflict: { '.tag': 'folder' } } },
  })
  expect((await api.rpc('files/create_folder_v2', { path: '/a/b', autorename: true })).json).toMatchObject({
    metadata: { name: 'b (1)' },
  })
})

test('deleting takes a whole folder, and a file only in the revision that is named', async () => {
  const { rev } = (await upload('/a/x', 'one')).json as { rev: string }
  await upload('/a/x', 'two', { mode: 'overwrite' })
  expect((await api.rpc('files/delete_v2', { path: '/a/x', parent_rev: rev })).json).toMatchObject({
    error: { '.tag': 'path_write', path_write: { conflict: { '.tag': 'file' } } },
  })
  expect((await api.rpc('files/delete_v2', { path: '/a' })).json).toMatchObject({
    metadata: { '.tag': 'folder', name: 'a' },
  })
  expect(await paths()).toEqual([])
  expect((await api.rpc('files/delete_v2', { path: '/a' })).json).toMatchObject({
    error: { '.tag': 'path_lookup', path_lookup: { '.tag': 'not_found' } },
  })
  expect((await api.rpc('files/get_metadata', { path: '/A/x', include_deleted: true })).json).toEqual({
    '.tag': 'deleted',
    name: 'x',
    path_lower: '/a/x',
    path_display: '/a/x',
  })
})

test('moving keeps ids, copying makes new ones', async () => {
  const { id } = (await upload('/a/b/x', 'one')).json as { id: string }
  const moved = await api.rpc('files/move_v2', { from_path: '/a', to_path: '/C/a' })
  expect(moved.json).toMatchObject({ metadata: { '.tag': 'folder', path_display: '/C/a' } })
  expect((await api.rpc('files/get_metadata', { path: id })).json).toMatchObject({ path_display: '/C/a/b/x' })
  const copied = await api.rpc('files/copy_v2', { from_path: id, to_path: '/y' })
  expect((copied.json as { metadata: { id: string } }).metadata.id).not.toBe(id)
  expect(await paths()).toEqual(['/C', '/C/a', '/C/a/b', '/C/a/b/x', '/y'])
  expect((await api.download({ path: '/y' })).text).toBe('one')

  const move = async (from_path: string, to_path: string, more = {}) =>
    ((await api.rpc('files/move_v2', { from_path, to_path, ...more })).json as { error: object }).error
  expect(await move('/nothing', '/z')).toMatchObject({ from_lookup: { '.tag': 'not_found' } })
  expect(await move('/y', '/C/a/b/x')).toMatchObject({ to: { conflict: { '.tag': 'file' } } })
  expect(await move('/C', '/c/inside')).toEqual({ '.tag': 'cant_move_folder_into_itself' })
  expect(await move('/y', '/Y')).toEqual({ '.tag': 'duplicated_or_nested_paths' })
  expect(await move('/y', '/desktop.ini')).toMatchObject({ to: { '.tag': 'disallowed_name' } })
  await move('/y', '/C/a/b/x', { autorename: true })
  expect(await paths('/C/a/b')).toEqual(['/C/a/b', '/C/a/b/x', '/C/a/b/x (1)'])
})

test('no more than 10,000 entries are moved or copied at once', async () => {
  await dropbox.commands.plant({ user: EMAIL, path: '/f/', count: 10_000, size: 0 })
  const answer = await api.rpc('files/copy_v2', { from_path: '/f', to_path: '/g' })
  expect(answer.json).toMatchObject({ error: { '.tag': 'too_many_files' } })
})

test('an account is as full as its quota says', async () => {
  dropbox.commands.setQuota({ user: EMAIL, quotaBytes: 1000, usedByOthersBytes: 900 })
  await upload('/a', 'x'.repeat(60))
  expect((await api.rpc('users/get_space_usage', null)).json).toEqual({
    used: 960,
    allocation: { '.tag': 'individual', allocated: 1000 },
  })
  const full = { error: { '.tag': 'path', reason: { '.tag': 'insufficient_space' } } }
  expect((await upload('/b', 'x'.repeat(41))).json).toMatchObject(full)
  expect((await upload('/a', 'y'.repeat(100), { mode: 'overwrite' })).status).toBe(200)
  expect((await api.rpc('files/copy_v2', { from_path: '/a', to_path: '/b' })).json).toMatchObject({
    error: { '.tag': 'insufficient_quota' },
  })
  const team = { name: 'Acme', used: 5000, allocated: 100_000, memberAllocated: 1100 }
  dropbox.commands.changeUser({ user: EMAIL, team })
  expect((await api.rpc('users/get_space_usage', null)).json).toMatchObject({
    used: 1000,
    allocation: { '.tag': 'team', used: 6000, allocated: 100_000, user_within_team_space_allocated: 1100 },
  })
  expect((await upload('/c', 'x'.repeat(101))).json).toMatchObject(full)
})

test('an account describes itself', async () => {
  const { account_id } = await connect(dropbox)
  const account = (await api.rpc('users/get_current_account', null)).json as {
    root_info: { home_namespace_id: string }
  }
  expect(account).toMatchObject({
    account_id,
    name: { display_name: 'Ada Lovelace', abbreviated_name: 'AL' },
    email: EMAIL,
    account_type: { '.tag': 'basic' },
    root_info: { '.tag': 'user' },
  })
  expect(account_id).toHaveLength(40)
  const home = account.root_info.home_namespace_id
  await upload('/a')
  expect((await api.rpc('files/get_metadata', { path: `ns:${home}/a` })).status).toBe(200)
  expect((await api.rpc('files/get_metadata', { path: 'ns:1/a' })).status).toBe(409)
})
