import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { cx } from '../lib/cx.ts'
import styles from './Tooltip.module.css'

export type TooltipSide = 'top' | 'bottom' | 'right'

const DELAY_MS = 700
const SKIP_MS = 300
/** When the last tooltip went away: within SKIP_MS the next one comes at once. */
let lastClosedAt = 0

type Props = {
  text: string
  keys?: string
  side?: TooltipSide
  /** True where the text adds to the name of the element (a full date) instead of repeating it (an icon's label). */
  describes?: boolean
  /** One element; it keeps its place in the layout. */
  children: ReactNode
}

/** Words for the element inside: on hover after 700 ms, on keyboard focus at once, gone with Escape or a press. */
export function Tooltip({ text, keys, side = 'bottom', describes = false, children }: Props) {
  const { anchor, box, show, hide } = useTooltip()
  const id = useId()
  useEffect(() => {
    const element = anchor.current?.firstElementChild
    if (!box || !describes || !element) return
    element.setAttribute('aria-describedby', id)
    return () => element.removeAttribute('aria-describedby')
  }, [anchor, box, describes, id])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens; the element inside is what people operate
    <span
      ref={anchor}
      className="contents"
      onPointerEnter={(event) => event.pointerType !== 'touch' && show(delay())}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => event.target.matches(':focus-visible') && show(0)}
      onBlur={hide}
      onKeyDown={(event) => event.key === 'Escape' && hide()}
    >
      {children}
      {box && createPortal(<TooltipBox id={id} box={box} side={side} text={text} keys={keys} />, document.body)}
    </span>
  )
}

const delay = () => (Date.now() - lastClosedAt < SKIP_MS ? 0 : DELAY_MS)

function useTooltip() {
  const anchor = useRef<HTMLSpanElement>(null)
  const timer = useRef<number>(undefined)
  const [box, setBox] = useState<DOMRect | null>(null)
  useEffect(() => () => window.clearTimeout(timer.current), [])

  const show = (after: number) => {
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(
      () => setBox(anchor.current?.firstElementChild?.getBoundingClientRect() ?? null),
      after,
    )
  }
  const hide = () => {
    window.clearTimeout(timer.current)
    if (box) lastClosedAt = Date.now()
    setBox(null)
  }
  return { anchor, box, show, hide }
}

type BoxProps = { id: string; box: DOMRect; side: TooltipSide; text: string; keys: string | undefined }

function TooltipBox({ id, box, side, text, keys }: BoxProps) {
  const centre = Math.min(Math.max(box.left + box.width / 2, 8), window.innerWidth - 8)
  const style =
    side === 'right'
      ? { ...after(box), top: box.top + box.height / 2 }
      : { left: centre, top: side === 'top' ? box.top : box.bottom }
  return (
    <span className={cx(styles.place, styles[side])} style={style}>
      <span role="tooltip" id={id} className={styles.tip} ref={keepInside}>
        {text}
        {keys && <span className={styles.keys}>{keys}</span>}
      </span>
    </span>
  )
}

/** Next to the element, at the side where its line continues. */
const after = (box: DOMRect) =>
  import.meta.env.VITE_DIRECTION === 'rtl' ? { right: window.innerWidth - box.left } : { left: box.right }

/** Pushes the box back from the left or right edge of the window. */
function keepInside(element: HTMLElement | null): void {
  if (!element) return
  const { left, right } = element.getBoundingClientRect()
  const shift = left < 8 ? 8 - left : Math.min(0, window.innerWidth - 8 - right)
  if (shift !== 0) element.style.translate = `${shift}px 0`
}
