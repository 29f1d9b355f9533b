import { type ComponentType, use, useEffect } from 'react'
import { toast } from './toast.ts'

type Closable = { readonly onClose: () => void }

/**
 * A dialog whose code is loaded when it is opened. If that fails, a toast says so and the dialog is closed: the page behind it stays. Its
 * code is then loaded again when it is opened again.
 */
export function lateDialog<Props extends Closable>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let code: Promise<ComponentType<Props> | null> | null = null
  const forget = () => {
    code = null
  }
  return function LateDialog(props: Props) {
    code ??= load().catch(() => null)
    const Dialog = use(code)
    return Dialog ? <Dialog {...props} /> : <NotLoaded onClose={props.onClose} onSaid={forget} />
  }
}

function NotLoaded({ onClose, onSaid }: Closable & { readonly onSaid: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, although `onClose` is often another function
  useEffect(() => {
    onSaid()
    const description = navigator.onLine
      ? 'Please try again, or reload the page.'
      : 'Try again when you are back online.'
    toast.error(navigator.onLine ? 'This could not be opened' : 'This cannot be opened offline', { description })
    onClose()
  }, [])
  return null
}
