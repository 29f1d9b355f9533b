import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  AccountConnectedError,
  AuthorizationFailedError,
  ConflictError,
  InvalidInputError,
  NotFoundError,
  OtherLoginError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../../server/domain/errors.ts'
import type { ProviderErrorCode } from '../../server/providers/errors.ts'
import type { TestUser } from '../factories/user.ts'
import { type AccountsServer, startAccountsServer } from '../setup/accountsServer.ts'

const GOOGLE = 'google-drive'
let server: AccountsServer
let ada: TestUser

beforeAll(async () => {
  server = await startAccountsServer()
})
beforeEach(async () => {
  ada = await server.signIn()
  server.google.calls.length = 0
})
afterAll(() => server?.close())

const service = () => server.services.accounts
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )
const connected = async (viewer = ada.viewer) =>
  (await service().list(viewer)).filter(({ provider }) => provider !== 'local')

describe('connecting an account', () => {
  it('makes it with the login’s own figures, a free colour and no place in a group cloud', async () => {
    const login = server.newLogin({ usedBytes: 5, totalBytes: 100 })
    const account = await server.connect(ada.viewer, login, '  My Drive ')
    expect(account).toMatchObject({
      provider: GOOGLE,
      name: 'My Drive',
      email: login.email,
      status: 'CONNECTED',
      hue: 1,
      quota: { state: 'KNOWN', usedBytes: 5, totalBytes: 100, reservedBytes: 0 },
    })
    const second = await server.connect(ada.viewer, server.newLogin({ totalBytes: null }), 'Second')
    expect([second.hue, second.quota.state, second.quota.totalBytes]).toEqual([2, 'UNLIMITED', null])
    const [cloud] = await server.services.groupClouds.list(ada.viewer)
    expect(cloud?.members).toHaveLength(1)
    expect(await connected()).toHaveLength(2)
  })

  it('asks for a name before it uses up the authorization', async () => {
    const grant = await server.authorized(ada.viewer, server.newLogin())
    const error = await failure(service().connect(ada.viewer, GOOGLE, { ...grant, name: ' \t' }, server.origin))
    expect(error).toBeInstanceOf(InvalidInputError)
    expect((error as InvalidInputError).fields).toEqual([
      { path: 'name', message: 'Please provide a name for this connection' },
    ])
    await service().connect(ada.viewer, GOOGLE, { ...grant, name: 'Now' }, server.origin)
    for (const name of ['x'.repeat(101), 'a\u0000b']) {
      expect(await failure(service().connect(ada.viewer, GOOGLE, { ...grant, name }, server.origin))).toBeInstanceOf(
        InvalidInputError,
      )
    }
    expect(
      await failure(service().connect(ada.viewer, GOOGLE, { ...grant, code: ' ', name: 'x' }, server.origin)),
    ).toBeInstanceOf(InvalidInputError)
  })

  it('says what keeps a provider from being connected', async () => {
    const why = async (provider: string) => failure(service().authorize(ada.viewer, provider, server.origin))
    for (const [provider, words] of [
      ['dropbox', /DROPBOX_CLIENT_ID and DROPBOX_CLIENT_SECRET/],
      ['mega', /cannot connect MEGA yet/],
      ['floppy', /no such provider/],
    ] as const) {
      const error = await why(provider)
      expect(error).toBeInstanceOf(ProviderUnavailableError)
      expect(String(error)).toMatch(words)
      expect(() => service().clientId(provider)).toThrow(ProviderUnavailableError)
    }
    expect(service().clientId(GOOGLE)).toBe('client-of-google-drive')
  })

  it('is refused for a login that the user has connected, and free for others', async () => {
    const login = server.newLogin()
    const first = await server.connect(ada.viewer, login, 'First')
    const error = await failure(server.connect(ada.viewer, login, 'Again'))
    expect(error).toBeInstanceOf(AccountConnectedError)
    expect(String(error)).toContain('“First”')
    const bob = await server.signIn()
    const his = await server.connect(bob.viewer, login, 'His')
    expect(his.id).not.toBe(first.id)
    // The refused grant was not revoked: that would have ended the access of the others.
    expect(server.google.calls).not.toContain('revoke')
    expect((await service().readQuotas(bob.viewer, [his.id]))[0]?.error).toBeNull()
  })

  it('once, however often it is tried at once with one login', async () => {
    const login = server.newLogin()
    const grants = await Promise.all([1, 2, 3, 4].map(() => server.authorized(ada.viewer, login)))
    const done = await Promise.allSettled(
      grants.map((grant) => service().connect(ada.viewer, GOOGLE, { ...grant, name: 'Drive' }, server.origin)),
    )
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await connected()).toHaveLength(1)
  })

  it.each<[ProviderErrorCode, unknown]>([
    ['ReconnectNeeded', AuthorizationFailedError],
    ['Forbidden', AuthorizationFailedError],
    ['Misconfigured', ProviderUnavailableError],
    ['Transient', ProviderFailedError],
    ['RateLimited', ProviderFailedError],
  ])('leaves nothing behind when the provider answers %s', async (code, type) => {
    const grant = await server.authorized(ada.viewer, server.newLogin())
    server.google.failWith(code)
    const error = await failure(service().connect(ada.viewer, GOOGLE, { ...grant, name: 'Drive' }, server.origin))
    server.google.failWith(null)
    expect(error).toBeInstanceOf(type)
    expect(await connected()).toEqual([])
  })
})

