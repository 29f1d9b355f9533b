import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { createPortal } from 'react-dom'
import { cx } from '../../lib/cx.ts'
import { BACK, FORTH, isTyping } from '../../lib/keyboard.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Preview.module.css'
import { useCovered, useModal } from './useModal.ts'

type Props = {
  readonly prevId: string | null
  readonly nextId: string | null
  readonly onNavigate: (id: string) => void
  /** Escape or Space. The focus goes back to where it was, unless `onClose` puts it elsewhere. */
  readonly onClose: () => void
  /** A dialog that belongs to the preview is open above it. */
  readonly isCovered?: boolean
  readonly children: ReactNode
}

/** Covers the window during a preview; the arrow keys go to the next and previous file. */
export function PreviewFrame({ prevId, nextId, onNavigate, onClose, isCovered = false, children }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const keepFocus = useModal(root)
  useCovered(root, isCovered)
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys that bubble to the page would act on its list.
    event.stopPropagation()
    keepFocus(event)
    act(event, { onClose, onPrevious: () => prevId && onNavigate(prevId), onNext: () => nextId && onNavigate(nextId) })
  }
  return createPortal(
    <div
      ref={root}
      className={styles.preview}
      role="dialog"
      aria-modal
      aria-label="Preview"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {children}
      <Neighbour label="Previous file" id={prevId} side="start" onNavigate={onNavigate} />
      <Neighbour label="Next file" id={nextId} side="end" onNavigate={onNavigate} />
    </div>,
    document.body,
  )
}

type Acts = { onClose: () => void; onPrevious: () => void; onNext: () => void }

/** Players, scrollable text and buttons handle their own keys. */
function act(event: KeyboardEvent, acts: Acts): void {
  const target = event.target as HTMLElement
  const isTheirs =
    event.defaultPrevented ||
    isTyping(target) ||
    target.matches('video, audio') ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  if (event.key === 'Escape') acts.onClose()
  else if (isTheirs) return
  else if (event.key === BACK && !isScrollable(target)) acts.onPrevious()
  else if (event.key === FORTH && !isScrollable(target)) acts.onNext()
  else if (event.key === ' ' && !target.matches('button, a')) {
    event.preventDefault()
    acts.onClose()
  }
}

const isScrollable = (element: HTMLElement): boolean => element.scrollWidth > element.clientWidth + 1

type NeighbourProps = {
  readonly label: string
  readonly id: string | null
  readonly side: 'start' | 'end'
  readonly onNavigate: (id: string) => void
}

function Neighbour({ label, id, side, onNavigate }: NeighbourProps) {
  if (!id) return null
  return (
    <span className={cx(styles.side, styles[side])}>
      <IconButton
        variant="default"
        label={label}
        icon={side === 'start' ? ChevronLeft : ChevronRight}
        iconSize={20}
        onClick={() => onNavigate(id)}
      />
    </span>
  )
}
