import { Dropbox, DropboxAuth, DropboxResponseError, type files } from 'dropbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import { decide, EMAIL, type Harness, REDIRECT, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let auth: DropboxAuth
let sdk: Dropbox

/** The SDK knows the real addresses only, and reads whole bodies by node-fetch's `buffer`. */
const throughEmulator = async (address: string, init: RequestInit) => {
  const response = await fetch(address.replace('https://', `${dropbox.url}/@`), init)
  return Object.assign(response, { buffer: async () => Buffer.from(await response.arrayBuffer()) })
}

/** What a call is refused for. */
async function refusalOf(
  call: Promise<unknown>,
): Promise<DropboxResponseError<{ error: object; error_summary: string }>> {
  try {
    await call
  } catch (error) {
    if (error instanceof DropboxResponseError) return error
    throw error
  }
  throw new Error('The call was not refused.')
}

beforeAll(async () => {
  dropbox = await startDropbox()
  auth = new DropboxAuth({ clientId: DROPBOX_CLIENT.id, fetch: throughEmulator })
  const scopes = ['account_info.read', 'files.content.read', 'files.content.write', 'sharing.write', 'sharing.read']
  const address = await auth.getAuthenticationUrl(REDIRECT, 'opaque', 'code', 'offline', scopes, 'none', true)
  const back = await decide(String(address).replace('https://', `${dropbox.url}/@`), 'allow')
  const tokens = (await auth.getAccessTokenFromCode(REDIRECT, back.searchParams.get('code') ?? '')).result as {
    access_token: string
    refresh_token: string
    expires_in: number
  }
  auth.setAccessToken(tokens.access_token)
  auth.setRefreshToken(tokens.refresh_token)
  auth.setAccessTokenExpiresAt(new Date(Date.now() + tokens.expires_in * 1000))
  sdk = new Dropbox({ auth, fetch: throughEmulator })
})
afterAll(() => dropbox.close())

test('the account, its space, and a token made anew', async () => {
  const account = (await sdk.usersGetCurrentAccount()).result
  expect([account.email, account.name.display_name, account.root_info['.tag']]).toEqual([EMAIL, 'Ada Lovelace', 'user'])
  expect((await sdk.usersGetSpaceUsage()).result).toEqual({
    used: 0,
    allocation: { '.tag': 'individual', allocated: 100e6 },
  })
  expect((await sdk.checkUser({ query: 'foo' })).result).toEqual({ result: 'foo' })
  const before = auth.getAccessToken()
  auth.setAccessTokenExpiresAt(new Date(0))
  expect((await sdk.checkUser({ query: 'bar' })).result).toEqual({ result: 'bar' })
  expect(auth.getAccessToken()).not.toBe(before)
})

test('files by the SDK: up, down, listed, moved, copied, deleted', async () => {
  const stored = (await sdk.filesUpload({ path: '/Grüße/你好.txt', contents: 'hello', mode: { '.tag': 'overwrite' } }))
    .result
  expect(stored).toMatchObject({ name: '你好.txt', size: 5 })
  const read = (await sdk.filesDownload({ path: stored.id })).result as files.FileMetadata & { fileBinary: Buffer }
  expect([read.fileBinary.toString(), read.rev, read.path_display]).toEqual(['hello', stored.rev, '/Grüße/你好.txt'])

  const { session_id } = (await sdk.filesUploadSessionStart({ contents: '0123', close: false })).result
  await sdk.filesUploadSessionAppendV2({ cursor: { session_id, offset: 4 }, contents: '4567' })
  const wrong = await refusalOf(sdk.filesUploadSessionAppendV2({ cursor: { session_id, offset: 4 }, contents: '4567' }))
  expect([wrong.status, wrong.error.error]).toEqual([409, { '.tag': 'incorrect_offset', correct_offset: 8 }])
  const commit = { path: '/Grüße/eight', mode: { '.tag': 'add' } as const }
  const finished = await sdk.filesUploadSessionFinish({ cursor: { session_id, offset: 8 }, commit, contents: '' })
  expect(finished.result.size).toBe(8)

  await sdk.filesMoveV2({ from_path: '/Grüße/eight', to_path: '/eight' })
  await sdk.filesCopyV2({ from_path: '/eight', to_path: '/Grüße/copy' })
  const list = (await sdk.filesListFolder({ path: '', recursive: true })).result
  expect(list.entries.map(({ path_display }) => path_display)).toEqual([
    '/eight',
    '/Grüße',
    '/Grüße/copy',
    '/Grüße/你好.txt',
  ])
  await sdk.filesDeleteV2({ path: '/Grüße' })
  const changes = (await sdk.filesListFolderContinue({ cursor: list.cursor })).result
  expect(changes.entries.map((entry) => [entry['.tag'], entry.path_lower])).toEqual([['deleted', '/grüße']])
})

