import type { EventMap } from '../../domain/events.ts'
import { type Context, requireViewer, unauthenticated } from '../context.ts'

const SESSION_CHECK_MS = 5_000

/**
 * The viewer's events of one topic, for as long as their session lives, the client listens and the server runs.
 * The session is looked at before each event and every five seconds; its end is told as UNAUTHENTICATED. What was
 * looked up for one event is forgotten before the next.
 * @throws GraphQLError UNAUTHENTICATED, TooManyRequestsError beyond the streams that a user may have
 */
export function liveEvents<Topic extends keyof EventMap>(
  context: Context,
  topic: Topic,
): AsyncGenerator<EventMap[Topic], void> {
  const viewer = requireViewer(context)
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, context.signal])
  const leave = context.streams.open(viewer.userId)
  const isLive = () => context.services.users.isLive(viewer).catch(() => false)
  const endWithSession = setInterval(async () => {
    if (!(await isLive())) ended.abort()
  }, SESSION_CHECK_MS)
  const release = () => {
    clearInterval(endWithSession)
    leave()
  }
  // With the signal and not in `finally`: a generator that is never read does not run at all.
  if (signal.aborted) release()
  else signal.addEventListener('abort', release, { once: true })
  // Subscribed before the stream opens, so that nothing falls in between.
  const events = context.events.subscribe(topic, viewer.userId, signal)

  async function* read(): AsyncGenerator<EventMap[Topic], void> {
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
