import { CircleAlert, CircleCheck, Info, type LucideIcon } from 'lucide-react'
import { sharedMessages } from '../lib/messages.ts'
import { dismissToast, pushToast, type ToastSpec } from './toastQueue.ts'

/** Longer than the usual 3 s, so that there is time to read an error or to change one's mind. */
const LONG_MS = 8000

export type ToastOptions = Partial<Pick<ToastSpec, 'description' | 'action' | 'duration' | 'icon'>> & {
  /** A later toast of the same id takes the place of the first. */
  id?: string
}

let count = 0

/** Short sharedMessages at the top right. Not for what the screen shows anyway. Each returns the id for `dismiss`. */
export const toast = {
  info: (title: string, options?: ToastOptions) => show('subtle', Info, title, options),
  success: (title: string, options?: ToastOptions) => show('t-success', CircleCheck, title, options),
  /** Stays 8 s. */
  error: (title: string, options?: ToastOptions) =>
    show('t-danger', CircleAlert, title, { duration: LONG_MS, ...options }),
  /** "3 items moved to Trash", with Undo for 8 s. */
  undo: (title: string, onUndo: () => void, options?: ToastOptions) =>
    show('subtle', Info, title, {
      duration: LONG_MS,
      ...options,
      action: { label: sharedMessages.common.undo, onClick: onUndo },
    }),
  dismiss: dismissToast,
}

function show(tone: ToastSpec['tone'], icon: LucideIcon, title: string, options: ToastOptions = {}): string {
  const id = options.id ?? `toast-${++count}`
  pushToast({ tone, icon, title, ...options, id })
  return id
}
