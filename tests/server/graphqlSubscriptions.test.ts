import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'graphql-sse'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readMigrations } from '../../server/db/migrate.ts'
import { readConfig } from '../../server/env.ts'
import { newId, publicId } from '../../server/lib/ids.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { type RunningServer, serve } from '../../server/serve.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { type Answer, createGraphqlClient } from '../setup/graphqlClient.ts'
import { createTestProviders } from '../setup/providers.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const CHANGES = 'subscription { filesChanged { files { id name parent { id } } removedIds parentIds truncated } }'
const PROGRESS =
  'subscription($id: ID!) { uploadProgress(uploadId: $id) { uploadId receivedBytes totalBytes file { name } } }'

/** Processes on one database share it. */
const KEYS = { SECRET_KEY: '0123456789abcdef'.repeat(4) }

let server: TestServer
/** A second process's worth of server on the same database. */
let other: RunningServer
let otherDir: string
let ada: TestUser
const open: AbortController[] = []

beforeAll(async () => {
  server = await startTestServer({ secretKeys: readConfig(KEYS).secretKeys })
  otherDir = mkdtempSync(join(tmpdir(), 'skypool-other-'))
  other = await serve({
    openProviders: ({ credentials }) => createTestProviders([], credentials),
    config: { ...readConfig({ PORT: '0', ...KEYS }), dataDir: otherDir },
    database: server.database.connection,
    migrations: readMigrations('prisma/migrations'),
    logger: createLogger('silent'),
    version: 'test',
    persisted: {},
    webDirectory: null,
  })
})

beforeEach(async () => {
  // New for each test: what the one before did may still be told.
  ada = await createUser(server.services.users)
})

afterEach(() => {
  for (const stream of open.splice(0)) stream.abort()
})

afterAll(async () => {
  await other?.close()
  await server?.close()
  rmSync(otherDir, { recursive: true, force: true })
})

/** A live stream; `next` waits for one more answer. */
async function listen(user: TestUser, query = CHANGES, variables = {}, at: RunningServer = server) {
  const stop = new AbortController()
  open.push(stop)
  const answers = createGraphqlClient(at.url, user.token).stream(query, variables, stop.signal)
  const first = answers.next()
  first.catch(() => {})
  let pending: Promise<IteratorResult<Answer, void>> | null = first
  await sleep(150)
  return {
    stop: () => stop.abort(),
    async next(): Promise<Answer | 'ended'> {
      const result = await (pending ?? answers.next())
      pending = null
      return result.done ? 'ended' : result.value
    },
  }
}

const folder = (user: TestUser, name: string, parentId: string | null = null) =>
  server.services.files.createFolder(user.viewer, { name, parentId })

describe('filesChanged', () => {
  test('tells what changed, where, and what is gone, also from another process', async () => {
    const here = await listen(ada)
    const there = await listen(ada, CHANGES, {}, other)
    const made = await folder(ada, 'News')
    for (const stream of [here, there]) {
      expect(await stream.next()).toEqual({
        data: {
          filesChanged: {
            files: [{ id: publicId('File', made.id), name: 'News', parent: null }],
            removedIds: [],
            parentIds: [null],
            truncated: false,
          },
        },
      })
    }
    await server.services.files.remove(ada.viewer, [made.id])
    for (const stream of [here, there]) {
      const answer = (await stream.next()) as Answer
      expect(answer.data.filesChanged).toMatchObject({ files: [], removedIds: [publicId('File', made.id)] })
    }
  })

  test('gathers a burst, as the entries are by then', async () => {
    const made = await folder(ada, 'Burst')
    const stream = await listen(ada)
    const names = Array.from({ length: 10 }, (_, i) => `Inner ${i}`)
    await Promise.all([
      server.services.files.rename(ada.viewer, made.id, 'Renamed at once'),
      ...names.map((name) => folder(ada, name, made.id)),
    ])
    const told: Answer['data']['filesChanged'][] = []
    const seen = () => told.flatMap(({ files }) => files.map(({ name }: { name: string }) => name))
    // A busy machine makes two bursts of one.
    while (![...names, 'Renamed at once'].every((name) => seen().includes(name))) {
      told.push(((await stream.next()) as Answer).data.filesChanged)
    }
    expect(told.length).toBeLessThan(names.length)
    expect(told.flatMap(({ parentIds }) => parentIds)).toEqual(
      expect.arrayContaining([null, publicId('File', made.id)]),
    )
    expect(told.flatMap(({ files }) => files)).toContainEqual({
      id: expect.any(String),
      name: 'Inner 0',
      parent: { id: publicId('File', made.id) },
    })
  })

  test('tells nobody else', async () => {
    const bob = await createUser(server.services.users)
    const stream = await listen(bob)
    await folder(ada, 'Private')
    const own = await folder(bob, 'Own')
    const { data } = (await stream.next()) as Answer
    expect(data.filesChanged.files.map(({ id }: { id: string }) => id)).toEqual([publicId('File', own.id)])
  })

  test('says when there is too much to list', async () => {
    const stream = await listen(ada)
    const ids = await Promise.all(Array.from({ length: 110 }, async (_, i) => (await folder(ada, `Many ${i}`)).id))
    const seen = { files: 0, truncated: false }
    while (!seen.truncated && seen.files < ids.length) {
      const { data } = (await stream.next()) as Answer
      expect(data.filesChanged.files.length).toBeLessThanOrEqual(100)
      seen.files += data.filesChanged.files.length
      seen.truncated ||= data.filesChanged.truncated
    }
    const again = await listen(ada)
    await server.services.files.star(ada.viewer, ids, true)
    // What is left of the burst before may be told first.
    for (let truncated = false; !truncated; ) {
      const { data } = (await again.next()) as Answer
      expect(data.filesChanged.files.length).toBeLessThanOrEqual(100)
      truncated = data.filesChanged.truncated
    }
  })

  test('is understood by graphql-sse in its distinct connections mode', async () => {
    const headers = { cookie: `sid=${ada.token}`, origin: server.url }
    const client = createClient({ url: `${server.url}/graphql`, headers, retryAttempts: 0 })
    const answers = client.iterate({ query: CHANGES })
    const next = answers.next()
    await sleep(150)
    await folder(ada, 'For graphql-sse')
    expect((await next).value).toMatchObject({ data: { filesChanged: { files: [{ name: 'For graphql-sse' }] } } })
    await answers.return?.()
    client.dispose()
  })
})

