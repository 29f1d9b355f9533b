import { setMaxListeners } from 'node:events'
import type { Readable } from 'node:stream'

/** Breaks the stream with the signal's reason once that is aborted. The error waits for whoever reads. */
export function endWithSignal(signal: AbortSignal, stream: Readable): Readable {
  const abort = (): void => {
    const { reason } = signal
    stream.destroy(reason instanceof Error ? reason : new Error(String(reason)))
  }
  // The signal of one job serves many streams side by side: that is no leak.
  setMaxListeners(0, signal)
  stream.on('error', () => undefined)
  stream.once('close', () => signal.removeEventListener('abort', abort))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return stream
}
