import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConfigError, readConfig } from '../../server/env.ts'
import { createExporter, type EndedSpan } from '../../server/telemetry/otlp.ts'
import { createTracer } from '../../server/telemetry/tracer.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../setup/otlpReceiver.ts'
import { OWNER, startWatchedServer, type WatchedServer } from '../setup/watchedServer.ts'

const PATIENT = { timeout: 120_000, interval: 100 }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const KIND = { server: 2, client: 3, consumer: 5 }

describe('the traces of a server', () => {
  let collector: OtlpReceiver
  let server: WatchedServer

  beforeAll(async () => {
    collector = await startOtlpReceiver()
    const traces = {
      endpoint: collector.url,
      headers: { authorization: 'Bearer of-a-collector' },
      serviceName: 'mill',
      ratio: 1,
    }
    server = await startWatchedServer({ trustProxy: '127.0.0.1', traces })
  })
  afterAll(async () => {
    await server?.close()
    await collector?.close()
  })

  it('have a request with its statements, storage, job and calls, in the trace of the proxy', async () => {
    const traceparent = `00-${TRACE}-${PARENT}-01`
    await server.store('traced.txt', Buffer.from('traced'), { traceparent, 'x-request-id': 'traced-1' })
    const spans = await vi.waitFor(() => {
      const own = collector.spans().filter(({ traceId }) => traceId === TRACE)
      expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(['google-drive put']))
      return own
    }, PATIENT)
    const named = (name: string) => spans.find((span) => span.name === name) as ReceivedSpan
    const request = named('POST /api/v1/files')
    expect(request).toMatchObject({ parentSpanId: PARENT, kind: KIND.server, status: {} })
    expect(attributesOf(request)).toMatchObject({
      'http.request.method': { stringValue: 'POST' },
      'http.route': { stringValue: '/api/v1/files' },
      'http.response.status_code': { intValue: '201' },
      'skypool.request_id': { stringValue: 'traced-1' },
    })
    const job = named('job runTransfer')
    expect(job).toMatchObject({ parentSpanId: request.spanId, kind: KIND.consumer })
    expect(named('google-drive put')).toMatchObject({ parentSpanId: job.spanId, kind: KIND.client })
    const steps = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId).map(({ name }) => name)
    expect(steps.some((name) => name.startsWith('postgresql '))).toBe(true)
    expect(steps.some((name) => name.startsWith('storage '))).toBe(true)
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true)
    }
  })

  it('arrive as OTLP says: path, type, headers, resource, ids', () => {
    const [first] = collector.requests
    expect(first?.path).toBe('/v1/traces')
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer of-a-collector' })
    const [resource] = first?.body.resourceSpans ?? []
    expect(attributesOf(resource.resource)).toMatchObject({ 'service.name': { stringValue: 'mill' } })
    expect(resource.scopeSpans[0].scope.name).toBe('skypool')
    for (const span of collector.spans()) {
      expect(span.traceId).toMatch(/^[\da-f]{32}$/)
      expect(span.spanId).toMatch(/^[\da-f]{16}$/)
      expect(span.startTimeUnixNano).toMatch(/^\d{19}$/)
    }
  })

  it('contain nothing that belongs to a user', () => {
    const text = collector.requests.map((request) => request.text).join('\n')
    const own = [server.user.user.id, server.accountId, OWNER.email, OWNER.account, 'traced.txt', 'Mill', 'Engine room']
    for (const secret of own) expect(text).not.toContain(secret)
  })

  it('leave out what a proxy does not want to be recorded', async () => {
    const other = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
    await server.browser.request('GET', '/api/v1/files', undefined, { traceparent: `00-${other}-${PARENT}-00` })
    await server.browser.request('GET', '/api/v1/tags', undefined, { traceparent: `00-${TRACE}-${PARENT}-01` })
    await vi.waitFor(() => expect(collector.spans().map(({ name }) => name)).toContain('GET /api/v1/tags'), PATIENT)
    expect(collector.spans().filter(({ traceId }) => traceId === other)).toEqual([])
  })
})

function attributesOf({ attributes }: Pick<ReceivedSpan, 'attributes'>) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value]))
}

