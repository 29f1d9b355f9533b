import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, type Api, connectedApi, EMAIL, type Harness, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let api: Api
beforeEach(async () => {
  dropbox = await startDropbox()
  api = await connectedApi(dropbox)
})
afterEach(() => dropbox.close())

type Refused = { readonly error_summary?: string } | null
/** The tags of a refusal. */
const refusal = ({ status, json }: Answer) => [status, (json as Refused)?.error_summary?.replace(/\/\.+$/, '')]

test('a document of Paper cannot be downloaded, but exported', async () => {
  const exportOptions = ['markdown', 'html']
  await dropbox.commands.plant({ user: EMAIL, path: '/Notes.paper', text: 'abc', exportOptions })
  const { json } = await api.rpc('files/get_metadata', { path: '/notes.paper' })
  expect(json).toMatchObject({
    is_downloadable: false,
    export_info: { export_as: 'markdown', export_options: ['markdown', 'html'] },
  })
  expect(refusal(await api.download({ path: '/notes.paper' }))).toEqual([409, 'unsupported_file'])
  const exported = await api.send('files/export', { path: '/notes.paper' })
  const result = JSON.parse(exported.headers.get('dropbox-api-result') ?? '{}')
  expect([exported.text, result.export_metadata.name]).toEqual(['/Notes.paper as markdown', 'Notes.paper.md'])
  const odd = { path: '/notes.paper', export_format: 'docx' }
  expect(refusal(await api.send('files/export', odd))).toEqual([409, 'invalid_export_format'])
  await dropbox.commands.plant({ user: EMAIL, path: '/plain.txt', text: 'abc' })
  expect(refusal(await api.send('files/export', { path: '/plain.txt' }))).toEqual([409, 'non_exportable'])
})

test('a shared folder that can only be read refuses every change in it', async () => {
  await dropbox.commands.plant({ user: EMAIL, path: '/Shared', shared: 'READ' })
  await dropbox.commands.plant({ user: EMAIL, path: '/Shared/Inner/file.txt', text: 'abc' })
  const sharing = async (path: string) =>
    ((await api.rpc('files/get_metadata', { path })).json as { sharing_info?: object }).sharing_info
  expect(await sharing('/shared')).toMatchObject({ read_only: true, shared_folder_id: expect.stringMatching(/^\d+$/) })
  const inside = { read_only: true, parent_shared_folder_id: expect.stringMatching(/^\d+$/) }
  expect(await sharing('/shared/inner')).toMatchObject(inside)
  expect(await sharing('/shared/inner/file.txt')).toEqual(inside)
  const path = '/shared/inner/file.txt'
  expect(refusal(await api.rpc('files/delete_v2', { path }))).toEqual([409, 'path_write/no_write_permission'])
  const outside = { from_path: path, to_path: '/file.txt' }
  expect(refusal(await api.rpc('files/move_v2', outside))).toEqual([409, 'from_write/no_write_permission'])
  expect(refusal(await api.send('files/upload', { path: '/shared/new.txt' }, 'x'))).toEqual([
    409,
    'path/no_write_permission',
  ])
  expect((await api.rpc('files/copy_v2', outside)).status).toBe(200)
  expect(await sharing('/file.txt')).toBeUndefined()
})

test('a recursive list has all folders, also while entries come', async () => {
  await dropbox.commands.plant({ user: EMAIL, path: '/a/b/f', count: 5, text: 'x' })
  type Page = { readonly entries: readonly { readonly name: string }[]; readonly cursor: string }
  const first: Page = (await api.rpc('files/list_folder', { path: '', recursive: true, limit: 4 })).json
  await dropbox.commands.plant({ user: EMAIL, path: '/a/b/g', text: 'x' })
  const second: Page = (await api.rpc('files/list_folder/continue', { cursor: first.cursor })).json
  const names = [...first.entries, ...second.entries].map(({ name }) => name)
  expect(names).toEqual(['a', 'b', 'f00000', 'f00001', 'f00002', 'f00003', 'f00004', 'g'])
})
