import { AsyncLocalStorage } from 'node:async_hooks'

/** A span of a trace, as W3C Trace Context names it. */
export type SpanContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly sampled: boolean
}

/** What led to some work: the request that asked for it, and the span that the work belongs to. */
export type Cause = { readonly requestId: string | null; readonly span: SpanContext | null }

/** A cause as text, in the payload of a job. */
export type CauseNote = { readonly requestId?: string; readonly traceparent?: string }

export const REQUEST_ID = /^[\w.:-]{1,128}$/
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-|$)/

/** Causes of work that starts later and elsewhere in this process, by its id. */
const MOST_KEPT = 1_000

const storage = new AsyncLocalStorage<Cause | undefined>()
const kept = new Map<string, Cause>()
let isFollowing = false

/**
 * From now on, causes are passed on in this process. Node then runs a hook for every promise, which a request notices: only
 * for a server that is traced or logs at `debug`.
 */
export function followCauses(): void {
  isFollowing = true
}

/** What led to the work that is running; null: not known, or causes are not followed. */
export function currentCause(): Cause | null {
  return (isFollowing && storage.getStore()) || null
}

/** Runs work with its cause. Null: it has none, whatever the caller's is: for loops that outlast the caller or work for others. */
export function withCause<Result>(cause: Cause | null, work: () => Result): Result {
  if (!isFollowing || (cause === null && storage.getStore() === undefined)) return work()
  return storage.run(cause ?? undefined, work)
}

/** Remembers the current cause for work that starts later, by the id of what is worked on. */
export function keepCause(id: string): void {
  const cause = currentCause()
  if (!cause) return
  kept.delete(id)
  kept.set(id, cause)
  const [oldest] = kept.size > MOST_KEPT ? kept.keys() : []
  if (oldest !== undefined) kept.delete(oldest)
}

/** The cause that was last kept for this id, if it is not too long ago. */
export function keptCause(id: string): Cause | null {
  return kept.get(id) ?? null
}

/** For the payload of a job; null: there is nothing to note. */
export function noteOf(cause: Cause | null): CauseNote | null {
  if (!cause) return null
  const { requestId, span } = cause
  return { ...(requestId !== null && { requestId }), ...(span && { traceparent: traceparentOf(span) }) }
}

/** The cause in a note, which may be anything; null: there is none. */
export function causeOf(note: unknown): Cause | null {
  if (typeof note !== 'object' || note === null) return null
  const { requestId: id, traceparent } = note as Readonly<Record<string, unknown>>
  const requestId = typeof id === 'string' && REQUEST_ID.test(id) ? id : null
  const span = typeof traceparent === 'string' ? spanOf(traceparent) : null
  return requestId === null && span === null ? null : { requestId, span }
}

/** The value of a `traceparent` header. */
export function traceparentOf({ traceId, spanId, sampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/** The span that a `traceparent` header names; null when it is not valid. */
export function spanOf(traceparent: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
