import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLeases } from '../../server/db/locks.ts'
import { attemptsOf } from '../../server/jobs/allTasks.ts'
import { createEnqueue } from '../../server/queue/enqueue.ts'
import { type Answer, type Browser, createBrowser } from '../setup/browser.ts'
import { createTestDatabase } from '../setup/database.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** Two servers on one database and one data folder, as behind a load balancer. */
const times = { beat: 100, silence: 3_000, steady: 300 }
const signal = new AbortController().signal

let first: TestServer
let second: TestServer
let ada: Browser
/** The same person at the other server. */
let there: Browser

beforeAll(async () => {
  first = await startTestServer({ acceptAnyType: true }, { shared: true, registerTimes: times })
  second = await startTestServer({ acceptAnyType: true }, { beside: first, registerTimes: times })
  ada = createBrowser(first.url)
  const person = { fullName: 'Ada Lovelace', email: 'ada@example.org', password: 'correct horse battery' }
  expect((await ada.request('POST', '/api/v1/auth/register', person)).status).toBe(201)
  there = createBrowser(second.url, ada.token)
})
afterAll(async () => {
  await second?.close()
  await first?.close()
})

const TUS = { 'tus-resumable': '1.0.0' }
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' }
const base64 = (text: string) => Buffer.from(text).toString('base64')

async function createUpload(size: number, by = ada, headers = {}): Promise<string> {
  const own = { 'upload-length': String(size), 'upload-metadata': `filename ${base64(`${crypto.randomUUID()}.bin`)}` }
  const created = await by.request('POST', '/api/v1/uploads', undefined, { ...TUS, ...own, ...headers })
  expect(created.status).toBe(201)
  return created.headers.get('location') ?? ''
}

const append = (by: Browser, location: string, offset: number, bytes: Buffer, headers = {}) =>
  by.request('PATCH', location, new Uint8Array(bytes), { ...BYTES, 'upload-offset': String(offset), ...headers })

const offsetAt = async (by: Browser, location: string) =>
  Number((await by.request('HEAD', location, undefined, TUS)).headers.get('upload-offset'))

