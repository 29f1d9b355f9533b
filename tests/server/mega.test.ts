import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createMega } from '../fakes/mega/mega.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { eventually } from './shares/world.ts'

const PATH = '/api/v1/mega-accounts'
const PASSWORD = 'abcde fghij klmno'
const CODE = '271828'
const patient = { timeout: 120_000, interval: 100 }
const mega = createMega()
let emulators: Emulators
let server: TestServer
let browser: Browser
let client: GraphqlClient
let people = 0

beforeAll(async () => {
  emulators = await startEmulators({ services: [mega] })
  server = await startTestServer({ providerEmulatorUrl: new URL(emulators.url) }, { openProviders, feedEveryMs: 200 })
})
beforeEach(async () => {
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  client = createGraphqlClient(server.url, token)
})
afterAll(async () => {
  expect(emulators.log().flatMap(({ bug }) => bug ?? [])).toEqual([])
  await server?.close()
  await emulators?.close()
})

/** A user of MEGA, and what that user types in. */
function newPerson(code?: string) {
  people += 1
  const email = `person-${people}@example.com`
  mega.commands.addUser({ email, password: PASSWORD, quotaBytes: 10 ** 9, ...(code && { code }) })
  return { email, password: PASSWORD }
}

const connect = (fields: Readonly<Record<string, string>>) =>
  browser.request('POST', `${PATH}/auth`, { name: 'Safe', fields, scope: 'OWN' })

const pairs = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => ({ name, value }))

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const namesIn = async (id: string): Promise<string[]> =>
  (await get(`/files?parentId=${id}`)).items.map(({ name }: { name: string }) => name).sort()

