import type pg from 'pg'
import type { RequestWatch } from '../http/following.ts'
import type { Task } from '../jobs/task.ts'
import { currentCause, withCause } from '../lib/cause.ts'
import type { Download, Driver } from '../providers/driver.ts'
import { ProviderError } from '../providers/errors.ts'
import { hasBody, wrapDriver } from '../providers/layers/wrapDriver.ts'
import type { ByteReader, ByteSource } from '../storage/byteSource.ts'
import type { ObjectStore } from '../storage/objectStore.ts'
import type { NewWriter } from '../storage/stagingWriter.ts'
import type { ThumbnailMaker } from '../thumbnails/maker.ts'
import type { Metrics } from './metrics.ts'
import type { Attributes } from './otlp.ts'
import type { Span, Tracer } from './tracer.ts'

export type WatchDeps = { readonly metrics: Metrics | null; readonly tracer: Tracer | null }

type Failure = string | null

/** The span of a step of some work that is traced; null outside of such work: polling would fill the traces. */
function startStep({ tracer }: WatchDeps, name: string, attributes: Attributes): Span | null {
  const parent = currentCause()?.span
  return (tracer && parent?.sampled && tracer.start(name, 'CLIENT', parent, attributes)) || null
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}

/** The name or code of an error: messages can contain what belongs to users. */
function kindOf(error: unknown): string {
  if (error instanceof ProviderError) return error.code
  if (!(error instanceof Error)) return 'Error'
  return 'code' in error && typeof error.code === 'string' && /^\w{1,40}$/.test(error.code) ? error.code : error.name
}

export function watchRequests({ metrics, tracer }: WatchDeps): RequestWatch {
  return {
    begin({ method, route, requestId, parent }) {
      const startedAt = performance.now()
      const labels = { method, route: routeLabel(route) }
      const attributes = { 'http.request.method': method, 'http.route': labels.route, 'skypool.request_id': requestId }
      const span = tracer?.start(`${method} ${labels.route}`, 'SERVER', parent, attributes) ?? null
      let isStream = false
      metrics?.requestsActive.inc()
      return {
        span: span?.context ?? null,
        isStream() {
          if (isStream) return
          isStream = true
          span?.leaveOut()
          metrics?.liveStreams.inc()
        },
        end({ status, receivedBytes, sentBytes }) {
          const isFailed = status !== null && status >= 500
          span?.end(isFailed ? String(status) : null, { 'http.response.status_code': status ?? 499 })
          if (!metrics) return
          metrics.requestsActive.dec()
          metrics.receivedBytes.inc(labels, receivedBytes)
          metrics.sentBytes.inc(labels, sentBytes)
          if (isStream) metrics.liveStreams.dec()
          else metrics.requests.observe({ ...labels, status: statusLabel(status) }, secondsSince(startedAt))
        },
      }
    },
  }
}

/** Files of the web client have names that change with every build. */
function routeLabel(route: string | null): string {
  if (route === null) return 'other'
  return route.startsWith('/assets/') ? '/assets/*' : route
}

function statusLabel(status: number | null): string {
  return status === null ? 'aborted' : `${Math.floor(status / 100)}xx`
}

export function watchTasks(deps: WatchDeps, tasks: readonly Task[]): readonly Task[] {
  const { metrics, tracer } = deps
  return tasks.map((task) => ({
    ...task,
    async perform(payload, context) {
      const startedAt = performance.now()
      const cause = currentCause()
      const attributes = {
        'skypool.task': task.name,
        ...(cause?.requestId && { 'skypool.request_id': cause.requestId }),
      }
      const span = tracer?.start(`job ${task.name}`, 'CONSUMER', cause?.span ?? null, attributes) ?? null
      const end = (result: string, failure: Failure) => {
        span?.end(failure)
        metrics?.jobs.observe({ task: task.name, result }, secondsSince(startedAt))
      }
      const inside = span ? { requestId: cause?.requestId ?? null, span: span.context } : cause
      try {
        await withCause(inside, () => task.perform(payload, context))
        end('ok', null)
      } catch (error) {
        end(context.signal.aborted ? 'stopped' : 'failed', kindOf(error))
        throw error
      }
    },
  }))
}

