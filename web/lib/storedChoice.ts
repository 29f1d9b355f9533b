import { useCallback, useSyncExternalStore } from 'react'

const EVENT = 'skypool-choice'

/**
 * A choice stored in this browser, the same for all components and tabs. Without storage (private
 * windows can refuse it) the choice is `fallback`, and changing it has no effect that lasts.
 */
export function useStoredChoice<Choice extends string>(
  name: string,
  fallback: Choice,
  choices: readonly Choice[],
): [Choice, (choice: Choice) => void] {
  const read = () => readStoredChoice(name, fallback, choices)
  const value = useSyncExternalStore(onChoice, read)
  const keep = useCallback((choice: Choice) => writeChoice(name, choice), [name])
  return [value, keep]
}

/** Any text stored in this browser, the same for all components and tabs; null: none. */
export function useStoredText(name: string): string | null {
  return useSyncExternalStore(onChoice, () => readChoice(name))
}

/** The current choice, for code outside of components. */
export function readStoredChoice<Choice extends string>(
  name: string,
  fallback: Choice,
  choices: readonly Choice[],
): Choice {
  return choices.find((choice) => choice === readChoice(name)) ?? fallback
}

const listeners = new Set<() => void>()
const notifyAll = () => {
  for (const listener of listeners) listener()
}

/** The window is listened to once: each tile of a grid reads a choice, and many come and go while it is scrolled. */
function onChoice(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener(EVENT, notifyAll)
    window.addEventListener('storage', notifyAll)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.removeEventListener(EVENT, notifyAll)
    window.removeEventListener('storage', notifyAll)
  }
}

function readChoice(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Empty: none. Without storage it has no effect. */
export function writeChoice(name: string, choice: string): void {
  try {
    localStorage.setItem(name, choice)
  } catch {
    return
  }
  window.dispatchEvent(new Event(EVENT))
}
