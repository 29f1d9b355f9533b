import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { newId, parsePublicId, publicId } from '../../server/lib/ids.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { createMemoryCloud } from '../fakes/memory/cloud.ts'
import { memoryModule } from '../fakes/memory/module.ts'
import { createGraphqlClient, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { createTestProviders } from '../setup/providers.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** The whole server with an account of the memory cloud: an upload becomes a transfer, shown and steered at the GraphQL door. */
const cloud = createMemoryCloud({ accessMs: 10 ** 12, chunkBytes: 100_000 })
const drivers = new Map<string, Driver>()
let server: TestServer
let ada: TestUser
let client: GraphqlClient
let groupCloudId: string

beforeAll(async () => {
  server = await startTestServer(
    {},
    {
      openProviders: ({ credentials }) => ({
        ...createTestProviders([], credentials),
        open: ({ id }) => drivers.get(id) ?? memoryModule(cloud).open({ expiresAt: null }),
      }),
    },
  )
  ada = await createUser(server.services.users)
  client = createGraphqlClient(server.url, ada.token)
  const accountId = newId()
  cloud.addAccount({ subject: 'ada' })
  drivers.set(accountId, memoryModule(cloud).open(cloud.signIn('ada')))
  await server.pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, quota_state)
     values ($1, $2, 'memory', 'ada', 'Cloud of Ada', 'UNLIMITED')`,
    [accountId, ada.viewer.userId],
  )
  groupCloudId = (await server.services.groupClouds.create(ada.viewer, { name: 'Away', accountIds: [accountId] })).id
})
afterEach(() => {
  cloud.fault = null
})
afterAll(() => server?.close())

const FIELDS = 'id fileName mimeType kind state totalBytes sentBytes why error accounts { name } file { id state }'

async function upload(content: Buffer) {
  const input = { name: `${newId()}.txt`, size: null, groupCloudId }
  return server.services.uploads.receive(ada.viewer, input, Readable.from([content]))
}
async function transferOf(fileId: string) {
  const { data } = await client(`{ viewer { transfers { ${FIELDS} } } }`)
  const all: { id: string; state: string; file: { id: string } }[] = data.viewer.transfers
  return all.find(({ file }) => file.id === publicId('File', fileId))
}
const text = (size: number) => Buffer.from(randomBytes(size / 2).toString('hex'))

it('an upload is stored in the account, told step by step, and reads back the same', async () => {
  const stop = new AbortController()
  const steps = client.stream(
    'subscription { transferProgress { transferId sentBytes transfer { state } } }',
    {},
    stop.signal,
  )
  const first = steps.next()
  const content = text(400_000)
  const file = await upload(content)
  await expect.poll(async () => (await transferOf(file.id))?.state).toBe('DONE')
  expect(await transferOf(file.id)).toMatchObject({
    kind: 'STORE',
    totalBytes: 400_000,
    sentBytes: 400_000,
    error: null,
    mimeType: 'text/plain',
    accounts: [{ name: 'Cloud of Ada' }],
    file: { state: 'STORED' },
  })
  const told = await first
  expect(told.value).toMatchObject({ data: { transferProgress: { transfer: { state: expect.any(String) } } } })
  stop.abort()
  const download = await fetch(`${server.url}/api/v1/files/${publicId('File', file.id)}/download`, {
    headers: { cookie: `sid=${ada.token}` },
  })
  expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true)
})

it('is paused, resumed, cancelled and tried again', async () => {
  cloud.fault = (operation) => (operation === 'put' ? { kind: 'silent' } : null)
  const file = await upload(text(200_000))
  await expect.poll(async () => (await transferOf(file.id))?.state).toBe('RUNNING')
  const id = (await transferOf(file.id))?.id ?? ''
  const steer = (verb: string) => mutate(client, `${verb}Transfer`, { id }, 'transfer { state }')
  expect(await steer('pause')).toMatchObject({ transfer: { state: 'PAUSED' } })
  cloud.fault = null
  expect(await steer('cancel')).toMatchObject({ transfer: { state: 'CANCELLED' } })
  expect(await steer('resume')).toMatchObject({ __typename: 'ConflictError', code: 'CONFLICT' })
  expect(await steer('retry')).toMatchObject({ transfer: { state: expect.stringMatching(/WAITING|RUNNING|DONE/) } })
  await expect.poll(async () => (await transferOf(file.id))?.state).toBe('DONE')
  expect(await steer('cancel')).toMatchObject({ code: 'CONFLICT' })
  const node = await client(`{ node(id: "${id}") { ... on Transfer { state } } }`)
  expect(node.data).toEqual({ node: { state: 'DONE' } })
})

it('is nobody else’s, and nothing to anonymous callers', async () => {
  const { items } = await server.services.files.list(ada.viewer, { view: 'ALL', limit: 1 })
  const id = (await transferOf(items[0]?.file.id ?? ''))?.id ?? ''
  expect(parsePublicId(id)?.type).toBe('Transfer')
  const bob = createGraphqlClient(server.url, (await createUser(server.services.users)).token)
  expect(await mutate(bob, 'pauseTransfer', { id }, 'transfer { state }')).toMatchObject({ code: 'NOT_FOUND' })
  expect((await bob('{ viewer { transfers { id } } }')).data).toEqual({ viewer: { transfers: [] } })
  const nobody = createGraphqlClient(server.url, null)
  expect(await mutate(nobody, 'pauseTransfer', { id }, 'transfer { state }')).toEqual({ topLevel: 'UNAUTHENTICATED' })
})
