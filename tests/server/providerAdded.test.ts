import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createHarbour, HARBOUR_ADDRESS } from '../fakes/harbour/harbour.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startHarbourServer } from '../setup/harbourServer.ts'
import type { TestServer } from '../setup/server.ts'
import { eventually } from './shares/world.ts'

/** A provider is its folder, its row and its conformance lines: the server around it knows nothing of Harbour. */
const harbour = createHarbour()
const PATH = '/api/v1/harbour-accounts'
const PASSWORD = 'a very secret plank'
let server: TestServer
let browser: Browser
let client: GraphqlClient
let people = 0

beforeAll(async () => {
  server = await startHarbourServer(harbour)
})
beforeEach(async () => {
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  client = createGraphqlClient(server.url, token)
})
afterAll(() => server?.close())

function newPerson() {
  people += 1
  const user = `captain-${people}`
  harbour.setPassword(user, PASSWORD, { quota: 1024 ** 3 })
  return { address: HARBOUR_ADDRESS, user, password: PASSWORD }
}

const listed = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

const ERRORS = '__typename ... on InvalidInputError { fields { path message } } ... on Error { code message }'

function connect(values: Readonly<Record<string, string>>, name = 'Quay') {
  const query = `mutation($input: ConnectAccountByFormInput!) { connectAccountByForm(input: $input) { ${ERRORS}
    ... on ConnectAccountByFormPayload { account { id provider providerName glyph hue connectsBy status } } } }`
  return client(query, { input: { provider: 'harbour', name, fields: listed(values) } }).then(
    ({ data }) => data.connectAccountByForm,
  )
}

async function connected(person = newPerson()): Promise<string> {
  return (await connect(person)).account.id
}

describe('a provider that is added', () => {
  it('is shown last, with its form', async () => {
    const { data } = await client(`{ providers { id name hue glyph availability connectsBy access capabilities
      fields { name label help type secret required } } }`)
    expect(data.providers).toHaveLength(13)
    const shown = data.providers.at(-1)
    expect(shown).toMatchObject({ id: 'harbour', name: 'Harbour', availability: 'READY', connectsBy: 'FORM', hue: 11 })
    expect(shown.fields).toHaveLength(5)
    expect(shown.fields[2]).toEqual({
      name: 'password',
      label: 'Password',
      help: null,
      type: 'TEXT',
      secret: true,
      required: true,
    })
    expect(shown.capabilities).toContain('Interrupted uploads continue where they stopped.')
    const { body } = await browser.request('GET', '/api/v1/providers?limit=100')
    expect(body.items.at(-1)).toMatchObject({ id: 'harbour', restPath: 'harbour-accounts', fields: shown.fields })
  })

  it('is in the description of REST by itself', async () => {
    const { body } = await browser.request('GET', '/api/v1/openapi.json')
    expect(Object.keys(body.paths[`${PATH}/auth`] ?? body.paths)).toEqual(['post'])
    const { fields } = body.paths[`${PATH}/auth`].post.requestBody.content['application/json'].schema.properties
    expect(Object.keys(fields.properties)).toEqual(['address', 'user', 'password', 'berth', 'charter'])
    expect(fields.properties.password).toMatchObject({ writeOnly: true })
    expect(body.tags).toContainEqual(expect.objectContaining({ name: 'harbour-accounts' }))
  })

  it('is connected, listed, disconnected and brought back by REST', async () => {
    const fields = newPerson()
    const made = await browser.request('POST', `${PATH}/auth`, { name: 'Quay', fields })
    expect([made.status, made.body]).toMatchObject([201, { provider: 'harbour', name: 'Quay', status: 'CONNECTED' }])
    const { id } = made.body
    expect((await browser.request('GET', PATH)).body.items).toMatchObject([{ id }])
    const quotas = await browser.request('POST', '/api/v1/quotas/by-ids-and-types', [{ id, type: 'harbour' }])
    expect(quotas.body).toMatchObject([{ id, quota: { totalBytes: 1024 ** 3 } }])
    const twice = await browser.request('POST', `${PATH}/auth`, { name: 'Again', fields })
    expect([twice.status, twice.body.code]).toEqual([409, 'ACCOUNT_CONNECTED'])
    expect((await browser.request('DELETE', `${PATH}/${id}`)).status).toBe(204)
    const back = await browser.request('POST', `${PATH}/auth`, { name: 'Back', fields })
    expect(back.body.id).toBe(id)
    expect((await browser.request('GET', `${PATH}/init`)).status).toBe(405)
  })

  it('holds what a group cloud puts there', async () => {
    const person = newPerson()
    const id = await connected(person)
    const cloud = await browser.request('POST', '/api/v1/group-clouds', { name: 'Fleet', accountIds: [id] })
    const form = new FormData()
    form.set('groupCloudId', cloud.body.id)
    form.set('file', new File(['anchors and chains'], 'cargo.txt', { type: 'text/plain' }))
    const file = (await browser.request('POST', '/api/v1/files', form)).body
    const stored = await eventually(
      async () => (await browser.request('GET', `/api/v1/files/${file.id}`)).body,
      ({ state, copies }) => state === 'STORED' && copies[0]?.accountId === id,
    )
    expect(stored.copies).toHaveLength(1)
    const objects = harbour.cloud.objects(person.user).filter(({ kind }) => kind === 'file')
    expect(objects.map(({ name, bytes }) => [name, bytes.toString()])).toEqual([['cargo.txt', 'anchors and chains']])
    const found = await browser.request('GET', '/api/v1/files?provider=harbour&home=pool')
    expect(found.body.items.map((item: { id: string }) => item.id)).toEqual([file.id])
    expect((await browser.request('GET', `/api/v1/files/${file.id}/download`)).body).toBe('anchors and chains')
  })

  it('keeps what was typed in encrypted', async () => {
    await connected()
    const tables = await server.pool.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    )
    const all = tables.rows.map(({ name }) => `select '${name}' as name, t::text as text from ${name} t`)
    const { rows } = await server.pool.query<{ name: string; text: string }>(all.join(' union all '))
    expect(rows.some(({ name }) => name === 'account_credentials')).toBe(true)
    expect(rows.filter(({ text }) => text.includes(PASSWORD) || text.includes(HARBOUR_ADDRESS))).toEqual([])
    expect(server.logs.filter((line) => line.includes(PASSWORD))).toEqual([])
  })
})

