import { type ComponentType, type LazyExoticComponent, lazy, useEffect } from 'react'

/** By then, what the page itself needs has come. */
const REST_MS = 5_000

/**
 * Loads code that is not part of the start bundle. Without a connection it waits for one: a failure would take
 * everything around it from the page, uploads included. @throws as `load` does while there is a connection
 */
async function loadLate<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load()
  } catch (error) {
    if (navigator.onLine) throw error
    await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }))
    return loadLate(load)
  }
}

/** A component whose code is loaded when it is first drawn; without a connection it comes once there is one. Dialogs: `lateDialog`. */
// biome-ignore lint/suspicious/noExplicitAny: as in React's own `lazy`, which keeps the props of each component
export function late<Late extends ComponentType<any>>(load: () => Promise<Late>): LazyExoticComponent<Late> {
  return lazy(async () => ({ default: await loadLate(load) }))
}

/** Loads code when the page has come to rest, so that it is there when the connection is lost. */
export function useLoadedAhead(load: () => Promise<unknown>): void {
  useEffect(() => {
    // What could not be loaded is loaded when it is needed.
    const loadQuietly = () => void load().catch(() => undefined)
    const timer = setTimeout(() => (window.requestIdleCallback ?? setTimeout)(loadQuietly), REST_MS)
    return () => clearTimeout(timer)
  }, [load])
}
