import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { DAV_LOGIN, DAV_SERVERS, type DavServer, lacksServer } from '../fakes/dav/servers.ts'
import { createNextcloud, NEXTCLOUD_HOST } from '../fakes/nextcloud/nextcloud.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { eventually } from './shares/world.ts'

const PATH = '/api/v1/webdav-accounts'
const PASSWORD = 'abcde-fghij-klmno-pqrst'
const nextcloud = createNextcloud()
let emulators: Emulators
let server: TestServer
let browser: Browser
let client: GraphqlClient
let people = 0

beforeAll(async () => {
  emulators = await startEmulators({ services: [nextcloud] })
  server = await startTestServer({ allowPrivateHosts: ['127.0.0.1'] }, { openProviders })
})
beforeEach(async () => {
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  client = createGraphqlClient(server.url, token)
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

/** A user of the Nextcloud, and what that user types in. */
function newPerson() {
  people += 1
  const user = `person-${people}`
  nextcloud.commands.addUser({ id: user, appPassword: PASSWORD, quotaBytes: 1024 ** 3 })
  return { address: `${emulators.url}/@${NEXTCLOUD_HOST}`, user, password: PASSWORD }
}

const connect = (fields: Readonly<Record<string, string>>, name = 'Files') =>
  browser.request('POST', `${PATH}/auth`, { name, fields })

/** A file that a group cloud of the account stores. */
async function storeFile(accountId: string, text: string) {
  const cloud = await browser.request('POST', '/api/v1/group-clouds', { name: 'Pool', accountIds: [accountId] })
  const form = new FormData()
  form.set('groupCloudId', cloud.body.id)
  form.set('file', new File([text], 'Grüße & more.txt', { type: 'text/plain' }))
  const file = (await browser.request('POST', '/api/v1/files', form)).body
  return eventually(
    async () => (await browser.request('GET', `/api/v1/files/${file.id}`)).body,
    ({ state, copies }) => state === 'STORED' && copies[0]?.accountId === accountId,
  )
}

async function removeFile(id: string): Promise<void> {
  expect((await browser.request('DELETE', `/api/v1/files/${id}`)).status).toBeLessThan(300)
  await browser.request('POST', '/api/v1/files/delete', { ids: [id] })
}

describe('a Nextcloud', () => {
  it('is in the list of providers with its form', async () => {
    const { body } = await browser.request('GET', '/api/v1/providers?limit=100')
    const shown = body.items.find(({ id }: { id: string }) => id === 'webdav')
    expect(shown).toMatchObject({ availability: 'READY', connectsBy: 'FORM', restPath: 'webdav-accounts' })
    const fields = shown.fields.map(({ name, secret }: { name: string; secret: boolean }) => [name, secret])
    expect(fields).toEqual([
      ['address', false],
      ['user', false],
      ['password', true],
      ['token', true],
    ])
    const conditions = [{ field: 'token', values: [''] }]
    const needs = ['User name', 'Password'].map((label) => ({
      conditions,
      message: `${label} is required unless you enter an access token.`,
    }))
    const expected = [null, ...needs, null]
    expect(shown.fields.map(({ requiredWhen }: { requiredWhen: object | null }) => requiredWhen)).toEqual(expected)
    const query = '{ providers { id fields { requiredWhen { conditions { field values } message } } } }'
    const { data } = await client(query)
    const same = data.providers.find(({ id }: { id: string }) => id === 'webdav')
    expect(same.fields.map(({ requiredWhen }: { requiredWhen: object | null }) => requiredWhen)).toEqual(expected)
    const { paths } = (await browser.request('GET', '/api/v1/openapi.json')).body
    const { properties } = paths[`${PATH}/auth`].post.requestBody.content['application/json'].schema.properties.fields
    expect(properties.user.description).toBe('User name. Required if `token` is empty.')
    expect(properties.token.description).toMatch(/ Optional\.$/)
  })

  it('names everything that is missing', async () => {
    const { status, body } = await connect({}, ' ')
    const messages = [
      'Please provide a name for this connection',
      'Server address is required.',
      'User name is required unless you enter an access token.',
      'Password is required unless you enter an access token.',
    ]
    expect([status, body.errors.map(({ message }: { message: string }) => message)]).toEqual([400, messages])
    expect(body.detail).toBe(messages.join(' ').replace('connection ', 'connection. '))
    const { body: withToken } = await connect({ token: 'abc' })
    expect(withToken.errors).toEqual([{ path: 'fields.address', message: 'Server address is required.' }])
  })

  it('is connected, stores a file, returns it and deletes it', async () => {
    const person = newPerson()
    const { status, body } = await connect(person)
    expect([status, body]).toMatchObject([
      201,
      { provider: 'webdav', status: 'CONNECTED', email: `${person.user}@example.com` },
    ])
    const quotas = await browser.request('POST', '/api/v1/quotas/by-ids-and-types', [{ id: body.id, type: 'webdav' }])
    expect(quotas.body).toMatchObject([{ quota: { totalBytes: 1024 ** 3 } }])
    const text = 'Greetings. '.repeat(10_000)
    const file = await storeFile(body.id, text)
    expect((await browser.request('GET', `/api/v1/files/${file.id}/download`)).body).toBe(text)
    const paths = () =>
      emulators.log().filter(({ operation, status }) => operation === 'files.DELETE' && status === 204)
    const before = paths().length
    await removeFile(file.id)
    expect(
      await eventually(
        async () => paths().length,
        (count) => count > before,
      ),
    ).toBeGreaterThan(before)
    expect((await connect(person)).body.code).toBe('ACCOUNT_CONNECTED')
  })

  it('is connected again with a new password, and by no other login', async () => {
    const person = newPerson()
    const { id } = (await connect(person)).body
    nextcloud.commands.setPassword({ id: person.user, appPassword: 'another-password' })
    const refresh = async () => {
      await server.pool.query('update accounts set quota_checked_at = null')
      await client('mutation($ids: [ID!]!) { refreshQuotas(input: { ids: $ids }) { __typename } }', { ids: [id] })
      return (await browser.request('GET', PATH)).body.items[0].status
    }
    expect(await eventually(refresh, (status) => status === 'EXPIRED')).toBe('EXPIRED')
    const put = (fields: object) => browser.request('PUT', `${PATH}/${id}`, { fields })
    expect((await put(person)).body).toMatchObject({
      code: 'AUTHORIZATION_FAILED',
      detail: 'The server did not accept the user name and password.',
    })
    expect((await put(newPerson())).body.code).toBe('OTHER_LOGIN')
    const fields = Object.entries({ ...person, password: 'another-password' }).map(([name, value]) => ({ name, value }))
    const again = await mutate(client, 'reconnectAccountByForm', { id, fields }, 'account { id status }')
    expect(again).toMatchObject({ account: { id, status: 'CONNECTED' } })
  })

  it('leaves no trace of the password', async () => {
    await connect(newPerson())
    const tables = await server.pool.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    )
    const all = tables.rows.map(({ name }) => `select '${name}' as name, t::text as text from ${name} t`)
    const { rows } = await server.pool.query<{ name: string; text: string }>(all.join(' union all '))
    expect(rows.filter(({ text }) => text.includes(PASSWORD))).toEqual([])
    expect(server.logs.filter((line) => line.includes(PASSWORD))).toEqual([])
  })

  it('in a private network is refused unless the administrator allows it', async () => {
    const strict = await startTestServer({}, { openProviders, beside: server })
    const person = newPerson()
    const { token } = await createUser(server.services.users)
    const calls = emulators.log().length
    const { status, body } = await createBrowser(strict.url, token).request('POST', `${PATH}/auth`, {
      name: 'x',
      fields: person,
    })
    expect([status, body.code, body.detail]).toEqual([
      400,
      'AUTHORIZATION_FAILED',
      expect.stringContaining('ALLOW_PRIVATE_HOSTS'),
    ])
    expect(emulators.log()).toHaveLength(calls)
    await strict.close()
  })
})

for (const name of ['apache', 'nginx', 'rclone'] as const) {
  const missing = lacksServer(name)
  describe.skipIf(missing !== null)(`a server with ${name} ${missing ?? ''}`, () => {
    let dav: DavServer
    beforeAll(async () => {
      dav = await DAV_SERVERS[name]()
    })
    afterAll(() => dav?.close())

    it('is connected, stores a file, returns it and deletes it', async () => {
      const { disk, path } = dav.newFolder()
      const address = `http://127.0.0.1:${dav.port}${encodeURI(path)}`
      const wrong = await connect({ address, user: DAV_LOGIN.user, password: 'wrong' })
      expect(wrong.body).toMatchObject({
        code: 'AUTHORIZATION_FAILED',
        detail: 'The server did not accept the user name and password.',
      })
      const absent = await connect({ address: `${address}none/`, ...DAV_LOGIN })
      expect(absent.body.detail).toMatch(/^There is no folder at this address\. Check its path/)
      const { status, body } = await connect({ address, ...DAV_LOGIN })
      expect([status, body.status]).toEqual([201, 'CONNECTED'])
      expect(readdirSync(disk)).toEqual([])
      const file = await storeFile(body.id, 'stored by Skypool')
      const stored = () => readdirSync(disk, { recursive: true }).map(String)
      expect(stored().some((one) => one.endsWith('Grüße & more.txt'))).toBe(true)
      expect((await browser.request('GET', `/api/v1/files/${file.id}/download`)).body).toBe('stored by Skypool')
      await removeFile(file.id)
      const left = await eventually(
        async () => stored(),
        (all) => !all.some((one) => one.includes('more')),
      )
      expect(left.filter((one) => one.includes('more'))).toEqual([])
    })
  })
}
