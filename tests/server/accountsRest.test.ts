import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { type AccountsServer, startAccountsServer } from '../setup/accountsServer.ts'

/** The calls on accounts as clients of the specification make them. */
let server: AccountsServer
let ada: Awaited<ReturnType<AccountsServer['signIn']>>

beforeAll(async () => {
  server = await startAccountsServer('info')
})
beforeEach(async () => {
  ada = await server.signIn()
})
afterAll(() => server?.close())

const GOOGLE = '/api/v1/google-accounts'
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const call = (method: string, path: string, body?: unknown) => ada.browser.request(method, path, body)

async function connect(login = server.newLogin(), name = 'My Drive') {
  const { body: begun } = await call('GET', `${GOOGLE}/init`)
  const { code } = server.google.consent(begun.authorizationUrl, login)
  return { login, answer: await call('POST', `${GOOGLE}/auth`, { code, name }) }
}

it('connect: client-id, init, auth without a state, list', async () => {
  const clientId = await call('GET', `${GOOGLE}/client-id`)
  expect([clientId.status, clientId.body]).toEqual([200, { clientId: 'client-of-google-drive' }])
  const { status, body } = await call('GET', `${GOOGLE}/init`)
  expect([status, body]).toEqual([
    200,
    {
      state: expect.stringMatching(/^[\w-]{43}$/),
      codeChallenge: expect.stringMatching(/^[\w-]{43}$/),
      codeChallengeMethod: 'S256',
      authorizationUrl: expect.stringContaining(body.state),
    },
  ])
  const { login, answer } = await connect()
  const [noted = '', ...more] = server.logs.filter((line) => line.includes('without its state'))
  expect(JSON.parse(noted)).toMatchObject({ level: 'info', provider: 'google-drive' })
  expect(more).toEqual([])
  expect(noted).not.toMatch(new RegExp(body.state))
  const account = {
    id: expect.stringMatching(/^acct_/),
    name: 'My Drive',
    email: login.email,
    place: null,
    createdAt: isoTime,
    status: 'CONNECTED',
    statusReason: null,
    unreachableSince: null,
    provider: 'google-drive',
    hue: 1,
    quota: { state: 'KNOWN', usedBytes: 0, totalBytes: 15 * 1024 ** 3, reservedBytes: 0 },
    capacityBytes: null,
    poolUse: 'FULL',
    rootFileId: null,
    scope: 'OWN',
    sharedWithMe: false,
    drives: [],
    index: null,
    searchContents: false,
  }
  expect([answer.status, answer.body]).toEqual([201, account])
  const list = await call('GET', GOOGLE)
  expect([list.status, list.body]).toEqual([200, { items: [account], nextCursor: null }])
  const all = await call('GET', '/api/v1/accounts')
  expect(all.body.items.map(({ provider }: { provider: string }) => provider)).toEqual(['local', 'google-drive'])
  expect((await call('GET', '/api/v1/accounts?provider=local')).body.items).toHaveLength(1)
  expect((await call('GET', '/api/v1/accounts?limit=1')).body.nextCursor).toBe(all.body.items[0].id)
  expect((await call('GET', '/api/v1/dropbox-accounts')).body).toEqual({ items: [], nextCursor: null })
})

it('connect: refusals in words', async () => {
  const { login } = await connect()
  const answers = [
    await call('POST', `${GOOGLE}/auth`, { code: 'x', name: '' }),
    await call('POST', `${GOOGLE}/auth`, { code: 'x', name: 'Drive' }),
    (await connect(login)).answer,
    await call('GET', '/api/v1/dropbox-accounts/init'),
    await call('GET', '/api/v1/dropbox-accounts/client-id'),
  ]
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [400, 'INVALID_INPUT'],
    [400, 'AUTHORIZATION_FAILED'],
    [409, 'ACCOUNT_CONNECTED'],
    [409, 'PROVIDER_UNAVAILABLE'],
    [409, 'PROVIDER_UNAVAILABLE'],
  ])
  expect(answers[0]?.body.errors).toEqual([{ path: 'name', message: 'Please provide a name for this connection' }])
  const { body } = await call('GET', `${GOOGLE}/init`)
  const { code } = server.google.consent(body.authorizationUrl, server.newLogin())
  server.google.failWith('Transient')
  const failed = await call('POST', `${GOOGLE}/auth`, { code, name: 'Drive', state: body.state })
  server.google.failWith(null)
  expect([failed.status, failed.body.code]).toEqual([502, 'PROVIDER_FAILED'])
})

