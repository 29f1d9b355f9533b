const missed = new Set<() => void>()
const again = new Set<() => void>()

/**
 * Calls `listener` whenever the live line to the server is back and changes of the gap are not told any more: read again
 * what is shown. Returns the way to stop.
 */
export function onLiveAgain(listener: () => void): () => void {
  return add(missed, listener)
}

/**
 * Calls `listener` whenever the line is back, whatever the gap: for what is never told later, like the progress of
 * transfers. Returns the way to stop.
 */
export function onReconnected(listener: () => void): () => void {
  return add(again, listener)
}

function add(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** For the subscription's connection only. */
export function sayLiveAgain(): void {
  for (const listener of missed) listener()
}

/** For the subscription's connection only. */
export function sayReconnected(): void {
  for (const listener of again) listener()
}
