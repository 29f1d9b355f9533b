import type { Counter, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  readonly register: Registry
  readonly requests: Histogram
  readonly requestsActive: Gauge
  readonly receivedBytes: Counter
  readonly sentBytes: Counter
  readonly liveStreams: Gauge
  readonly jobs: Histogram
  readonly jobsWaiting: Gauge
  readonly jobsRunning: Gauge
  readonly jobsGivenUp: Gauge
  readonly jobsOldest: Gauge
  readonly transfers: Gauge
  readonly transfersOldest: Gauge
  readonly providerCalls: Histogram
  readonly providerPauses: Counter
  readonly providerPauseSeconds: Counter
  readonly accounts: Gauge
  readonly storage: Histogram
  readonly storageBytes: Counter
  readonly databaseUp: Gauge
  readonly connections: Gauge
  readonly connectionsMax: Gauge
  readonly connectionsWanted: Gauge
  readonly connectionWait: Histogram
  readonly statements: Histogram
  readonly previews: Histogram
  readonly diskFree: Gauge
  readonly diskSize: Gauge
  readonly diskReserve: Gauge
  readonly spans: Counter
}

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const JOB_SECONDS = [0.01, 0.1, 0.5, 1, 5, 30, 120, 600]
const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600]
const FAST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10]

/**
 * All metrics of a server, empty. Labels are of fixed sets: patterns of routes, names of jobs, providers and operations, codes of
 * errors; never ids, names, addresses or anything else that belongs to a user. The library is loaded here, so that a server
 * without metrics does not load it.
 */
export async function createMetrics(version: string): Promise<Metrics> {
  const { default: prometheus } = await import('prom-client')
  const register = new prometheus.Registry()
  const registers = [register]
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new prometheus.Gauge({ name, help, labelNames: [...labelNames], registers })
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    new prometheus.Counter({ name, help, labelNames: [...labelNames], registers })
  const histogram = (name: string, help: string, labelNames: readonly string[], buckets: readonly number[]) =>
    new prometheus.Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers })
  prometheus.collectDefaultMetrics({ register })
  gauge('skypool_build_info', 'Always 1; the version is a label.', ['version']).set({ version }, 1)
  const route = ['method', 'route']
  return {
    register,
    requests: histogram(
      'skypool_http_request_duration_seconds',
      'Requests from their headers to the end of the response, by pattern of the route. Without live streams.',
      [...route, 'status'],
      REQUEST_SECONDS,
    ),
    requestsActive: gauge('skypool_http_requests_active', 'Requests that are being answered, with live streams.'),
    receivedBytes: counter('skypool_http_received_bytes_total', 'Bytes of request bodies: uploads.', route),
    sentBytes: counter('skypool_http_sent_bytes_total', 'Bytes of responses: downloads.', route),
    liveStreams: gauge('skypool_live_streams', 'Open live streams of this server.'),
    jobs: histogram('skypool_job_duration_seconds', 'Runs of jobs.', ['task', 'result'], JOB_SECONDS),
    jobsWaiting: gauge('skypool_jobs_waiting', 'Jobs of all servers that are due and wait.', ['task']),
    jobsRunning: gauge('skypool_jobs_running', 'Jobs of all servers that run.', ['task']),
    jobsGivenUp: gauge('skypool_jobs_given_up', 'Jobs of all servers whose attempts are used up.', ['task']),
    jobsOldest: gauge('skypool_jobs_oldest_due_seconds', 'How long the oldest due job has waited.', ['task']),
    transfers: gauge('skypool_transfers', 'Transfers of all servers that have not ended, and failed ones.', ['state']),
    transfersOldest: gauge('skypool_transfers_oldest_due_seconds', 'How long the oldest due transfer has waited.'),
    providerCalls: histogram(
      'skypool_provider_call_duration_seconds',
      'Calls sent to providers, each attempt counted: a download until its bytes have been read.',
      ['provider', 'operation', 'result'],
      CALL_SECONDS,
    ),
    providerPauses: counter('skypool_provider_pauses_total', 'Pauses that providers have asked for.', ['provider']),
    providerPauseSeconds: counter('skypool_provider_pause_seconds_total', 'Their length, where it was stated.', [
      'provider',
    ]),
    accounts: gauge('skypool_accounts', 'Connected accounts of all users.', ['provider', 'state']),
    storage: histogram(
      'skypool_storage_operation_duration_seconds',
      'Operations of the storage for staged and stored bytes.',
      ['operation', 'result'],
      FAST_SECONDS,
    ),
    storageBytes: counter('skypool_storage_bytes_total', 'Bytes read from and written to storage.', ['direction']),
    databaseUp: gauge('skypool_database_up', '1: the database has answered during this scrape.'),
    connections: gauge('skypool_database_connections', 'Connections of this server.', ['pool', 'state']),
    connectionsMax: gauge('skypool_database_connections_max', 'Their limit.', ['pool']),
    connectionsWanted: gauge('skypool_database_connections_wanted', 'Callers that wait for a connection.', ['pool']),
    connectionWait: histogram(
      'skypool_database_wait_seconds',
      'How long callers have waited for a connection.',
      ['pool'],
      FAST_SECONDS,
    ),
    statements: histogram(
      'skypool_database_statement_seconds',
      'Statements, by their first word, until their result arrived.',
      ['pool', 'statement', 'result'],
      FAST_SECONDS,
    ),
    previews: histogram(
      'skypool_thumbnail_duration_seconds',
      'Thumbnails drawn and texts extracted in separate processes.',
      ['kind', 'result'],
      JOB_SECONDS,
    ),
    diskFree: gauge('skypool_disk_free_bytes', 'Free space on the disk of DATA_DIR.'),
    diskSize: gauge('skypool_disk_size_bytes', 'Size of the disk of DATA_DIR.'),
    diskReserve: gauge('skypool_disk_reserve_bytes', 'Free space that uploads leave.'),
    spans: counter('skypool_trace_spans_total', 'Spans sent to the collector, and dropped.', ['result']),
  }
}