describe('an authorization', () => {
  const connect = (grant: { code: string; state?: string }, viewer = ada.viewer, origin = server.origin) =>
    failure(service().connect(viewer, GOOGLE, { ...grant, name: 'Drive' }, origin))

  it('goes to the provider with a state, a PKCE challenge and our address of that provider', async () => {
    const { state, codeChallenge, url } = await service().authorize(ada.viewer, GOOGLE, server.origin)
    const { searchParams } = new URL(url)
    expect(Buffer.from(state, 'base64url')).toHaveLength(32)
    expect(searchParams.get('state')).toBe(state)
    expect(searchParams.get('code_challenge')).toBe(codeChallenge)
    expect(searchParams.get('redirect_uri')).toBe(`${server.origin}/oauth/google/callback`)
  })

  it('counts once, for its own session, user, provider and account, and with the right state alone', async () => {
    const login = server.newLogin()
    const account = await server.connect(ada.viewer, server.newLogin(), 'Other')
    const good = await server.authorized(ada.viewer, login)
    const bob = await server.signIn()
    const { userId } = ada.viewer
    const session = await server.services.users.login(
      { email: ada.email, password: ada.password, rememberMe: false },
      { address: '192.0.2.77', userAgent: 'test' },
    )
    const otherSession = await server.services.users.viewerOf(session.token)
    const bound = await server.authorized(ada.viewer, login, account.id)
    server.google.calls.length = 0
    const attempts = [
      connect({ ...good, state: '' }),
      connect({ ...good, state: 'guess' }),
      connect({ ...good, state: randomBytes(32).toString('base64url') }),
      connect({ ...good, state: `${good.state} ` }),
      connect(good, bob.viewer),
      connect(good, { userId, sessionId: otherSession?.sessionId ?? '' }),
      connect(good, { userId: bob.viewer.userId, sessionId: ada.viewer.sessionId }),
      connect(bound),
    ]
    for (const error of await Promise.all(attempts)) expect(error).toBeInstanceOf(AuthorizationFailedError)
    expect(server.google.calls).toEqual([])
    expect(await connect(good)).toBeNull()
    expect(await connect(good)).toBeInstanceOf(AuthorizationFailedError)
  })

  it('ends after ten minutes', async () => {
    const grant = await server.authorized(ada.viewer, server.newLogin())
    await server.pool.query(`update oauth_states set expires_at = now() - interval '1 second' where session_id = $1`, [
      ada.viewer.sessionId,
    ])
    expect(await connect(grant)).toBeInstanceOf(AuthorizationFailedError)
    await server.housekeeping.forgetAuthorizations()
    const { rowCount } = await server.pool.query('select from oauth_states where session_id = $1', [
      ada.viewer.sessionId,
    ])
    expect(rowCount).toBe(0)
  })

  it('is one for all that come with it at once', async () => {
    const grant = await server.authorized(ada.viewer, server.newLogin())
    const done = await Promise.all(Array.from({ length: 8 }, () => connect(grant)))
    expect(done.filter((error) => error === null)).toHaveLength(1)
    expect(server.google.calls.filter((call) => call === 'exchange')).toHaveLength(1)
  })

  it('without a state is the newest unused one of the session', async () => {
    await server.authorized(ada.viewer, server.newLogin())
    const { code } = await server.authorized(ada.viewer, server.newLogin())
    expect(await connect({ code })).toBeNull()
    // The older one is left, and its verifier does not fit another code.
    const { code: foreign } = await server.authorized((await server.signIn()).viewer, server.newLogin())
    expect(await connect({ code: foreign })).toBeInstanceOf(AuthorizationFailedError)
    expect(await connect({ code: foreign })).toBeInstanceOf(AuthorizationFailedError)
  })

  it('of another address of ours is refused by the provider', async () => {
    const grant = await server.authorized(ada.viewer, server.newLogin())
    expect(await connect(grant, ada.viewer, 'https://elsewhere.example')).toBeInstanceOf(AuthorizationFailedError)
  })

  it('ends with its session', async () => {
    await server.authorized(ada.viewer, server.newLogin())
    await server.services.users.logout(ada.viewer)
    const { rowCount } = await server.pool.query('select from oauth_states where session_id = $1', [
      ada.viewer.sessionId,
    ])
    expect(rowCount).toBe(0)
  })
})

