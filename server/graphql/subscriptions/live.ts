import { setTimeout as sleep } from 'node:timers/promises'
import type { EventMap } from '../../domain/events.ts'
import { watchValidity } from '../../lib/concurrency.ts'
import { type Context, requireViewer, unauthenticated } from '../context.ts'

/** An event with its topic. */
export type LiveEvent<Topic extends keyof EventMap> = {
  [Each in Topic]: { readonly topic: Each; readonly event: EventMap[Each] }
}[Topic]

/**
 * The viewer's events of one topic, until their session or key ends, the client disconnects or the server stops. The session
 * is checked before each event and every three seconds; its end is reported as UNAUTHENTICATED. The loaders' cache is cleared
 * before each event.
 * @throws GraphQLError UNAUTHENTICATED, TooManyRequestsError beyond the limit of streams per user
 */
export function liveEvents<Topic extends keyof EventMap>(
  context: Context,
  topic: Topic,
): Promise<AsyncGenerator<EventMap[Topic], void>> {
  return openStream(context, (userId, signal) => context.events.subscribe(topic, userId, signal))
}

/** As `liveEvents`, for several topics in one stream. */
export function liveTopics<Topic extends keyof EventMap>(
  context: Context,
  topics: readonly Topic[],
): Promise<AsyncGenerator<LiveEvent<Topic>, void>> {
  return openStream(context, (userId, signal) =>
    merge(topics.map((topic) => tag(topic, context.events.subscribe(topic, userId, signal)))),
  )
}

async function* tag<Topic extends keyof EventMap>(
  topic: Topic,
  events: AsyncIterable<EventMap[Topic]>,
): AsyncGenerator<LiveEvent<Topic>, void> {
  for await (const event of events) yield { topic, event } as LiveEvent<Topic>
}

async function openStream<Event>(
  context: Context,
  subscribe: (userId: string, signal: AbortSignal) => AsyncIterable<Event>,
): Promise<AsyncGenerator<Event, void>> {
  const { userId } = requireViewer(context)
  const leave = await context.streams.open(userId)
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, context.signal])
  // On abort and not in `finally`: a generator that is never read does not run at all.
  onAbort(signal, leave)
  const isLive = watchSession(context, ended, signal)
  // Subscribe before the stream opens, so that no event is missed.
  const events = subscribe(userId, signal)

  async function* read(): AsyncGenerator<Event, void> {
    try {
      for await (const event of events) {
        if (!(await isLive())) break
        context.forget()
        yield event
      }
      if (!context.signal.aborted) throw unauthenticated()
    } finally {
      ended.abort()
    }
  }
  return read()
}

/** Aborts the stream within seconds after its session or key ends. Returns the check, for use before each event. */
function watchSession(context: Context, ended: AbortController, signal: AbortSignal): () => Promise<boolean> {
  const viewer = requireViewer(context)
  const isLive = () => context.services.users.isLive(viewer).catch(() => false)
  onAbort(
    signal,
    watchValidity(isLive, () => ended.abort()),
  )
  return isLive
}

function onAbort(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/**
 * Merges the values that arrive within `windowMs` after a first one: a burst of events becomes one message.
 * Ends with the source, after the last merged value; returns the source when the reader stops.
 */
export async function* coalesce<Value>(
  source: AsyncGenerator<Value, void>,
  windowMs: number,
  merge: (older: Value, newer: Value) => Value,
): AsyncGenerator<Value, void> {
  try {
    let next = source.next()
    for (;;) {
      const first = await next
      if (first.done) return
      let gathered = first.value
      next = source.next()
      for (const windowEnd = sleep(windowMs, null); ; next = source.next()) {
        const result = await Promise.race([next, windowEnd])
        if (!result || result.done) break
        gathered = merge(gathered, result.value)
      }
      yield gathered
    }
  } finally {
    await source.return()
  }
}

type Next<Item> = { readonly source: AsyncIterator<Item>; readonly result: IteratorResult<Item> }

/**
 * Merges sources into one stream, in order of arrival, until all have ended. One item is requested from each at a time. Does not
 * end the sources when its reader stops. @throws errors of the sources
 */
export async function* merge<Item>(sources: readonly AsyncIterable<Item>[]): AsyncGenerator<Item, void> {
  const request = async (source: AsyncIterator<Item>): Promise<Next<Item>> => ({ source, result: await source.next() })
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  const waiting = new Map(iterators.map((source) => [source, request(source)]))
  while (waiting.size > 0) {
    const { source, result } = await Promise.race(waiting.values())
    if (result.done) {
      waiting.delete(source)
      continue
    }
    waiting.set(source, request(source))
    yield result.value
  }
}
