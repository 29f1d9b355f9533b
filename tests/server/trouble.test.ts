import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { UnknownOutcomeError } from '../../server/db/pool.ts'
import { troubleOf } from '../../server/lib/trouble.ts'
import { DiskFullError } from '../../server/storage/errors.ts'
import { S3Error } from '../../server/storage/s3/errors.ts'
import { createUser } from '../factories/user.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { openDatabaseWay } from '../setup/way.ts'

/** A database that cannot be asked, and a full disk: refused with 503 or 507 at every door, and over by itself. */

describe('what the server lacks', () => {
  const coded = (code: string, more: object = {}) => Object.assign(new Error('secret detail'), { code, ...more })
  it.each([
    ['refused', coded('ECONNREFUSED')],
    ['no socket', coded('ENOENT', { syscall: 'connect' })],
    [
      'no socket, told by Prisma',
      Object.assign(new Error('Invalid invocation:\n\nconnect ENOENT /a/.s.PGSQL.5432'), { code: 'ENOENT' }),
    ],
    ['several addresses', new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])],
    ['too many connections', coded('53300')],
    ['shut down', coded('57P01')],
    ['starting or recovering', coded('57P03')],
    ['time is over', coded('57014')],
    ['a lock is held', coded('55P03')],
    ['read-only', coded('25006')],
    ['a race was lost too often', coded('40001')],
    ['cut', new Error('Connection terminated unexpectedly')],
    ['no connection is free', new Error('timeout exceeded when trying to connect')],
    ['cut during a commit', new UnknownOutcomeError(new Error('Connection terminated unexpectedly'))],
    ['told by Prisma', coded('P2010', { meta: { driverAdapterError: { cause: { originalCode: '57P01' } } } })],
    ['Prisma has no connection', coded('P2037')],
  ])('is the database: %s', (_, error) => expect(troubleOf(error)?.kind).toBe('DATABASE'))

  it.each([
    ['PostgreSQL', coded('53100')],
    ['this disk', coded('ENOSPC')],
    ['this quota', new DiskFullError(coded('EDQUOT'))],
  ])('is room: %s', (_, error) => expect(troubleOf(error)?.kind).toBe('DISK_FULL'))

  it.each([
    ['it does not answer', { status: null, code: null }],
    ['it is starting, and does not know the bucket yet', { status: 404, code: 'NoSuchBucket' }],
  ])('is the bucket: %s', (_, failure) =>
    expect(troubleOf(new Error('put', { cause: new S3Error('put', failure) }))?.kind).toBe('BUCKET'),
  )

  it.each([
    ['a fault of ours', new TypeError('x is not a function')],
    ['a wrong statement', coded('42P01')],
    ['a name that is taken', coded('23505')],
    ['a missing file', coded('ENOENT', { syscall: 'open' })],
    ['a provider', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })],
    ['nothing', null],
  ])('is nothing here: %s', (_, error) => expect(troubleOf(error)).toBeNull())
})

describe('a database that goes and comes back', () => {
  let way: Awaited<ReturnType<typeof openDatabaseWay>>
  let server: TestServer
  let token: string
  beforeAll(async () => {
    const reachBy = async ({ connection }: TestServer['database']) => {
      way = await openDatabaseWay(connection)
      return way.address
    }
    server = await startTestServer({ acceptAnyType: true }, { reachBy })
    token = (await createUser(server.services.users)).token
  })
  afterAll(async () => {
    await server?.close()
    way?.close()
  })

  const doors = (): Record<string, () => Promise<Response>> => {
    const headers = { cookie: `sid=${token}`, origin: server.url }
    const send = (method: string, path: string, more: Record<string, string> = {}, body?: string | FormData) =>
      fetch(server.url + path, { method, headers: { ...headers, ...more }, ...(body !== undefined && { body }) })
    const json = { 'content-type': 'application/json' }
    const form = new FormData()
    form.set('file', new File(['some words'], 'words.txt'))
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': 'filename YS50eHQ=' }
    const anonymous = { cookie: '' }
    return {
      list: () => send('GET', '/api/v1/files'),
      folder: () => send('POST', '/api/v1/files/folders', json, '{"name":"New"}'),
      login: () =>
        send('POST', '/api/v1/auth/login', { ...json, ...anonymous }, '{"email":"a@b.cd","password":"some password"}'),
      key: () => send('GET', '/api/v1/files', { ...anonymous, authorization: `Bearer ${key}` }),
      upload: () => send('POST', '/api/v1/files', {}, form),
      tus: () => send('POST', '/api/v1/uploads', tus),
      share: () => send('GET', `/api/v1/shares/share_${'0'.repeat(32)}/download`, anonymous),
      graphql: () => send('POST', '/graphql', json, '{"query":"{ viewer { id } }"}'),
      mutation: () => send('POST', '/graphql', { ...json, ...anonymous }, JSON.stringify({ query: LOGIN })),
    }
  }
  let key = ''

  it('is 503 with Retry-After at every door, and nothing else, until it is there again', async () => {
    const created = await fetch(`${server.url}/api/v1/keys`, {
      method: 'POST',
      headers: { cookie: `sid=${token}`, origin: server.url, 'content-type': 'application/json' },
      body: '{"name":"Two"}',
    })
    key = ((await created.json()) as { key: string }).key
    way.cut()
    for (const [name, ask] of Object.entries(doors())) {
      const answer = await ask()
      const text = await answer.text()
      expect([name, answer.status, text.includes('NOT_READY')]).toEqual([name, 503, true])
      expect(Number(answer.headers.get('retry-after')), name).toBeGreaterThan(0)
      expect(text).not.toMatch(/ECONNREFUSED|Connection terminated|INTERNAL/)
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    expect((await fetch(`${server.url}/ready`)).status).toBe(503)
    expect(
      server.logs.filter((line) => line.includes('"stack"') && /request failed|GraphQL operation/.test(line)),
    ).toEqual([])
    await way.mend()
    await vi.waitUntil(async () => (await fetch(`${server.url}/ready`)).ok, 120_000)
    for (const [name, ask] of Object.entries(doors())) expect([name, (await ask()).status < 500]).toEqual([name, true])
  })

  it('brings live changes back by itself', async () => {
    const reader = createGraphqlClient(server.url, token)
    const ended = new AbortController()
    const events = reader.stream('subscription { filesChanged { __typename } }', {}, ended.signal)
    const first = events.next()
    way.cut()
    await way.mend()
    // What was said meanwhile is lost, so that all are told to read again.
    expect((await first).value?.errors).toBeUndefined()
    ended.abort()
  })

  it('that has no room is 507 with Retry-After, in both forms', async () => {
    const full = Object.assign(new Error('could not extend file "base/1/2": No space left on device'), {
      code: '53100',
    })
    const query = vi.spyOn(server.pool, 'query').mockRejectedValue(full as never)
    const connectTo = vi.spyOn(server.pool, 'connect').mockRejectedValue(full as never)
    const { list, graphql, folder } = doors()
    for (const ask of [list, graphql, folder]) {
      const answer = await ask?.()
      expect(answer?.status).toBe(507)
      expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer?.text()).toMatch(
        /STORAGE_FULL[\s\S]*disk of this server is full|disk of this server is full[\s\S]*STORAGE_FULL/,
      )
    }
    query.mockRestore()
    connectTo.mockRestore()
  })
})

const LOGIN = 'mutation { login(input: { email: "a@b.cd", password: "some password" }) { __typename } }'
