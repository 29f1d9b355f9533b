import { afterEach, beforeEach, expect, test } from 'vitest'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import {
  askToken,
  authorizeUrl,
  connect,
  createApi,
  decide,
  EMAIL,
  type Harness,
  REDIRECT,
  startDropbox,
} from './dropboxHarness.ts'

let dropbox: Harness
beforeEach(async () => {
  dropbox = await startDropbox()
})
afterEach(() => dropbox.close())

const CHALLENGE = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

async function codeFor(query: Record<string, string> = {}): Promise<string> {
  return (await decide(authorizeUrl(dropbox, query), 'allow')).searchParams.get('code') ?? ''
}

const redeem = (code: string, more: Record<string, string> = {}) =>
  askToken(dropbox, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, ...more })

test('the consent page names the accounts, and tells the app what the user decided', async () => {
  dropbox.commands.addUser({ email: 'bob@example.com', name: 'Bob <b>', quotaBytes: null })
  const page = await (await fetch(authorizeUrl(dropbox, { login_hint: 'bob@example.com' }))).text()
  expect(page).toContain('Bob &lt;b&gt;')
  expect(page).toMatch(/value="bob@example.com" checked/)
  expect(page).toContain('View content of your Dropbox files and folders')

  const denied = await decide(authorizeUrl(dropbox), 'deny')
  expect(denied.searchParams.get('error')).toBe('access_denied')
  expect(denied.searchParams.get('state')).toBe('opaque')
  const allowed = await decide(authorizeUrl(dropbox), 'allow')
  expect(allowed.href.startsWith(`${REDIRECT}?code=`)).toBe(true)
})

test.each([
  { client_id: 'nobody' },
  { redirect_uri: 'not an address' },
  { response_type: 'token' },
  { token_access_type: 'forever' },
  { scope: 'files.everything' },
  { ...CHALLENGE, code_challenge: 'short' },
  { ...CHALLENGE, code_challenge_method: 'S512' },
])('a wrong authorization request is not sent back to the app: %j', async (query) => {
  const response = await fetch(authorizeUrl(dropbox, query as unknown as Record<string, string>), {
    redirect: 'manual',
  })
  expect(response.status).toBe(400)
  expect(response.headers.get('location')).toBeNull()
})

test('a code is good once, for who asked, for ten minutes, with its verifier', async () => {
  const code = await codeFor({ ...CHALLENGE, scope: 'files.content.write files.content.read' })
  expect((await redeem(code)).json).toMatchObject({
    error: 'invalid_grant',
    error_description: 'invalid code verifier',
  })
  const wrongPlace = await redeem(code, { code_verifier: VERIFIER, redirect_uri: 'http://127.0.0.1/other' })
  expect(wrongPlace.json).toMatchObject({ error: 'invalid_grant' })
  const answer = await redeem(code, { code_verifier: VERIFIER })
  expect(answer.json).toMatchObject({
    token_type: 'bearer',
    expires_in: 14_400,
    scope: 'account_info.read files.content.read files.content.write files.metadata.read',
  })
  expect(await redeem(code, { code_verifier: VERIFIER })).toMatchObject({
    status: 400,
    json: { error: 'invalid_grant', error_description: "code doesn't exist or has expired" },
  })

  const late = await codeFor()
  dropbox.pass(10 * 60_000)
  expect((await redeem(late)).json).toMatchObject({ error: 'invalid_grant' })
})

test('an app proves itself by its secret or by a verifier', async () => {
  const wrong = await redeem(await codeFor(), { client_secret: 'wrong' })
  expect(wrong).toMatchObject({ status: 400, json: { error: 'invalid_client' } })
  const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, client_id: DROPBOX_CLIENT.id }
  const ask = async (more: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ ...form, ...more })
    return fetch(dropbox.at('api.dropboxapi.com', '/oauth2/token'), { method: 'POST', headers, body })
  }
  expect((await ask({ code: await codeFor() })).status).toBe(400)
  expect((await ask({ code: await codeFor(CHALLENGE), code_verifier: VERIFIER })).status).toBe(200)
  const basic = (secret: string) => `Basic ${btoa(`${DROPBOX_CLIENT.id}:${secret}`)}`
  expect((await ask({ code: await codeFor() }, { authorization: basic(DROPBOX_CLIENT.secret) })).status).toBe(200)
  expect((await ask({ code: await codeFor() }, { authorization: basic('wrong') })).status).toBe(401)
})

test('what was given to one app is no good for another', async () => {
  dropbox.commands.addClient({ id: 'other', secret: 'other-secret', redirectUris: ['http://127.0.0.1/other'] })
  const other = { client_id: 'other', client_secret: 'other-secret' }
  expect((await redeem(await codeFor(), other)).json).toMatchObject({ error: 'invalid_grant' })
  const { refresh_token } = await connect(dropbox)
  const refresh = (more: Record<string, string>) =>
    askToken(dropbox, { grant_type: 'refresh_token', refresh_token, ...more })
  expect((await refresh(other)).json).toMatchObject({ error: 'invalid_grant' })
  expect((await fetch(authorizeUrl(dropbox, { client_id: 'other' }))).status).toBe(400)

  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: DROPBOX_CLIENT.id })
  const secretless = await fetch(dropbox.at('api.dropboxapi.com', '/oauth2/token'), { method: 'POST', body })
  expect([secretless.status, await secretless.json()]).toEqual([
    400,
    expect.objectContaining({ error: 'invalid_client' }),
  ])
})

