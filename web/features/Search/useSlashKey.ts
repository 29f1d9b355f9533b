import { type RefObject, useEffect } from 'react'
import { useLetterKeys } from '../../lib/letterKeys.ts'

/** The key / focuses the field, unless the user is typing elsewhere or single-key shortcuts are off. */
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

/** Also checks editors in a shadow root; an open dialog receives all keys. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    Boolean(target.closest('[role$=dialog]'))
  )
}
