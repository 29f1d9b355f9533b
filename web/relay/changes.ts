const listeners = new Set<() => void>()

/**
 * Calls `listener` after anything that may have changed what the server holds: a mutation's answer, an event of a
 * subscription, a live line that is back. For small facts kept next to the lists, such as the free space. Returns a
 * function that unsubscribes.
 */
export function onServerChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Called by the network layer. */
export function sayServerChange(): void {
  for (const listener of listeners) listener()
}