test('a token may be asked for with less than was allowed, not with more', async () => {
  const { refresh_token } = await connect(dropbox, { scope: 'files.content.read files.content.write' })
  const ask = (scope: string) => askToken(dropbox, { grant_type: 'refresh_token', refresh_token, scope })
  expect((await ask('sharing.write')).json).toMatchObject({ error: 'invalid_scope' })
  const { access_token } = (await ask('account_info.read')).json as { access_token: string }
  expect((await createApi(dropbox, access_token).rpc('files/list_folder', { path: '' })).status).toBe(401)
})

test('tokens without a browser, for tests', async () => {
  const { access_token, refresh_token } = dropbox.commands.mintToken({ user: EMAIL })
  expect((await createApi(dropbox, access_token).rpc('check/user', { query: 'x' })).json).toEqual({ result: 'x' })
  expect((await askToken(dropbox, { grant_type: 'refresh_token', refresh_token })).status).toBe(200)
  expect(dropbox.commands.tokens({ user: EMAIL })).toEqual({ refresh: 1, access: 2 })
  expect(() => dropbox.commands.mintToken({ user: EMAIL, scope: 'everything' })).toThrow('no such scope')
})

test('a refresh token stays the same and gives tokens until it is revoked', async () => {
  const { access_token, refresh_token } = await connect(dropbox)
  dropbox.commands.tokenLife({ seconds: 60 })
  const refresh = () => askToken(dropbox, { grant_type: 'refresh_token', refresh_token })
  const [one, two] = [await refresh(), await refresh()]
  expect(one.json).toEqual({ access_token: expect.stringMatching(/^sl\./), token_type: 'bearer', expires_in: 60 })
  expect((two.json as { access_token: string }).access_token).not.toBe(
    (one.json as { access_token: string }).access_token,
  )

  const revoked = await createApi(dropbox, access_token).rpc('auth/token/revoke', null)
  expect(revoked).toMatchObject({ status: 200, text: 'null' })
  expect((await createApi(dropbox, access_token).rpc('users/get_current_account', null)).json).toMatchObject({
    error: { '.tag': 'invalid_access_token' },
  })
  expect(await refresh()).toMatchObject({
    status: 400,
    json: { error: 'invalid_grant', error_description: 'refresh token is invalid or revoked' },
  })
})

test('without offline access there is no refresh token', async () => {
  expect(await connect(dropbox, { token_access_type: 'online' })).not.toHaveProperty('refresh_token')
})

test('tokens end by time, by command and with their account', async () => {
  const { access_token, refresh_token } = await connect(dropbox)
  const api = createApi(dropbox, access_token)
  const tagNow = async () => ((await api.rpc('check/user', { query: 'x' })).json as { error?: object })?.error ?? 'fine'
  expect(await tagNow()).toBe('fine')
  dropbox.pass(14_400_000)
  expect(await tagNow()).toEqual({ '.tag': 'expired_access_token' })
  dropbox.commands.revokeUser({ user: EMAIL })
  expect(await tagNow()).toEqual({ '.tag': 'invalid_access_token' })
  expect((await askToken(dropbox, { grant_type: 'refresh_token', refresh_token })).status).toBe(400)

  const other = createApi(dropbox, (await connect(dropbox)).access_token)
  dropbox.commands.expireAccessTokens({ user: EMAIL })
  expect((await other.rpc('check/user', {})).json).toMatchObject({
    error_summary: expect.stringMatching(/^expired_access_token\//),
  })
  const last = createApi(dropbox, (await connect(dropbox)).access_token)
  dropbox.commands.changeUser({ user: EMAIL, suspended: true })
  expect((await last.rpc('check/user', {})).json).toMatchObject({ error: { '.tag': 'user_suspended' } })
  dropbox.commands.deleteAccount({ user: EMAIL })
  expect((await last.rpc('check/user', {})).json).toMatchObject({ error: { '.tag': 'invalid_access_token' } })
})

test('who is signed in and has allowed the same is asked again only by force_reapprove', async () => {
  const body = new URLSearchParams({ account: EMAIL, decision: 'allow' })
  const first = await fetch(authorizeUrl(dropbox), { method: 'POST', body, redirect: 'manual' })
  const code = new URL(first.headers.get('location') ?? '').searchParams.get('code') ?? ''
  await redeem(code)
  const headers = { cookie: (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
  const again = await fetch(authorizeUrl(dropbox), { headers, redirect: 'manual' })
  expect(again.headers.get('location')).toContain('code=')
  const forced = await fetch(authorizeUrl(dropbox, { force_reapprove: 'true' }), { headers, redirect: 'manual' })
  expect(forced.status).toBe(200)
})

test('the page can be cut off from the window that opened it', async () => {
  dropbox.commands.coop({ on: true })
  expect((await fetch(authorizeUrl(dropbox))).headers.get('cross-origin-opener-policy')).toBe('same-origin')
})