describe('MEGA', () => {
  it('is in the list of providers with its form, whose code is asked for only on request', async () => {
    const { items } = await get('/providers?limit=100')
    const shown = items.find(({ id }: { id: string }) => id === 'mega')
    expect(shown).toMatchObject({ availability: 'READY', connectsBy: 'FORM', restPath: 'mega-accounts' })
    expect(shown).toMatchObject({ canShowEverything: true })
    const fields = shown.fields.map((field: Record<string, unknown>) => [
      field.name,
      field.secret,
      field.onRequest,
      field.stored,
    ])
    expect(fields).toEqual([
      ['email', false, false, true],
      ['password', true, false, false],
      ['code', false, true, false],
    ])
  })

  it('is connected by REST: wrong password, missing code, wrong code, right code', async () => {
    const person = newPerson(CODE)
    const refused = await connect({ ...person, password: 'wrong' })
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      400,
      'AUTHORIZATION_FAILED',
      'MEGA does not know this email address with this password.',
    ])
    const missing = await connect(person)
    expect(missing.status).toBe(400)
    expect(missing.body).toMatchObject({ code: 'INVALID_INPUT' })
    expect(JSON.stringify(missing.body)).toContain('fields.code')
    const wrong = await connect({ ...person, code: '000000' })
    expect(JSON.stringify(wrong.body)).toContain('did not accept the code')
    const { status, body } = await connect({ ...person, code: CODE })
    expect([status, body]).toMatchObject([201, { provider: 'mega', status: 'CONNECTED', email: person.email }])
    expect((await connect({ ...person, code: CODE })).body.code).toBe('ACCOUNT_CONNECTED')
  })

  it('is connected by GraphQL in the same steps', async () => {
    const person = newPerson(CODE)
    const run = (fields: Readonly<Record<string, string>>) =>
      mutate(
        client,
        'connectAccountByForm',
        { provider: 'mega', name: 'Safe', fields: pairs(fields) },
        'account { status email }',
      )
    expect(await run({ ...person, password: 'wrong' })).toMatchObject({ code: 'AUTHORIZATION_FAILED' })
    expect(await run(person)).toMatchObject({ code: 'INVALID_INPUT', fields: [{ path: 'fields.code' }] })
    expect(await run({ ...person, code: '000000' })).toMatchObject({ fields: [{ path: 'fields.code' }] })
    expect(await run({ ...person, code: CODE })).toMatchObject({
      account: { status: 'CONNECTED', email: person.email },
    })
  })

  it('stores pooled files, returns them whole and in part, and deletes them', async () => {
    const person = newPerson()
    const { id: accountId } = (await connect(person)).body
    const cloud = await browser.request('POST', '/api/v1/group-clouds', { name: 'Pool', accountIds: [accountId] })
    const text = 'Greetings. '.repeat(50_000)
    const form = new FormData()
    form.set('groupCloudId', cloud.body.id)
    form.set('file', new File([text], 'Grüße & more.txt', { type: 'text/plain' }))
    const { id } = (await browser.request('POST', '/api/v1/files', form)).body
    await eventually(
      async () => get(`/files/${id}`),
      ({ state, copies }) => state === 'STORED' && copies[0]?.accountId === accountId,
    )
    const stored = async () => (await mega.commands.objects({ user: person.email })).filter(({ isFolder }) => !isFolder)
    expect((await stored()).map(({ sha256 }) => sha256)).toEqual([createHash('sha256').update(text).digest('hex')])
    expect((await browser.request('GET', `/api/v1/files/${id}/download`)).body).toBe(text)
    const part = await browser.request('GET', `/api/v1/files/${id}/download`, undefined, {
      range: 'bytes=400003-400012',
    })
    expect([part.status, part.body]).toEqual([206, text.slice(400_003, 400_013)])
    await browser.request('DELETE', `/api/v1/files/${id}`)
    await browser.request('POST', '/api/v1/files/delete', { ids: [id] })
    await vi.waitFor(async () => expect(await stored()).toEqual([]), patient)
    expect(mega.commands.logins({ user: person.email })).toBe(1)
  })

  it('shows everything in place, follows changes, and moves, renames and deletes there', async () => {
    const person = newPerson()
    const user = person.email
    const { id: planted } = await mega.commands.plant({ user, path: '/Travel/ticket.txt', text: 'Oslo, 9:40' })
    const account = (await connect(person)).body
    const shown = await browser.request('PATCH', `/api/v1/accounts/${account.id}`, { scope: 'EVERYTHING' })
    const root: string = shown.body.rootFileId
    await vi.waitFor(async () => expect(await namesIn(root)).toEqual(['Travel']), patient)
    const [travel] = (await get(`/files?parentId=${root}`)).items
    await vi.waitFor(async () => expect(await namesIn(travel.id)).toEqual(['ticket.txt']), patient)
    const [ticket] = (await get(`/files?parentId=${travel.id}`)).items
    expect((await browser.request('GET', `/api/v1/files/${ticket.id}/download`)).body).toBe('Oslo, 9:40')

    // Outside.
    await mega.commands.plant({ user, path: '/Travel/map.txt', text: 'A map' })
    mega.commands.alter({ user, id: planted, name: 'ticket (paid).txt' })
    await vi.waitFor(async () => expect(await namesIn(travel.id)).toEqual(['map.txt', 'ticket (paid).txt']), patient)

    // Here.
    const paths = async () => (await mega.commands.objects({ user })).map(({ path }) => path).sort()
    const rename = await browser.request('PATCH', `/api/v1/files/${ticket.id}`, { name: 'Ticket.txt' })
    expect(rename.status).toBe(200)
    const moved = await browser.request('POST', '/api/v1/files/move', { ids: [ticket.id], parentId: root })
    expect(moved.status).toBeLessThan(300)
    await vi.waitFor(async () => expect(await paths()).toEqual(['/Ticket.txt', '/Travel', '/Travel/map.txt']), patient)
    expect((await browser.request('POST', '/api/v1/files/trash', { ids: [ticket.id] })).status).toBeLessThan(300)
    await vi.waitFor(async () => expect(await paths()).toEqual(['/Travel', '/Travel/map.txt']), patient)
    expect((await browser.request('POST', '/api/v1/files/restore', { ids: [ticket.id] })).status).toBeLessThan(300)
    await vi.waitFor(async () => expect(await paths()).toContain('/Ticket.txt'), patient)
  })

  it('whose session was closed expires with the reason, and is connected again', async () => {
    const person = newPerson(CODE)
    const { id } = (await connect({ ...person, code: CODE })).body
    mega.commands.endSessions({ user: person.email })
    const refresh = async () => {
      await server.pool.query('update accounts set quota_checked_at = null')
      await client('mutation($ids: [ID!]!) { refreshQuotas(input: { ids: $ids }) { __typename } }', { ids: [id] })
      return (await browser.request('GET', PATH)).body.items[0]
    }
    const expired = await eventually(refresh, ({ status }) => status === 'EXPIRED')
    expect(JSON.stringify(expired)).toContain('The MEGA session was closed, or the password was changed')
    const formValues = async () => {
      const { data } = await client(
        'query($id: ID!) { node(id: $id) { ... on Account { formValues { name value } } } }',
        { id },
      )
      return data?.node.formValues
    }
    expect(await formValues()).toEqual(pairs({ email: person.email }))
    // Without it in the credentials, the address that MEGA has reported.
    await server.pool.query('delete from account_credentials')
    expect(await formValues()).toEqual(pairs({ email: person.email }))
    const again = (fields: Readonly<Record<string, string>>) =>
      mutate(client, 'reconnectAccountByForm', { id, fields: pairs(fields) }, 'account { id status }')
    expect(await again(person)).toMatchObject({ code: 'INVALID_INPUT', fields: [{ path: 'fields.code' }] })
    expect(await again(newPerson())).toMatchObject({ code: 'OTHER_LOGIN' })
    expect(await again({ ...person, code: CODE })).toMatchObject({ account: { id, status: 'CONNECTED' } })
  })

  it('is signed out when it is disconnected, and leaves no trace of the password', async () => {
    const person = newPerson()
    const { id } = (await connect(person)).body
    const tables = await server.pool.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    )
    const all = tables.rows.map(({ name }) => `select '${name}' as name, t::text as text from ${name} t`)
    const { rows } = await server.pool.query<{ name: string; text: string }>(all.join(' union all '))
    expect(rows.filter(({ text }) => text.includes(PASSWORD))).toEqual([])
    expect(server.logs.filter((line) => line.includes(PASSWORD))).toEqual([])
    const logouts = () => emulators.log().filter(({ operation, user }) => operation === 'sml' && user === person.email)
    expect((await browser.request('DELETE', `${PATH}/${id}`)).status).toBeLessThan(300)
    await vi.waitFor(() => expect(logouts()).toHaveLength(1), patient)
  })
})
