type Listener = (text: string) => void

const listeners = new Set<Listener>()

/** Reads `text` out politely to screen readers, through the page's one live region (web/ui/LiveRegion.tsx). */
export function announce(text: string): void {
  for (const listener of listeners) listener(text)
}

/** For the live region only. Returns the way to stop. */
export function onAnnounce(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
