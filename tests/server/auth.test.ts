import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { LOCAL_QUOTA_BYTES, startHttp, type TestHttp } from '../setup/httpApp.ts'

let http: TestHttp
beforeAll(async () => {
  http = await startHttp({ trustProxy: true })
})
afterAll(() => http.close())

const ADA = { fullName: 'Ada Lovelace', email: 'Ada@Example.org', password: 'ключ от квартиры 🔑' }
let nextAddress = 0
/** A client address of its own, so that one test's attempts do not count against another's. */
const fromElsewhere = () => ({ 'x-forwarded-for': `198.51.100.${++nextAddress}` })

describe('register', () => {
  it('makes the user, the local account and the default group cloud, and signs in', async () => {
    const browser = createBrowser(http.url)
    const { status, body, headers } = await browser.request('POST', '/api/v1/auth/register', ADA)
    expect(status).toBe(201)
    expect(body.user).toMatchObject({ fullName: 'Ada Lovelace', email: 'Ada@Example.org' })
    expect(body.user.avatarUrl).toBe(`/avatars/${body.user.id}`)
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^skypool_device_[\da-f]{16}=[\w.-]{66}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/,
      ),
    ])
    const me = (await browser.request('GET', '/api/v1/auth/me')).body
    expect(me).toEqual({ ...body.user, key: null, rateLimit: null })

    const [groupCloud] = (await browser.request('GET', '/api/v1/group-clouds')).body.items
    expect(groupCloud).toMatchObject({ name: 'My Cloud', defaultUploadGroup: true, placement: 'MOST_FREE', copies: 1 })
    expect(groupCloud.quota).toEqual({ state: 'KNOWN', usedBytes: 0, totalBytes: LOCAL_QUOTA_BYTES, reservedBytes: 0 })
    const [account] = await http.database.db.account.findMany()
    expect(account).toMatchObject({ provider: 'local', name: 'This server', hue: 0 })
  })

  it('lets one of 50 sign-ups at once with spellings of one address through, and leaves nothing of the others', async () => {
    const spellings = ['eve@example.org', 'EVE@example.org', ' eve@EXAMPLE.org ', 'ｅｖｅ@example.org']
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        createBrowser(http.url).request(
          'POST',
          '/api/v1/auth/register',
          { ...ADA, email: spellings[index % spellings.length] },
          { 'x-forwarded-for': '203.0.113.50' },
        ),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.filter(({ body }) => body.code === 'EMAIL_TAKEN')
    expect(refused).toHaveLength(49)
    expect(refused[0]?.body).toMatchObject({
      status: 409,
      detail: 'An account with this email address cannot be created.',
    })
    const owners = await http.database.db.account.findMany({ where: { user: { emailKey: 'eve@example.org' } } })
    expect(owners).toHaveLength(1)
  })

  it.each([
    ['fullName', { fullName: '   ' }, 'Please enter your full name.'],
    ['fullName', { fullName: 'x'.repeat(201) }, 'A name can have at most 200 characters.'],
    ['fullName', { fullName: 'a\u0000b' }, 'A name cannot contain control characters.'],
    ['email', { email: 'nobody' }, 'Please enter a valid email address.'],
    ['email', { email: 'a\u0000@example.org' }, 'Please enter a valid email address.'],
    ['password', { password: 'seven77' }, 'Password must be at least 8 characters long'],
    ['password', { password: 'é'.repeat(1001) }, 'A password can have at most 1000 characters.'],
    ['password', { password: 'Password1' }, 'This password is too easy to guess. Please choose another one.'],
    ['password', { password: 'SkyPool-2026!' }, 'This password is too easy to guess. Please choose another one.'],
    ['password', { password: 'abababababab' }, 'This password is too easy to guess. Please choose another one.'],
    ['password', { password: 'new@example.org' }, 'This password is too easy to guess. Please choose another one.'],
    ['password', { password: 12345678 }, 'This must be a text.'],
    ['admin', { admin: true }, 'Unknown field.'],
  ])('refuses a wrong %s: %o', async (path, wrong, message) => {
    const input = { ...ADA, email: 'new@example.org', ...wrong }
    const { status, body } = await createBrowser(http.url).request('POST', '/api/v1/auth/register', input)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'INVALID_INPUT', errors: [{ path, message }] })
  })

  it('takes names and passwords at their longest', async () => {
    const input = { fullName: '𝒜'.repeat(200), email: 'long@example.org', password: 'pässwörd-'.repeat(111) }
    expect((await createBrowser(http.url).request('POST', '/api/v1/auth/register', input)).status).toBe(201)
    const login = await createBrowser(http.url).request('POST', '/api/v1/auth/login', credentialsOf(input))
    expect(login.status).toBe(200)
    const cut = { email: input.email, password: input.password.slice(0, -1) }
    expect((await createBrowser(http.url).request('POST', '/api/v1/auth/login', cut)).status).toBe(401)
  })

  it('slows down a network that registers in bulk', async () => {
    const headers = { 'x-forwarded-for': '2001:db8:77:1::5' }
    const taken = { ...ADA, email: 'ada@example.org' }
    const attempt = (from: Record<string, string>) =>
      createBrowser(http.url).request('POST', '/api/v1/auth/register', taken, from)
    const answers = await Promise.all(Array.from({ length: 62 }, () => attempt(headers)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    expect((await attempt({ 'x-forwarded-for': '2001:db8:77:1:ffff::9' })).status).toBe(429)
    expect((await attempt({ 'x-forwarded-for': '2001:db8:77:2::5' })).status).toBe(409)
  })

  it('refuses a body over 16 KiB before reading it', async () => {
    const input = { ...ADA, password: 'x'.repeat(17 * 1024) }
    const { status, body } = await createBrowser(http.url).request('POST', '/api/v1/auth/register', input)
    expect([status, body.code]).toEqual([413, 'TOO_LARGE'])
  })
})

