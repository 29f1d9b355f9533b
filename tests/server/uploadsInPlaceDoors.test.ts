import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** Every way to upload into a folder of an account, with emulated accounts of Google and Dropbox. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let graphql: GraphqlClient
let root: string
let email: string
let people = 0

const patient = { timeout: 120_000, interval: 100 }
const base64 = (text: string) => Buffer.from(text).toString('base64')

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
    DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
    DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
  }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders, feedEveryMs: 200 },
  )
})
beforeEach(async () => {
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  graphql = createGraphqlClient(server.url, token)
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body

/** Connects a person of the service with everything in their account. */
async function person(service: 'google' | 'dropbox'): Promise<void> {
  people += 1
  email = `sender-${people}@example.com`
  const { commands } = service === 'google' ? google : dropbox
  commands.addUser({ email, name: 'Sender', quotaBytes: 20_000_000 })
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  const account = await connect({ json }, service, 'Attic', email)
  root = (await browser.request('PATCH', `/api/v1/accounts/${account}`, { scope: 'EVERYTHING' })).body.rootFileId
}

function form(content: string | Buffer<ArrayBuffer>, name: string, fields: Record<string, string>): FormData {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', new Blob([content]), name)
  return body
}

const multipart = (content: string, name: string, fields: Record<string, string> = {}) =>
  browser.request('POST', '/api/v1/files', form(content, name, { parentId: root, ...fields }))

const TUS = { 'tus-resumable': '1.0.0' }
const metadata = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join()

async function create(length: number, values: Record<string, string>, headers: Record<string, string> = {}) {
  const {
    status,
    headers: answered,
    body,
  } = await browser.request('POST', '/api/v1/uploads', undefined, {
    ...TUS,
    'upload-length': String(length),
    'upload-metadata': metadata({ parentId: root, ...values }),
    ...headers,
  })
  return { status, body, location: answered.get('location') ?? '' }
}

const send = (location: string, offset: number, bytes: Uint8Array<ArrayBuffer>) =>
  browser.request('PATCH', location, bytes, {
    ...TUS,
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
  })

/** Until the account has all of them. @returns contents by path below the account's folder */
async function arrived(count: number): Promise<Map<string, { size: number; state: string; sha256: string }>> {
  return vi.waitFor(async () => {
    const { items } = await get(`/files?view=all&home=account`)
    const found = new Map<string, { size: number; state: string; sha256: string }>()
    for (const item of items.filter(({ kind }: { kind: string }) => kind === 'FILE')) {
      expect([item.name, item.state, item.stateReason]).toEqual([item.name, 'STORED', null])
      expect(item.webUrl).not.toBeNull()
      const { body } = await browser.request('GET', `/api/v1/files/${item.id}/download`)
      const sha256 = createHash('sha256').update(String(body)).digest('hex')
      found.set([...item.path.slice(1), item.name].join('/'), { size: item.size, state: item.state, sha256 })
    }
    expect(found.size).toBe(count)
    return found
  }, patient)
}

const of = (content: string) => ({
  size: content.length,
  state: 'STORED',
  sha256: createHash('sha256').update(content).digest('hex'),
})

describe.each(['google', 'dropbox'] as const)('%s', (service) => {
  it('gets files by multipart, by path, by tus in one and in parts, by GraphQL, and whole folders', async () => {
    await person(service)
    const [whole, path, tus, parts, mutation] = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(40_000)) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const answer = await multipart(whole, 'whole.txt')
    expect([answer.status, answer.body.home, answer.body.groupCloudId]).toEqual([201, 'ACCOUNT', null])
    expect(['RECEIVED', 'STORING', 'STORED']).toContain(answer.body.state)
    // It can be read from that moment on.
    expect((await browser.request('GET', `/api/v1/files/${answer.body.id}/download`)).body).toBe(whole)

    expect((await multipart(path, 'ignored.txt', { path: 'Travel/2024/path.txt' })).status).toBe(201)

    const upload = await create(tus.length, { filename: 'tus.txt', relativePath: 'Travel/2024/tus.txt' })
    expect(upload.status).toBe(201)
    expect((await send(upload.location, 0, Buffer.from(tus.slice(0, 10_000)))).status).toBe(204)
    expect((await send(upload.location, 10_000, Buffer.from(tus.slice(10_000)))).status).toBe(204)

    const halves = await Promise.all(
      [parts.slice(0, 15_000), parts.slice(15_000)].map(async (half) => {
        const { location } = await create(half.length, {}, { 'upload-concat': 'partial' })
        expect((await send(location, 0, Buffer.from(half))).status).toBe(204)
        return location
      }),
    )
    const joined = await browser.request('POST', '/api/v1/uploads', undefined, {
      ...TUS,
      'upload-concat': `final;${halves.join(' ')}`,
      'upload-metadata': metadata({ parentId: root, filename: 'parts.txt' }),
    })
    expect(joined.status).toBe(201)

    const { data } = await graphql.upload(
      `mutation($input: UploadFileInput!) { uploadFile(input: $input) { __typename
        ... on UploadFilePayload { file { id } } ... on Error { code message } } }`,
      { input: { file: null, parentId: root } },
      new File([mutation], 'mutation.txt', { type: 'text/plain' }),
    )
    expect(data.uploadFile.__typename).toBe('UploadFilePayload')

    const found = await arrived(5)
    expect(Object.fromEntries(found)).toEqual({
      'whole.txt': of(whole),
      'Travel/2024/path.txt': of(path),
      'Travel/2024/tus.txt': of(tus),
      'parts.txt': of(parts),
      'mutation.txt': of(mutation),
    })
    // The same row: links and stars stay.
    expect((await get(`/files/${answer.body.id}`)).webUrl).not.toBeNull()
  })

  it('refuses what the account cannot take, with the reason', async () => {
    await person(service)
    const full = await create(30_000_000, { filename: 'large.bin' })
    expect([full.status, full.body.code]).toEqual([507, 'STORAGE_FULL'])
    expect(full.body).toMatchObject({ neededBytes: 30_000_000, freeBytes: 20_000_000 })
    const [cloud] = (await get('/group-clouds')).items
    const both = await multipart('a', 'a.txt', { groupCloudId: cloud.id })
    expect([both.status, both.body.detail]).toEqual([400, expect.stringContaining('not in a group cloud')])
    await multipart('first', 'a.txt')
    const taken = await multipart('second', 'a.txt', { onConflict: 'fail' })
    expect([taken.status, taken.body.code]).toEqual([409, 'NAME_TAKEN'])
    expect((await multipart('second', 'a.txt')).body.name).toBe('a (2).txt')
    if (service === 'dropbox') {
      const bad = await multipart('a', '.dropbox')
      expect([bad.status, bad.body.detail]).toEqual([
        400,
        expect.stringContaining('does not accept the name “.dropbox”'),
      ])
    }
    await arrived(2)
  })

  it.each([1_000, 9_000_000])('overwrites an entry of the account, with %i bytes', async (size) => {
    await person(service)
    const bytes = 'x'.repeat(size)
    const earlier = (await multipart('earlier', 'a.txt')).body
    await arrived(1)
    await browser.request('POST', '/api/v1/files/star', { ids: [earlier.id], starred: true })
    const { webUrl } = await get(`/files/${earlier.id}`)
    const later = await multipart(bytes, 'a.txt', { onConflict: 'replace' })
    expect([later.status, later.body.name]).toEqual([201, 'a.txt'])
    await vi.waitFor(async () => expect((await arrived(1)).get('a.txt')).toEqual(of(bytes)), patient)
    // It is still the same file at the provider.
    expect(await get(`/files/${later.body.id}`)).toMatchObject({ webUrl, starred: true })
    expect((await get(`/files?parentId=${root}`)).items).toHaveLength(1)
  })

  it('keeps an entry that was changed there before it could be overwritten', async () => {
    await person(service)
    await multipart('earlier', 'a.txt')
    await arrived(1)
    const operation = service === 'google' ? 'drive.files.update' : 'files/upload'
    emulators.plan({ kind: 'rateLimit', service, operation, user: email, count: 1, retryAfter: 3 })
    await multipart('later', 'a.txt', { onConflict: 'replace' })
    if (service === 'google') {
      const objects = await google.commands.objects({ user: email })
      const [object] = objects.filter(({ path }) => path === '/a.txt')
      await google.commands.alter({ user: email, id: object?.id ?? '', text: 'theirs' })
    } else await dropbox.commands.alter({ user: email, path: '/a.txt', text: 'theirs' })
    const expected = { 'a.txt': of('theirs'), 'a (2).txt': of('later') }
    await vi.waitFor(async () => expect(Object.fromEntries(await arrived(2))).toEqual(expected), patient)
  })
})