/** A layer directly around the driver, below retries and limits: it sees every call that is sent, and none that waits. */
export function watchDriver(deps: WatchDeps): (driver: Driver) => Driver {
  const { metrics } = deps
  return (driver) => {
    const provider = driver.kind
    return wrapDriver(driver, async (operation, call, work) => {
      const startedAt = performance.now()
      const cause = currentCause()
      const span = startStep(deps, `${provider} ${operation}`, {
        'skypool.provider': provider,
        'skypool.operation': operation,
      })
      const end = (failure: unknown) => {
        const result = call.signal.aborted ? 'aborted' : failure === null ? 'ok' : kindOf(failure)
        span?.end(failure === null ? null : result)
        metrics?.providerCalls.observe({ provider, operation, result }, secondsSince(startedAt))
        if (metrics && result === 'RateLimited' && failure instanceof ProviderError) {
          metrics.providerPauses.inc({ provider })
          metrics.providerPauseSeconds.inc({ provider }, (failure.detail.retryAfterMs ?? 0) / 1000)
        }
      }
      const inside = span ? { requestId: cause?.requestId ?? null, span: span.context } : cause
      try {
        const value = await withCause(inside, () => work(driver))
        if (hasBody(operation)) onBodyEnd((value as Download).body, end)
        else end(null)
        return value
      } catch (error) {
        end(error)
        throw error
      }
    })
  }
}

function onBodyEnd(body: Download['body'], end: (failure: unknown) => void): void {
  let failure: unknown = null
  body.once('error', (error) => {
    failure = error
  })
  body.once('close', () => end(failure))
}

/** Times every operation of the store; bytes are counted where they are read and written. */
export function watchStore(deps: WatchDeps, store: ObjectStore): ObjectStore {
  const { metrics } = deps
  const timed = async <Result>(operation: string, work: () => Promise<Result>): Promise<Result> => {
    const startedAt = performance.now()
    const span = startStep(deps, `storage ${operation}`, { 'skypool.operation': operation })
    const end = (failure: Failure) => {
      span?.end(failure)
      metrics?.storage.observe({ operation, result: failure === null ? 'ok' : 'failed' }, secondsSince(startedAt))
    }
    try {
      const result = await work()
      end(null)
      return result
    } catch (error) {
      end(kindOf(error))
      throw error
    }
  }
  const written = (bytes: number) => metrics?.storageBytes.inc({ direction: 'written' }, bytes)
  const read = (bytes: number) => metrics?.storageBytes.inc({ direction: 'read' }, bytes)
  const ways = { timed, written, read }
  const operations = Object.entries(store).map(([name, operation]) => [
    name,
    // Lists are read while others work on them.
    typeof operation !== 'function' || name.startsWith('list')
      ? operation
      : (...args: unknown[]) => timed(name, async () => Reflect.apply(operation, store, args)),
  ])
  return {
    ...(Object.fromEntries(operations) as ObjectStore),
    stage: async (...args) => watchWriter(await timed('stage', () => store.stage(...args)), ways),
    create: (...args) => watchWriter(store.create(...args), ways),
    open: (...args) => watchSource(store.open(...args), ways),
  }
}

type Ways = {
  readonly timed: <Result>(operation: string, work: () => Promise<Result>) => Promise<Result>
  readonly written: (bytes: number) => void
  readonly read: (bytes: number) => void
}

/** The writer's own methods and properties, which may be computed, stay as they are. */
function watchWriter<Writer extends Pick<NewWriter, 'write' | 'sync'>>(
  writer: Writer,
  { timed, written }: Ways,
): Writer {
  const { write, sync } = writer
  return Object.assign(writer, {
    write(chunk: Buffer) {
      written(chunk.length)
      return write.call(writer, chunk)
    },
    sync: () => timed('sync', () => sync.call(writer)),
  })
}

