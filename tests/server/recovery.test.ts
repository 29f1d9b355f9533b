import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createUser, type TestUser } from '../factories/user.ts'
import { tokenIn } from '../setup/mails.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { startSmtp, type TestSmtp } from '../setup/smtpServer.ts'

// Mails are waited for, and tried again.

let smtp: TestSmtp
let server: TestServer

beforeAll(async () => {
  smtp = await startSmtp()
  // Without PUBLIC_URL, which several servers need, mails name the address of the one that sends them.
  const config = { smtpUrl: smtp.url, mailFrom: 'The Pool <pool@example.org>', trustProxy: true }
  server = await startTestServer(config, { single: true })
})
afterAll(async () => {
  await server?.close()
  await smtp?.close()
})

const PASSWORD = 'a password nobody knew'
let networks = 0
/** An address whose throttles nobody shares. */
const elsewhere = () => `2001:db8:aa:${(++networks).toString(16)}::1`

async function post(path: string, body: object, headers: Record<string, string> = {}, base = server.url) {
  const init = { 'content-type': 'application/json', 'x-forwarded-for': elsewhere(), ...headers }
  const response = await fetch(`${base}/api/v1/auth/${path}`, {
    method: 'POST',
    headers: init,
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : null }
}
const forgot = (email: string, headers = {}) => post('forgot-password', { email }, headers)
const reset = (token: string, password = PASSWORD, headers = {}) => post('reset-password', { token, password }, headers)
const login = (email: string, password: string) => post('login', { email, password })
const isAlive = async ({ token }: TestUser) =>
  (await fetch(`${server.url}/api/v1/auth/validate`, { headers: { cookie: `sid=${token}` } })).status === 200

async function forgotten(user: TestUser, nth = 1): Promise<string> {
  expect((await forgot(user.email)).status).toBe(202)
  return tokenIn(await smtp.mailTo(user.email, nth))
}

describe('a forgotten password', () => {
  it('is reset by the link of a mail: sessions end, the owner is told, nobody is signed in by it', async () => {
    const ada = await createUser(server.services.users)
    const token = await forgotten(ada)
    expect(token).toMatch(/^[\w-]{43}$/)
    const mail = await smtp.mailTo(ada.email)
    expect(mail.from?.value).toEqual([{ name: 'The Pool', address: 'pool@example.org' }])
    expect(mail.subject).toBe('Reset your Skypool password')
    expect(mail.text).toContain('expires in 24 hours')
    expect(mail.text).toContain(`${server.url}/reset-password?token=${token}`)
    expect(await isAlive(ada)).toBe(true)

    const answer = await reset(token)
    expect(answer.status).toBe(204)
    // Whoever reads the owner's mail is no stranger to the login page; it opens nothing else.
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^skypool_device_[\da-f]{16}=[\w.-]{66}; /)])
    expect(await isAlive(ada)).toBe(false)
    expect((await login(ada.email, ada.password)).status).toBe(401)
    expect((await login(ada.email, PASSWORD)).status).toBe(200)
    const notice = await smtp.mailTo(ada.email, 2)
    expect(notice.subject).toBe('Your Skypool password was changed')
    expect(notice.text).toContain(`${server.url}/forgot-password`)
    const { rows } = await server.pool.query('select token_hash::text from password_resets where user_id = $1', [
      ada.user.id,
    ])
    expect(rows).toEqual([])
  })

  it('lets one of several at once use a token, and never again', async () => {
    const ada = await createUser(server.services.users)
    const token = await forgotten(ada)
    const answers = await Promise.all(
      ['one more secret', 'another secret', 'third secret!'].map((text) => reset(token, text)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400])
    expect((await reset(token)).body).toMatchObject({ code: 'INVALID_TOKEN', detail: 'Invalid or expired token' })
  })

  it('lets no login slip by that was judged by the old password', async () => {
    const ada = await createUser(server.services.users)
    const client = await server.pool.connect()
    onTestFinished(() => client.release())
    await client.query('begin')
    await client.query(`update users set password_hash = 'another' where id = $1`, [ada.viewer.userId])
    const slow = login(ada.email, ada.password)
    await vi.waitFor(async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like 'insert into sessions%'`
      expect((await server.pool.query(waiting)).rowCount).toBe(1)
    }, 120_000)
    await client.query('delete from sessions where user_id = $1', [ada.viewer.userId])
    await client.query('commit')
    expect((await slow).status).toBe(401)
    const { rows } = await server.pool.query('select from sessions where user_id = $1', [ada.viewer.userId])
    expect(rows).toEqual([])
  })

  it('keeps the token when the new password cannot be taken', async () => {
    const ada = await createUser(server.services.users)
    const token = await forgotten(ada)
    const short = await reset(token, 'short')
    expect(short.body).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ path: 'password', message: 'Password must be at least 8 characters long' }],
    })
    expect((await reset(token, ada.email)).status).toBe(400)
    expect((await reset(token)).status).toBe(204)
  })

  it('lives 24 hours by the clock of the database, and only its hash is stored', async () => {
    const ada = await createUser(server.services.users)
    const token = await forgotten(ada)
    const { rows } = await server.pool.query(
      `select expires_at - created_at = interval '24 hours' as a_day, encode(token_hash, 'hex') as hash, octet_length(token_hash) as bytes
       from password_resets where user_id = $1`,
      [ada.user.id],
    )
    expect(rows[0]).toMatchObject({ a_day: true, bytes: 32 })
    expect(rows[0].hash).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
    await server.pool.query(`update password_resets set expires_at = now() - interval '1 second' where user_id = $1`, [
      ada.user.id,
    ])
    expect((await reset(token)).body.code).toBe('INVALID_TOKEN')
    await server.housekeeping.recovery.forgetResets()
    expect((await server.pool.query('select from password_resets where user_id = $1', [ada.user.id])).rowCount).toBe(0)
  })

  it('dies with a newer one, and with a change of the password', async () => {
    const ada = await createUser(server.services.users)
    const first = await forgotten(ada)
    const second = await forgotten(ada, 2)
    expect((await reset(first)).status).toBe(400)
    await server.services.people.changePassword(ada.viewer, { currentPassword: ada.password, newPassword: PASSWORD })
    expect((await reset(second)).body.code).toBe('INVALID_TOKEN')
  })

  it('holds no token in jobs and none in the log', async () => {
    const ada = await createUser(server.services.users)
    smtp.refuse(true)
    await forgot(ada.email)
    await vi.waitUntil(() => smtp.refused() > 0, { timeout: 120_000 })
    const { rows } = await server.pool.query('select payload::text, last_error from graphile_worker._private_jobs')
    smtp.refuse(false)
    expect(JSON.stringify(rows)).toContain(ada.user.id)
    const token = tokenIn(await smtp.mailTo(ada.email))
    expect(JSON.stringify(rows)).not.toContain('token=')
    expect(server.logs.join('\n')).not.toContain(token)
    expect(server.logs.join('\n')).not.toContain('reset-password')
  })
})

describe('unknown addresses', () => {
  it('get the same answer as known ones, and no mail', async () => {
    const ada = await createUser(server.services.users)
    const [known, unknown] = [await forgot(ada.email), await forgot('nobody-at-all@example.org')]
    const shown = ({ status, text, headers }: typeof known) => {
      const all = Object.fromEntries(headers)
      return [status, text, { ...all, date: '', 'x-request-id': '' }]
    }
    expect(shown(unknown)).toEqual(shown(known))
    expect(known.body).toEqual({})
    await smtp.mailTo(ada.email)
    expect(smtp.received.some(({ recipients }) => recipients.includes('nobody-at-all@example.org'))).toBe(false)
  })

  it('cost the database the same', async () => {
    const ada = await createUser(server.services.users)
    // What the server does meanwhile by itself is not counted.
    const asking = new AsyncLocalStorage<{ count: number }>()
    const query = server.pool.query.bind(server.pool) as (...args: unknown[]) => unknown
    const spy = vi.spyOn(server.pool, 'query').mockImplementation((...args: unknown[]) => {
      const asked = asking.getStore()
      if (asked) asked.count += 1
      return query(...args)
    })
    onTestFinished(() => spy.mockRestore())
    const statementsOf = async (email: string) => {
      const asked = { count: 0 }
      const client = { address: elsewhere(), userAgent: '' }
      await asking.run(asked, () => server.services.recovery.forgot(email, client))
      return asked.count
    }
    await statementsOf('warm-up@example.org')
    expect(await statementsOf(`x${ada.email}`)).toBe(await statementsOf(ada.email))
  })
})

describe('limits', () => {
  it('5 an hour for an account, known or not, from wherever', async () => {
    for (const email of [(await createUser(server.services.users)).email, 'limited-nobody@example.org']) {
      const statuses = []
      for (let ask = 0; ask < 6; ask += 1) statuses.push(await forgot(` ${email.toUpperCase()} `))
      expect(statuses.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429])
      expect(Number(statuses[5]?.headers.get('retry-after'))).toBeGreaterThan(3500)
    }
  })

  it('20 an hour for a network, whatever the account', async () => {
    const ask = (index: number) => forgot(`n${index}@example.org`, { 'x-forwarded-for': `2001:db8:bb:1::${index + 1}` })
    const statuses = await Promise.all(Array.from({ length: 22 }, (_, index) => ask(index)))
    expect(statuses.filter(({ status }) => status === 429)).toHaveLength(2)
  })

  it('20 guesses of a token a minute for a network, at either door together', async () => {
    const headers = { 'x-forwarded-for': '2001:db8:cc:1::1' }
    const guess = () => reset('x'.repeat(43), PASSWORD, headers)
    await Promise.all(Array.from({ length: 20 }, guess))
    expect((await guess()).status).toBe(429)
    const query = `mutation { resetPassword(input: { token: "${'y'.repeat(43)}", password: "${PASSWORD}" }) { ... on Error { code } } }`
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const answer = await fetch(`${server.url}/graphql`, { ...init, body: JSON.stringify({ query }) })
    expect((await answer.json()).data.resetPassword.code).toBe('TOO_MANY_REQUESTS')
  })
})

describe('mails', () => {
  it('name the host of the settings, never one of the request', async () => {
    const ada = await createUser(server.services.users)
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' }
    expect((await forgot(ada.email, headers)).status).toBe(202)
    expect((await smtp.mailTo(ada.email)).text).toContain(`${server.url}/reset-password`)
  })

  it('hold nothing that a stranger can write into them', async () => {
    const email = 'victim+tag@example.org'
    const fullName = 'You won! https://evil.example <b>Bcc: x@evil.example</b>'
    await createUser(server.services.users, { email, fullName })
    await forgot(email)
    const mail = await smtp.mailTo(email)
    const { raw, recipients } = smtp.received.find((one) => one.mail === mail) ?? { raw: '', recipients: [] }
    expect(recipients).toEqual([email])
    expect(raw).not.toContain('evil')
  })

  it.each([
    'a@example.org\r\nBcc: x@evil.example',
    'a@example.org, x@evil.example',
    '"a\r\n.\r\n"@example.org',
    'A <a@example.org>',
    'a@example.org\u0000',
  ])('are never sent to %j', async (email) => {
    expect((await forgot(email)).body).toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: 'email' }] })
    const registration = await post('register', { fullName: 'Eve', email, password: PASSWORD })
    expect(registration.status).toBe(400)
  })

  it('reach addresses of every script', async () => {
    const email = 'пользователь@пример.рф'
    const ada = await createUser(server.services.users, { email })
    await forgot(ada.email)
    await vi.waitUntil(() => smtp.received.some(({ recipients }) => recipients.join().startsWith('пользователь@')), {
      timeout: 45_000,
    })
  })

  it('are tried again when the mail server is down, and nobody waits for that', async () => {
    const ada = await createUser(server.services.users)
    smtp.refuse(true)
    const before = smtp.refused()
    expect((await forgot(ada.email)).status).toBe(202)
    await vi.waitUntil(() => smtp.refused() > before, { timeout: 120_000 })
    smtp.refuse(false)
    expect((await reset(tokenIn(await smtp.mailTo(ada.email)))).status).toBe(204)
  })
})

describe('the language of a mail', () => {
  const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' }

  it('is the one that its reader has chosen, whatever the browser asks for', async () => {
    const ada = await createUser(server.services.users)
    await server.services.people.changeLanguage(ada.viewer, 'en')
    await forgot(ada.email, german)
    expect((await smtp.mailTo(ada.email)).subject).toBe('Reset your Skypool password')
    await server.services.people.changeLanguage(ada.viewer, 'de')
    await forgot(ada.email)
    const mail = await smtp.mailTo(ada.email, 2)
    expect(mail.subject).toBe('Ihr Passwort für Skypool zurücksetzen')
    expect(mail.text).toContain('läuft in 24 Stunden ab')
    expect(mail.headers.get('content-language')).toBe('de')
    expect(mail.html).toMatch(/^<!doctype html>\n<html lang="de" dir="ltr">/)
    const link = `${server.url}/reset-password?token=${tokenIn(mail)}`
    expect(mail.html).toContain(`<p dir="ltr"><a href="${link}">${link}</a></p>`)
  })

  it('is otherwise that of the browser, in the mail with the link and in the one that follows', async () => {
    const ada = await createUser(server.services.users)
    await forgot(ada.email, german)
    const mail = await smtp.mailTo(ada.email)
    expect(mail.subject).toBe('Ihr Passwort für Skypool zurücksetzen')
    expect((await reset(tokenIn(mail), PASSWORD, german)).status).toBe(204)
    const notice = await smtp.mailTo(ada.email, 2)
    expect(notice.subject).toBe('Ihr Passwort für Skypool wurde geändert')
    expect(notice.text).toContain('mit einem Link aus einer E-Mail zurückgesetzt')
  })

  it('is that of the browser in which a password is changed', async () => {
    const ada = await createUser(server.services.users)
    const answer = await fetch(`${server.url}/api/v1/auth/password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `sid=${ada.token}`, origin: server.url, ...german },
      body: JSON.stringify({ currentPassword: ada.password, newPassword: PASSWORD }),
    })
    expect(answer.status).toBe(204)
    const notice = await smtp.mailTo(ada.email)
    expect(notice.subject).toBe('Ihr Passwort für Skypool wurde geändert')
    expect(notice.text).toContain('in den Einstellungen geändert')
  })

  it('keeps what an owner has called a link from being markup', async () => {
    const ada = await createUser(server.services.users)
    await server.housekeeping.recovery.mailNotice({
      userId: ada.user.id,
      notice: 'FILES_RECEIVED',
      about: '<b>"Survey" & more</b>',
      language: 'de',
    })
    const mail = await smtp.mailTo(ada.email)
    expect(mail.subject).toBe('Über Ihren Upload-Link bei Skypool sind Dateien angekommen')
    expect(mail.text).toContain('Ihren Upload-Link „<b>"Survey" & more</b>“')
    expect(mail.html).toContain('„&lt;b&gt;&quot;Survey&quot; &amp; more&lt;/b&gt;“')
  })
})

it('is written down for its owner', async () => {
  const ada = await createUser(server.services.users)
  await reset(await forgotten(ada))
  await vi.waitFor(
    async () => {
      const { rows } = await server.pool.query('select action from activities where user_id = $1', [ada.user.id])
      expect(rows.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['PASSWORD_RESET_ASKED', 'PASSWORD_RESET']),
      )
    },
    { timeout: 120_000 },
  )
})
