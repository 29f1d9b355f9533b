import { randomBytes } from 'node:crypto'
import type { SpanContext } from '../lib/cause.ts'
import type { Attributes, EndedSpan, Exporter, SpanKind } from './otlp.ts'

/** A span that has begun. One that is not sampled is only passed on, and never sent. */
export type Span = {
  readonly context: SpanContext
  /** From now on nothing that belongs to it is traced, such as all that a live stream reads. */
  leaveOut(): void
  /** `failure`: why it failed, without content of users; null: it did not. Later calls do nothing. */
  end(failure: string | null, attributes?: Attributes): void
}

export type Tracer = {
  /** Begins a span; without a parent it is the first one of a new trace. */
  start(name: string, kind: SpanKind, parent: SpanContext | null, attributes: Attributes): Span
}

export type TracerOptions = {
  readonly exporter: Pick<Exporter, 'add'>
  /** Part of the new traces that is sampled. */
  readonly ratio: number
}

const ID_BYTES = 8
/** Random bytes are read for many ids at once: each read is a call into native code. */
const POOL_BYTES = 4_096
const TWO_TO_32 = 2 ** 32

export function createTracer({ exporter, ratio }: TracerOptions): Tracer {
  const newId = createIds()
  return {
    start(name, kind, parent, attributes) {
      const traceId = parent?.traceId ?? newId() + newId()
      const sampled = parent?.sampled ?? isSampled(traceId, ratio)
      const context = { traceId, spanId: newId(), sampled }
      const leaveOut = () => {
        context.sampled = false
      }
      if (!sampled) return { context, leaveOut, end: () => undefined }
      const startedAt = now()
      let hasEnded = false
      return {
        context,
        leaveOut,
        end(failure, more) {
          if (hasEnded) return
          hasEnded = true
          const span: EndedSpan = {
            ...{ context, name, kind, startedAt, endedAt: now(), failure },
            parentId: parent?.spanId ?? null,
            attributes: more ? { ...attributes, ...more } : attributes,
          }
          exporter.add(span)
        },
      }
    },
  }
}

/** By the trace's id, so that all servers agree. */
function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) / TWO_TO_32 < ratio
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

/** Returns a function that makes random ids of 16 hexadecimal digits. */
function createIds(): () => string {
  let pool = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at + ID_BYTES > pool.length) {
      pool = randomBytes(POOL_BYTES)
      at = 0
    }
    at += ID_BYTES
    const id = pool.toString('hex', at - ID_BYTES, at)
    return /[1-9a-f]/.test(id) ? id : '0000000000000001'
  }
}