describe('the exporter', () => {
  const times = { batchMs: 1, pauseMs: 1, mostPauseMs: 5 }
  const logger = { warn: vi.fn(), info: vi.fn() }
  let collector: OtlpReceiver

  beforeEach(async () => {
    vi.clearAllMocks()
    collector = await startOtlpReceiver()
  })
  afterEach(() => collector.close())

  const exporterTo = (endpoint: URL) =>
    createExporter({ endpoint, headers: {}, resource: {}, version: 'test', logger, times })
  const span: EndedSpan = {
    context: { traceId: TRACE, spanId: PARENT, sampled: true },
    ...{ parentId: null, name: 'step', kind: 'CLIENT', startedAt: 1, endedAt: 2, attributes: {}, failure: null },
  }

  it('keeps spans while the collector is away, drops the newest beyond a limit, and counts both', async () => {
    const { port, url } = collector
    await collector.close()
    const exporter = exporterTo(url)
    for (let count = 0; count < 5_000; count += 1) exporter.add(span)
    expect(exporter.counts.dropped).toBe(5_000 - 4_096)
    await vi.waitFor(() => expect(logger.warn).toHaveBeenCalledTimes(1), PATIENT)
    collector = await startOtlpReceiver(port)
    await vi.waitFor(() => expect(exporter.counts.sent).toBe(4_096), PATIENT)
    expect(collector.spans()).toHaveLength(4_096)
    expect(Math.max(...collector.requests.map(({ body }) => body.resourceSpans[0].scopeSpans[0].spans.length))).toBe(
      512,
    )
    await vi.waitFor(() => expect(logger.info).toHaveBeenCalledTimes(1), PATIENT)
    await exporter.close()
  })

  it('sends again what the collector was too busy for, and not what it refuses', async () => {
    collector.answers(503)
    const exporter = exporterTo(collector.url)
    exporter.add(span)
    await vi.waitFor(() => expect(logger.warn).toHaveBeenCalledTimes(1), PATIENT)
    collector.answers(200)
    await vi.waitFor(() => expect(exporter.counts).toEqual({ sent: 1, dropped: 0 }), PATIENT)
    collector.answers(400)
    exporter.add(span)
    await vi.waitFor(() => expect(exporter.counts).toEqual({ sent: 1, dropped: 1 }), PATIENT)
    await exporter.close()
  })

  it('counts spans that an accepted request lost', async () => {
    collector.answers(200, JSON.stringify({ partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } }))
    const exporter = exporterTo(collector.url)
    exporter.add(span)
    exporter.add(span)
    await vi.waitFor(() => expect(exporter.counts).toEqual({ sent: 1, dropped: 1 }), PATIENT)
    expect(logger.warn.mock.calls[0]?.[0]).toMatchObject({ reason: 'too old' })
    await exporter.close()
  })

  it('sends the rest when it is closed, and ends although the collector is away', async () => {
    const exporter = createExporter({
      ...{ endpoint: collector.url, headers: {}, resource: {}, version: 'test', logger },
      times: { batchMs: 600_000 },
    })
    exporter.add(span)
    await exporter.close()
    expect(collector.spans()).toHaveLength(1)
    const { url } = collector
    await collector.close()
    const alone = exporterTo(url)
    alone.add(span)
    await alone.close()
    expect(alone.counts).toEqual({ sent: 0, dropped: 1 })
    collector = await startOtlpReceiver()
  })
})

describe('the tracer', () => {
  it('samples whole traces, by their id', () => {
    const add = vi.fn()
    const tracer = createTracer({ exporter: { add }, ratio: 0.5 })
    for (let count = 0; count < 2_000; count += 1) {
      const root = tracer.start('root', 'SERVER', null, {})
      const child = tracer.start('child', 'CLIENT', root.context, {})
      expect(child.context).toMatchObject({ traceId: root.context.traceId, sampled: root.context.sampled })
      child.end(null)
      root.end(null)
    }
    const names = add.mock.calls.map(([span]) => span.name)
    const roots = names.filter((name) => name === 'root').length
    expect(roots).toBe(names.length / 2)
    // Eleven standard deviations.
    expect(Math.abs(roots - 1_000)).toBeLessThan(250)
  })
})

describe('the settings', () => {
  it('are those of OpenTelemetry', () => {
    expect(readConfig({}).traces).toBeNull()
    const { traces } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret, x-scope = mill',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    })
    expect(traces).toMatchObject({
      ...{ serviceName: 'skypool', ratio: 0.25, headers: { authorization: 'Bearer secret', 'x-scope': 'mill' } },
    })
  })

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'no value' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'name=%zz' },
    { OTEL_TRACES_SAMPLER_ARG: '2' },
    { METRICS_PORT: '70000' },
  ])('must be right: %j', (given) => {
    expect(() => readConfig(given)).toThrow(ConfigError)
  })

  it('keep the headers secret in messages', () => {
    expect(() => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'token%zz' })).toThrow(/It is "…"/)
  })
})
