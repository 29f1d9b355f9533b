import { createPublicKey, createVerify } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  allow,
  ask,
  authorizationAddress,
  challenge,
  createApi,
  decide,
  type Harness,
  newVerifier,
  OTHER,
  REDIRECT,
  startGoogle,
  tokenRequest,
  USER,
} from './googleHarness.ts'

let google: Harness
beforeAll(async () => {
  google = await startGoogle()
})
afterAll(() => google.close())
beforeEach(() => google.clearFaults())

const REVOKE = 'https://oauth2.googleapis.com/revoke'

async function consent(more: Record<string, string> = {}, form: Record<string, string> = allow()): Promise<string> {
  const back = await decide(google, authorizationAddress(more), form)
  return back.searchParams.get('code') ?? ''
}
const exchangeCode = (code: string, more: Record<string, string> = {}) =>
  tokenRequest(google, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, ...more })
const refresh = (token: string) => tokenRequest(google, { grant_type: 'refresh_token', refresh_token: token })
async function tokens() {
  const { json } = await exchangeCode(await consent())
  return { access: String(json.access_token), refresh: String(json.refresh_token) }
}

describe('the consent page of the emulated Google', () => {
  it('lists the accounts, with the hinted one chosen, and what is asked', async () => {
    const page = (await ask(google, authorizationAddress({ login_hint: OTHER }))).bytes.toString()
    expect(page).toContain(`value="${OTHER}" checked`)
    expect(page).not.toContain(`value="${USER}" checked`)
    expect(page).toContain('See, edit, create and delete all of your Google Drive files')
  })

  it('sends the browser back with a code, or with what was decided', async () => {
    const back = await decide(google, authorizationAddress(), allow())
    expect(back.origin + back.pathname).toBe(REDIRECT)
    expect(back.searchParams.get('state')).toBe('state-1')
    expect(back.searchParams.get('code')).toMatch(/^4\//)
    const denied = await decide(google, authorizationAddress(), { account: USER, decision: 'deny' })
    expect(denied.searchParams.get('error')).toBe('access_denied')
    expect(denied.searchParams.has('code')).toBe(false)
  })

  it('cuts itself off from its opener when told', async () => {
    google.commands.coop({ on: true })
    const page = await ask(google, authorizationAddress())
    google.commands.coop({ on: false })
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect((await ask(google, authorizationAddress())).headers.has('cross-origin-opener-policy')).toBe(false)
  })

  it.each([
    ['a client it does not know', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['a redirect address that is none', { redirect_uri: 'nowhere' }, 400, 'redirect_uri_mismatch'],
    ['a scope it does not know', { scope: 'everything' }, 400, 'invalid_scope'],
    ['another response type', { response_type: 'token' }, 400, 'invalid_request'],
    ['another challenge method', { code_challenge_method: 'S512' }, 400, 'invalid_request'],
  ])('refuses %s', async (_, more, status, error) => {
    const answer = await ask(google, authorizationAddress(more))
    expect(answer.status).toBe(status)
    expect(answer.bytes.toString()).toContain(error)
  })

  it('takes no redirect address that is not registered', async () => {
    google.commands.addClient({ id: 'strict', secret: 's', redirectUris: [REDIRECT] })
    const to = (uri: string) => ask(google, authorizationAddress({ client_id: 'strict', redirect_uri: uri }))
    expect([(await to(REDIRECT)).status, (await to(`${REDIRECT}/`)).status]).toEqual([200, 400])
  })

  it('says so when an administrator blocks the app', async () => {
    google.plan({ kind: 'policy', operation: 'oauth.authorize' })
    expect((await ask(google, authorizationAddress())).bytes.toString()).toContain('admin_policy_enforced')
  })
})

describe('the token endpoint of the emulated Google', () => {
  it('gives tokens for a code and its verifier, with an id token that its key has signed', async () => {
    const verifier = newVerifier()
    const code = await consent({ ...challenge(verifier), nonce: 'n-1' })
    const { status, json } = await exchangeCode(code, { code_verifier: verifier })
    expect(status).toBe(200)
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3599 })
    expect(String(json.scope).split(' ').sort()).toContain('https://www.googleapis.com/auth/drive')
    const [head, payload, signature] = String(json.id_token).split('.')
    const { keys } = (await ask(google, 'https://www.googleapis.com/oauth2/v3/certs')).json as unknown as {
      keys: [object]
    }
    const key = createPublicKey({ key: keys[0] as never, format: 'jwk' })
    expect(
      createVerify('RSA-SHA256')
        .update(`${head}.${payload}`)
        .verify(key, signature ?? '', 'base64url'),
    ).toBe(true)
    const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ email: USER, nonce: 'n-1', iss: 'https://accounts.google.com' })
    const api = createApi(google, String(json.access_token))
    const info = await api.call('GET', '/oauth2/v3/userinfo')
    expect(info.json).toMatchObject({ sub: claims.sub, email: USER, name: 'Ann Archer' })
  })

  it('takes a code once, in time, with its own redirect address and verifier', async () => {
    const verifier = newVerifier()
    const used = await consent()
    await exchangeCode(used)
    expect((await exchangeCode(used)).json).toMatchObject({ error: 'invalid_grant' })
    const elsewhere = await exchangeCode(await consent(), { redirect_uri: `${REDIRECT}/` })
    expect(elsewhere.json).toMatchObject({ error: 'redirect_uri_mismatch' })
    const unproved = await exchangeCode(await consent(challenge(verifier)))
    expect(unproved.json).toMatchObject({ error: 'invalid_grant', error_description: 'Missing code verifier.' })
    const wrong = await exchangeCode(await consent(challenge(verifier)), { code_verifier: newVerifier() })
    expect(wrong.json).toMatchObject({ error: 'invalid_grant', error_description: 'Invalid code verifier.' })
    const late = await consent()
    google.pass(11 * 60_000)
    expect((await exchangeCode(late)).json).toMatchObject({ error: 'invalid_grant' })
  })

  it('knows its clients', async () => {
    const unknown = await exchangeCode('4/x', { client_id: 'nobody' })
    expect([unknown.status, unknown.json.error]).toEqual([401, 'invalid_client'])
    const wrong = await exchangeCode('4/x', { client_secret: 'wrong' })
    expect([wrong.status, wrong.json.error]).toEqual([401, 'invalid_client'])
    expect((await exchangeCode('4/x', { grant_type: 'password' })).json.error).toBe('unsupported_grant_type')
  })

  it('gives a second refresh token only after a prompt for consent', async () => {
    await tokens()
    const again = await exchangeCode(await consent({ prompt: 'select_account' }))
    expect(again.json).not.toHaveProperty('refresh_token')
    const online = await exchangeCode(await consent({ access_type: 'online' }))
    expect(online.json).not.toHaveProperty('refresh_token')
  })

  it('leaves out what the user has unticked', async () => {
    const { json } = await exchangeCode(await consent({}, { account: USER, decision: 'allow' }))
    expect(json.scope).not.toContain('drive')
    const about = await createApi(google, String(json.access_token)).get('/about?fields=user')
    expect(about.status).toBe(403)
  })

  it('refreshes without another refresh token, and with one when told so', async () => {
    const { refresh: first } = await tokens()
    expect((await refresh(first)).json).not.toHaveProperty('refresh_token')
    google.commands.rotation({ on: true })
    const second = String((await refresh(first)).json.refresh_token)
    google.commands.rotation({ on: false })
    expect((await refresh(first)).json).toMatchObject({ error: 'invalid_grant' })
    expect((await refresh(second)).status).toBe(200)
  })

  it('ends access tokens in time, or when told', async () => {
    google.commands.tokenLife({ seconds: 10 })
    const { access } = await tokens()
    google.commands.tokenLife({ seconds: 3600 })
    const about = async (token: string) => (await createApi(google, token).get('/about?fields=user')).status
    expect(await about(access)).toBe(200)
    google.pass(11_000)
    expect(await about(access)).toBe(401)
    const other = (await tokens()).access
    google.commands.expireAccessTokens({ user: USER })
    expect(await about(other)).toBe(401)
    expect(google.log().at(-1)).toMatchObject({ operation: 'drive.about.get', user: USER, status: 401 })
  })

  it('knows no token any more after the user took access away, and new ones after a new consent', async () => {
    const before = await tokens()
    google.commands.revokeUser({ user: USER })
    const answer = await refresh(before.refresh)
    expect([answer.status, answer.json.error_description]).toEqual([400, 'Token has been expired or revoked.'])
    expect(google.commands.tokens({ user: USER })).toEqual({ refresh: 0, access: 0 })
    expect((await refresh((await tokens()).refresh)).status).toBe(200)
  })

  it('revokes a grant by any of its tokens, once', async () => {
    const { refresh: token } = await tokens()
    const body = String(new URLSearchParams({ token }))
    const revoke = () =>
      ask(google, REVOKE, { method: 'POST', body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })
    expect((await revoke()).status).toBe(200)
    const again = await revoke()
    expect([again.status, again.json.error]).toEqual([400, 'invalid_token'])
    expect((await refresh(token)).json.error).toBe('invalid_grant')
  })

  it('lets the oldest of more than a hundred refresh tokens die', async () => {
    const { refresh: oldest } = await tokens()
    for (let count = 0; count < 100; count += 1) google.commands.mintToken({ user: USER })
    expect((await refresh(oldest)).json.error).toBe('invalid_grant')
  })

  it.each([
    ['invalidGrant', 400, 'invalid_grant'],
    ['policy', 400, 'invalid_grant'],
    ['serverError', 503, 'internal_failure'],
    ['rateLimit', 403, 'rate_limit_exceeded'],
  ] as const)('plays %s', async (kind, status, error) => {
    const { refresh: token } = await tokens()
    google.plan({ kind, operation: 'oauth.token.refresh', user: USER })
    const answer = await refresh(token)
    expect([answer.status, answer.json.error]).toEqual([status, error])
    expect((await refresh(token)).status).toBe(200)
  })

  it('knows nothing of a deleted account', async () => {
    const minted = google.commands.mintToken({ user: OTHER })
    google.commands.deleteAccount({ user: OTHER })
    expect((await refresh(minted.refresh_token)).json.error).toBe('invalid_grant')
    expect((await createApi(google, minted.access_token).get('/about?fields=user')).status).toBe(401)
    expect((await ask(google, authorizationAddress())).bytes.toString()).not.toContain(OTHER)
  })
})
