import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PROMETHEUS_FOLDER } from '../../server/scripts/setup/prometheus.mjs'
import { alertQueries, dashboardQueries } from '../setup/metricQueries.ts'
import { startWatchedServer, type WatchedServer } from '../setup/watchedServer.ts'

const runFile = promisify(execFile)

const FOLDERS = ['/usr/bin', resolve(PROMETHEUS_FOLDER, 'usr/bin')]
const bin = FOLDERS.find((folder) => existsSync(join(folder, 'prometheus')) && existsSync(join(folder, 'promtool')))
if (!bin) console.warn(`Skipped: Debian's Prometheus is neither installed nor in ${PROMETHEUS_FOLDER}.`)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

describe.skipIf(!bin)("Debian's Prometheus", () => {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-prometheus-'))
  let server: WatchedServer
  let prometheus: ChildProcess | undefined
  let url: string

  beforeAll(async () => {
    server = await startWatchedServer({ metricsPort: 0 })
    const target = new URL(server.metricsUrl ?? '').host
    const scraping = { job_name: 'skypool', static_configs: [{ targets: [target] }] }
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [resolve('deploy/alerts.yml')],
      scrape_configs: [scraping],
    }
    // JSON is YAML too.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
    prometheus = spawn(join(bin ?? '', 'prometheus'), [...args, `--web.listen-address=127.0.0.1:${port}`], {
      stdio: 'ignore',
    })
    await server.store('scraped.txt', Buffer.from('scraped'))
    await vi.waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200), { timeout: 120_000 })
  })
  afterAll(async () => {
    if (prometheus?.exitCode === null) {
      const ended = new Promise((done) => prometheus?.once('exit', done))
      prometheus.kill('SIGKILL')
      await ended
    }
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  type Answer = {
    readonly status: string
    readonly error?: string
    readonly data: { readonly result: readonly unknown[] }
  }

  async function ask(query: string): Promise<Answer> {
    const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`)
    return (await response.json()) as Answer
  }

  it('scrapes a server, and no metric is malformed or without help', async () => {
    await vi.waitFor(async () => expect((await ask('up{job="skypool"} == 1')).data.result).toHaveLength(1), {
      timeout: 120_000,
    })
    const text = await (await fetch(server.metricsUrl ?? '')).text()
    const check = execFile(join(bin ?? '', 'promtool'), ['check', 'metrics'])
    const said: string[] = []
    check.stderr?.on('data', (chunk) => said.push(String(chunk)))
    check.stdin?.end(text)
    const code = await new Promise((done) => check.once('exit', done))
    // What prom-client itself names in its own way.
    const ours = said
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('skypool_'))
    expect(ours).toEqual([])
    expect([0, 3]).toContain(code)
  })

  it('answers every query of the dashboard', async () => {
    const queries = dashboardQueries()
    expect(queries.length).toBeGreaterThan(35)
    // Of what happens rarely there may be no value; of most there is one after two scrapes.
    const empty: string[] = []
    await vi.waitFor(
      async () => {
        empty.length = 0
        for (const query of queries) {
          const { status, error, data } = await ask(query)
          expect({ query, status, error }).toEqual({ query, status: 'success', error: undefined })
          if (data.result.length === 0) empty.push(query)
        }
        const rare =
          /thumbnail|pauses|pause_seconds|jobs_waiting|jobs_oldest_due_seconds\{.*> 0|gc_duration|spans|"5xx"/
        expect(empty.filter((query) => !rare.test(query))).toEqual([])
      },
      { timeout: 120_000, interval: 1_000 },
    )
  })

  async function readRules(): Promise<Rule[]> {
    const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as {
      readonly data: { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
    }
    return data.groups.flatMap((group) => group.rules)
  }

  it('evaluates every alert rule, and none fires without trouble', async () => {
    const rules = await readRules()
    expect(rules).toHaveLength(alertQueries().length)
    expect(rules.filter(({ health }) => health === 'err')).toEqual([])
    expect(rules.filter(({ state }) => state === 'firing').map(({ name }) => name)).toEqual([])
  })

  it('notices planted trouble: a job that no worker takes, and one that is given up', async () => {
    const { pool } = server
    await pool.query(`select graphile_worker.add_job('neverTaken', '{}', run_at := now() - interval '10 minutes')`)
    await pool.query(`select graphile_worker.add_job('neverWorks', '{}', max_attempts := 1)`)
    await pool.query(
      'update graphile_worker._private_jobs set attempts = 1 where max_attempts = 1 and locked_at is null',
    )
    const pending = async () => (await readRules()).filter(({ state }) => state !== 'inactive').map(({ name }) => name)
    await vi.waitFor(
      async () => expect(await pending()).toEqual(expect.arrayContaining(['SkypoolQueueOld', 'SkypoolJobsGivenUp'])),
      { timeout: 120_000, interval: 1_000 },
    )
  })

  type Rule = { readonly name: string; readonly state: string; readonly health: string }
})

/** A series with its value at each minute, in promtool's notation. */
type Planted = { readonly series: string; readonly values: string }

const steady = (series: string, value: number): Planted => ({ series, values: `${value}x60` })
const growing = (series: string, each: number): Planted => ({ series, values: `0+${each}x60` })
const HTTP = 'skypool_http_request_duration_seconds_count'
const CALLS = 'skypool_provider_call_duration_seconds_count'

/** What each rule is for, planted; and the same server without that trouble. */
const TROUBLES: Readonly<Record<string, { readonly bad: readonly Planted[]; readonly good: readonly Planted[] }>> = {
  SkypoolDown: { bad: [steady('up{job="skypool"}', 0)], good: [steady('up{job="skypool"}', 1)] },
  SkypoolDatabaseDown: { bad: [steady('skypool_database_up', 0)], good: [steady('skypool_database_up', 1)] },
  SkypoolDatabaseConnectionsShort: {
    bad: [
      steady('skypool_database_connections_wanted{instance="a",pool="requests"}', 3),
      steady('skypool_database_connections{instance="a",pool="requests",state="idle"}', 0),
    ],
    good: [
      steady('skypool_database_connections_wanted{instance="a",pool="requests"}', 0),
      steady('skypool_database_connections{instance="a",pool="requests",state="idle"}', 2),
    ],
  },
  SkypoolDatabaseSlow: { bad: statements(10), good: statements(100) },
  SkypoolErrors: {
    bad: [growing(`${HTTP}{status="5xx"}`, 5), growing(`${HTTP}{status="2xx"}`, 100)],
    good: [growing(`${HTTP}{status="5xx"}`, 1), growing(`${HTTP}{status="2xx"}`, 1_000)],
  },
  SkypoolQueueOld: {
    bad: [steady('skypool_jobs_oldest_due_seconds{task="purgeFiles"}', 400)],
    good: [steady('skypool_jobs_oldest_due_seconds{task="purgeFiles"}', 20)],
  },
  SkypoolJobsGivenUp: {
    bad: [steady('skypool_jobs_given_up{task="mailNotice"}', 1)],
    good: [steady('skypool_jobs_given_up{task="mailNotice"}', 0)],
  },
  SkypoolTransfersOld: {
    bad: [steady('skypool_transfers_oldest_due_seconds', 1_000)],
    good: [steady('skypool_transfers_oldest_due_seconds', 60)],
  },
  SkypoolProviderFailing: {
    bad: [
      growing(`${CALLS}{provider="dropbox",result="Transient"}`, 30),
      growing(`${CALLS}{provider="dropbox",result="ok"}`, 70),
    ],
    // A file that is not there is no failure of the provider.
    good: [
      growing(`${CALLS}{provider="dropbox",result="NotFound"}`, 30),
      growing(`${CALLS}{provider="dropbox",result="ok"}`, 70),
    ],
  },
  SkypoolProviderPauses: {
    bad: [growing('skypool_provider_pauses_total{provider="box"}', 5)],
    good: [growing('skypool_provider_pauses_total{provider="box"}', 1)],
  },
  SkypoolDiskFull: { bad: disk(0.5e9), good: disk(50e9) },
  SkypoolDiskFilling: { bad: disk(8e9), good: disk(50e9) },
  SkypoolEventLoopSlow: {
    bad: [steady('nodejs_eventloop_lag_p99_seconds{job="skypool"}', 0.4)],
    good: [steady('nodejs_eventloop_lag_p99_seconds{job="skypool"}', 0.02)],
  },
  SkypoolTracesDropped: {
    bad: [growing('skypool_trace_spans_total{result="dropped"}', 10)],
    good: [growing('skypool_trace_spans_total{result="sent"}', 10)],
  },
}

/** Of 100 statements each minute, so many within 10 ms and the others within 2.5 s. */
function statements(fast: number): Planted[] {
  const name = 'skypool_database_statement_seconds_bucket'
  return [
    growing(`${name}{pool="requests",le="0.01"}`, fast),
    growing(`${name}{pool="requests",le="2.5"}`, 100),
    growing(`${name}{pool="requests",le="+Inf"}`, 100),
  ]
}

function disk(free: number): Planted[] {
  return [
    steady('skypool_disk_free_bytes', free),
    steady('skypool_disk_size_bytes', 100e9),
    steady('skypool_disk_reserve_bytes', 1e9),
  ]
}

describe.skipIf(!bin)('an alert rule', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-alerts-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** The names of the alerts that fire after 55 minutes, as promtool reports what it did not expect. */
  async function firing(planted: readonly Planted[]): Promise<string[]> {
    const names = Object.keys(TROUBLES)
    const test = {
      rule_files: [resolve('deploy/alerts.yml')],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: planted,
          alert_rule_test: [],
          promql_expr_test: names.map((name) => ({
            expr: `count(ALERTS{alertname="${name}",alertstate="firing"})`,
            eval_time: '55m',
            exp_samples: [],
          })),
        },
      ],
    }
    const file = join(folder, 'test.yml')
    writeFileSync(file, JSON.stringify(test))
    const said = await runFile(join(bin ?? '', 'promtool'), ['test', 'rules', file]).then(
      ({ stdout, stderr }) => stdout + stderr,
      ({ stdout, stderr }) => stdout + stderr,
    )
    expect(said).toMatch(/SUCCESS|FAILED/)
    return names.filter((name) => said.includes(`alertname=\\"${name}\\"`))
  }

  it('is tested, each of them', async () => {
    const { stdout } = await runFile(join(bin ?? '', 'promtool'), ['check', 'rules', 'deploy/alerts.yml'])
    expect(stdout).toContain(`SUCCESS: ${Object.keys(TROUBLES).length} rules found`)
  })

  it.each(Object.keys(TROUBLES))('%s fires on its trouble, and not without', async (name) => {
    const { bad = [], good = [] } = TROUBLES[name] ?? {}
    expect(await firing(bad)).toContain(name)
    expect(await firing(good)).toEqual([])
  })
})
