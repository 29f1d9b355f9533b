import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ConflictError,
  InvalidInputError,
  KeyRefusedError,
  NotFoundError,
  UnauthenticatedError,
} from '../../server/domain/errors.ts'
import { hasChecksum, newKeyText } from '../../server/domain/keys/contract.ts'
import { createRate } from '../../server/domain/keys/service.ts'
import type { Viewer } from '../../server/domain/viewer.ts'
import { publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { createGraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
let ada: TestUser
let bob: TestUser

beforeAll(async () => {
  // Others show what has been counted in this one seconds later.
  server = await startTestServer({}, { single: true })
  ada = await createUser(server.services.users)
  bob = await createUser(server.services.users)
})
afterAll(() => server?.close())

const keys = () => server.services.keys
const make = (more: object = {}) => keys().create(ada.viewer, { name: 'CI', ...more })
const viewerOf = async (key: string) => {
  const viewer = await keys().viewerOf(key, '192.0.2.1')
  if (!viewer) throw new Error('The key has to be good.')
  return viewer
}
const call = (key: string, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } })
const actions = async (viewer: Viewer) => {
  const { rows } = await server.pool.query('select action from activities where user_id = $1 order by at, id', [
    viewer.userId,
  ])
  return rows.map(({ action }) => action as string)
}

describe('the text of a key', () => {
  it('has the form that is promised, and no two are alike', () => {
    const texts = Array.from({ length: 1000 }, newKeyText)
    expect(new Set(texts).size).toBe(1000)
    for (const text of texts) expect(text).toMatch(/^sky_live_[0-9A-Za-z]{36}$/)
    expect(texts.every(hasChecksum)).toBe(true)
    const digits = new Set(texts.flatMap((text) => [...text.slice(9, 39)]))
    expect(digits.size).toBe(62)
  })

  it('tells every single wrong character, and what is no key', () => {
    const text = newKeyText()
    for (let at = 0; at < text.length; at += 1) {
      const wrong = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1)
      expect(hasChecksum(wrong), wrong).toBe(false)
    }
    for (const other of ['', 'sky_live_', `${text} `, text.slice(1), `${text}0`]) expect(hasChecksum(other)).toBe(false)
  })
})

