import type { EventMap } from '../../domain/events.ts'
import { merge } from '../../lib/merge.ts'
import { watchLife } from '../../lib/watchLife.ts'
import { type Context, requireViewer, unauthenticated } from '../context.ts'

/** An event with its topic. */
export type LiveEvent<Topic extends keyof EventMap> = {
  [Each in Topic]: { readonly topic: Each; readonly event: EventMap[Each] }
}[Topic]

/**
 * The viewer's events of one topic, for as long as their session or key lives, the client listens and the server runs.
 * Whether it lives is asked before each event and every three seconds; its end is told as UNAUTHENTICATED. What was
 * looked up for one event is forgotten before the next.
 * @throws GraphQLError UNAUTHENTICATED, TooManyRequestsError beyond the streams that a user may have
 */
export function liveEvents<Topic extends keyof EventMap>(
  context: Context,
  topic: Topic,
): AsyncGenerator<EventMap[Topic], void> {
  return openStream(context, (userId, signal) => context.events.subscribe(topic, userId, signal))
}

/** The same of several topics, as one stream. */
export function liveTopics<Topic extends keyof EventMap>(
  context: Context,
  topics: readonly Topic[],
): AsyncGenerator<LiveEvent<Topic>, void> {
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

function openStream<Event>(
  context: Context,
  subscribe: (userId: string, signal: AbortSignal) => AsyncIterable<Event>,
): AsyncGenerator<Event, void> {
  const { userId } = requireViewer(context)
  const leave = context.streams.open(userId)
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, context.signal])
  // With the signal and not in `finally`: a generator that is never read does not run at all.
  onAbort(signal, leave)
  const isLive = watchSession(context, ended, signal)
  // Subscribed before the stream opens, so that nothing falls in between.
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

/** Ends the stream within seconds of its session or key, until the signal aborts. Returns the question it asks. */
function watchSession(context: Context, ended: AbortController, signal: AbortSignal): () => Promise<boolean> {
  const viewer = requireViewer(context)
  const isLive = () => context.services.users.isLive(viewer).catch(() => false)
  onAbort(
    signal,
    watchLife(isLive, () => ended.abort()),
  )
  return isLive
}

function onAbort(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}
