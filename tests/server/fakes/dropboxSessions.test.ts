import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BLOCK_BYTES } from '../../fakes/dropbox/contentHash.ts'
import { type Answer, type Api, connectedApi, EMAIL, type Harness, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let api: Api
beforeEach(async () => {
  dropbox = await startDropbox()
  api = await connectedApi(dropbox)
})
afterEach(() => dropbox.close())

async function start(body: Buffer | string = '', more: object = {}): Promise<string> {
  const answer = await api.send('files/upload_session/start', more, body)
  return (answer.json as { session_id: string }).session_id
}
const append = (session_id: string, offset: number, body: Buffer | string, more: object = {}) =>
  api.send('files/upload_session/append_v2', { cursor: { session_id, offset }, ...more }, body)
const finish = (session_id: string, offset: number, path: string, body: Buffer | string = '', more: object = {}) =>
  api.send('files/upload_session/finish', { cursor: { session_id, offset }, commit: { path, ...more } }, body)
const errorOf = ({ json }: Answer) => (json as { error: object } | null)?.error

test('a file comes in pieces, one after the other', async () => {
  const bytes = randomBytes(BLOCK_BYTES + 70_001)
  const id = await start(bytes.subarray(0, 50_000))
  expect(await append(id, 50_000, bytes.subarray(50_000, 60_000))).toMatchObject({ status: 200, text: 'null' })
  await append(id, 60_000, '')
  await append(id, 60_000, bytes.subarray(60_000, BLOCK_BYTES + 1))
  const whole = await api.send('files/upload', { path: '/whole' }, bytes)
  const { content_hash } = whole.json as { content_hash: string }
  const done = await finish(id, BLOCK_BYTES + 1, '/pieces', bytes.subarray(BLOCK_BYTES + 1))
  expect(done.json).toMatchObject({ size: bytes.length, content_hash })
  expect(done.json).not.toHaveProperty('.tag')
  const [, stored] = await dropbox.commands.objects({ user: EMAIL })
  const [first] = await dropbox.commands.objects({ user: EMAIL, path: '/whole' })
  expect(stored?.sha256).toBe(first?.sha256)

  expect(errorOf(await finish(id, bytes.length, '/again'))).toEqual({
    '.tag': 'lookup_failed',
    lookup_failed: { '.tag': 'not_found' },
  })
  expect(errorOf(await append(id, bytes.length, 'x'))).toEqual({ '.tag': 'closed' })
})

test('the service says where a session really stands', async () => {
  const id = await start('0123')
  expect(errorOf(await append(id, 0, '0123'))).toEqual({ '.tag': 'incorrect_offset', correct_offset: 4 })
  expect(errorOf(await append(id, 9, ''))).toEqual({ '.tag': 'incorrect_offset', correct_offset: 4 })
  expect(errorOf(await finish(id, 3, '/a'))).toEqual({
    '.tag': 'lookup_failed',
    lookup_failed: { '.tag': 'incorrect_offset', correct_offset: 4 },
  })
  expect(errorOf(await finish(id, 3, '/a', 'x'))).toMatchObject({ lookup_failed: { correct_offset: 4 } })
  expect(errorOf(await append('nobody', 0, 'x'))).toEqual({ '.tag': 'not_found' })
  await append(id, 4, '45', { close: true })
  expect(errorOf(await append(id, 6, 'x'))).toEqual({ '.tag': 'closed' })
  expect(errorOf(await finish(id, 6, '/a', 'x'))).toEqual({
    '.tag': 'lookup_failed',
    lookup_failed: { '.tag': 'closed' },
  })
  expect((await finish(id, 6, '/a')).json).toMatchObject({ size: 6 })
})

test('a piece with a wrong hash is not kept', async () => {
  const id = await start('0123')
  const wrong = await append(id, 4, 'x', { content_hash: '0'.repeat(64) })
  expect(errorOf(wrong)).toEqual({ '.tag': 'content_hash_mismatch' })
  expect((await append(id, 4, '4')).status).toBe(200)
})

test('a session that cannot become a file stays for another try', async () => {
  await api.send('files/upload', { path: '/taken' }, 'something else')
  const id = await start('0123')
  expect(errorOf(await finish(id, 4, '/taken', '45'))).toEqual({
    '.tag': 'path',
    path: { '.tag': 'conflict', conflict: { '.tag': 'file' } },
  })
  expect((await finish(id, 6, '/free')).json).toMatchObject({ size: 6 })
})

test('a session lives for a week, and ends with the command', async () => {
  const [old, other] = [await start('x'), await start('x')]
  dropbox.pass(7 * 24 * 3600_000 + 1)
  api = await connectedApi(dropbox)
  expect(errorOf(await append(old, 1, 'y'))).toEqual({ '.tag': 'not_found' })
  const fresh = await start('x')
  dropbox.commands.loseSessions({})
  for (const id of [other, fresh])
    expect(errorOf(await finish(id, 1, '/a'))).toMatchObject({ lookup_failed: { '.tag': 'not_found' } })
})

test('pieces of a concurrent session come in any order, in blocks', async () => {
  const concurrent = { session_type: 'concurrent' }
  const bytes = randomBytes(2 * BLOCK_BYTES + 5)
  const refused = async (more: object, body = '') =>
    errorOf(await api.send('files/upload_session/start', { ...concurrent, ...more }, body))
  expect(await refused({}, 'data')).toEqual({ '.tag': 'concurrent_session_data_not_allowed' })
  expect(await refused({ close: true })).toEqual({ '.tag': 'concurrent_session_close_not_allowed' })

  const id = await start('', concurrent)
  expect(errorOf(await append(id, 5, 'x'))).toEqual({ '.tag': 'concurrent_session_invalid_offset' })
  expect(errorOf(await append(id, 0, 'x'))).toEqual({ '.tag': 'concurrent_session_invalid_data_size' })
  const block = (number: number) =>
    append(id, number * BLOCK_BYTES, bytes.subarray(number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES))
  await block(1)
  expect(errorOf(await finish(id, bytes.length, '/a'))).toEqual({ '.tag': 'concurrent_session_not_closed' })
  const last = { at: 2 * BLOCK_BYTES, bytes: bytes.subarray(2 * BLOCK_BYTES) }
  const gappy = await start('', concurrent)
  await append(gappy, last.at, last.bytes, { close: true })
  expect(errorOf(await finish(gappy, bytes.length, '/a'))).toEqual({ '.tag': 'concurrent_session_missing_data' })

  await block(0)
  await append(id, last.at, last.bytes, { close: true })
  expect(errorOf(await finish(id, bytes.length, '/a', 'x'))).toEqual({ '.tag': 'concurrent_session_data_not_allowed' })
  const whole = await api.send('files/upload', { path: '/whole' }, bytes)
  const { content_hash } = whole.json as { content_hash: string }
  expect((await finish(id, bytes.length, '/a')).json).toMatchObject({ size: bytes.length, content_hash })
})

test('many sessions become files in one call', async () => {
  const ready = [await start('one', { close: true }), await start('two', { close: true })]
  const open = await start('three')
  const entry = (session_id: string, offset: number, path: string) => ({
    cursor: { session_id, offset },
    commit: { path },
  })
  const { json } = await api.rpc('files/upload_session/finish_batch_v2', {
    entries: [
      entry(ready[0] ?? '', 3, '/a'),
      entry(ready[1] ?? '', 3, '/a'),
      entry(open, 5, '/c'),
      entry('nobody', 0, '/d'),
    ],
  })
  expect((json as { entries: object[] }).entries).toEqual([
    expect.objectContaining({ '.tag': 'success', path_display: '/a', size: 3 }),
    { '.tag': 'failure', failure: { '.tag': 'path', path: { '.tag': 'conflict', conflict: { '.tag': 'file' } } } },
    { '.tag': 'failure', failure: { '.tag': 'lookup_failed', lookup_failed: { '.tag': 'not_closed' } } },
    { '.tag': 'failure', failure: { '.tag': 'lookup_failed', lookup_failed: { '.tag': 'not_found' } } },
  ])
})

test('no call carries more than 150 MiB', async () => {
  const size = 150 * 1024 * 1024 + 1
  const big = await api.send('files/upload_session/start', {}, Buffer.alloc(size)).catch(() => null)
  // The service may be done before all is sent; then the connection is cut.
  if (big) expect(errorOf(big)).toEqual({ '.tag': 'payload_too_large' })
  expect(await dropbox.commands.objects({ user: EMAIL })).toEqual([])
})
