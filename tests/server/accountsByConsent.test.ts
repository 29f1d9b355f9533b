import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { BOX_CLIENT, createBox } from '../fakes/box/box.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createPcloud, PCLOUD_CLIENT } from '../fakes/pcloud/pcloud.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { allow, connect } from '../tools/demo/skypool.ts'

/** Accounts of emulated services, connected through their consent pages, pooled, and shown as they are. */
const box = createBox()
const pcloud = createPcloud()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let token: string
let people = 0

const patient = { timeout: 120_000, interval: 100 }

beforeAll(async () => {
  emulators = await startEmulators({ services: [box, pcloud] })
  const providers = {
    BOX_CLIENT_ID: BOX_CLIENT.id,
    BOX_CLIENT_SECRET: BOX_CLIENT.secret,
    PCLOUD_CLIENT_ID: PCLOUD_CLIENT.id,
    PCLOUD_CLIENT_SECRET: PCLOUD_CLIENT.secret,
  }
  const config = { providers, providerEmulatorUrl: new URL(emulators.url) }
  server = await startTestServer(config, { openProviders, feedEveryMs: 200 })
})
beforeEach(async () => {
  token = (await createUser(server.services.users)).token
  browser = createBrowser(server.url, token)
  emulators.clearFaults()
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const SERVICES = { box: box.commands, pcloud: pcloud.commands } as const
type Kind = keyof typeof SERVICES

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const send = async (method: string, path: string, body?: unknown) => browser.request(method, `/api/v1${path}`, body)
const bytesAt = async (id: string) => {
  const response = await fetch(`${server.url}/api/v1/files/${id}/download`, { headers: { cookie: `sid=${token}` } })
  return Buffer.from(await response.arrayBuffer())
}
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function newPerson(kind: Kind): string {
  people += 1
  const email = `person-${people}@example.com`
  SERVICES[kind].addUser({ email, name: `Person ${people}`, quotaBytes: 500_000_000 })
  return email
}

/** @returns the id of the account */
function connected(kind: Kind, email: string): Promise<string> {
  const json = async (method: string, path: string, body?: object) => (await browser.request(method, path, body)).body
  return connect({ json: json as never }, kind, 'Attic', email)
}

async function listed(parentId: string, names: readonly string[]) {
  return vi.waitFor(async () => {
    const { items } = await get(`/files?parentId=${parentId}`)
    expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort())
    return new Map<string, { readonly id: string }>(items.map((item: { name: string }) => [item.name, item]))
  }, patient)
}

describe.each<Kind>(['box', 'pcloud'])('%s', (kind) => {
  const commands = SERVICES[kind]

  it('is connected with name, address and quota by GraphQL, reconnected, and revoked with its disconnect', async () => {
    const email = newPerson(kind)
    const client = createGraphqlClient(server.url, token)
    const asked = await client(
      `mutation ($input: AuthorizeAccountInput!) { authorizeAccount(input: $input) {
        ... on AuthorizeAccountPayload { state authorizationUrl } ... on Error { message } } }`,
      { input: { provider: kind } },
    )
    const { state, authorizationUrl } = asked.data.authorizeAccount
    const code = await allow(authorizationUrl, email)
    const made = await client(
      `mutation ($input: ConnectAccountInput!) { connectAccount(input: $input) {
        ... on ConnectAccountPayload { account { id email status provider quota { state totalBytes } } }
        ... on Error { message } } }`,
      { input: { provider: kind, name: 'Mine', code, state } },
    )
    const { account } = made.data.connectAccount
    expect(account).toMatchObject({ email, provider: kind, status: 'CONNECTED', quota: { state: 'KNOWN' } })
    expect(Number(account.quota.totalBytes)).toBe(500_000_000)

    const path = `/${kind}-accounts`
    commands.revokeUser({ user: email })
    await server.pool.query('update accounts set quota_checked_at = null')
    const { items } = await get(path)
    await send('POST', '/quotas/by-ids-and-types', [{ id: items[0].id, type: kind }])
    expect((await get(path)).items).toMatchObject([{ status: 'EXPIRED' }])
    const init = await get(`${path}/init`)
    const again = await allow(init.authorizationUrl, email)
    const back = await send('PUT', `${path}/${items[0].id}`, { code: again, state: init.state })
    expect([back.status, back.body.status]).toEqual([200, 'CONNECTED'])
    expect((await send('DELETE', `${path}/${items[0].id}`)).status).toBe(204)
    expect(commands.tokens({ user: email }).access).toBe(0)
  })

  it('stores, reads, moves and deletes what a pool puts into it', async () => {
    const email = newPerson(kind)
    const accountId = await connected(kind, email)
    const cloud = (await send('POST', '/group-clouds', { name: 'Pool', accountIds: [accountId] })).body
    const bytes = randomBytes(300_000)
    const form = new FormData()
    form.set('groupCloudId', cloud.id)
    form.set('file', new File([new Uint8Array(bytes)], 'notes.bin'))
    const { id } = (await send('POST', '/files', form)).body
    await vi.waitFor(async () => expect((await get(`/files/${id}`)).state).toBe('STORED'), patient)
    const held = () => commands.objects({ user: email }).filter(({ size }) => size === bytes.length)
    expect(held()).toMatchObject([{ sha256: hashOf(bytes) }])
    await server.pool.query('update accounts set quota_checked_at = null')
    expect(hashOf(await bytesAt(id))).toBe(hashOf(bytes))

    const folder = (await send('POST', '/files/folders', { name: 'Elsewhere' })).body
    expect((await send('PATCH', `/files/${id}`, { name: 'renamed.bin', parentId: folder.id })).status).toBe(200)
    await vi.waitFor(() => expect(held().map(({ name }) => name)).toEqual(['renamed.bin']), patient)
    expect((await send('POST', '/files/trash', { ids: [id] })).status).toBe(200)
    expect((await send('POST', '/files/delete', { ids: [id] })).status).toBeLessThan(300)
    await vi.waitFor(() => expect(held()).toEqual([]), patient)
  })

  it('shows what it holds, follows changes from outside, and carries out changes there', async () => {
    const email = newPerson(kind)
    const bytes = randomBytes(200_000)
    commands.plant({ user: email, path: '/Travel/Deep/ticket.bin', base64: bytes.toString('base64') })
    commands.plant({ user: email, path: '/top.txt', text: 'top' })
    const accountId = await connected(kind, email)
    const { rootFileId } = (await send('PATCH', `/accounts/${accountId}`, { scope: 'EVERYTHING' })).body
    const top = await listed(rootFileId, ['Travel', 'top.txt'])
    const travel = top.get('Travel')?.id ?? ''
    const deep = (await listed(travel, ['Deep'])).get('Deep')?.id ?? ''
    const ticket = (await listed(deep, ['ticket.bin'])).get('ticket.bin')?.id ?? ''
    expect(hashOf(await bytesAt(ticket))).toBe(hashOf(bytes))

    // From outside: a new file, another name, another content, a deletion.
    commands.plant({ user: email, path: '/Travel/new.txt', text: 'new' })
    commands.alter({ user: email, path: '/Travel/Deep', to: '/Travel/Deeper' })
    commands.alter({ user: email, path: '/Travel/Deeper/ticket.bin', text: 'other' })
    commands.trash({ user: email, path: '/top.txt' })
    await listed(travel, ['Deeper', 'new.txt'])
    await listed(rootFileId, ['Travel'])
    await vi.waitFor(async () => expect((await get(`/files/${ticket}`)).size).toBe(5), patient)
    expect((await bytesAt(ticket)).toString()).toBe('other')

    // From here: at the service first.
    expect((await send('PATCH', `/files/${ticket}`, { name: 'kept.bin', parentId: travel })).status).toBe(200)
    const paths = () => commands.objects({ user: email, path: '/Travel' }).map(({ path }) => path)
    expect(paths()).toContain('/Travel/kept.bin')
    expect((await send('POST', '/files/trash', { ids: [ticket] })).status).toBe(200)
    expect(paths()).not.toContain('/Travel/kept.bin')
    expect((await send('POST', '/files/restore', { ids: [ticket] })).status).toBe(200)
    await vi.waitFor(() => expect(paths()).toContain('/Travel/kept.bin'), patient)
  })
})
