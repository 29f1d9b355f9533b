import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUser, type TestUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, ERROR } from '../setup/graphqlClient.ts'
import { mailsIn, mailTo } from '../setup/mails.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
let ada: TestUser
let browser: Browser

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true }, { logLevel: 'info' })
})
beforeEach(async () => {
  ada = await createUser(server.services.users)
  browser = createBrowser(server.url, ada.token)
})
afterAll(() => server?.close())

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
let networks = 0

/** Another browser of hers. */
async function signIn(userAgent = FIREFOX, rememberMe = true): Promise<Browser> {
  const other = createBrowser(server.url)
  const from = { 'user-agent': userAgent, 'x-forwarded-for': `2001:db8:dd:${(++networks).toString(16)}::7` }
  const answer = await other.request(
    'POST',
    '/api/v1/auth/login',
    { email: ada.email, password: ada.password, rememberMe },
    from,
  )
  expect(answer.status).toBe(200)
  return other
}
const validate = async (who: Browser) => (await who.request('GET', '/api/v1/auth/validate')).status
const sessionsOf = async (who: Browser) => (await who.request('GET', '/api/v1/sessions')).body.items
const actionsOf = (user: TestUser, expected: readonly string[]) =>
  vi.waitFor(
    async () => {
      const { rows } = await server.pool.query('select action from activities where user_id = $1', [user.user.id])
      expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining([...expected]))
    },
    { timeout: 120_000 },
  )

