import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createHarbour, HARBOUR_ADDRESS } from '../fakes/harbour/harbour.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const harbour = createHarbour()
const FIELDS = { address: HARBOUR_ADDRESS, user: 'ann', password: 'anchor', berth: '7' }
let server: TestServer
let browser: Browser
let client: GraphqlClient
let id: string

beforeAll(async () => {
  server = await startTestServer({}, { harbour })
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  client = createGraphqlClient(server.url, token)
  harbour.setPassword('ann', 'anchor')
})
afterAll(() => server?.close())

const tried = (fields: object, more: object = {}) =>
  browser.request('POST', '/api/v1/accounts/test', { provider: 'harbour', fields, ...more })

describe('a form', () => {
  it('is tried without keeping anything', async () => {
    const { status, body } = await tried(FIELDS)
    expect([status, body]).toEqual([200, expect.objectContaining({ ok: true, problem: null, fingerprint: null })])
    expect(body.quota.state).toMatch(/KNOWN|UNLIMITED|UNKNOWN/)
    expect((await browser.request('GET', '/api/v1/accounts?provider=harbour')).body.items).toEqual([])
  })

  it('says what is wrong, of the login and of each field', async () => {
    expect((await tried({ ...FIELDS, password: 'wrong' })).body).toMatchObject({
      ok: false,
      identity: null,
      problem: expect.stringContaining('did not accept'),
    })
    const { status, body } = await tried({ ...FIELDS, berth: '0' })
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ path: 'fields.berth' })]])
  })

  it('connects an account', async () => {
    const { status, body } = await browser.request('POST', '/api/v1/accounts', {
      provider: 'harbour',
      name: 'Quay',
      fields: FIELDS,
      scope: 'OWN',
    })
    expect([status, body.provider]).toEqual([201, 'harbour'])
    id = body.id
  })

  it('says where the files of the account are, also after it was connected again', async () => {
    const expectPlace = async () => {
      const { body } = await browser.request('GET', `/api/v1/accounts/${id}`)
      const { data } = await client('query($id: ID!) { node(id: $id) { ... on Account { place } } }', { id: body.id })
      expect([body.place, data]).toEqual(['ann@harbour.example', { node: { place: 'ann@harbour.example' } }])
    }
    await expectPlace()
    await server.pool.query(`update accounts set place = null where provider = 'harbour'`)
    expect((await browser.request('PUT', `/api/v1/accounts/${id}`, { fields: FIELDS })).status).toBe(200)
    await expectPlace()
  })

  it('is shown again without secrets', async () => {
    const { password: _password, ...shown } = FIELDS
    const { body } = await browser.request('GET', `/api/v1/accounts/${id}/form`)
    expect(body.fields).toEqual(shown)
    expect(JSON.stringify(body)).not.toContain('anchor')
    const query = 'query($id: ID!) { node(id: $id) { ... on Account { formValues { name value } } } }'
    const { data } = await client(query, { id: body.id })
    expect(JSON.stringify(data)).not.toContain('anchor')
  })

  it('keeps a secret that is left empty, unless the server is another one', async () => {
    const { password: _password, ...rest } = FIELDS
    expect((await tried(rest, { accountId: id })).body).toMatchObject({ ok: true })
    expect((await browser.request('PUT', `/api/v1/accounts/${id}`, { fields: rest })).status).toBe(200)
    const elsewhere = { ...rest, address: 'https://thief.example/files' }
    expect((await tried(elsewhere, { accountId: id })).status).toBe(400)
    expect((await browser.request('PUT', `/api/v1/accounts/${id}`, { fields: elsewhere })).status).toBe(400)
    expect((await tried(rest)).status).toBe(400)
  })
})

describe('the use of an account by group clouds', () => {
  const poolUse = (use: string) =>
    server.pool.query(`update accounts set pool_use = $1::"PoolUse" where provider = 'harbour'`, [use])
  const created = (accountIds: string[], more: object = {}) =>
    browser.request('POST', '/api/v1/group-clouds', { name: crypto.randomUUID(), accountIds, ...more })
  const localId = async () => (await browser.request('GET', '/api/v1/accounts?provider=local')).body.items[0].id

  it('can be none at all', async () => {
    await poolUse('NONE')
    const { status, body } = await created([await localId(), id])
    expect([status, body.errors?.[0].path]).toEqual([400, 'accountIds'])
    expect(body.errors[0].message).toContain('“Quay” cannot be in a group cloud.')
    const all = await browser.request('POST', '/api/v1/group-clouds', { name: 'All of them' })
    expect(all.body.members.map(({ accountId }: { accountId: string }) => accountId)).toEqual([await localId()])
  })

  it('can be extra copies, which need another account beside them', async () => {
    await poolUse('EXTRA_COPIES')
    expect((await created([id])).status).toBe(400)
    const { status, body } = await created([id, await localId()], { copies: 2 })
    expect(status).toBe(201)
    const placed = await browser.request('GET', `/api/v1/group-clouds/${body.id}/placement?size=1`)
    expect(placed.body.copies.map((copy: { pieces: { accountId: string }[] }) => copy.pieces[0]?.accountId)).toEqual([
      await localId(),
      id,
    ])
    expect(placed.body.why).toContain('takes only extra copies')
  })

  it('can hold the only copy where the user insists', async () => {
    const { status, body } = await created([id], { allowOnlyCopy: [id] })
    expect([status, body.members]).toEqual([201, [expect.objectContaining({ accountId: id, allowOnlyCopy: true })]])
    const placed = await browser.request('GET', `/api/v1/group-clouds/${body.id}/placement?size=1`)
    expect(placed.body.placed).toBe(true)
    const back = await browser.request('PATCH', `/api/v1/group-clouds/${body.id}`, { allowOnlyCopy: [] })
    expect(back.status).toBe(400)
  })
})

describe('a capacity', () => {
  const patched = (capacityBytes: number | null) =>
    browser.request('PATCH', `/api/v1/accounts/${id}`, { capacityBytes })

  it('counts where the provider reports none', async () => {
    await server.pool.query(
      `update accounts set quota_state = 'UNKNOWN', quota_bytes = null where provider = 'harbour'`,
    )
    const { status, body } = await patched(5000)
    expect([status, body.capacityBytes, body.quota]).toEqual([
      200,
      5000,
      expect.objectContaining({ state: 'KNOWN', totalBytes: 5000 }),
    ])
    const removed = await patched(null)
    expect([removed.body.capacityBytes, removed.body.quota.state]).toEqual([null, 'UNKNOWN'])
    expect((await patched(0)).status).toBe(400)
  })

  it('is refused where the provider reports its own', async () => {
    await server.pool.query(
      `update accounts set quota_state = 'KNOWN', quota_bytes = 1, capacity_bytes = null where provider = 'harbour'`,
    )
    expect((await patched(5000)).status).toBe(409)
    const path = `/api/v1/accounts/${id}`
    const { name, hue } = (await browser.request('GET', path)).body
    expect((await browser.request('PATCH', path, { name: 'Other', hue: 12, capacityBytes: 5000 })).status).toBe(409)
    expect((await browser.request('GET', path)).body).toMatchObject({ name, hue })
  })
})
