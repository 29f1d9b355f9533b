import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/env.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import { WrongStorageError } from '../../server/storage/errors.ts'
import { checkBucket, refuseObjectsOnDisk } from '../../server/storage/s3/store.ts'
import { prepareStore, startStore } from '../fakes/s3/store.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { makeBucket, type TestBucket } from '../setup/bucket.ts'
import { cutAfter } from '../setup/rawHttp.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

// Two servers with a bucket and without a common folder.

const MIB = 1024 * 1024
const SECRET_KEY = 'a key for tests that is long enough 0123456789'

const missingStore = await prepareStore()

describe.skipIf(missingStore !== null)('servers with a bucket', () => {
  let swift: S3Server
  let bucket: TestBucket
  const servers: TestServer[] = []
  const folders: string[] = []
  let ada: Browser

  async function start(more: { downloadRedirect?: boolean } = {}): Promise<TestServer> {
    const dataDir = mkdtempSync(join(tmpdir(), 'skypool-bucket-'))
    folders.push(dataDir)
    const config = { bucket: bucket.place, secretKeys: [SECRET_KEY] as const, acceptAnyType: true, ...more }
    const [first] = servers
    const server = await startTestServer(
      config,
      first ? { beside: { database: first.database, dataDir } } : { shared: true },
    )
    servers.push(server)
    return server
  }
  const serverAt = (turn: number) => servers[turn % 2] as TestServer
  const at = (turn: number) => createBrowser(serverAt(turn).url, ada.token)

  beforeAll(async () => {
    swift = await startStore()
    bucket = await makeBucket(swift)
    await start()
    await start()
    ada = createBrowser(serverAt(0).url)
    const person = { fullName: 'Ada Lovelace', email: 'ada@example.org', password: 'correct horse battery' }
    expect((await ada.request('POST', '/api/v1/auth/register', person)).status).toBe(201)
  })
  afterAll(async () => {
    for (const server of servers.toReversed()) await server.close()
    await swift?.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  async function download(turn: number, id: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${serverAt(turn).url}/api/v1/files/${id}/download`, {
      headers: { cookie: `sid=${ada.token}`, ...headers },
    })
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
  }

  async function expectEverywhere(id: string, bytes: Buffer): Promise<void> {
    for (const turn of [0, 1]) {
      const found = await download(turn, id)
      expect(found.status).toBe(200)
      expect(found.bytes.equals(bytes)).toBe(true)
    }
    const { body } = await at(0).request('GET', `/api/v1/files/${id}`)
    expect(body.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  }

  const TUS = { 'tus-resumable': '1.0.0' }
  const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' }

  async function create(size: number): Promise<string> {
    const headers = { ...TUS, 'upload-length': String(size), 'upload-metadata': `filename ${btoa(`${size}.bin`)}` }
    const created = await at(0).request('POST', '/api/v1/uploads', undefined, headers)
    expect(created.status).toBe(201)
    return created.headers.get('location') ?? ''
  }

  const append = (turn: number, location: string, offset: number, bytes: Buffer) =>
    at(turn).request('PATCH', location, new Uint8Array(bytes), { ...BYTES, 'upload-offset': String(offset) })

  it.each([64 * 1024, 20 * MIB])('store %i bytes from a form and from GraphQL', async (size) => {
    const bytes = randomBytes(size)
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), `form-${size}.bin`)
    const sent = await at(0).request('POST', '/api/v1/files', form)
    expect(sent.status).toBe(201)
    await expectEverywhere(sent.body.id, bytes)

    const graphql = new FormData()
    const query = `mutation ($input: UploadFileInput!) { uploadFile(input: $input) { ... on UploadFilePayload { file { id } } } }`
    graphql.set('operations', JSON.stringify({ query, variables: { input: { file: null } } }))
    graphql.set('map', JSON.stringify({ 0: ['variables.input.file'] }))
    graphql.set('0', new Blob([new Uint8Array(bytes)]), `graphql-${size}.bin`)
    const answer = await at(1).request('POST', '/graphql', graphql, { 'graphql-require-preflight': '1' })
    await expectEverywhere(answer.body.data.uploadFile.file.id, bytes)
  })

  it('send ranges', async () => {
    const bytes = randomBytes(3 * MIB)
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), 'ranges.bin')
    const { body } = await at(0).request('POST', '/api/v1/files', form)
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=1000000-2999999', 1_000_000, 3_000_000],
      ['bytes=-5', bytes.length - 5, bytes.length],
    ] as const) {
      const found = await download(1, body.id, { range })
      expect(found.status).toBe(206)
      expect(found.bytes.equals(bytes.subarray(from, to))).toBe(true)
    }
    const head = await fetch(`${serverAt(0).url}/api/v1/files/${body.id}/download`, {
      method: 'HEAD',
      headers: { cookie: `sid=${ada.token}` },
    })
    expect(head.headers.get('content-length')).toBe(String(bytes.length))
  })

  it('continue an upload in turn, also after the restart of one in the middle of a request', async () => {
    const bytes = randomBytes(23 * MIB)
    const location = await create(bytes.length)
    let offset = 0
    let last: Awaited<ReturnType<typeof append>> | null = null
    for (let turn = 0; offset < bytes.length; turn += 1) {
      if (turn === 4) {
        // The end of this server cuts the request; it comes back with an empty folder.
        const cut = append(1, location, offset, bytes.subarray(offset, offset + 9 * MIB)).catch(() => null)
        const gone = servers.pop()
        await Promise.all([gone?.close(), cut])
        await start()
        const found = await at(0).request('HEAD', location, undefined, TUS)
        offset = Number(found.headers.get('upload-offset'))
      }
      const piece = bytes.subarray(offset, offset + Math.ceil(2.3 * MIB))
      last = await append(turn, location, offset, piece)
      expect(last.status).toBe(204)
      offset += piece.length
      expect(last.headers.get('upload-offset')).toBe(String(offset))
    }
    await expectEverywhere(last?.headers.get('skypool-file-id') ?? '', bytes)
  })

  it.each([
    [23 * MIB, 'reading it again'],
    [5 * 1024 * MIB, 'a note, because it is too large to be read again'],
  ])('continue an upload of %i bytes whose only request was cut, by %s', async (size) => {
    const bytes = randomBytes(23 * MIB)
    const location = await create(size)
    const { port } = new URL(serverAt(1).url)
    const head = [
      `PATCH ${location} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Origin: http://127.0.0.1',
      `Cookie: sid=${ada.token}`,
      'Tus-Resumable: 1.0.0',
      'Content-Type: application/offset+octet-stream',
      'Upload-Offset: 0',
      `Content-Length: ${size}`,
    ]
    let offset = 0
    // What has not been read may be lost with its connection.
    while (offset === 0) {
      await cutAfter(Number(port), head, bytes.subarray(0, 9 * MIB + 12_345))
      const found = await at(0).request('HEAD', location, undefined, TUS)
      offset = Number(found.headers.get('upload-offset'))
    }
    const id = parsePublicId(location.split('/').at(-1) ?? '')?.id
    const staged = await servers[0]?.pool.query('select note from staged_objects where id = $1', [id])
    expect(staged?.rows).toEqual([{ note: size > bytes.length ? expect.any(Buffer) : null }])
    const rest = await append(0, location, offset, bytes.subarray(offset))
    expect(rest.status).toBe(204)
    if (size === bytes.length) await expectEverywhere(rest.headers.get('skypool-file-id') ?? '', bytes)
    else expect((await at(0).request('DELETE', location, undefined, TUS)).status).toBe(204)
  })

  it('redirect downloads of whole files to the bucket when they may', async () => {
    const third = await start({ downloadRedirect: true })
    const bytes = randomBytes(100_000)
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), 'Größe & “more”.html')
    const { body } = await at(0).request('POST', '/api/v1/files', form)
    // Not with fetch, which sets Sec-Fetch-Mode itself.
    const get = (headers: Record<string, string>, query = '') =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const options = { headers: { cookie: `sid=${ada.token}`, ...headers } }
        requestHttp(`${third.url}/api/v1/files/${body.id}/download${query}`, options, (answer) => {
          answer.resume()
          resolve(answer)
        })
          .on('error', reject)
          .end()
      })
    const saving = { 'sec-fetch-mode': 'navigate' }
    const redirected = await get(saving)
    expect(redirected.statusCode).toBe(302)
    const direct = await fetch(redirected.headers.location ?? '')
    expect(Buffer.from(await direct.arrayBuffer()).equals(bytes)).toBe(true)
    const through = await download(0, body.id)
    for (const name of ['content-type', 'content-disposition']) {
      expect(direct.headers.get(name)).toBe(through.headers.get(name))
    }
    for (const answer of [get({ ...saving, range: 'bytes=0-9' }), get({}), get(saving, '?disposition=inline')]) {
      const { statusCode } = await answer
      expect([200, 206]).toContain(statusCode)
    }
    servers.pop()
    await third.close()
  })

  it('store small and empty uploads', async () => {
    for (const size of [0, 1, 100_000]) {
      const bytes = randomBytes(size)
      const answer = await append(1, await create(size), 0, bytes)
      expect(answer.status).toBe(204)
      await expectEverywhere(answer.headers.get('skypool-file-id') ?? '', bytes)
    }
  })

  it('keep nothing but caches in their folders, and nothing staged', async () => {
    const signal = new AbortController().signal
    // What was deleted lately is deleted once more when no writer can have a request under way.
    await servers[0]?.pool.query("update staged_objects set touched_at = touched_at - interval '1 hour'")
    await servers[0]?.housekeeping.uploads.sweepStaging(signal)
    await servers[0]?.housekeeping.uploads.expire(signal)
    for (const folder of folders.slice(1)) expect(readdirSync(folder)).not.toContain('objects')
    const staged = async () => (await servers[0]?.pool.query('select from staged_objects'))?.rowCount
    await expect.poll(staged).toBe(0)
    const pieces = await servers[0]?.pool.query('select from pieces')
    expect((await bucket.keys()).length).toBe(pieces?.rowCount)
    expect(await bucket.uploads()).toBe(0)
    const ready = await fetch(`${serverAt(0).url}/ready`)
    expect(await ready.json()).toMatchObject({ status: 'ready', checks: expect.arrayContaining(['bucket']) })
  })

  it('say what is wrong with the address when they start', async () => {
    const { place } = bucket
    const wrong = (change: Partial<typeof place>) =>
      checkBucket({ ...place, ...change }).catch((error: unknown) => error)
    await expect(checkBucket(place)).resolves.toBeUndefined()
    const cases = [
      [{ accessKey: 'nobody' }, /refuses the access key|may not write/],
      [{ secretKey: 'wrong' }, /refuses the access key|may not write/],
      [{ bucket: 'missing-bucket' }, /"missing-bucket" does not exist/],
      [{ endpoint: 'http://127.0.0.1:9' }, /127\.0\.0\.1:9 does not answer/],
    ] as const
    for (const [change, message] of cases) {
      const error = await wrong(change)
      expect(error).toBeInstanceOf(WrongStorageError)
      expect(String(error)).toMatch(message)
      expect(String(error)).not.toContain(place.secretKey)
    }
  })
})

