import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

/** Also read by the snippet in index.html, before the first paint: keep the two in step. */
const STORAGE_KEY = 'theme'
const SYSTEM_DARK = '(prefers-color-scheme: dark)'

const listeners = new Set<() => void>()

/** The stored choice, else what the system prefers. */
function currentTheme(): Theme {
  const stored = storedTheme()
  if (stored) return stored
  return window.matchMedia(SYSTEM_DARK).matches ? 'dark' : 'light'
}

/** Keeps the choice in this browser and shows it at once. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme)
  } catch {
    // Storage is disabled: the choice lasts until the page is reloaded.
  }
  show(theme)
}

/** Forgets the choice: from now on the system decides again. */
export function followSystemTheme(): void {
  try {
    localStorage.removeItem(STORAGE_KEY)
  } catch {
    // Storage is disabled: nothing was stored.
  }
  show(currentTheme())
}

export function useTheme(): Theme {
  return useSyncExternalStore(follow, shownTheme)
}

/** The choice in this browser; null while the system decides. */
export function useChosenTheme(): Theme | null {
  return useSyncExternalStore(follow, storedTheme)
}

const shownTheme = (): Theme => (document.documentElement.classList.contains('dark') ? 'dark' : 'light')

function show(theme: Theme): void {
  document.documentElement.classList.toggle('dark', theme === 'dark')
  for (const listener of listeners) listener()
}

function storedTheme(): Theme | null {
  try {
    const value = localStorage.getItem(STORAGE_KEY)
    return value === 'light' || value === 'dark' ? value : null
  } catch {
    return null
  }
}

/** Follows the other tabs' choice and, while there is none, the system. */
function follow(onChange: () => void): () => void {
  const system = window.matchMedia(SYSTEM_DARK)
  const refresh = () => show(currentTheme())
  listeners.add(onChange)
  system.addEventListener('change', refresh)
  window.addEventListener('storage', refresh)
  return () => {
    listeners.delete(onChange)
    system.removeEventListener('change', refresh)
    window.removeEventListener('storage', refresh)
  }
}