describe('a key', () => {
  it('is not made for who has left meanwhile', async () => {
    const { viewer } = await createUser(server.services.users)
    await server.pool.query('update users set deleted_at = now() where id = $1', [viewer.userId])
    await expect(keys().create(viewer, { name: 'Late' })).rejects.toThrow(UnauthenticatedError)
  })

  it('is whole for its owner, may do everything unless told otherwise, and is listed newest first', async () => {
    const first = await make()
    const second = await make({ name: '  Backup  ', scopes: ['SHARE'] })
    expect(first).toMatchObject({ name: 'CI', status: 'ACTIVE', scopes: ['READ', 'WRITE', 'SHARE'], lastUsedAt: null })
    expect(second).toMatchObject({ name: 'Backup', scopes: ['READ', 'SHARE'], expiresAt: null, revokedAt: null })
    expect((await keys().list(ada.viewer)).slice(0, 2)).toEqual([second, first])
    expect(await keys().list(bob.viewer)).toEqual([])
  })

  it('says whose it is, what it may do and how often, but not its text', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000)
    const key = await make({ name: 'Backup', scopes: ['SHARE'], expiresAt })
    const answer = await call(key.key, '/api/v1/auth/me')
    const me = await answer.json()
    expect([answer.status, me]).toMatchObject([200, { id: publicId('User', ada.user.id), email: ada.email }])
    expect(me.key).toMatchObject({
      ...{ id: publicId('ApiKey', key.id), name: 'Backup', status: 'ACTIVE', scopes: ['READ', 'SHARE'] },
      expiresAt: expiresAt.toISOString(),
    })
    expect(me.rateLimit).toEqual({
      limit: Number(answer.headers.get('ratelimit-limit')),
      remaining: Number(answer.headers.get('ratelimit-remaining')),
      resetSeconds: Number(answer.headers.get('ratelimit-reset')),
    })
    const query = '{ viewer { email apiKey { id name scopes expiresAt key } } }'
    const headers = { 'content-type': 'application/json' }
    const asked = await call(key.key, '/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { viewer } = (await asked.json()).data
    const { id, name, scopes } = me.key
    const masked = `sky_live_····${key.key.slice(-4)}`
    expect(viewer).toEqual({ email: ada.email, apiKey: { id, name, scopes, expiresAt: me.key.expiresAt, key: masked } })
    expect(me.key.key).toBe(masked)
    expect(await keys().current(ada.viewer)).toBeNull()
  })

  it.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(101) }, 'name'],
    ['a name with a line break', { name: 'a\nb' }, 'name'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['an end that is past', { expiresAt: new Date(0) }, 'expiresAt'],
    ['an end that is no date', { expiresAt: new Date(Number.NaN) }, 'expiresAt'],
  ])('is not made with %s', async (_what, input, path) => {
    const error = await make(input).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidInputError)
    expect((error as InvalidInputError).fields.map((field) => field.path)).toEqual([path])
  })

  it('is made once under an Idempotency-Key', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => keys().create(ada.viewer, { name: 'Once' }, 'idem-1')))
    expect(one).toEqual(two)
  })

  it('is bounded in number by those that are live', async () => {
    const owner = await createUser(server.services.users)
    for (let count = 0; count < 100; count += 1) await keys().create(owner.viewer, { name: `${count}` })
    await expect(keys().create(owner.viewer, { name: 'more' })).rejects.toThrow(ConflictError)
    const [last] = await keys().list(owner.viewer)
    await keys().revoke(owner.viewer, last?.id ?? '')
    await keys().create(owner.viewer, { name: 'more' })
  })

  it('is dead once it is made anew, revoked or expired, and says so', async () => {
    const key = await make()
    const anew = await keys().regenerate(ada.viewer, key.id)
    expect(anew).toMatchObject({ id: key.id, status: 'ACTIVE' })
    expect(anew.key).not.toBe(key.key)
    expect(await keys().viewerOf(key.key, '192.0.2.1')).toBeNull()
    expect((await keys().viewerOf(anew.key, '192.0.2.1'))?.key?.id).toBe(key.id)
    const revoked = await keys().revoke(ada.viewer, key.id)
    expect(revoked).toMatchObject({ status: 'REVOKED', key: `sky_live_····${anew.key.slice(-4)}` })
    expect(await keys().revoke(ada.viewer, key.id)).toEqual(revoked)
    expect(await keys().viewerOf(anew.key, '192.0.2.1')).toBeNull()
    await expect(keys().regenerate(ada.viewer, key.id)).rejects.toThrow(ConflictError)
    const short = await make({ expiresAt: new Date(Date.now() + 60_000) })
    await server.pool.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [short.id])
    expect(await keys().viewerOf(short.key, '192.0.2.1')).toBeNull()
    expect((await keys().getMany(ada.viewer, [short.id]))[0]).toMatchObject({ status: 'EXPIRED' })
    await expect(keys().regenerate(ada.viewer, short.id)).rejects.toThrow(ConflictError)
  })

  it('is not there for anybody else', async () => {
    const { id } = await make()
    expect(await keys().getMany(bob.viewer, [id])).toEqual([null])
    await expect(keys().regenerate(bob.viewer, id)).rejects.toThrow(NotFoundError)
    await expect(keys().revoke(bob.viewer, id)).rejects.toThrow(NotFoundError)
    expect(await keys().usage(bob.viewer, [id])).toEqual(new Map())
  })

  it('may do nothing about keys', async () => {
    const { id, key } = await make()
    const viewer = await viewerOf(key)
    for (const attempt of [
      () => keys().list(viewer),
      () => keys().getMany(viewer, [id]),
      () => keys().create(viewer, { name: 'Another' }),
      () => keys().regenerate(viewer, id),
      () => keys().revoke(viewer, id),
      () => keys().usage(viewer, [id]),
    ]) {
      await expect(attempt().then(() => 'done')).rejects.toThrow(KeyRefusedError)
    }
  })

  it('is a live caller only while it is the one that was shown', async () => {
    const { id, key } = await make()
    const viewer = await viewerOf(key)
    const { isLive } = server.services.users
    expect(await isLive(viewer)).toBe(true)
    await keys().regenerate(ada.viewer, id)
    expect(await isLive(viewer)).toBe(false)
    expect(await isLive({ userId: viewer.userId, sessionId: null, key: { id, scopes: ['READ'] } })).toBe(false)
  })

  it('counts its calls by day and says to the minute when it was used', async () => {
    const { id, key } = await make()
    for (let count = 0; count < 3; count += 1) expect((await call(key, '/api/v1/files')).status).toBe(200)
    await call(key, '/api/v1/keys')
    const days = await keys().usage(ada.viewer, [id])
    const today = (await server.pool.query(`select (now() at time zone 'utc')::date::text as day`)).rows[0].day
    expect(days.get(id)).toEqual([{ day: new Date(`${today}T00:00:00Z`), calls: 4 }])
    const [used] = await keys().getMany(ada.viewer, [id])
    expect(Date.now() - (used?.lastUsedAt?.getTime() ?? 0)).toBeLessThan(60_000)
  })

  it('is masked when the server has lost what sealed it', async () => {
    const { id, key } = await make()
    await server.pool.query(`update api_keys set sealed_key = 'v1.00000000.AAAA' where id = $1`, [id])
    const [shown] = await keys().getMany(ada.viewer, [id])
    expect(shown?.key).toBe(`sky_live_····${key.slice(-4)}`)
    expect(await keys().viewerOf(key, '192.0.2.1')).not.toBeNull()
    await keys().revoke(ada.viewer, id)
    await server.pool.query('delete from api_keys where id = $1', [id])
  })

  it('leaves its marks in the activity log', async () => {
    const owner = await createUser(server.services.users)
    const { id } = await keys().create(owner.viewer, { name: 'Log' })
    await keys().regenerate(owner.viewer, id)
    await keys().revoke(owner.viewer, id)
    await keys().revoke(owner.viewer, id)
    await expect.poll(() => actions(owner.viewer)).toEqual(expect.arrayContaining(['KEY_REVOKED']))
    expect((await actions(owner.viewer)).filter((action) => action.startsWith('KEY_'))).toEqual([
      'KEY_CREATED',
      'KEY_REGENERATED',
      'KEY_REVOKED',
    ])
  })
})

