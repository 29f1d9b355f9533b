import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../server/env.ts'
import { serveMetrics } from '../../server/telemetry/metricsServer.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { alertQueries, dashboardQueries, namesIn } from '../setup/metricQueries.ts'
import { startTestServer } from '../setup/server.ts'
import { OWNER, startWatchedServer, type WatchedServer } from '../setup/watchedServer.ts'

const PATIENT = { timeout: 120_000, interval: 100 }
let server: WatchedServer

beforeAll(async () => {
  server = await startWatchedServer({ metricsPort: 0 })
})
afterAll(() => server?.close())

const scrape = async () => {
  const response = await fetch(server.metricsUrl ?? '')
  expect(response.status).toBe(200)
  return response.text()
}

/** The value of the one series with this name whose labels include these. */
function valueIn(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | null {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`)
  const line = text
    .split('\n')
    .find(
      (each) =>
        (each.startsWith(`${name}{`) || each.startsWith(`${name} `)) && wanted.every((part) => each.includes(part)),
    )
  return line === undefined ? null : Number(line.slice(line.lastIndexOf(' ') + 1))
}

describe('the port of the metrics', () => {
  it('is not opened without METRICS_PORT', async () => {
    expect(readConfig({}).metricsPort).toBeNull()
    const plain = await startTestServer()
    expect(plain.metricsUrl).toBeNull()
    const answer = await fetch(`${plain.url}/metrics`)
    expect(answer.status).toBe(404)
    await plain.close()
  })

  it('is another one than that of the server, which has no metrics', async () => {
    expect(new URL(server.metricsUrl ?? '').port).not.toBe(new URL(server.url).port)
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  })

  it('has /metrics and nothing else, and only for reading', async () => {
    const url = server.metricsUrl ?? ''
    for (const path of ['/', '/health', '/api/v1/files', '/metrics/']) {
      expect((await fetch(new URL(path, url))).status).toBe(404)
    }
    const posted = await fetch(url, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch(url)).headers.get('content-type')).toContain('text/plain; version=0.0.4')
  })
})

describe('processes of one machine with the same METRICS_PORT', () => {
  it('use it and the ports after it, as many as there are processes', async () => {
    const common = { host: '127.0.0.1', contentType: 'text/plain', onError: () => undefined }
    const first = await serveMetrics({ ...common, port: 0, ports: 1, read: async () => 'first' })
    const port = Number(new URL(first.url).port)
    const second = await serveMetrics({ ...common, port, ports: 50, read: async () => 'second' })
    expect(Number(new URL(second.url).port)).toBeGreaterThan(port)
    expect(await (await fetch(second.url)).text()).toBe('second')
    await expect(serveMetrics({ ...common, port, ports: 1, read: async () => '' })).rejects.toThrow('EADDRINUSE')
    await second.close()
    await first.close()
  })
})

describe('what is counted', () => {
  it('an upload: its request, its bytes, its jobs, its transfer, its calls, storage and statements', async () => {
    const before = await scrape()
    const bytes = Buffer.alloc(200_000, 'engine ')
    const { id } = await server.store('analytical-notes.txt', bytes)
    const answer = await fetch(`${server.url}/api/v1/files/${id}/download`, {
      headers: { cookie: `sid=${server.browser.token}`, origin: server.url },
    })
    expect((await answer.arrayBuffer()).byteLength).toBe(bytes.length)
    // A request is counted when its connection has sent the response.
    const after = await vi.waitFor(async () => {
      const text = await scrape()
      const route = { method: 'GET', route: '/api/v1/files/:id/download' }
      expect(valueIn(text, 'skypool_http_sent_bytes_total', route)).toBeGreaterThan(bytes.length)
      return text
    }, PATIENT)
    const grown = (name: string, labels = {}) =>
      (valueIn(after, name, labels) ?? 0) - (valueIn(before, name, labels) ?? 0)
    const upload = { method: 'POST', route: '/api/v1/files' }
    expect(grown('skypool_http_request_duration_seconds_count', { ...upload, status: '2xx' })).toBe(1)
    expect(grown('skypool_http_received_bytes_total', upload)).toBeGreaterThan(bytes.length)
    expect(grown('skypool_job_duration_seconds_count', { task: 'runTransfer', result: 'ok' })).toBeGreaterThan(0)
    const put = { provider: 'google-drive', operation: 'put', result: 'ok' }
    expect(grown('skypool_provider_call_duration_seconds_count', put)).toBe(1)
    expect(grown('skypool_storage_bytes_total', { direction: 'written' })).toBeGreaterThanOrEqual(bytes.length)
    expect(
      grown('skypool_storage_operation_duration_seconds_count', { operation: 'sync', result: 'ok' }),
    ).toBeGreaterThan(0)
    expect(
      grown('skypool_database_statement_seconds_count', { pool: 'requests', statement: 'select', result: 'ok' }),
    ).toBeGreaterThan(0)
    expect(grown('skypool_database_wait_seconds_count', { pool: 'requests' })).toBeGreaterThan(0)
  })

  it('what is asked for at each scrape: queue, transfers, accounts, pools, disk, process', async () => {
    const text = await scrape()
    for (const task of ['runTransfer', 'purgeFiles']) {
      expect(valueIn(text, 'skypool_jobs_waiting', { task })).toBeGreaterThanOrEqual(0)
      expect(valueIn(text, 'skypool_jobs_oldest_due_seconds', { task })).toBeGreaterThanOrEqual(0)
    }
    for (const state of ['WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED']) {
      expect(valueIn(text, 'skypool_transfers', { state })).toBe(0)
    }
    expect(valueIn(text, 'skypool_database_up')).toBe(1)
    expect(valueIn(text, 'skypool_database_connections_max', { pool: 'requests' })).toBeGreaterThan(0)
    expect(valueIn(text, 'skypool_disk_free_bytes')).toBeGreaterThan(0)
    expect(valueIn(text, 'nodejs_eventloop_lag_p99_seconds')).not.toBeNull()
    expect(valueIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  })

  it('a job that waits, by its age', async () => {
    await server.pool.query(
      `select graphile_worker.add_job('neverTaken', '{}', run_at := now() - interval '10 minutes')`,
    )
    const text = await scrape()
    expect(valueIn(text, 'skypool_jobs_waiting', { task: 'neverTaken' })).toBe(1)
    expect(valueIn(text, 'skypool_jobs_oldest_due_seconds', { task: 'neverTaken' })).toBeGreaterThan(599)
    await server.pool.query(
      `delete from graphile_worker._private_jobs where payload::text = '{}' and locked_at is null`,
    )
  })

  it('calls that a provider refuses, and the pauses that it asks for', async () => {
    server.emulators.plan({ service: 'google', kind: 'rateLimit', retryAfter: 1 })
    await server.store('patient.txt', Buffer.from('patient'))
    const text = await scrape()
    expect(valueIn(text, 'skypool_provider_pauses_total', { provider: 'google-drive' })).toBe(1)
    expect(valueIn(text, 'skypool_provider_pause_seconds_total', { provider: 'google-drive' })).toBe(1)
    const refused = { provider: 'google-drive', result: 'RateLimited' }
    expect(valueIn(text, 'skypool_provider_call_duration_seconds_count', refused)).toBe(1)
  })

  it('a live stream while it is open', async () => {
    const client = createGraphqlClient(server.url, server.browser.token)
    const leaving = new AbortController()
    const stream = client.stream('subscription { filesChanged { __typename } }', {}, leaving.signal)
    const first = stream.next().catch(() => undefined)
    await vi.waitFor(async () => expect(valueIn(await scrape(), 'skypool_live_streams')).toBe(1), PATIENT)
    leaving.abort()
    await first
    await vi.waitFor(async () => expect(valueIn(await scrape(), 'skypool_live_streams')).toBe(0), PATIENT)
  })

  it('routes by their pattern, and all unknown paths together', async () => {
    await server.browser.request('GET', '/api/v1/shares/secret-of-a-link')
    await server.browser.request('GET', '/api/v1/no-such-thing/secret-of-a-link')
    const text = await vi.waitFor(async () => {
      const read = await scrape()
      expect(
        valueIn(read, 'skypool_http_request_duration_seconds_count', { route: 'other', status: '4xx' }),
      ).not.toBeNull()
      return read
    }, PATIENT)
    expect(text).not.toContain('secret-of-a-link')
  })

  it('nothing that belongs to a user', async () => {
    const { id } = await server.store('very-private-name.txt', Buffer.from('very private content'))
    const share = (await server.browser.request('POST', '/api/v1/shares', { fileId: id })).body
    await server.browser.request('GET', `/api/v1/public/shares/${share.id}`)
    const text = await scrape()
    const own = [
      server.user.user.id,
      server.accountId,
      id,
      share.id,
      OWNER.email,
      OWNER.account,
      'very-private',
      'Engine room',
      'Mill',
    ]
    for (const secret of own) {
      expect(secret).toBeTruthy()
      expect(text).not.toContain(secret)
    }
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/)
  })
})

describe('the dashboard and the alert rules', () => {
  it('name only metrics that there are', async () => {
    const types = new Map(
      [...(await scrape()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    )
    const used = [...dashboardQueries(), ...alertQueries()].flatMap(namesIn)
    expect(new Set(used).size).toBeGreaterThan(25)
    const unknown = used.filter((name) => {
      const base = name.replace(/_(bucket|sum|count)$/, '')
      return !types.has(name) && !['histogram', 'summary'].includes(types.get(base) ?? '')
    })
    expect(unknown).toEqual([])
  })

  it('use every metric of Skypool', async () => {
    const files = ['deploy/grafana-dashboard.json', 'deploy/alerts.yml']
      .map((path) => readFileSync(path, 'utf8'))
      .join()
    const names = [...(await scrape()).matchAll(/^# TYPE (skypool_\S+) /gm)].map(([, name = '']) => name)
    expect(names.filter((name) => !files.includes(name))).toEqual([])
  })
})
