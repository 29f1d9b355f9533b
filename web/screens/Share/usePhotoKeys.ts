import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { Photo } from '../../features/Photos/photo.ts'
import { type GridLayout, MOTIONS } from '../../lib/gridLayout.ts'

type Shown = {
  readonly photos: readonly Photo[]
  /** Of the photos that are drawn. */
  readonly first: number
  readonly last: number
  readonly scroller: RefObject<HTMLElement | null>
  /** Brings a photo into view. */
  readonly onMove: (index: number) => void
}

/** The arrow keys go from photo to photo; the Tab key comes to one of them. */
export function usePhotoKeys(grid: GridLayout, { photos, first, last, scroller, onMove }: Shown) {
  const [focus, setFocus] = useState<string | null>(null)
  const wanted = useRef<string | null>(null)
  const at = photos.findIndex(({ id }) => id === focus)

  // A photo far away is drawn after the list has scrolled to it.
  useEffect(() => {
    if (!wanted.current) return
    const link = scroller.current?.querySelector<HTMLElement>(`[data-id="${wanted.current}"]`)
    if (!link) return
    wanted.current = null
    link.focus({ preventScroll: true })
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const motion = MOTIONS[event.key]
    const isModified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey
    if (!motion || isModified || !(event.target as HTMLElement).dataset.id) return
    event.preventDefault()
    const index = grid.move(Math.max(0, at), motion, 1)
    const next = photos[index]
    if (!next) return
    wanted.current = next.id
    setFocus(next.id)
    onMove(index)
  }
  const onFocus = (event: FocusEvent) => {
    const { id } = (event.target as HTMLElement).dataset
    if (id) setFocus(id)
  }
  return { onKeyDown, onFocus, tabStop: photos[at >= first && at <= last ? at : first]?.id }
}