describe('sessions', () => {
  it('are at most 100: the one that was used least recently ends when another begins', async () => {
    await server.pool.query(
      `insert into sessions (id, user_id, token_hash, last_seen_at, expires_at)
       select gen_random_uuid(), $1, sha256(('of ' || n)::bytea), now() - n * interval '1 minute', now() + interval '7 days'
       from generate_series(1, 99) n`,
      [ada.user.id],
    )
    await server.pool.query(
      `update sessions set last_seen_at = now() - interval '3 hours' where token_hash = sha256($1::bytea)`,
      [Buffer.from(ada.token)],
    )
    expect(await validate(browser)).toBe(200)
    await server.pool.query(
      `update sessions set last_seen_at = now() - interval '3 hours' where token_hash = sha256($1::bytea)`,
      [Buffer.from(ada.token)],
    )
    const newest = await signIn()
    const { rows } = await server.pool.query('select count(*)::int as count from sessions where user_id = $1', [
      ada.user.id,
    ])
    expect(rows[0].count).toBe(100)
    expect([await validate(newest), await validate(browser)]).toEqual([200, 401])
  })

  it('are listed with what they are and where they came from, the present one first', async () => {
    const other = await signIn()
    const items = await sessionsOf(other)
    expect(items).toEqual([
      expect.objectContaining({
        name: 'Firefox on Linux',
        current: true,
        remember: true,
        address: `2001:db8:dd:${networks.toString(16)}::7`,
      }),
      expect.objectContaining({ name: 'test', current: false, remember: false }),
    ])
    expect(items[0].id).toMatch(/^sess_[0-9a-f]{32}$/)
    expect(JSON.stringify(items)).not.toContain(other.token)
    await server.pool.query(
      `update sessions set last_seen_at = now() - interval '40 days' where user_id = $1 and remember`,
      [ada.user.id],
    )
    expect((await sessionsOf(browser)).map(({ name }: { name: string }) => name)).toEqual(['test'])
  })

  it.each(['REST', 'GraphQL'])('are ended one by one over %s; the very next request is refused', async (door) => {
    const other = await signIn()
    const [, { id }] = await sessionsOf(browser)
    if (door === 'REST') expect((await browser.request('DELETE', `/api/v1/sessions/${id}`)).status).toBe(204)
    else {
      const { data } = await createGraphqlClient(
        server.url,
        ada.token,
      )(`mutation { endSession(input: { id: "${id}" }) { ... on EndSessionPayload { endedId } ${ERROR} } }`)
      expect(data.endSession).toEqual({ endedId: id })
    }
    expect([await validate(other), await validate(browser)]).toEqual([401, 200])
    expect((await browser.request('DELETE', `/api/v1/sessions/${id}`)).status).toBe(404)
    await actionsOf(ada, ['SESSION_ENDED'])
  })

  it('are ended all but the present one', async () => {
    const others = [await signIn(), await signIn(FIREFOX, false)]
    const { data } = await createGraphqlClient(
      server.url,
      ada.token,
    )('mutation { endOtherSessions(input: {}) { ended viewer { sessions { current } } } }')
    expect(data.endOtherSessions).toEqual({ ended: 2, viewer: { sessions: [{ current: true }] } })
    expect(await Promise.all([...others, browser].map(validate))).toEqual([401, 401, 200])
    await signIn()
    expect((await browser.request('DELETE', '/api/v1/sessions')).status).toBe(204)
    expect(await sessionsOf(browser)).toHaveLength(1)
  })

  it('let the present one end itself, cookie and all', async () => {
    const [{ id }] = await sessionsOf(browser)
    const { status, headers } = await browser.request('DELETE', `/api/v1/sessions/${id}`)
    expect([status, headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect(await validate(createBrowser(server.url, ada.token))).toBe(401)
  })
})

describe('the language', () => {
  it('is kept with the user, and in the browser for pages before sign-in', async () => {
    const { status, headers, body } = await browser.request('PATCH', '/api/v1/auth/me', { language: 'de' })
    expect([status, body.language, headers.get('set-cookie')]).toEqual([
      200,
      'de',
      expect.stringMatching(/^language=de;/),
    ])
    const answer = await createGraphqlClient(server.url, ada.token)('{ viewer { language } }')
    expect(answer.data.viewer.language).toBe('DE')
    const { data } = await createGraphqlClient(
      server.url,
      ada.token,
    )('mutation { changeLanguage(input: { language: null }) { viewer { language } } }')
    expect(data.changeLanguage.viewer.language).toBeNull()
  })

  it('is one that there is', async () => {
    expect((await browser.request('PATCH', '/api/v1/auth/me', { language: 'tlh' })).body.code).toBe('INVALID_INPUT')
  })
})

describe('the name', () => {
  it('is changed, trimmed and shown at once', async () => {
    const { status, body } = await browser.request('PATCH', '/api/v1/auth/me', { fullName: '  Ada King ' })
    expect([status, body.fullName]).toEqual([200, 'Ada King'])
    const { data } = await createGraphqlClient(
      server.url,
      ada.token,
    )(
      `mutation { changeName(input: { fullName: "Ada 🦄" }) { ... on ChangeNamePayload { viewer { fullName } } ${ERROR} } }`,
    )
    expect(data.changeName.viewer.fullName).toBe('Ada 🦄')
    await actionsOf(ada, ['NAME_CHANGED'])
  })

  it.each(['', '   ', 'x'.repeat(201), 'a\u0000b', 'a\r\nBcc: x'])('cannot be %j', async (fullName) => {
    const { body } = await browser.request('PATCH', '/api/v1/auth/me', { fullName })
    expect(body).toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: 'fullName' }] })
  })
})