describe('uploadProgress', () => {
  test('starts where the upload stands and ends with its file', async () => {
    const { uploads } = server.services
    const { id } = await uploads.create(ada.viewer, { name: 'Slow.txt', size: 6 })
    await uploads.append(ada.viewer, id, 0, Readable.from([Buffer.from('abc')]))
    const stream = await listen(ada, PROGRESS, { id: publicId('Upload', id) })
    expect(await stream.next()).toEqual({
      data: { uploadProgress: { uploadId: publicId('Upload', id), receivedBytes: 3, totalBytes: 6, file: null } },
    })
    await uploads.append(ada.viewer, id, 3, Readable.from([Buffer.from('def')]))
    await uploads.finish(ada.viewer, id)
    let last: Answer | 'ended' = 'ended'
    for (let answer = await stream.next(); answer !== 'ended'; answer = await stream.next()) last = answer
    expect(last).toMatchObject({ data: { uploadProgress: { receivedBytes: 6, file: { name: 'Slow.txt' } } } })
  })

  test('of somebody else’s upload is as if there were none', async () => {
    const bob = await createUser(server.services.users)
    const { id } = await server.services.uploads.create(ada.viewer, { name: 'a.txt', size: 6 })
    const foreign = await (await listen(bob, PROGRESS, { id: publicId('Upload', id) })).next()
    const unknown = await (await listen(bob, PROGRESS, { id: publicId('Upload', newId()) })).next()
    expect(foreign).toEqual(unknown)
    expect(foreign).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] })
  })
})

describe('a stream', () => {
  test('is for the signed-in', async () => {
    const answer = await (await listen({ ...ada, token: 'x'.repeat(43) })).next()
    expect(answer).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
  })

  test('ends with the session: at the next event, or within seconds', async () => {
    const eve = await createUser(server.services.users)
    const { token } = await server.services.users.login(
      { email: eve.email, password: eve.password, rememberMe: false },
      { address: '::1', userAgent: '' },
    )
    const stays = await listen(eve)
    const ends = await listen({ ...eve, token })
    const session = await server.services.users.viewerOf(token)
    if (session) await server.services.users.logout(session)
    await folder(eve, 'After sign-out')
    expect(await ends.next()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    expect(await ends.next()).toBe('ended')
    expect(await stays.next()).toMatchObject({ data: { filesChanged: { files: [{ name: 'After sign-out' }] } } })
    await server.services.users.logout(eve.viewer)
    expect(await stays.next()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
  })

  test('is one of at most five of a user; one that ends makes room', async () => {
    const eve = await createUser(server.services.users)
    const streams = []
    for (let count = 0; count < 5; count += 1) streams.push(await listen(eve))
    expect(await (await listen(eve)).next()).toMatchObject({ errors: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }] })
    streams[0]?.stop()
    await sleep(100)
    const sixth = await listen(eve)
    await folder(eve, 'Room')
    expect(await sixth.next()).toMatchObject({ data: { filesChanged: { files: [{ name: 'Room' }] } } })
  })

  test('whose client left at once makes room too', async () => {
    const eve = await createUser(server.services.users)
    for (let round = 0; round < 12; round += 1) {
      const client = createGraphqlClient(server.url, eve.token)
      await client
        .stream(CHANGES, {}, AbortSignal.timeout(round))
        .next()
        .catch(() => {})
    }
    await sleep(300)
    const stream = await listen(eve)
    await folder(eve, 'Still room')
    expect(await stream.next()).toMatchObject({ data: { filesChanged: { files: [{ name: 'Still room' }] } } })
  })

  test('beats while nothing happens', async () => {
    const stop = new AbortController()
    open.push(stop)
    const response = await fetch(`${server.url}/graphql?${new URLSearchParams({ query: CHANGES })}`, {
      headers: { cookie: `sid=${ada.token}`, accept: 'text/event-stream' },
      signal: stop.signal,
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.getReader()
    const text = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await text()).toBe(':\n\n')
    expect(await text()).toBe(':\n\n')
  })

  test('breaks off, rather than being completed, when the server stops: clients connect again', async () => {
    const stopping = await startTestServer()
    const eve = await createUser(stopping.services.users)
    const stream = await listen(eve, CHANGES, {}, stopping)
    const start = performance.now()
    const [answer] = await Promise.allSettled([stream.next(), stopping.close()])
    expect(answer.status).toBe('rejected')
    expect(performance.now() - start).toBeLessThan(5000)
  })
})
