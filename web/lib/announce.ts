type Listener = (text: string) => void

const listeners = new Set<Listener>()

/** Announces `text` politely to screen readers, through the page's live region (web/ui/LiveRegion.tsx). */
export function announce(text: string): void {
  for (const listener of listeners) listener(text)
}

/** For the live region only. Returns a function that unsubscribes. */
export function onAnnounce(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
