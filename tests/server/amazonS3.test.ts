import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createProviders } from '../../server/providers/registry.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { unpackSwift } from '../../server/scripts/setup/swift.mjs'
import { makeBucket, openDriver, type TestBucket } from '../conformance/amazonS3Harness.ts'
import { listEverything } from '../conformance/kit.ts'
import { createUser } from '../factories/user.ts'
import { type S3Server, startSwift, whyNoSwift } from '../fakes/s3/swift.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { eventually } from './shares/world.ts'

await unpackSwift()
const missing = whyNoSwift()
const PATH = '/api/v1/amazon-s3-accounts'
const SECOND_KEY = { accessKey: 'test:second', secretKey: 'second-secret' }

describe.skipIf(missing !== null)(`a bucket as an account${missing === null ? '' : `: ${missing}`}`, () => {
  let swift: S3Server
  let server: TestServer
  let browser: Browser
  let client: GraphqlClient
  let bucket: TestBucket

  beforeAll(async () => {
    swift = await startSwift()
    server = await startTestServer(
      {},
      {
        openProviders: ({ config, credentials, local, logger }) =>
          createProviders({
            settings: config.providers,
            store: credentials,
            http: createHttp({ emulatorUrl: null }),
            guard: createHostGuard(true),
            localDriver: local,
            logger,
          }),
      },
    )
  })
  beforeEach(async () => {
    const { token } = await createUser(server.services.users)
    browser = createBrowser(server.url, token)
    client = createGraphqlClient(server.url, token)
    bucket = await makeBucket(swift)
  })
  afterAll(async () => {
    await server?.close()
    await swift?.close()
  })

  const values = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    service: 'other',
    endpoint: swift.endpoint,
    bucket: bucket.name,
    folder: 'Shared',
    accessKey: swift.accessKey,
    secretKey: swift.secretKey,
    ...more,
  })

  const connect = async (fields = values()) => {
    const list = Object.entries(fields).map(([name, value]) => ({ name, value }))
    const { data } = await client(
      `mutation($input: ConnectAccountByFormInput!) { connectAccountByForm(input: $input) { __typename
        ... on InvalidInputError { fields { path message } } ... on Error { message }
        ... on ConnectAccountByFormPayload { account { id provider status } } } }`,
      { input: { provider: 'amazon-s3', name: 'Bucket', fields: list } },
    )
    return data.connectAccountByForm
  }

  it('is offered with a choice of services', async () => {
    const { data } = await client(
      '{ providers { id availability connectsBy fields { name type secret choices { value label } } } }',
    )
    const shown = data.providers.find(({ id }: { id: string }) => id === 'amazon-s3')
    expect(shown).toMatchObject({ availability: 'READY', connectsBy: 'FORM' })
    expect(shown.fields[0].choices.map(({ value }: { value: string }) => value)).toEqual(
      expect.arrayContaining(['aws', 'r2', 'b2', 'wasabi', 'minio', 'garage']),
    )
    expect(shown.fields.filter(({ secret }: { secret: boolean }) => secret)).toMatchObject([{ name: 'secretKey' }])
    expect((await connect(values({ service: 'ftp' }))).fields).toEqual([
      { path: 'fields.service', message: expect.stringMatching(/must be one of: aws, r2/) },
    ])
  })

  it('stores, reads and deletes the files of a group cloud', async () => {
    const { account } = await connect(values({ capacity: '5' }))
    expect(account).toMatchObject({ provider: 'amazon-s3', status: 'CONNECTED' })
    const quotas = await browser.request('POST', '/api/v1/quotas/by-ids-and-types', [
      { id: account.id, type: 'amazon-s3' },
    ])
    expect(quotas.body).toMatchObject([{ quota: { totalBytes: 5_000_000_000 } }])
    const cloud = await browser.request('POST', '/api/v1/group-clouds', { name: 'Fleet', accountIds: [account.id] })
    const form = new FormData()
    form.set('groupCloudId', cloud.body.id)
    form.set('file', new File(['anchors and chains'], 'cargo.txt', { type: 'text/plain' }))
    const file = (await browser.request('POST', '/api/v1/files', form)).body
    await eventually(
      async () => (await browser.request('GET', `/api/v1/files/${file.id}`)).body,
      ({ state, copies }) => state === 'STORED' && copies[0]?.accountId === account.id,
    )
    const inBucket = async () => (await listEverything(openDriver(bucket.credentials))).map(({ ref }) => ref)
    expect(await inBucket()).toContain('/Shared/Skypool/cargo.txt')
    expect((await browser.request('GET', `/api/v1/files/${file.id}/download`)).body).toBe('anchors and chains')
    expect((await browser.request('POST', '/api/v1/files/delete', { ids: [file.id] })).status).toBeLessThan(300)
    await eventually(inBucket, (refs) => !refs.includes('/Shared/Skypool/cargo.txt' as (typeof refs)[number]))
  })

  it('keeps the keys encrypted, and never returns them', async () => {
    const { account } = await connect(values(SECOND_KEY))
    const shown = await browser.request('GET', PATH)
    expect(JSON.stringify(shown.body)).not.toMatch(/second-secret|test:second/)
    const { rows } = await server.pool.query<{ text: string }>('select t::text as text from account_credentials t')
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ text }) => /second-secret|test:second/.test(text))).toEqual([])
    expect(server.logs.filter((line) => line.includes('second-secret'))).toEqual([])
    expect((await browser.request('GET', PATH)).body.items).toMatchObject([{ id: account.id }])
  })

  it('says what is wrong with what was entered', async () => {
    expect((await connect(values({ secretKey: 'wrong' }))).message).toMatch(/do not belong together/)
    expect((await connect(values({ bucket: 'no-such-bucket' }))).message).toMatch(/no bucket with this name/)
    expect((await connect(values({ endpoint: 'http://127.0.0.1:1' }))).message).toMatch(
      /^Nothing accepts connections at 127.0.0.1:1\./,
    )
    expect((await browser.request('GET', PATH)).body.items).toEqual([])
  })

  it('is connected again with another key, and not with another bucket', async () => {
    const { account } = await connect()
    const again = await browser.request('PUT', `${PATH}/${account.id}`, { fields: values(SECOND_KEY) })
    expect([again.status, again.body]).toMatchObject([200, { id: account.id, status: 'CONNECTED' }])
    const other = await browser.request('PUT', `${PATH}/${account.id}`, { fields: values({ folder: 'Other' }) })
    expect([other.status, other.body.code]).toEqual([409, 'OTHER_LOGIN'])
    expect(other.body.detail).toMatch(/^This is another place: endpoint, bucket and folder have to be the same/)
  })
})