describe('reconnecting an account', () => {
  const reconnect = async (id: string, login: Parameters<typeof server.authorized>[1], bound = true) => {
    const grant = await server.authorized(ada.viewer, login, bound ? id : undefined)
    return service().reconnect(ada.viewer, id, grant, server.origin)
  }

  it('makes an expired one work again, under its own id', async () => {
    const login = server.newLogin()
    const { id } = await server.connect(ada.viewer, login)
    server.google.withdraw(login)
    expect((await service().readQuotas(ada.viewer, [id]))[0]?.error).toBeNull() // within the minute: not asked
    await server.pool.query('update accounts set quota_checked_at = null where id = $1', [id])
    expect((await service().readQuotas(ada.viewer, [id]))[0]?.error).toMatch(/needs to be connected again/)
    const [expired] = await connected()
    expect(expired).toMatchObject({ id, status: 'EXPIRED', statusReason: expect.stringContaining('revoked') })

    const back = await reconnect(id, login)
    expect(back).toMatchObject({ id, status: 'CONNECTED', statusReason: null, unreachableSince: null })
    expect((await service().readQuotas(ada.viewer, [id]))[0]?.error).toBeNull()
  })

  it('takes the state of a client that asked before it knew the account', async () => {
    const login = server.newLogin()
    const { id } = await server.connect(ada.viewer, login)
    expect(await reconnect(id, login, false)).toMatchObject({ id })
  })

  it('with another login changes nothing, and gives that grant back', async () => {
    const login = server.newLogin()
    const account = await server.connect(ada.viewer, login)
    const before = (await server.pool.query('select * from account_credentials where account_id = $1', [account.id]))
      .rows
    const error = await failure(reconnect(account.id, server.newLogin({ email: 'mallory@example.org' })))
    expect(error).toBeInstanceOf(OtherLoginError)
    expect(String(error)).toMatch(/mallory@example.org.*Please sign in to the provider as login-/)
    expect(server.google.calls.at(-1)).toBe('revoke')
    const after = (await server.pool.query('select * from account_credentials where account_id = $1', [account.id]))
      .rows
    expect(after).toEqual(before)
    expect(await service().getMany(ada.viewer, [account.id])).toEqual([account])
  })

  it('is for accounts of one’s own that have a login', async () => {
    const login = server.newLogin()
    const bob = await server.signIn()
    const his = await server.connect(bob.viewer, login)
    const code = { code: 'x', state: 'y' }
    expect(await failure(service().reconnect(ada.viewer, his.id, code, server.origin))).toBeInstanceOf(NotFoundError)
    expect(await failure(service().authorize(ada.viewer, GOOGLE, server.origin, his.id))).toBeInstanceOf(NotFoundError)
    const [local] = await service().list(ada.viewer)
    expect(await failure(service().reconnect(ada.viewer, local?.id ?? '', code, server.origin))).toBeInstanceOf(
      ConflictError,
    )
    expect(await failure(service().authorize(ada.viewer, GOOGLE, server.origin, local?.id))).toBeInstanceOf(
      NotFoundError,
    )
  })
})

describe('an account', () => {
  it('is renamed and coloured by its owner alone', async () => {
    const { id } = await server.connect(ada.viewer, server.newLogin())
    expect(await service().update(ada.viewer, id, { name: ' Café ', hue: 7 })).toMatchObject({ name: 'Café', hue: 7 })
    const bob = await server.signIn()
    for (const wrong of [{ name: '' }, { hue: 0 }, { hue: 13 }, { hue: 1.5 }]) {
      expect(await failure(service().update(ada.viewer, id, wrong))).toBeInstanceOf(InvalidInputError)
    }
    expect(await failure(service().update(bob.viewer, id, { name: 'x' }))).toBeInstanceOf(NotFoundError)
    const [local] = await service().list(ada.viewer)
    expect(await failure(service().update(ada.viewer, local?.id ?? '', { hue: 3 }))).toBeInstanceOf(InvalidInputError)
  })

  it('takes the lowest colour that is free', async () => {
    const hues: number[] = []
    for (let i = 0; i < 13; i += 1) hues.push((await server.connect(ada.viewer, server.newLogin(), `D${i}`)).hue)
    expect(hues).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1])
  })
})
