import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { messages } from './messages.ts'
import styles from './Photos.module.css'
import type { Month } from './photo.ts'
import { monthText } from './photoDates.ts'

type Props = {
  readonly months: readonly Month[]
  /** `2026-11`: where the list is scrolled to. */
  readonly current: string
  readonly onMonth: (month: string, first: number) => void
}

/** Percent between two labels, so that they do not overlap. */
const LABEL_SPACE = 5

/** All months from top to bottom, each as high as it has photos: a slider, whose value is the month. */
export function Scale({ months, current, onMonth }: Props) {
  const track = useRef<HTMLDivElement>(null)
  const total = months.reduce((sum, { count }) => sum + count, 0)
  if (months.length < 2) return null
  const found = months.findIndex(({ month }) => month <= current)
  // The months may be those of the newest photos only.
  const at = found < 0 && current ? months.length - 1 : Math.max(0, found)
  const go = (index: number) => {
    const month = months[Math.min(months.length - 1, Math.max(0, index))]
    if (month) onMonth(month.month, month.first)
  }
  const onPointer = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect()
    if (!box || (event.type === 'pointermove' && event.buttons === 0)) return
    const photo = ((event.clientY - box.top) / box.height) * total
    const next = months.findIndex(({ first, count }) => photo < first + count)
    go(next < 0 ? months.length - 1 : next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    go(at + step)
  }
  const value = months[at]
  return (
    <div
      ref={track}
      className={styles.scale}
      role="slider"
      tabIndex={0}
      aria-label={messages.scale}
      aria-orientation="vertical"
      aria-valuemin={1}
      aria-valuemax={months.length}
      aria-valuenow={at + 1}
      aria-valuetext={value && messages.month(monthText(value.month), value.count)}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
      onKeyDown={onKeyDown}
    >
      {labelsOf(months, total).map(({ text, top, isYear, year }) => (
        <span
          key={`${year} ${top}`}
          className={isYear && year === current.slice(0, 4) ? styles.now : undefined}
          style={{ top: `${top}%` }}
          aria-hidden
        >
          {text}
        </span>
      ))}
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -12,
  PageDown: 12,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** Years where they begin, and ticks between them. */
function labelsOf(months: readonly Month[], total: number) {
  const labels: { text: string; top: number; isYear: boolean; year: string }[] = []
  for (const { month, first } of months) {
    const year = month.slice(0, 4)
    const top = (first / total) * 100
    const last = labels.at(-1)
    if (last && top - last.top < LABEL_SPACE) continue
    const isYear = !labels.some((label) => label.isYear && label.year === year)
    labels.push({ text: isYear ? year : '–', top, isYear, year })
  }
  return labels
}