it('reconnect: the same login, with and without a bound state; another one changes nothing', async () => {
  const { login, answer } = await connect()
  const path = `${GOOGLE}/${answer.body.id}`
  for (const query of ['', `?accountId=${answer.body.id}`]) {
    const { body } = await call('GET', `${GOOGLE}/init${query}`)
    const { code, state } = server.google.consent(body.authorizationUrl, login)
    const again = await call('PUT', path, { code, state })
    expect([again.status, again.body]).toEqual([200, answer.body])
  }
  const { body } = await call('GET', `${GOOGLE}/init`)
  const { code } = server.google.consent(body.authorizationUrl, server.newLogin())
  const other = await call('PUT', path, { code })
  expect([other.status, other.body.code]).toEqual([409, 'OTHER_LOGIN'])
  expect((await call('PUT', `/api/v1/dropbox-accounts/${answer.body.id}`, { code })).status).toBe(404)
})

it('PATCH renames and colours', async () => {
  const { answer } = await connect()
  const path = `/api/v1/accounts/${answer.body.id}`
  const changed = await call('PATCH', path, { name: 'Photos', hue: 9 })
  expect([changed.status, changed.body]).toEqual([200, { ...answer.body, name: 'Photos', hue: 9 }])
  expect((await call('PATCH', path, { hue: 99 })).body.errors[0].path).toBe('hue')
})

it('quotas: by ids and types; one that fails is in the answer', async () => {
  const [good, bad] = [await connect(), await connect()]
  const ids = [good.answer.body.id, bad.answer.body.id]
  server.google.withdraw(bad.login)
  good.login.usedBytes = 7
  await server.pool.query('update accounts set quota_checked_at = null')
  const asked = ids.map((id) => ({ id, type: 'google' }))
  const { status, body } = await call('POST', '/api/v1/quotas/by-ids-and-types', asked)
  expect([status, body]).toEqual([
    200,
    [
      { id: ids[0], quota: { usedBytes: 7, totalBytes: 15 * 1024 ** 3 } },
      {
        id: ids[1],
        quota: { usedBytes: 0, totalBytes: 15 * 1024 ** 3 },
        error: expect.stringMatching(/needs to be connected again/),
      },
    ],
  ])
  const [local] = await server.services.accounts.list(ada.viewer)
  const own = await call('POST', '/api/v1/quotas/by-ids-and-types', [
    { id: publicId('Account', local?.id ?? ''), type: 'local' },
  ])
  expect(own.body[0].quota).toEqual({ usedBytes: 0, totalBytes: 15 * 1024 ** 3 })
  const wrongType = await call('POST', '/api/v1/quotas/by-ids-and-types', [{ id: ids[0], type: 'dropbox' }])
  expect(wrongType.status).toBe(404)
})

it('DELETE: gone from every list; again 404', async () => {
  const { answer } = await connect()
  const path = `${GOOGLE}/${answer.body.id}`
  expect((await call('DELETE', path)).status).toBe(204)
  expect((await call('DELETE', path)).status).toBe(404)
  expect((await call('GET', GOOGLE)).body.items).toEqual([])
  const [local] = await server.services.accounts.list(ada.viewer)
  expect((await call('DELETE', `${GOOGLE}/${publicId('Account', local?.id ?? '')}`)).status).toBe(404)
})

it('shows no other user anything', async () => {
  const { answer } = await connect()
  const bob = await server.signIn()
  const { id } = answer.body
  for (const [method, path, body] of [
    ['PUT', `${GOOGLE}/${id}`, { code: 'x' }],
    ['DELETE', `${GOOGLE}/${id}?force=true`],
    ['PATCH', `/api/v1/accounts/${id}`, { name: 'Mine' }],
    ['GET', `${GOOGLE}/init?accountId=${id}`],
    ['POST', '/api/v1/quotas/by-ids-and-types', [{ id, type: 'google' }]],
  ] as const) {
    expect((await bob.browser.request(method, path, body)).status, `${method} ${path}`).toBe(404)
  }
  expect((await call('GET', GOOGLE)).body.items).toEqual([answer.body])
})
