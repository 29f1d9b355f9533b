import { type RefObject, Suspense, useEffect, useEffectEvent, useRef } from 'react'
import { late } from '../../lib/lateCode.ts'

const Palette = late(() => import('./Palette.tsx').then((file) => file.Palette))

type Props = { readonly onClose: () => void }

/**
 * The palette, whose code arrives only when it is opened. What is typed until then is the first text of its field: on the page, the
 * letters would star or rename files.
 */
export function PaletteSoon({ onClose }: Props) {
  const typed = useRef('')
  return (
    <Suspense fallback={<TypedAhead typed={typed} onClose={onClose} />}>
      <Palette typed={typed} onClose={onClose} />
    </Suspense>
  )
}

function TypedAhead({ typed, onClose }: Props & { readonly typed: RefObject<string> }) {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1)
    else if (event.key.length === 1) typed.current += event.key
  })
  useEffect(() => {
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
  return null
}