describe('what is typed in', () => {
  it('is judged field by field', async () => {
    const refused = await connect({ address: 'harbour', password: ' ', berth: 'x', mast: 'tall' }, ' ')
    const expected = [
      ['name', 'Please provide a name for this connection'],
      ['fields.mast', 'There is no such field.'],
      ['fields.address', 'Server address must be an address that begins with https:// or http://.'],
      ['fields.user', 'User name is required.'],
      ['fields.berth', 'Berth must be a whole number.'],
    ]
    expect(refused.__typename).toBe('InvalidInputError')
    const pairs = (fields: { path: string; message: string }[]) => fields.map(({ path, message }) => [path, message])
    expect(pairs(refused.fields)).toEqual(expected)
    const fields = { address: 'harbour', password: ' ', berth: 'x' }
    const { status, body } = await browser.request('POST', `${PATH}/auth`, { name: ' ', fields })
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(pairs(body.errors)).toEqual(expected.filter(([path]) => path !== 'fields.mast'))
  })

  it('is judged by the provider too, where the fields are all right', async () => {
    const refused = await connect({ ...newPerson(), berth: '100' })
    expect(refused.fields).toEqual([{ path: 'fields.berth', message: 'There are berths 1 to 99.' }])
  })

  it.each([
    [{ password: 'wrong' }, 'AUTHORIZATION_FAILED', /Harbour did not accept what you entered/],
    [{ address: 'https://elsewhere.example' }, 'PROVIDER_FAILED', /could not be reached or returned an error/],
  ])('that does not work is refused in words: %o', async (wrong, code, words) => {
    const values = { ...newPerson(), ...wrong }
    expect(await connect(values)).toMatchObject({ code, message: expect.stringMatching(words) })
    const { body } = await browser.request('POST', `${PATH}/auth`, { name: 'Quay', fields: values })
    expect(body.code).toBe(code)
    expect((await browser.request('GET', PATH)).body.items).toEqual([])
  })

  it('connects an account again once its password has changed, and no other login', async () => {
    const person = newPerson()
    const id = await connected(person)
    harbour.setPassword(person.user, 'another plank')
    await client('mutation($ids: [ID!]!) { refreshQuotas(input: { ids: $ids }) { __typename } }', { ids: [id] })
    await server.pool.query('update accounts set quota_checked_at = null')
    await client('mutation($ids: [ID!]!) { refreshQuotas(input: { ids: $ids }) { __typename } }', { ids: [id] })
    const look = async () => (await browser.request('GET', PATH)).body.items[0]
    expect(await look()).toMatchObject({ id, status: 'EXPIRED' })

    const again = (values: Readonly<Record<string, string>>) =>
      mutate(client, 'reconnectAccountByForm', { id, fields: listed(values) }, 'account { id status }')
    const refused = await browser.request('PUT', `${PATH}/${id}`, { fields: person })
    expect([refused.status, refused.body.code]).toEqual([400, 'AUTHORIZATION_FAILED'])
    const other = await browser.request('PUT', `${PATH}/${id}`, { fields: newPerson() })
    expect([other.status, other.body.code]).toEqual([409, 'OTHER_LOGIN'])
    expect(await look()).toMatchObject({ status: 'EXPIRED' })
    expect(await again({ ...person, password: 'another plank' })).toMatchObject({
      account: { id, status: 'CONNECTED' },
    })
  })

  it('is nothing for a provider with a window of its own', async () => {
    const { google } = server
    expect(google.calls).toEqual([])
    const { data } = await client(
      `mutation($input: ConnectAccountByFormInput!) { connectAccountByForm(input: $input) { ${ERRORS} } }`,
      { input: { provider: 'dropbox', name: 'x', fields: [] } },
    )
    expect(data.connectAccountByForm).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    const begun = await client(
      `mutation($input: AuthorizeAccountInput!) { authorizeAccount(input: $input) { ${ERRORS.replace(/\.\.\. on Invalid.*?\} \} /, '')} } }`,
      { input: { provider: 'harbour' } },
    )
    expect(begun.data.authorizeAccount).toMatchObject({ message: 'Harbour is connected with a form.' })
  })
})