function credentialsOf({ email, password }: { email: string; password: string }) {
  return { email, password }
}

describe('login', () => {
  it('takes any spelling of the address, and a password in any normal form', async () => {
    const { password } = await createUser(http.services.users, {
      email: 'jose@example.org',
      password: 'contrasenå-José',
    })
    const input = { email: ' JOSE@example.org', password: password.normalize('NFD') }
    const { status, body } = await createBrowser(http.url).request('POST', '/api/v1/auth/login', input, fromElsewhere())
    expect([status, body.user.email]).toEqual([200, 'jose@example.org'])
  })

  it('answers a wrong password and an unknown address alike, doing the same work', async () => {
    const { email } = await createUser(http.services.users)
    const attempt = (address: string) =>
      createBrowser(http.url).request(
        'POST',
        '/api/v1/auth/login',
        { email: address, password: 'wrong one' },
        fromElsewhere(),
      )
    const known = await attempt(email)
    const unknown = await attempt('nobody@example.org')
    expect(known.status).toBe(401)
    expect(unknown.body).toEqual(known.body)
    const names = ({ headers }: typeof known) => [...headers.keys()].sort()
    expect(names(unknown)).toEqual(names(known))
    expect(unknown.headers.get('set-cookie')).toBeNull()
  })

  it('survives addresses that no database can store', async () => {
    const attempt = { email: '\u0000\ud800@example.org', password: 'whatever it is' }
    const { status } = await createBrowser(http.url).request('POST', '/api/v1/auth/login', attempt, fromElsewhere())
    expect(status).toBe(401)
  })

  it('evaluates ten guesses per account, from wherever, then makes even the right password wait; a success starts afresh', async () => {
    const { email, password } = await createUser(http.services.users)
    const attempt = (guess: string) =>
      createBrowser(http.url).request('POST', '/api/v1/auth/login', { email, password: guess }, fromElsewhere())
    const guesses = await Promise.all(Array.from({ length: 12 }, () => attempt('a wrong guess')))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const refused = await attempt(password)
    expect(refused.body).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(290)

    await http.database.pool.query(`update login_throttles set blocked_until = now() where key = $1`, [
      `account:${email}`,
    ])
    expect((await attempt('a wrong guess')).status).toBe(401)
    const longer = await attempt(password)
    expect(Number(longer.headers.get('retry-after'))).toBeGreaterThan(590)

    await http.database.pool.query(`update login_throttles set blocked_until = now() where key = $1`, [
      `account:${email}`,
    ])
    expect((await attempt(password)).status).toBe(200)
    expect((await attempt('a wrong guess')).status).toBe(401)
    expect((await attempt(password)).status).toBe(200)
  })

  describe('on a browser that the owner has signed in on', () => {
    const login = (input: { email: string; password: string }, headers: Record<string, string> = {}) =>
      createBrowser(http.url).request('POST', '/api/v1/auth/login', input, { ...fromElsewhere(), ...headers })
    /** A new user and what their browser keeps, without the session. */
    async function known() {
      const { email, password } = await createUser(http.services.users)
      const [device = ''] = (await login({ email, password })).headers.getSetCookie().slice(1)
      return { email, password, cookie: device.split(';')[0] ?? '' }
    }
    const guess = (email: string, headers?: Record<string, string>) =>
      login({ email, password: 'a wrong guess' }, headers)

    it('the right password works however much strangers guess, and strangers go on to wait', async () => {
      const { email, password, cookie } = await known()
      const headers = { 'x-forwarded-for': '192.0.2.77' }
      await Promise.all(Array.from({ length: 12 }, () => guess(email)))
      await Promise.all(Array.from({ length: 22 }, (_, index) => guess(`x${index}@example.org`, headers)))
      expect((await login({ email, password }, headers)).status).toBe(429)
      for (let round = 0; round < 3; round += 1) {
        expect((await login({ email, password }, { ...headers, cookie })).status).toBe(200)
      }
      expect((await login({ email, password })).status, 'its success lets no stranger guess on').toBe(429)
    })

    it('guesses have an allowance of their own, as small as all others', async () => {
      const { email, password, cookie } = await known()
      const guesses = await Promise.all(Array.from({ length: 12 }, () => guess(email, { cookie })))
      expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429])
      expect((await login({ email, password }, { cookie })).status).toBe(429)
      expect((await login({ email, password })).status, 'they do not count against others').toBe(200)
    })

    it('what another user was given, or what was made up, is worth nothing', async () => {
      const { email, password, cookie } = await known()
      const [name = '', value = ''] = cookie.split('=')
      const [, strangers = ''] = (await known()).cookie.split('=')
      await Promise.all(Array.from({ length: 11 }, () => guess(email)))
      const forged = `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`
      for (const shown of [strangers, forged, 'x'.repeat(66), '']) {
        expect((await login({ email, password }, { cookie: `${name}=${shown}` })).status, shown).toBe(429)
      }
      expect((await login({ email, password }, { cookie })).status).toBe(200)
    })
  })

  it('throttles an unknown address exactly like a known one', async () => {
    const attempt = () =>
      createBrowser(http.url).request(
        'POST',
        '/api/v1/auth/login',
        { email: 'ghost@example.org', password: 'a wrong guess' },
        fromElsewhere(),
      )
    const guesses = await Promise.all(Array.from({ length: 11 }, attempt))
    expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429])
  })

  it('slows a network down by its failures, not by its successes', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.200' }
    const { email, password } = await createUser(http.services.users)
    const login = (input: { email: string; password: string }) =>
      createBrowser(http.url).request('POST', '/api/v1/auth/login', input, headers)
    for (let round = 0; round < 25; round++) expect((await login({ email, password })).status).toBe(200)
    const fail = (index: number) => login({ email: `u${index}@example.org`, password: 'a wrong guess' })
    const answers = await Promise.all(Array.from({ length: 22 }, (_, index) => fail(index)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  })

  it('renews a hash that was made with other parameters', async () => {
    const { email, password, user } = await createUser(http.services.users)
    const weak = await hash(password, {
      memoryCost: 8192,
      timeCost: 1,
      parallelism: 1,
    })
    await http.database.db.user.update({ where: { id: user.id }, data: { passwordHash: weak } })
    await createBrowser(http.url).request('POST', '/api/v1/auth/login', { email, password }, fromElsewhere())
    const { passwordHash } = await http.database.db.user.findUniqueOrThrow({ where: { id: user.id } })
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    const again = await createBrowser(http.url).request(
      'POST',
      '/api/v1/auth/login',
      { email, password },
      fromElsewhere(),
    )
    expect(again.status).toBe(200)
  })
})