describe('STORAGE_URL', () => {
  const settings = (url: string, more: Record<string, string> = {}) =>
    readConfig({ SECRET_KEY, STORAGE_URL: url, ...more })

  it('has all that the bucket needs', () => {
    expect(
      settings('s3://key:a%2Fb%2B@s3.example.org:9000/files/team/a?region=eu-1&path-style=1&tls=0').bucket,
    ).toEqual({
      endpoint: 'http://s3.example.org:9000',
      bucket: 'files',
      prefix: 'team/a',
      region: 'eu-1',
      style: 'path',
      accessKey: 'key',
      secretKey: 'a/b+',
    })
    const aws = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-2' }
    expect(settings('s3://s3.example.org/files', aws).bucket).toMatchObject({
      endpoint: 'https://s3.example.org',
      prefix: '',
      region: 'eu-2',
      style: 'host',
      accessKey: 'id',
      secretKey: 'secret',
    })
    expect(readConfig({}).bucket).toBeNull()
  })

  it.each([
    's3://access:hidden@host',
    'https://access:hidden@host/bucket',
    's3://access:hidden@host/bucket?regoin=x',
    's3://access:hidden@host/bucket?tls=no',
    's3://access:hidden@/bucket',
  ])('is refused as %s', (url) => {
    expect(() => settings(url)).toThrow(/STORAGE_URL must look like/)
    expect(() => settings(url)).not.toThrow(/hidden/)
  })

  it('is refused while DATA_DIR has stored files', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'skypool-bucket-'))
    await expect(refuseObjectsOnDisk(dataDir)).resolves.toBeUndefined()
    mkdirSync(join(dataDir, 'objects', 'ab'), { recursive: true })
    await expect(refuseObjectsOnDisk(dataDir)).resolves.toBeUndefined()
    writeFileSync(join(dataDir, 'objects', 'ab', 'x'), 'x')
    await expect(refuseObjectsOnDisk(dataDir)).rejects.toThrow(/has stored files/)
    rmSync(dataDir, { recursive: true })
  })

  it('needs a key, a secret and SECRET_KEY', () => {
    expect(() => settings('s3://host.example/bucket')).toThrow(/AWS_ACCESS_KEY_ID/)
    expect(() => readConfig({ STORAGE_URL: 's3://a:b@host.example/bucket' })).toThrow(/SECRET_KEY must be set/)
  })
})
