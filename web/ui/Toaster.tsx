import { type ComponentType, useEffect, useState } from 'react'
import { onToastWaiting } from './toastQueue.ts'

/** Loaded when the page is idle, so that a first toast needs no network: it may be the one about being offline. */
const PRELOAD_AFTER_MS = 4000

/** Where toasts appear. Mount it once. The code that shows them comes with the first toast, or soon after the start. */
export function Toaster() {
  const [Host, setHost] = useState<ComponentType | null>(null)
  useEffect(() => {
    const load = () => {
      import('./ToastHost.tsx').then(
        ({ ToastHost }) => setHost(() => ToastHost),
        () => window.addEventListener('online', load, { once: true }),
      )
    }
    const stop = onToastWaiting(load)
    const timer = setTimeout(load, PRELOAD_AFTER_MS)
    return () => {
      stop()
      clearTimeout(timer)
      window.removeEventListener('online', load)
    }
  }, [])
  return Host && <Host />
}
