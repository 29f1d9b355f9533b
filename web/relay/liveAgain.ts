const missed = new Set<() => void>()
const again = new Set<() => void>()

/**
 * Calls `listener` when the live connection is back and the changes in the gap are lost: fetch again what is shown.
 * Returns a function that unsubscribes.
 */
export function onLiveAgain(listener: () => void): () => void {
  return add(missed, listener)
}

/**
 * Calls `listener` whenever the connection is back: for data that is never sent later, such as the progress of
 * transfers. Returns a function that unsubscribes.
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