test('changes by the SDK: a cursor, waiting, and what was added, moved and deleted since', async () => {
  await dropbox.commands.plant({ user: EMAIL, path: '/Feed/old.txt', text: 'old' })
  const { cursor } = (await sdk.filesListFolderGetLatestCursor({ path: '', recursive: true })).result
  const waiting = sdk.filesListFolderLongpoll({ cursor, timeout: 30 })
  await dropbox.commands.plant({ user: EMAIL, path: '/Feed/new.txt', text: 'new' })
  expect((await waiting).result).toEqual({ changes: true })
  await dropbox.commands.alter({ user: EMAIL, path: '/Feed/old.txt', to: '/Feed/Moved.txt' })
  await dropbox.commands.plantTree({
    user: EMAIL,
    files: Array.from({ length: 30 }, (_, index) => ({ path: `/Feed/many/${index}.txt`, text: 'x' })),
  })
  await dropbox.commands.remove({ user: EMAIL, path: '/Feed/many/7.txt' })
  // The last report of each path is what is there.
  const last = new Map<string, string>()
  let page = (await sdk.filesListFolderContinue({ cursor })).result
  for (;;) {
    for (const entry of page.entries) last.set(entry.path_lower ?? '', entry['.tag'])
    if (!page.has_more) break
    page = (await sdk.filesListFolderContinue({ cursor: page.cursor })).result
  }
  const there = [...last].flatMap(([path, tag]) => (tag === 'deleted' ? [] : path)).sort()
  const held = (await dropbox.commands.objects({ user: EMAIL, path: '/Feed/' })).map(({ path }) => path.toLowerCase())
  expect(there).toEqual(held.sort())
  expect(last.get('/feed/old.txt')).toBe('deleted')
  expect((await sdk.filesListFolderContinue({ cursor: page.cursor })).result).toMatchObject({
    entries: [],
    has_more: false,
  })
  dropbox.commands.resetCursors()
  const refusal = await refusalOf(sdk.filesListFolderContinue({ cursor: page.cursor }))
  expect([refusal.status, refusal.error.error]).toEqual([409, { '.tag': 'reset' }])
})

test('links by the SDK', async () => {
  await sdk.filesUpload({ path: '/shared', contents: 'x' })
  const link = (await sdk.sharingCreateSharedLinkWithSettings({ path: '/shared' })).result
  expect((await sdk.sharingListSharedLinks({ path: '/shared', direct_only: true })).result.links).toEqual([link])
  await sdk.sharingRevokeSharedLink({ url: link.url })
  expect((await sdk.sharingListSharedLinks({ path: '/shared' })).result.links).toEqual([])
  expect((await sdk.filesGetTemporaryLink({ path: '/shared' })).result.link).toMatch(/^https:\/\/uc/)
})

test('refusals by the SDK: tags, plain text, and waiting', async () => {
  const missing = await refusalOf(sdk.filesGetMetadata({ path: '/nothing' }))
  expect([missing.status, missing.error.error]).toEqual([409, { '.tag': 'path', path: { '.tag': 'not_found' } }])
  const unreadable = await refusalOf(sdk.filesGetMetadata({ path: 'nothing' }))
  expect([unreadable.status, unreadable.error]).toEqual([400, expect.stringContaining('did not match pattern')])
  dropbox.plan({ kind: 'rateLimit', retryAfter: 3 })
  const limited = await refusalOf(sdk.usersGetCurrentAccount())
  expect([limited.status, (limited.headers as Headers).get('retry-after')]).toEqual([429, '3'])
  await sdk.authTokenRevoke()
  const gone = await refusalOf(sdk.usersGetCurrentAccount())
  expect([gone.status, gone.error.error]).toEqual([401, { '.tag': 'invalid_access_token' }])
  await expect(auth.refreshAccessToken()).rejects.toMatchObject({ status: 400, error: { error: 'invalid_grant' } })
})
