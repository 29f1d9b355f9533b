import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Api, connectedApi, EMAIL, type Harness, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let api: Api
beforeEach(async () => {
  dropbox = await startDropbox()
  api = await connectedApi(dropbox)
})
afterEach(() => dropbox.close())

type Page = {
  readonly entries: readonly { readonly '.tag': string; readonly path_display: string }[]
  readonly cursor: string
  readonly has_more: boolean
}
const upload = (path: string, text = 'x') => api.send('files/upload', { path, mode: 'overwrite' }, text)
const list = async (args: object): Promise<Page> => (await api.rpc('files/list_folder', args)).json
const more = async (cursor: string): Promise<Page> => (await api.rpc('files/list_folder/continue', { cursor })).json
const shown = ({ entries }: Page) => entries.map((entry) => `${entry['.tag']} ${entry.path_display}`)

async function untilNoMore(first: Page): Promise<{ seen: string[]; cursor: string; pages: number }> {
  const seen = shown(first)
  let [page, pages] = [first, 1]
  for (; page.has_more; pages += 1) {
    page = await more(page.cursor)
    seen.push(...shown(page))
  }
  return { seen, cursor: page.cursor, pages }
}

test('a list comes in pages, and its cursor then tells what changes', async () => {
  await dropbox.commands.plant({ user: EMAIL, path: '/f/', count: 25, size: 1 })
  const { seen, cursor, pages } = await untilNoMore(await list({ path: '/f', limit: 10 }))
  expect([seen.length, new Set(seen).size, pages]).toEqual([25, 25, 3])
  expect(shown(await more(cursor))).toEqual([])

  await upload('/f/new')
  await upload('/elsewhere')
  await upload('/f/new', 'again')
  await api.rpc('files/delete_v2', { path: '/f/00003' })
  const changed = await more(cursor)
  expect(shown(changed)).toEqual(['file /f/new', 'deleted /f/00003'])
  expect(shown(await more(changed.cursor))).toEqual([])
  expect(shown(await more(cursor))).toEqual(['file /f/new', 'deleted /f/00003'])
})

test('what changes while a list is read is told at its end', async () => {
  await dropbox.commands.plant({ user: EMAIL, path: '/', count: 4, size: 1 })
  const first = await list({ path: '', limit: 2 })
  await api.rpc('files/delete_v2', { path: '/00000' })
  await upload('/00009')
  const { seen, cursor } = await untilNoMore(first)
  expect(seen).toEqual(['file /00000', 'file /00001', 'file /00002', 'file /00003', 'file /00009'])
  expect(shown(await more(cursor))).toEqual(['deleted /00000', 'file /00009'])
})

test('of a tree: the folder with all in it; deleting it is one change, moving it tells all', async () => {
  await upload('/a/b/x')
  await upload('/a/y')
  const { cursor, ...first } = await list({ path: '/A', recursive: true })
  expect(shown({ cursor, ...first })).toEqual(['folder /a', 'folder /a/b', 'file /a/b/x', 'file /a/y'])
  await api.rpc('files/delete_v2', { path: '/a/b' })
  expect(shown(await more(cursor))).toEqual(['deleted /a/b'])
  const { cursor: whole } = (await api.rpc('files/list_folder/get_latest_cursor', { path: '', recursive: true }))
    .json as Page
  await api.rpc('files/move_v2', { from_path: '/a', to_path: '/z' })
  expect(shown(await more(whole))).toEqual(['deleted /a', 'folder /z', 'file /z/y'])
  expect(await api.rpc('files/list_folder/continue', { cursor })).toMatchObject({
    status: 409,
    json: { error: { '.tag': 'path', path: { '.tag': 'not_found' } } },
  })
  expect(shown(await list({ path: '', include_deleted: true }))).toEqual(['deleted /a', 'folder /z'])
})

test('cursors can be made void', async () => {
  const { cursor } = await list({ path: '' })
  dropbox.commands.resetCursors()
  const answer = await api.rpc('files/list_folder/continue', { cursor })
  expect(answer).toMatchObject({ status: 409, json: { error: { '.tag': 'reset' } } })
  expect((await api.poll({ cursor })).json).toMatchObject({ error: { '.tag': 'reset' } })
})

test('who waits is told of a change at once', async () => {
  await upload('/f/old')
  const { cursor } = await list({ path: '/f' })
  const told = api.poll({ cursor, timeout: 30 })
  // Not asked before the service waits.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await upload('/elsewhere')
  await upload('/f/new')
  expect((await told).json).toEqual({ changes: true })
  const waited = dropbox.log().map(({ operation }) => operation)
  expect(waited.indexOf('files/list_folder/longpoll')).toBeGreaterThan(waited.lastIndexOf('files/list_folder'))
  expect((await api.poll({ cursor })).json).toEqual({ changes: true })

  const headers = { authorization: 'Bearer x', 'content-type': 'application/json' }
  const address = dropbox.at('notify.dropboxapi.com', '/2/files/list_folder/longpoll')
  const signed = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ cursor }) })
  expect([signed.status, await signed.text()]).toEqual([400, expect.stringContaining('without authentication')])
  expect((await api.poll({ cursor, timeout: 5 })).status).toBe(400)
})

test('another account’s cursor is no good', async () => {
  dropbox.commands.addUser({ email: 'bob@example.com', quotaBytes: null })
  const bob = await connectedApi(dropbox, 'bob@example.com')
  const { cursor } = (await bob.rpc('files/list_folder', { path: '' })).json as Page
  expect((await api.rpc('files/list_folder/continue', { cursor })).status).toBe(400)
})
