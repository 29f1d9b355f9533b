import { setTimeout as sleep } from 'node:timers/promises'
import type { SpanContext } from '../lib/cause.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** What a span is to its service, as OTLP numbers it. */
const SPAN_KINDS = { INTERNAL: 1, SERVER: 2, CLIENT: 3, CONSUMER: 5 } as const
export type SpanKind = keyof typeof SPAN_KINDS

export type EndedSpan = {
  readonly context: SpanContext
  readonly parentId: string | null
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with a fraction. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  /** Why it failed, without content of users; null: it did not. */
  readonly failure: string | null
}

export type Exporter = {
  /** Sends the span with a later batch. Returns at once; dropped when too many are waiting. */
  add(span: EndedSpan): void
  readonly counts: { readonly sent: number; readonly dropped: number }
  /** Sends what is waiting, for at most two seconds. */
  close(): Promise<void>
}

export type ExporterOptions = {
  /** Base address of the collector. */
  readonly endpoint: URL
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Attributes
  readonly version: string
  readonly logger: { warn(details: object, message: string): void; info(details: object, message: string): void }
  /** Shorter in tests. */
  readonly times?: Partial<ExportTimes>
}

export type ExportTimes = {
  /** How long spans are collected. */
  readonly batchMs: number
  /** First pause after a failure; it doubles up to `mostPauseMs`. */
  readonly pauseMs: number
  readonly mostPauseMs: number
  readonly requestMs: number
}

/** Spans in memory, at about 500 bytes each. */
const MOST_WAITING = 4_096
const BATCH_SIZE = 512
const TIMES: ExportTimes = { batchMs: 2_000, pauseMs: 1_000, mostPauseMs: 30_000, requestMs: 10_000 }
const CLOSE_MS = 2_000
/** The collector can accept the same request later (OTLP 1.x, Retryable Response Codes). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

type Result = 'sent' | 'refused' | 'away'

/** Sends spans by OTLP over HTTP as JSON. One request at a time; while the collector is away, the newest spans are dropped and counted. */
export function createExporter(options: ExporterOptions): Exporter {
  const { logger, resource, version } = options
  const times = { ...TIMES, ...options.times }
  const url = new URL(`${options.endpoint.href.replace(/\/+$/, '')}/v1/traces`)
  const counts = { sent: 0, dropped: 0 }
  const closing = new AbortController()
  let waiting: EndedSpan[] = []
  let sending: Promise<void> | null = null
  let isAway = false

  function start(): void {
    sending ??= sendAll().finally(() => {
      sending = null
      if (waiting.length > 0) start()
    })
  }

  async function sendAll(): Promise<void> {
    await pause(times.batchMs, closing.signal)
    for (let failures = 0; waiting.length > 0; ) {
      const batch = waiting.slice(0, BATCH_SIZE)
      const result = await send(batch)
      if (result !== 'away') {
        failures = 0
        waiting = waiting.slice(batch.length)
      } else if (closing.signal.aborted) {
        counts.dropped += waiting.length
        waiting = []
      } else {
        await pause(Math.min(times.pauseMs * 2 ** failures, times.mostPauseMs), closing.signal)
        failures += 1
      }
    }
  }

  async function send(batch: readonly EndedSpan[]): Promise<Result> {
    const { result, rejected, reason } = await post(batch)
    if (result !== 'away') {
      counts.sent += batch.length - rejected
      counts.dropped += rejected
    }
    const isFailing = result !== 'sent' || rejected > 0
    if (isFailing && !isAway)
      logger.warn({ reason, dropped: counts.dropped }, 'The collector of traces does not accept spans')
    if (!isFailing && isAway) logger.info({ dropped: counts.dropped }, 'The collector of traces accepts spans again')
    isAway = isFailing
    return result
  }

  async function post(
    batch: readonly EndedSpan[],
  ): Promise<{ readonly result: Result; readonly rejected: number; readonly reason?: string }> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...options.headers, 'content-type': 'application/json' },
        body: JSON.stringify(traceRequest(batch, resource, version)),
        redirect: 'error',
        signal: AbortSignal.timeout(closing.signal.aborted ? CLOSE_MS : times.requestMs),
      })
      const text = await response.text()
      if (response.ok) return { result: 'sent', ...partialSuccess(text, batch.length) }
      const reason = `The collector answered ${response.status}.`
      if (RETRYABLE.has(response.status)) return { result: 'away', rejected: 0, reason }
      return { result: 'refused', rejected: batch.length, reason }
    } catch (error) {
      return { result: 'away', rejected: 0, reason: reasonOf(error) }
    }
  }

  return {
    counts,
    add(span) {
      if (closing.signal.aborted || waiting.length >= MOST_WAITING) {
        counts.dropped += 1
        return
      }
      waiting.push(span)
      start()
    },
    async close() {
      closing.abort()
      await Promise.race([sending, sleep(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** Ends early, without an error, when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** Of an accepted request: the collector may have rejected some of its spans. */
function partialSuccess(text: string, most: number): { readonly rejected: number; readonly reason?: string } {
  try {
    const { partialSuccess: partial } = JSON.parse(text) as {
      readonly partialSuccess?: { readonly rejectedSpans?: string | number; readonly errorMessage?: string }
    }
    const rejected = Math.min(most, Number(partial?.rejectedSpans ?? 0) || 0)
    return { rejected, ...(rejected > 0 && { reason: partial?.errorMessage ?? 'It rejected some spans.' }) }
  } catch {
    return { rejected: 0 }
  }
}

/** An ExportTraceServiceRequest in OTLP's JSON encoding: ids in hexadecimal, 64-bit numbers as text. */
function traceRequest(spans: readonly EndedSpan[], resource: Attributes, version: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'skypool', version }, spans: spans.map(encodeSpan) }],
      },
    ],
  }
}

function encodeSpan({ context, parentId, name, kind, startedAt, endedAt, attributes, failure }: EndedSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    flags: 1,
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: encodeAttributes(attributes),
    status: failure === null ? {} : { code: 2, message: failure },
  }
}

/** Microseconds are all that the clock has. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`
}

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }))
}

function encodeValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
