import { messages } from './messages.ts'
import styles from './Photos.module.css'
import type { Photo } from './photo.ts'
import { dayOf, dayText } from './photoDates.ts'
import type { PhotoLine } from './photosLayout.ts'

type Props = {
  readonly line: Pick<PhotoLine, 'top' | 'height'>
  /** All of this day that are known. */
  readonly photos: readonly Photo[]
}

/** The heading of a day: its date, and how many photos and videos there are. */
export function Day({ line, photos }: Props) {
  const [first] = photos
  if (!first) return null
  const videos = photos.filter(({ category }) => category === 'VIDEO').length
  return (
    <div role="row" className={styles.day} style={{ transform: `translateY(${line.top}px)`, height: line.height }}>
      <span role="rowheader">
        <b className="font-semibold">{dayText(dayOf(first))}</b>
        <span className="meta subtle num ell">{messages.dayCount(photos.length - videos, videos)}</span>
      </span>
    </div>
  )
}

type PlaceholderProps = {
  readonly lines: readonly number[]
  readonly all: readonly PhotoLine[]
}

/** In place of rows that are drawn in one of the next frames. */
export function PlaceholderRows({ lines, all }: PlaceholderProps) {
  return lines.map((number) => {
    const line = all[number]
    if (line?.kind !== 'files') return null
    const end = line.places.at(-1)
    const style = {
      transform: `translateY(${line.top}px)`,
      width: end && end.left + end.width,
      height: line.height,
    }
    return <div key={number} role="none" data-placeholder className={styles.placeholder} style={style} />
  })
}
