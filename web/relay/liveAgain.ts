const missed = new Set<() => void>()
const connected = new Set<(isFirst: boolean) => void>()

/**
 * Calls `listener` when the live connection is back and the changes in the gap are lost: fetch again what is shown.
 * Returns a function that unsubscribes.
 */
export function onLiveAgain(listener: () => void): () => void {
  return add(missed, listener)
}

/**
 * Calls `listener` whenever there is a connection, for the first time or again: for data that is never sent later, such as the progress
 * of transfers. Returns a function that unsubscribes.
 */
export function onConnected(listener: (isFirst: boolean) => void): () => void {
  return add(connected, listener)
}

function add<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
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
export function sayConnected(isFirst: boolean): void {
  for (const listener of connected) listener(isFirst)
}
