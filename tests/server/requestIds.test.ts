import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { causeOf, spanOf, traceparentOf } from '../../server/lib/cause.ts'
import { createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { startWatchedServer, type WatchedServer } from '../setup/watchedServer.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
type Line = { readonly reqId?: string; readonly msg: string } & Readonly<Record<string, unknown>>
const linesOf = (logs: readonly string[]) => logs.map((line) => JSON.parse(line) as Line)

describe('the id of a request', () => {
  let behind: TestServer
  let open: TestServer

  beforeAll(async () => {
    behind = await startTestServer({ trustProxy: '127.0.0.1' })
    open = await startTestServer()
  })
  afterAll(async () => {
    await behind?.close()
    await open?.close()
  })

  const idOf = async (server: TestServer, path: string, headers: Record<string, string> = {}) => {
    const answer = await createBrowser(server.url).request('GET', path, undefined, headers)
    return answer.headers.get('x-request-id')
  }

  it('is in every response, and another one each time', async () => {
    const ids = await Promise.all(
      ['/health', '/api/v1/files', '/api/v1/nothing', '/graphql', '/nothing'].map((path) => idOf(open, path)),
    )
    for (const id of ids) expect(id).toMatch(UUID)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is that of a proxy which TRUST_PROXY names, and of no one else', async () => {
    const headers = { 'x-request-id': '0f3a6c1e.proxy:42' }
    expect(await idOf(behind, '/health', headers)).toBe('0f3a6c1e.proxy:42')
    expect(await idOf(open, '/health', headers)).toMatch(UUID)
  })

  it.each(['', 'has spaces', 'x'.repeat(129), '"quoted"', 'a,b'])('is a new one instead of %j', async (given) => {
    expect(await idOf(behind, '/health', { 'x-request-id': given })).toMatch(UUID)
  })
})

describe('a request at LOG_LEVEL=debug', () => {
  let server: WatchedServer

  beforeAll(async () => {
    server = await startWatchedServer({ trustProxy: '127.0.0.1' }, { logLevel: 'debug' })
  })
  afterAll(() => server?.close())

  it('is followed by its id: to its job, its transfer and each call to the provider', async () => {
    const { headers } = await server.store('first.txt', Buffer.from('first'), { 'x-request-id': 'followed-1' })
    expect(headers.get('x-request-id')).toBe('followed-1')
    await server.store('second.txt', Buffer.from('second'), { 'x-request-id': 'followed-2' })
    const lines = linesOf(server.logs)
    for (const id of ['followed-1', 'followed-2']) {
      const own = lines.filter(({ reqId }) => reqId === id)
      expect(own.filter(({ area, task }) => area === 'jobs' && task === 'runTransfer').length).toBeGreaterThan(0)
      const calls = own.filter(
        ({ msg, provider, operation }) => msg === 'provider call' && provider && operation === 'put',
      )
      expect(calls.map(({ provider }) => provider)).toEqual(['google-drive'])
    }
  })

  it('leaves its id to nothing that is done for others', async () => {
    await server.store('third.txt', Buffer.from('third'), { 'x-request-id': 'alone' })
    await server.readFeeds()
    const feeds = linesOf(server.logs).filter(({ operation }) => operation === 'changes')
    expect(feeds.filter(({ reqId }) => reqId !== undefined)).toEqual([])
  })

  it('has its id once in a line', () => {
    expect(server.logs.filter((line) => line.split('"reqId"').length > 2)).toEqual([])
  })
})

describe('a cause', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const spanId = '00f067aa0ba902b7'

  it('reads traceparent as W3C defines it', () => {
    expect(spanOf(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, sampled: true })
    expect(spanOf(`00-${traceId}-${spanId}-00`)?.sampled).toBe(false)
    // Of a later version, which may have more fields.
    expect(spanOf(`cc-${traceId}-${spanId}-01-more`)).toEqual({ traceId, spanId, sampled: true })
    const bad = [
      '',
      `ff-${traceId}-${spanId}-01`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
    ]
    for (const text of [...bad, `00-${traceId.toUpperCase()}-${spanId}-01`, `00-${traceId}-${spanId}`]) {
      expect(spanOf(text)).toBeNull()
    }
    expect(traceparentOf({ traceId, spanId, sampled: true })).toBe(`00-${traceId}-${spanId}-01`)
  })

  it('is not believed when the payload of a job has something else in its place', () => {
    for (const note of [null, 'text', 7, {}, { requestId: 'has spaces' }, { requestId: 7, traceparent: 'x' }]) {
      expect(causeOf(note)).toBeNull()
    }
    expect(causeOf({ requestId: 'good', traceparent: 'x' })).toEqual({ requestId: 'good', span: null })
  })
})
