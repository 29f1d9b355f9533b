import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Api, connectedApi, EMAIL, type Harness, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let api: Api
beforeEach(async () => {
  dropbox = await startDropbox()
  api = await connectedApi(dropbox)
  await api.send('files/upload', { path: '/a/x.txt' }, 'content')
})
afterEach(() => dropbox.close())

type Link = { readonly url: string }
const share = (path: string, settings: object | null = null) =>
  api.rpc('sharing/create_shared_link_with_settings', { path, settings })
const errorOf = async (answer: ReturnType<typeof share>) => ((await answer).json as { error: object }).error
const linksTo = async (args: object) =>
  ((await api.rpc('sharing/list_shared_links', args)).json as { links: Link[] }).links

/** As a browser or program does it, with the address put behind the emulator's own. */
const open = (url: string) => fetch(url.replace('https://', `${dropbox.url}/@`), { redirect: 'manual' })
async function follow(url: string): Promise<Response> {
  const response = await open(url)
  const location = response.headers.get('location')
  return location ? open(location) : response
}

test('a link is made once, opens the file for anybody, and is taken back', async () => {
  const made = await share('/a/x.txt', { audience: 'public', access: 'viewer' })
  expect(made.json).toMatchObject({
    '.tag': 'file',
    name: 'x.txt',
    path_lower: '/a/x.txt',
    size: 7,
    link_permissions: { can_revoke: true, effective_audience: { '.tag': 'public' } },
  })
  const { url } = made.json as Link
  expect(await errorOf(share('/a/x.txt'))).toEqual({
    '.tag': 'shared_link_already_exists',
    shared_link_already_exists: { '.tag': 'metadata', metadata: made.json },
  })
  expect(await errorOf(share('/a/x.txt', { expires: '2030-01-01T00:00:00Z' }))).toEqual({
    '.tag': 'shared_link_already_exists',
  })

  expect(await (await open(url)).text()).toContain('x.txt')
  expect(await (await follow(url.replace('dl=0', 'dl=1'))).text()).toBe('content')
  const revoke = (link: string) => api.rpc('sharing/revoke_shared_link', { url: link })
  expect(await revoke(url)).toMatchObject({ status: 200, text: 'null' })
  expect((await open(url)).status).toBe(404)
  expect((await revoke(url)).json).toMatchObject({ error: { '.tag': 'shared_link_not_found' } })
  expect((await revoke('https://example.org/x')).json).toMatchObject({ error: { '.tag': 'shared_link_malformed' } })
})

test('links to a file are listed with those to the folders above it', async () => {
  await share('/a/x.txt')
  await share('/a')
  expect(await linksTo({})).toHaveLength(2)
  expect(await linksTo({ path: '/a/x.txt' })).toHaveLength(2)
  expect(await linksTo({ path: '/a/x.txt', direct_only: true })).toEqual([expect.objectContaining({ name: 'x.txt' })])
  expect(await linksTo({ path: '/a' })).toEqual([expect.objectContaining({ '.tag': 'folder', name: 'a' })])
  await api.rpc('files/delete_v2', { path: '/a' })
  expect(await linksTo({})).toEqual([])
  expect((await api.rpc('sharing/list_shared_links', { cursor: 'x' })).status).toBe(400)
})

test('what an account may not do with links', async () => {
  expect(await errorOf(share('/nothing'))).toMatchObject({ '.tag': 'path', path: { '.tag': 'not_found' } })
  expect(await errorOf(share('/a', { expires: '2020-01-01T00:00:00Z' }))).toEqual({
    '.tag': 'settings_error',
    settings_error: { '.tag': 'invalid_settings' },
  })
  dropbox.commands.changeUser({ user: EMAIL, canSetExpiry: false })
  expect(await errorOf(share('/a', { expires: '2030-01-01T00:00:00Z' }))).toMatchObject({
    settings_error: { '.tag': 'not_authorized' },
  })
  dropbox.plan({ kind: 'policy', operation: 'sharing/create_shared_link_with_settings' })
  expect(await errorOf(share('/a'))).toEqual({ '.tag': 'access_denied' })
  dropbox.commands.changeUser({ user: EMAIL, emailVerified: false })
  expect(await errorOf(share('/a'))).toEqual({ '.tag': 'email_not_verified' })
  expect((await api.rpc('files/get_temporary_link', { path: '/a/x.txt' })).json).toMatchObject({
    error: { '.tag': 'email_not_verified' },
  })
})

test('a link ends by itself', async () => {
  const { url } = (await share('/a/x.txt', { expires: '2026-11-22T00:00:00Z' })).json as Link
  expect((await open(url)).status).toBe(200)
  dropbox.pass(24 * 3600_000)
  expect((await open(url)).status).toBe(404)
})

test('a temporary link gives the bytes, parts too, for four hours', async () => {
  const { link } = (await api.rpc('files/get_temporary_link', { path: '/a/x.txt' })).json as { link: string }
  const part = await fetch(link.replace('https://', `${dropbox.url}/@`), { headers: { range: 'bytes=3-' } })
  expect([part.status, await part.text()]).toEqual([206, 'tent'])
  expect((await api.rpc('files/get_temporary_link', { path: '/a' })).json).toMatchObject({
    error: { path: { '.tag': 'not_file' } },
  })
  dropbox.pass(4 * 3600_000)
  expect((await open(link)).status).toBe(410)
})