describe('session', () => {
  it('is new at every login, ends the one it replaces, and ignores a token that the client made up', async () => {
    const { email, password, token } = await createUser(http.services.users)
    const browser = createBrowser(http.url, token)
    await browser.request('POST', '/api/v1/auth/login', { email, password }, fromElsewhere())
    expect(browser.token).not.toBe(token)
    expect((await createBrowser(http.url, token).request('GET', '/api/v1/auth/me')).status).toBe(401)
    const madeUp = 'A'.repeat(43)
    const fixed = createBrowser(http.url, madeUp)
    await fixed.request('POST', '/api/v1/auth/login', { email, password }, fromElsewhere())
    expect(fixed.token).not.toBe(madeUp)
    expect((await createBrowser(http.url, madeUp).request('GET', '/api/v1/auth/me')).status).toBe(401)
  })

  it('stores only a hash of the token', async () => {
    const { token, viewer } = await createUser(http.services.users)
    const { tokenHash } = await http.database.db.session.findUniqueOrThrow({ where: { id: viewer.sessionId ?? '' } })
    expect(tokenHash).toHaveLength(32)
    expect(Buffer.from(tokenHash).toString('base64url')).not.toBe(token)
  })

  it('ends at once with logout, which is idempotent and removes the cookie', async () => {
    const { token } = await createUser(http.services.users)
    const browser = createBrowser(http.url, token)
    expect((await browser.request('GET', '/api/v1/auth/validate')).body).toEqual({ authenticated: true })
    const { status, headers } = await browser.request('POST', '/api/v1/auth/logout')
    expect(status).toBe(204)
    expect(headers.get('set-cookie')).toBe('sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
    const replay = createBrowser(http.url, token)
    expect((await replay.request('GET', '/api/v1/auth/validate')).body).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
    })
    expect((await replay.request('POST', '/api/v1/auth/logout')).status).toBe(204)
  })

  it.each([
    ['idle for a day', false, `last_seen_at = now() - interval '24 hours'`, 401],
    ['idle for less than a day', false, `last_seen_at = now() - interval '23 hours 59 minutes'`, 200],
    ['past its seven days', false, 'expires_at = now()', 401],
    ['remembered and idle for a day', true, `last_seen_at = now() - interval '25 hours'`, 200],
    ['remembered and idle for thirty days', true, `last_seen_at = now() - interval '30 days'`, 401],
    ['remembered and past its ninety days', true, 'expires_at = now()', 401],
  ])('%s', async (_title, rememberMe, change, expected) => {
    const { email, password } = await createUser(http.services.users)
    const browser = createBrowser(http.url)
    await browser.request('POST', '/api/v1/auth/login', { email, password, rememberMe }, fromElsewhere())
    const viewer = await http.services.users.viewerOf(browser.token ?? '')
    await http.database.pool.query(`update sessions set ${change} where id = $1`, [viewer?.sessionId])
    expect((await browser.request('GET', '/api/v1/auth/validate')).status).toBe(expected)
  })

  it('keeps a remembered cookie for ninety days and others for the life of the browser', async () => {
    const { email, password } = await createUser(http.services.users)
    const login = (rememberMe: boolean) =>
      createBrowser(http.url).request('POST', '/api/v1/auth/login', { email, password, rememberMe }, fromElsewhere())
    const expires = /Expires=([^;]+)/.exec((await login(true)).headers.getSetCookie()[0] ?? '')?.[1] ?? ''
    const days = (Date.parse(expires) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(89.9)
    expect(days).toBeLessThan(90.1)
    expect((await login(false)).headers.get('set-cookie')).not.toContain('Expires')
  })

  it('notes activity once a minute at most', async () => {
    const { token, viewer } = await createUser(http.services.users)
    const lastSeen = async () =>
      (await http.database.db.session.findUniqueOrThrow({ where: { id: viewer.sessionId ?? '' } })).lastSeenAt.getTime()
    const set = (ago: string) =>
      http.database.pool.query(`update sessions set last_seen_at = now() - $2::interval where id = $1`, [
        viewer.sessionId,
        ago,
      ])
    await set('50 seconds')
    const before = await lastSeen()
    await http.services.users.viewerOf(token)
    expect(await lastSeen()).toBe(before)
    await set('2 minutes')
    await http.services.users.viewerOf(token)
    expect(Date.now() - (await lastSeen())).toBeLessThan(30_000)
  })

  it('does not count beside a Bearer key', async () => {
    const { token } = await createUser(http.services.users)
    const answer = await createBrowser(http.url, token).request('GET', '/api/v1/auth/me', undefined, {
      authorization: 'Bearer something',
    })
    expect(answer.status).toBe(401)
  })

  it('is Secure and bound to the host when the server is reached by https', async () => {
    const secure = await startHttp({ publicUrl: new URL('https://files.example.org') })
    try {
      const { token } = await createUser(secure.services.users)
      const get = (cookie: string) => fetch(`${secure.url}/api/v1/auth/me`, { headers: { cookie } })
      expect((await get(`__Host-sid=${token}`)).status).toBe(200)
      expect((await get(`sid=${token}`)).status).toBe(401)
      const logout = await fetch(`${secure.url}/api/v1/auth/logout`, {
        method: 'POST',
        headers: { cookie: `__Host-sid=${token}`, origin: 'https://files.example.org' },
      })
      expect(logout.headers.get('set-cookie')).toBe('__Host-sid=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0')
    } finally {
      await secure.close()
    }
  })
})