describe('the password', () => {
  const change = (body: object, who = browser) => who.request('POST', '/api/v1/auth/password', body)
  const NEW = 'quite another secret'

  it('is changed with the old one: others are signed out, this browser gets a new token, a mail says so', async () => {
    const other = await signIn()
    const fixed = createBrowser(server.url, ada.token)
    const { status, headers } = await change({ currentPassword: ada.password, newPassword: NEW })
    expect([status, headers.get('set-cookie')]).toEqual([204, expect.stringMatching(/^sid=[\w-]{43}; Path=/)])
    expect(browser.token).not.toBe(ada.token)
    // Who had got hold of the old token, or sits at another browser, is out.
    expect([await validate(browser), await validate(other), await validate(fixed)]).toEqual([200, 401, 401])
    expect((await mailTo(server.dataDir, ada.email)).subject).toBe('Your Skypool password was changed')
    await expect(signIn()).rejects.toThrow()
    await actionsOf(ada, ['PASSWORD_CHANGED'])
  })

  it('is changed over GraphQL, and the rest of the request goes on', async () => {
    const body = JSON.stringify({
      query: `mutation($input: ChangePasswordInput!) { changePassword(input: $input) { ... on ChangePasswordPayload { viewer { email sessions { current } } } ${ERROR} } }`,
      variables: { input: { currentPassword: ada.password, newPassword: NEW } },
    })
    const headers = { 'content-type': 'application/json' }
    const response = await createGraphqlClient(server.url, ada.token).raw({ headers, body })
    expect((await response.json()).data.changePassword.viewer).toEqual({
      email: ada.email,
      sessions: [{ current: true }],
    })
    const [, token = ''] = /sid=([\w-]{43})/.exec(response.headers.get('set-cookie') ?? '') ?? []
    expect(await validate(createBrowser(server.url, token))).toBe(200)
  })

  it('is not changed by a wrong one, nor to a bad one', async () => {
    expect((await change({ currentPassword: 'wrong', newPassword: NEW })).body.errors).toEqual([
      { path: 'currentPassword', message: 'That password is not right. Please try again.' },
    ])
    expect((await change({ currentPassword: ada.password, newPassword: 'short' })).body.errors).toEqual([
      { path: 'newPassword', message: 'Password must be at least 8 characters long' },
    ])
    expect((await change({ currentPassword: ada.password, newPassword: ada.email })).status).toBe(400)
    expect(await validate(await signIn())).toBe(200)
  })

  it('of two changes at once, one wins', async () => {
    const answers = await Promise.all(
      [NEW, `${NEW} too`].map((newPassword) =>
        change({ currentPassword: ada.password, newPassword }, createBrowser(server.url, ada.token)),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).not.toEqual([204, 204])
    expect(answers.some(({ status }) => status === 204)).toBe(true)
  })

  it('cannot be guessed at from an open browser', async () => {
    const guess = () => change({ currentPassword: 'a guess', newPassword: NEW })
    const answers = await Promise.all(Array.from({ length: 11 }, guess))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
    expect((await browser.request('DELETE', '/api/v1/auth/me', { password: ada.password })).status).toBe(429)
  })
})

describe('no key', () => {
  it('may do any of this', async () => {
    const { key } = (await browser.request('POST', '/api/v1/keys', { name: 'All of it' })).body
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
      return (
        await fetch(`${server.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      ).status
    }
    const attempts = [
      ask('GET', '/sessions'),
      ask('DELETE', '/sessions'),
      ask('DELETE', `/sessions/sess_${'0'.repeat(32)}`),
      ask('PATCH', '/auth/me', { fullName: 'Eve' }),
      ask('POST', '/auth/password', { currentPassword: ada.password, newPassword: 'quite another secret' }),
      ask('DELETE', '/auth/me', { password: ada.password }),
    ]
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => 403))
  })
})

describe('without SMTP', () => {
  it('a mail is a file that only the server can read; the log says which, and not what is in it', async () => {
    await browser.request('POST', '/api/v1/auth/forgot-password', { email: ada.email })
    const mail = await mailTo(server.dataDir, ada.email)
    const [, token = ''] = /token=([\w-]{43})/.exec(mail.text ?? '') ?? []
    expect(token).not.toBe('')
    const { readdir, stat } = await import('node:fs/promises')
    const folder = `${server.dataDir}/mail`
    const names = await readdir(folder)
    const modes = await Promise.all(
      [folder, ...names.map((name) => `${folder}/${name}`)].map(async (path) => (await stat(path)).mode & 0o777),
    )
    expect(modes).toEqual([0o700, ...names.map(() => 0o600)])
    const log = server.logs.join('\n')
    expect(names.some((name) => log.includes(name))).toBe(true)
    expect(log).not.toContain(token)
    expect(log).not.toContain(ada.email)
    expect((await mailsIn(server.dataDir)).length).toBe(names.length)
    const { data } = await createGraphqlClient(server.url, null)('{ server { mail } }')
    expect(data.server.mail).toBe(false)
  })
})
