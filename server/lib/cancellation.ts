import { setMaxListeners } from 'node:events'
import type { Readable } from 'node:stream'

/** With two more seconds for a busy server this keeps the promised five. */
const CHECK_INTERVAL_MS = 3_000

/** Destroys the stream with the signal's reason when it is aborted. The reader of the stream receives the error. */
export function destroyOnAbort(signal: AbortSignal, stream: Readable): Readable {
  const abort = (): void => {
    const { reason } = signal
    stream.destroy(reason instanceof Error ? reason : new Error(String(reason)))
  }
  // The signal of one job has many streams as listeners, which is not a leak.
  setMaxListeners(0, signal)
  stream.on('error', () => undefined)
  stream.once('close', () => signal.removeEventListener('abort', abort))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return stream
}

/**
 * Resolves or rejects as `work`, or rejects with the signal's reason as soon as it is aborted: for work that may hang, such as a
 * stalled stream. The work itself continues, and its result is ignored.
 */
export async function abortable<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  // A rejection after the abort must not count as unhandled.
  work.catch(() => undefined)
  signal.throwIfAborted()
  let stop = (): void => undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    stop = () => signal.removeEventListener('abort', abort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stop()
  }
}

/**
 * Polls `isValid` and calls `onInvalid` within five seconds after it becomes false, and on every later poll. A failing poll is
 * ignored. Returns a function that stops polling.
 */
export function watchValidity(isValid: () => Promise<boolean>, onInvalid: () => void): () => void {
  const poll = () =>
    isValid().then(
      (valid) => valid || onInvalid(),
      () => {},
    )
  const timer = setInterval(poll, CHECK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
