import type { LucideIcon } from 'lucide-react'

export type ToastSpec = {
  id: string
  tone: 'subtle' | 't-success' | 't-danger'
  icon: LucideIcon
  title: string
  description?: string
  action?: { label: string; onClick: () => void }
  /** Milliseconds; else the Toaster's default. Infinity stays until dismissed. */
  duration?: number
}

export type ToastHandler = { show: (spec: ToastSpec) => void; dismiss: (id: string) => void }

const waiting: ToastSpec[] = []
const wakers = new Set<() => void>()
let handler: ToastHandler | null = null

/** Shows the toast, or keeps it until the code that shows toasts is there. */
export function pushToast(spec: ToastSpec): void {
  if (handler) {
    handler.show(spec)
    return
  }
  waiting.push(spec)
  for (const wake of wakers) wake()
}

export function dismissToast(id: string): void {
  handler?.dismiss(id)
}

/** Takes over the showing, of what waits too. Returns a function that unsubscribes. */
export function handleToasts(next: ToastHandler): () => void {
  handler = next
  for (const spec of waiting.splice(0)) next.show(spec)
  return () => {
    handler = null
  }
}

/** Calls `wake` when a toast waits to be shown. Returns a function that unsubscribes. */
export function onToastWaiting(wake: () => void): () => void {
  wakers.add(wake)
  return () => {
    wakers.delete(wake)
  }
}
