const listeners = new Set<() => void>()

/**
 * Calls `listener` whenever the live line to the server is back after a gap: what changed meanwhile was not told, so read
 * again. Returns the way to stop.
 */
export function onLiveAgain(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** For the subscription's connection only. */
export function sayLiveAgain(): void {
  for (const listener of listeners) listener()
}
