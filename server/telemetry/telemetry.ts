import type pg from 'pg'
import type { RequestWatch } from '../http/following.ts'
import type { Task } from '../jobs/task.ts'
import { followCauses } from '../lib/cause.ts'
import type { Logger } from '../lib/logger.ts'
import type { Driver } from '../providers/driver.ts'
import type { ObjectStore } from '../storage/objectStore.ts'
import type { ThumbnailMaker } from '../thumbnails/maker.ts'
import { createGauges } from './gauges.ts'
import { createMetrics } from './metrics.ts'
import { type MetricsServer, serveMetrics } from './metricsServer.ts'
import { createExporter, type ExportTimes } from './otlp.ts'
import { createTracer } from './tracer.ts'
import { watchDriver, watchMaker, watchPool, watchRequests, watchStore, watchTasks } from './watch.ts'

/** Metrics and traces of one server. Where neither is wanted, everything is passed through as it is. */
export type Telemetry = {
  /** Requests, jobs and calls are followed: see `followCauses`. */
  readonly followsCauses: boolean
  readonly requests: RequestWatch | null
  /** The layer directly around drivers of accounts. */
  readonly layer: ((driver: Driver) => Driver) | null
  store(store: ObjectStore): ObjectStore
  maker(maker: ThumbnailMaker): ThumbnailMaker
  tasks(tasks: readonly Task[]): readonly Task[]
  /** Pools by name; the first one also reads what a scrape needs. */
  pools(pools: Readonly<Record<string, pg.Pool>>): void
  /** Starts to serve `/metrics`. @returns its address; null: it is not wanted. @throws Error when the port is in use */
  listen(): Promise<string | null>
  /** Sends the last spans and stops serving. */
  close(): Promise<void>
}

export type TelemetryOptions = {
  readonly config: {
    readonly host: string
    readonly metricsPort: number | null
    /** Processes of this machine that share the setting. */
    readonly workers?: number
    readonly traces: {
      readonly endpoint: URL
      readonly headers: Readonly<Record<string, string>>
      readonly serviceName: string
      readonly ratio: number
    } | null
    readonly dataDir: string
    readonly diskReserveBytes: number
  }
  readonly version: string
  readonly logger: Logger
  /** Of the exporter of traces, for tests. */
  readonly times?: Partial<ExportTimes>
}

export async function openTelemetry({ config, version, logger, times }: TelemetryOptions): Promise<Telemetry> {
  const { metricsPort, traces, host } = config
  const metrics = metricsPort === null ? null : await createMetrics(version)
  const resource = { 'service.name': traces?.serviceName ?? '', 'service.version': version, 'process.pid': process.pid }
  const exporter = traces && createExporter({ ...traces, resource, version, logger, ...(times && { times }) })
  const tracer = exporter && traces && createTracer({ exporter, ratio: traces.ratio })
  const deps = { metrics, tracer }
  const isWatched = metrics !== null || tracer !== null
  const followsCauses = tracer !== null || logger.isLevelEnabled('debug')
  if (followsCauses) followCauses()
  const pools: [string, pg.Pool][] = []
  let server: MetricsServer | null = null
  return {
    followsCauses,
    requests: isWatched ? watchRequests(deps) : null,
    layer: isWatched ? watchDriver(deps) : null,
    store: (store) => (isWatched ? watchStore(deps, store) : store),
    maker: (maker) => (isWatched ? watchMaker(deps, maker) : maker),
    tasks: (tasks) => (isWatched ? watchTasks(deps, tasks) : tasks),
    pools(named) {
      if (!isWatched) return
      pools.push(...Object.entries(named))
      for (const [name, pool] of Object.entries(named)) watchPool(deps, name, pool)
    },
    async listen() {
      if (!metrics || metricsPort === null) return null
      const { dataDir, diskReserveBytes } = config
      const { register } = metrics
      const readGauges = createGauges({ metrics, pools, dataDir, diskReserveBytes, exporter })
      server = await serveMetrics({
        ...{ host, port: metricsPort, ports: config.workers ?? 1, contentType: register.contentType },
        async read() {
          await readGauges()
          return register.metrics()
        },
        onError: (err) => logger.warn({ err }, 'The metrics could not be read'),
      })
      logger.info({ url: server.url }, 'Metrics are served')
      return server.url
    },
    async close() {
      await server?.close()
      await exporter?.close()
    },
  }
}
