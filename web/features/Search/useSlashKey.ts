import { type RefObject, useEffect } from 'react'
import { useLetterKeys } from '../../lib/letterKeys.ts'

/** The key / goes to the field, unless one is writing somewhere or single keys are turned off. */
export function useSlashKey(field: RefObject<HTMLInputElement | null>): void {
  const [isOn] = useLetterKeys()
  useEffect(() => {
    if (!isOn) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return
      event.preventDefault()
      field.current?.focus()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [field, isOn])
}

/** Also in an editor that keeps itself in a shadow root; a dialog has the keys for itself. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    Boolean(target.closest('[role$=dialog]'))
  )
}