async function download(fileId: string, server: TestServer): Promise<Buffer> {
  const headers = { origin: server.url, cookie: `sid=${ada.token}` }
  const answer = await fetch(`${server.url}/api/v1/files/${fileId}/download`, { headers })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

async function expectEverywhere(fileId: string, bytes: Buffer): Promise<void> {
  for (const server of [first, second]) expect((await download(fileId, server)).equals(bytes)).toBe(true)
}

type Sending = { readonly request: ClientRequest; readonly answer: Promise<Answer> }

/** A request whose body comes when the test says so. */
function send(url: string, method: string, path: string, headers: Record<string, string>): Sending {
  const request = open(new URL(path, url), { method, headers: { origin: url, cookie: `sid=${ada.token}`, ...headers } })
  const answer = once(request, 'response').then(async ([response]: IncomingMessage[]) => {
    if (!response) throw new Error('There is no answer.')
    const text = Buffer.concat(await response.toArray()).toString()
    const body = text.startsWith('{') ? JSON.parse(text) : text
    return { status: response.statusCode ?? 0, headers: new Headers(response.headers as Record<string, string>), body }
  })
  answer.catch(() => undefined)
  return { request, answer }
}

const BOUNDARY = 'two-servers'
const part = (name: string, text: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
const filePart = (name: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"; filename="${crypto.randomUUID()}.bin"\r\n` +
  'content-type: application/octet-stream\r\n\r\n'
const END = `\r\n--${BOUNDARY}--\r\n`
const UPLOAD_FILE = `mutation ($input: UploadFileInput!) {
  uploadFile(input: $input) { ... on UploadFilePayload { file { id } } ... on Error { code message } } }`

type Door = { begin(bytes: Buffer): Promise<Sending & { end(): void; fileId(answer: Answer): string }> }

/** Each has half of the bytes on the disk of the first server when `begin` resolves. */
const doors: Readonly<Record<'REST' | 'GraphQL' | 'tus', Door>> = {
  REST: { begin: (bytes) => beginForm('/api/v1/files', '', 'file', bytes, ({ body }) => body.id) },
  GraphQL: {
    begin(bytes) {
      const operations = JSON.stringify({ query: UPLOAD_FILE, variables: { input: { file: null } } })
      const fields = part('operations', operations) + part('map', JSON.stringify({ 0: ['variables.input.file'] }))
      return beginForm('/graphql', fields, '0', bytes, ({ body }) => idOf(body.data.uploadFile.file.id))
    },
  },
  tus: {
    async begin(bytes) {
      const location = await createUpload(bytes.length)
      const before = staged()
      const headers = { ...BYTES, 'upload-offset': '0', 'content-length': String(bytes.length) }
      const sending = send(first.url, 'PATCH', location, headers)
      sending.request.write(bytes.subarray(0, bytes.length / 2))
      await expect.poll(() => staged().length).toBe(before.length + 1)
      const fileId = ({ headers }: Answer) => headers.get('skypool-file-id') ?? ''
      return { ...sending, end: () => sending.request.end(bytes.subarray(bytes.length / 2)), fileId }
    },
  },
}

const staged = () => readdirSync(join(first.dataDir, 'staging')).filter((name) => !name.startsWith('.'))
/** GraphQL's ids hold the ones of REST. */
const idOf = (id: string) => (id.includes('_') ? id : Buffer.from(id, 'base64').toString().replace(/^.*:/, ''))

async function beginForm(path: string, fields: string, name: string, bytes: Buffer, fileId: (a: Answer) => string) {
  const before = staged()
  const headers = {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'graphql-require-preflight': '1',
    'transfer-encoding': 'chunked',
  }
  const sending = send(first.url, 'POST', path, headers)
  sending.request.write(fields + filePart(name))
  sending.request.write(bytes.subarray(0, bytes.length / 2))
  await expect.poll(() => staged().length).toBe(before.length + 1)
  const end = () => {
    sending.request.write(bytes.subarray(bytes.length / 2))
    sending.request.end(END)
  }
  return { ...sending, end, fileId }
}

it('two servers may be the first ones at once, on an empty database and in an empty folder', async () => {
  const database = await createTestDatabase('template0')
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-empty-'))
  const start = () => startTestServer({}, { beside: { database, dataDir }, registerTimes: times })
  const servers = await Promise.all([start(), start()])
  for (const { url } of servers) expect((await fetch(`${url}/ready`)).status).toBe(200)
  expect((await database.pool.query('select from servers')).rowCount).toBe(2)
  for (const server of servers) await server.close()
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const MIB = 1024 * 1024
const everyDoor = ['REST', 'GraphQL', 'tus'] as const

describe('bytes that one server receives', () => {
  it.each(everyDoor)('by %s are left alone by another one that starts, and by its sweeps', async (door) => {
    const bytes = randomBytes(4 * MIB)
    const sending = await doors[door].begin(bytes)
    const third = await startTestServer({}, { beside: first, registerTimes: times })
    await third.housekeeping.uploads.sweepStaging(signal)
    await third.close()
    sending.end()
    const answer = await sending.answer
    expect([200, 201, 204]).toContain(answer.status)
    await expectEverywhere(sending.fileId(answer), bytes)
  })

  it.each(everyDoor)('by %s stay however long their sender is silent', async (door) => {
    const bytes = randomBytes(4 * MIB)
    const before = new Set(staged())
    const sending = await doors[door].begin(bytes)
    const [id = ''] = staged().filter((name) => !before.has(name))
    const isRegistered = async () =>
      (
        await first.pool.query(
          'select from servers where $1 = any(receiving) union all select from uploads where id = $1 and resumable',
          [id],
        )
      ).rowCount
    await expect.poll(isRegistered).toBe(1)
    await first.pool.query("update uploads set expires_at = expires_at - interval '1 hour' where id = $1", [id])
    utimesSync(join(first.dataDir, 'staging', id), 0, 0)
    await second.housekeeping.uploads.sweepStaging(signal)
    sending.end()
    const answer = await sending.answer
    expect([200, 201, 204]).toContain(answer.status)
    await expectEverywhere(sending.fileId(answer), bytes)
  })

  it.each(everyDoor)('by %s and that are gone before the answer never become a file', async (door) => {
    const bytes = randomBytes(4 * MIB)
    const before = new Set(staged())
    const sending = await doors[door].begin(bytes)
    for (const name of staged()) if (!before.has(name)) rmSync(join(first.dataDir, 'staging', name))
    const count = async () => (await first.pool.query("select from files where kind = 'FILE'")).rowCount
    const files = await count()
    sending.end()
    const { status, body } = await sending.answer
    const code = door === 'GraphQL' ? (body.errors?.[0]?.extensions.code ?? body.data.uploadFile.code) : body.code
    expect(code).toBe('UPLOAD_INCOMPLETE')
    expect(status).toBe(door === 'GraphQL' ? 200 : 400)
    expect(await count()).toBe(files)
  })

  it('in one request are removed by another server when theirs has died, once they have been idle for long', async () => {
    const [old, young] = [crypto.randomUUID(), crypto.randomUUID()]
    await first.pool.query(
      `insert into uploads (id, user_id, group_cloud_id, name, size, resumable, expires_at)
       select i.id, g.user_id, g.id, 'cut.bin', 10, false, now() + interval '24 hours' - i.idle
       from (select id, user_id from group_clouds limit 1) g, (values ($1::uuid, interval '1 hour'), ($2, interval '0')) i(id, idle)`,
      [old, young],
    )
    await second.housekeeping.uploads.sweepStaging(signal)
    const { rows } = await first.pool.query('select id from uploads where id = any($1::uuid[])', [[old, young]])
    expect(rows).toEqual([{ id: young }])
    await first.pool.query('delete from uploads where id = $1', [young])
  })

  it('that nobody owns are swept by any server, but not before they are idle for long', async () => {
    const path = (id: string) => join(first.dataDir, 'staging', id)
    const [old, young] = [crypto.randomUUID(), crypto.randomUUID()]
    writeFileSync(path(old), 'old')
    writeFileSync(path(young), 'young')
    utimesSync(path(old), new Date(), new Date(Date.now() - 3_600_000))
    await second.housekeeping.uploads.sweepStaging(signal)
    expect(staged()).toContain(young)
    expect(staged()).not.toContain(old)
    rmSync(path(young))
  })
})

describe('a tus upload', () => {
  it('goes on at either server, chunk by chunk, and both say how far it is', async () => {
    const size = 20
    const chunk = 50_000
    const bytes = randomBytes(size * chunk)
    const location = await createUpload(bytes.length)
    let fileId = ''
    for (let index = 0; index < size; index += 1) {
      const offset = index * chunk
      const by = index % 2 === 0 ? ada : there
      const answer = await append(by, location, offset, bytes.subarray(offset, offset + chunk))
      expect(answer.status, `chunk ${index}`).toBe(204)
      fileId = answer.headers.get('skypool-file-id') ?? ''
      const offsets = [await offsetAt(ada, location), await offsetAt(there, location)]
      expect(offsets).toEqual([offset + chunk, offset + chunk])
    }
    await expectEverywhere(fileId, bytes)
    const again = await append(ada, location, bytes.length, Buffer.alloc(0))
    expect(again.headers.get('skypool-file-id')).toBe(fileId)
  })

  it('is taken over from a server whose sender is silent, and keeps what came', async () => {
    const bytes = randomBytes(4 * MIB)
    const location = await createUpload(bytes.length)
    const headers = { ...BYTES, 'upload-offset': '0', 'content-length': String(bytes.length) }
    const silent = send(first.url, 'PATCH', location, headers)
    silent.request.on('error', () => undefined)
    silent.request.write(bytes.subarray(0, 2 * MIB))
    await expect.poll(() => first.logs.length + staged().length).toBeGreaterThan(0)
    await expect.poll(() => offsetAt(there, location)).toBe(2 * MIB)
    const last = await append(there, location, 2 * MIB, bytes.subarray(2 * MIB))
    expect(last.status).toBe(204)
    await expectEverywhere(last.headers.get('skypool-file-id') ?? '', bytes)
    silent.request.destroy()
  })

  it('that another server receives is refused to a second sender, and its offset is what was durable', async () => {
    const bytes = randomBytes(4 * MIB)
    const location = await createUpload(bytes.length)
    expect((await append(there, location, 0, bytes.subarray(0, MIB))).status).toBe(204)
    const headers = { ...BYTES, 'upload-offset': String(MIB), 'content-length': String(3 * MIB) }
    const lively = send(first.url, 'PATCH', location, headers)
    let sent = MIB
    const drip = setInterval(() => {
      if (sent < 2 * MIB) lively.request.write(bytes.subarray(sent, ++sent))
    }, 20)
    await expect.poll(() => sent).toBeGreaterThan(MIB + 3)
    expect(await offsetAt(there, location)).toBe(MIB)
    const refused = await append(there, location, MIB, bytes.subarray(MIB, 2 * MIB))
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    clearInterval(drip)
    lively.request.end(bytes.subarray(sent))
    const last = await lively.answer
    expect(last.status).toBe(204)
    await expectEverywhere(last.headers.get('skypool-file-id') ?? '', bytes)
  })

  it('is given up at one server while another one receives it', async () => {
    const location = await createUpload(4 * MIB)
    const headers = { ...BYTES, 'upload-offset': '0', 'content-length': String(4 * MIB) }
    const before = staged()
    const sending = send(first.url, 'PATCH', location, headers)
    sending.request.on('error', () => undefined)
    sending.request.write(randomBytes(2 * MIB))
    await expect.poll(() => staged().length).toBe(before.length + 1)
    expect((await there.request('DELETE', location, undefined, TUS)).status).toBe(204)
    expect((await ada.request('HEAD', location, undefined, TUS)).status).toBe(404)
    await expect.poll(() => staged().length).toBe(before.length)
    sending.request.destroy()
  })

  it('keeps nothing of a chunk whose checksum is wrong, and goes on at the other server', async () => {
    const bytes = randomBytes(300_000)
    const location = await createUpload(bytes.length)
    expect((await append(ada, location, 0, bytes.subarray(0, 100_000))).status).toBe(204)
    const checksum = { 'upload-checksum': `sha256 ${base64('wrong'.padEnd(32))}` }
    expect((await append(there, location, 100_000, bytes.subarray(100_000, 200_000), checksum)).status).toBe(460)
    expect(await offsetAt(ada, location)).toBe(100_000)
    const last = await append(ada, location, 100_000, bytes.subarray(100_000))
    await expectEverywhere(last.headers.get('skypool-file-id') ?? '', bytes)
  })

  it('is made once under one Idempotency-Key, at whatever server', async () => {
    const key = { 'idempotency-key': crypto.randomUUID(), 'upload-metadata': `filename ${base64('once.bin')}` }
    const location = await createUpload(10, ada, key)
    expect(await createUpload(10, there, key)).toBe(location)
  })

  it('does not expire while a request of any server works on it', async () => {
    const bytes = randomBytes(2 * MIB)
    const location = await createUpload(bytes.length)
    const before = staged()
    const headers = { ...BYTES, 'upload-offset': '0', 'content-length': String(bytes.length) }
    const sending = send(first.url, 'PATCH', location, headers)
    sending.request.write(bytes.subarray(0, MIB))
    await expect.poll(() => staged().length).toBe(before.length + 1)
    const expire = "update uploads set expires_at = now() - interval '1 minute' where file_id is null returning id"
    expect((await first.pool.query(expire)).rowCount).toBeGreaterThan(0)
    await second.housekeeping.uploads.expire(signal)
    await first.pool.query("update uploads set expires_at = now() + interval '1 day' where file_id is null")
    sending.request.end(bytes.subarray(MIB))
    const last = await sending.answer
    expect(last.status).toBe(204)
    await expectEverywhere(last.headers.get('skypool-file-id') ?? '', bytes)
  })
})

describe('a server that died', () => {
  const enqueue = createEnqueue(attemptsOf)
  const lock = (worker: string, age: string) =>
    first.pool.query(
      `update graphile_worker._private_jobs set locked_by = $1, locked_at = now() - $2::interval
       where task_id = (select id from graphile_worker._private_tasks where identifier = 'purgeFiles')`,
      [worker, age],
    )
  const waiting = async () =>
    (await first.pool.query("select from graphile_worker.jobs where task_identifier = 'purgeFiles'")).rowCount

  /** A job that a worker had begun. */
  async function begun(worker: string, age: string): Promise<void> {
    await enqueue(first.pool as never, 'purgeFiles', { userId: crypto.randomUUID() }, { delaySeconds: 3600 })
    await lock(worker, age)
    await first.pool.query('update graphile_worker._private_jobs set run_at = now() where locked_by = $1', [worker])
  }

  it('gives its jobs to others', async () => {
    await begun('pool-dead', '2 seconds')
    const silent = "now() - interval '1 minute'"
    await first.pool.query(
      `insert into servers (id, worker, heartbeat_at) values ('${crypto.randomUUID()}', 'pool-dead', ${silent})`,
    )
    await expect.poll(waiting).toBe(0)
    expect((await first.pool.query("select from servers where worker = 'pool-dead'")).rowCount).toBe(0)
  })

  it('gives its jobs to others also when it never was in the register', async () => {
    await begun('pool-unknown', '5 hours')
    await first.pool.query(
      "update graphile_worker._private_jobs set locked_at = now() - interval '1 minute' where locked_by = 'pool-unknown'",
    )
    await expect.poll(waiting).toBe(0)
  })

  it('or stands still loses its connections, and what it held with them', async () => {
    const id = crypto.randomUUID()
    const frozen = createLeases(await namedPool(id), 'transfer')
    const lease = await frozen.take('a transfer')
    expect(lease).not.toBeNull()
    const others = createLeases(first.pool, 'transfer')
    expect(await others.take('a transfer')).toBeNull()
    await first.pool.query(`insert into servers (id, heartbeat_at) values ($1, now() - interval '1 minute')`, [id])
    await expect.poll(() => lease?.signal.aborted).toBe(true)
    expect(await lease?.held()).toBe(false)
    const taken = await others.take('a transfer')
    expect(taken).not.toBeNull()
    await taken?.release()
    await lease?.release()
  })

  it('but wakes up again takes part under a new name of its worker', async () => {
    const workerOf = async () =>
      (await first.pool.query('select worker from servers where id = $1', [first.id])).rows[0]?.worker
    await expect.poll(workerOf).toMatch(/^pool-/)
    const before = await workerOf()
    await first.pool.query('delete from servers where id = $1', [first.id])
    await expect.poll(async () => (await workerOf()) ?? before).not.toBe(before)
    await enqueue(first.pool as never, 'purgeFiles', { userId: crypto.randomUUID() })
    await expect.poll(waiting).toBe(0)
  })

  it('in good order is out of the register at once', async () => {
    const third = await startTestServer({}, { beside: first, registerTimes: times })
    const rows = async () => (await first.pool.query('select from servers where id = $1', [third.id])).rowCount
    expect(await rows()).toBe(1)
    await third.close()
    expect(await rows()).toBe(0)
  })

  async function namedPool(id: string) {
    const { createPool } = await import('../../server/db/pool.ts')
    const { connectionName } = await import('../../server/db/servers.ts')
    const pool = createPool(first.database.connection, { name: connectionName('skypool', id) })
    closing.push(() => pool.end())
    return pool
  }
  const closing: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const close of closing) await close()
  })
})