function watchSource(source: ByteSource, { timed, read }: Ways): ByteSource {
  return {
    ...source,
    read(start, end) {
      read(end - start + 1)
      return source.read(start, end)
    },
    open: async (reading) => watchReader(await timed('open', () => source.open(reading)), read),
  }
}

function watchReader(reader: ByteReader, read: (bytes: number) => void): ByteReader {
  return {
    async read(target, position) {
      const bytes = await reader.read(target, position)
      read(bytes)
      return bytes
    },
    close: () => reader.close(),
  }
}

export function watchMaker({ metrics }: WatchDeps, maker: ThumbnailMaker): ThumbnailMaker {
  if (!metrics) return maker
  const timed = async <Made extends object>(kind: string, work: () => Promise<Made>): Promise<Made> => {
    const startedAt = performance.now()
    const end = (result: string) => metrics.previews.observe({ kind, result }, secondsSince(startedAt))
    try {
      const made = await work()
      end('failure' in made ? String(made.failure) : 'ok')
      return made
    } catch (error) {
      end('UNREAD')
      throw error
    }
  }
  return {
    ...maker,
    make: (job) => timed(job.kind, () => maker.make(job)),
    extract: (job) => timed(`${job.format}_TEXT`, () => maker.extract(job)),
  }
}

const STATEMENTS: ReadonlySet<string> = new Set([
  ...['select', 'insert', 'update', 'delete', 'with', 'begin', 'commit', 'rollback', 'listen', 'set'],
])
const FIRST_WORD = /^[\s(]*([a-z]+)/i

/** Times the statements of a pool's connections, and how long callers wait for one. */
export function watchPool(deps: WatchDeps, name: string, pool: pg.Pool): void {
  const watched = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (watched.has(client)) return
    watched.add(client)
    watchClient(deps, name, client)
  })
  const { metrics } = deps
  if (!metrics) return
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<pg.PoolClient>
  const wait = metrics.connectionWait.labels(name)
  pool.connect = ((callback?: Connected) => {
    const startedAt = performance.now()
    if (!callback) {
      return connect().then((client) => {
        wait.observe(secondsSince(startedAt))
        return client
      })
    }
    return connect((error, client, release) => {
      wait.observe(secondsSince(startedAt))
      callback(error, client, release)
    })
  }) as pg.Pool['connect']
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: Error) => void) => void
type Answered = (error: Error | null, result: unknown) => void

function watchClient(deps: WatchDeps, pool: string, client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [asked] = args
    // A query object, such as a cursor, reports to its owner only.
    if (typeof asked === 'object' && asked !== null && 'submit' in asked) return query(...args)
    const end = startStatement(deps, pool, typeof asked === 'string' ? asked : (asked as { text?: string })?.text)
    const last = args.at(-1)
    if (typeof last === 'function') {
      const answered: Answered = (error, result) => {
        end(error)
        last(error, result)
      }
      return query(...args.slice(0, -1), answered)
    }
    const answer = query(...args) as Promise<unknown>
    answer.then(() => end(null), end)
    return answer
  }) as pg.PoolClient['query']
}

function startStatement(deps: WatchDeps, pool: string, text = ''): (error: unknown) => void {
  const word = FIRST_WORD.exec(text)?.[1]?.toLowerCase() ?? ''
  const statement = STATEMENTS.has(word) ? word : 'other'
  const startedAt = performance.now()
  const span = startStep(deps, `postgresql ${statement}`, {
    'db.system.name': 'postgresql',
    'db.operation.name': statement,
  })
  return (error) => {
    span?.end(error ? kindOf(error) : null)
    deps.metrics?.statements.observe({ pool, statement, result: error ? 'failed' : 'ok' }, secondsSince(startedAt))
  }
}