describe('REST', () => {
  it('makes, lists, makes anew and revokes', async () => {
    const owner = await createUser(server.services.users)
    const headers = { cookie: `sid=${owner.token}`, origin: server.url, 'content-type': 'application/json' }
    const ask = (method: string, path: string, body?: object) =>
      fetch(`${server.url}/api/v1/keys${path}`, {
        method,
        headers: body ? headers : { cookie: headers.cookie, origin: headers.origin },
        ...(body && { body: JSON.stringify(body) }),
      })
    const made = await (await ask('POST', '', { name: 'CI', scopes: ['WRITE'] })).json()
    expect(made).toMatchObject({ name: 'CI', scopes: ['READ', 'WRITE'], status: 'ACTIVE', expiresAt: null })
    expect((await call(made.key, '/api/v1/files')).status).toBe(200)
    expect((await (await ask('GET', '')).json()).items).toEqual([{ ...made, lastUsedAt: expect.any(String) }])
    const anew = await (await ask('POST', `/${made.id}/regenerate`)).json()
    expect((await call(made.key, '/api/v1/files')).status).toBe(401)
    expect((await call(anew.key, '/api/v1/files')).status).toBe(200)
    expect((await (await ask('GET', `/${made.id}/usage`)).json()).items).toEqual([
      { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), calls: 2 },
    ])
    expect((await ask('DELETE', `/${made.id}`)).status).toBe(204)
    expect((await call(anew.key, '/api/v1/files')).status).toBe(401)
  })
})

describe('GraphQL', () => {
  const KEY = 'apiKey { id name key status scopes expiresAt lastUsedAt revokedAt usage { day calls } }'

  it('makes, lists, makes anew and revokes', async () => {
    const owner = await createUser(server.services.users)
    const client = createGraphqlClient(server.url, owner.token)
    const input = { name: 'CI', scopes: ['READ'], expiresAt: '2100-01-01T00:00:00.000Z' }
    const { apiKey, viewer } = await mutate(client, 'createApiKey', input, `${KEY} viewer { apiKeys { id } }`)
    expect(apiKey).toMatchObject({ ...input, status: 'ACTIVE', usage: [], revokedAt: null })
    expect(viewer.apiKeys).toEqual([{ id: apiKey.id }])
    const anew = await mutate(client, 'regenerateApiKey', { id: apiKey.id }, KEY)
    expect(anew.apiKey).toEqual({ ...apiKey, key: expect.stringMatching(/^sky_live_/) })
    expect((await call(anew.apiKey.key, '/api/v1/files')).status).toBe(200)
    const { data } = await client('query($id: ID!) { node(id: $id) { ... on ApiKey { name usage { calls } } } }', {
      id: apiKey.id,
    })
    expect(data.node).toEqual({ name: 'CI', usage: [{ calls: 1 }] })
    const gone = await mutate(client, 'revokeApiKey', { id: apiKey.id }, KEY)
    expect(gone.apiKey).toMatchObject({ status: 'REVOKED', revokedAt: expect.any(String) })
    expect(await mutate(client, 'regenerateApiKey', { id: apiKey.id }, KEY)).toMatchObject({ code: 'CONFLICT' })
    expect(await mutate(client, 'createApiKey', { name: '' }, KEY)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await mutate(client, 'revokeApiKey', { id: 'key_1' }, KEY)).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('the rate', () => {
  it('may be used up at once and comes back evenly', () => {
    let now = 0
    const rate = createRate(60, () => now)
    for (let count = 0; count < 60; count += 1) rate.take('a')
    expect(() => rate.take('a')).toThrow('1 second.')
    rate.take('b')
    now = 2500
    rate.take('a')
    rate.take('a')
    expect(() => rate.take('a')).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }))
    now = 10 * 60_000
    for (let count = 0; count < 60; count += 1) rate.take('a')
    expect(() => rate.take('a')).toThrow()
  })

  it('is not there when it is null', () => {
    const rate = createRate(null)
    for (let count = 0; count < 10_000; count += 1) rate.take('a')
  })
})
