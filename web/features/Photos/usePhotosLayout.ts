import { type RefObject, useEffect, useMemo, useState } from 'react'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { type Photo, ratioOf } from './photo.ts'
import { dayOf } from './photoDates.ts'
import { type PhotosLayout, photosLayout } from './photosLayout.ts'

const GAP = 4
const HEADING = 46
/** How many lines one frame may add. */
export const MOST_LINES = 3
const ROW = { phone: 112, desk: 164 } as const

/** The layout of these photos in the width of the content; computed again for another array. */
export function usePhotosLayout(content: RefObject<HTMLElement | null>, photos: readonly Photo[]): PhotosLayout {
  const width = useContentWidth(content)
  const rowHeight = useIsMobile() ? ROW.phone : ROW.desk
  return useMemo(() => {
    const placed = photos.map((photo) => ({ ratio: ratioOf(photo), day: dayOf(photo) }))
    return photosLayout(placed, { width, rowHeight, gap: GAP, heading: HEADING })
  }, [photos, width, rowHeight])
}

/** The width of the content, followed. */
function useContentWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(960)
  useEffect(() => {
    const target = element.current
    if (!target) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(target)
    return () => observer.disconnect()
  }, [element])
  return width
}
