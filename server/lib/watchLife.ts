/** Leaves a busy server two seconds to notice. */
const CHECK_MS = 3_000

/**
 * Calls `end` within five seconds of the time from which on `isLive` says no, over and over until it is stopped. A question
 * that fails ends nothing. Returns what stops the asking.
 */
export function watchLife(isLive: () => Promise<boolean>, end: () => void): () => void {
  const ask = () =>
    isLive().then(
      (live) => live || end(),
      () => {},
    )
  const timer = setInterval(ask, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}
