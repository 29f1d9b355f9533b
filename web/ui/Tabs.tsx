import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { cx } from '../lib/cx.ts'
import styles from './Tabs.module.css'

export type Tab<Id extends string = string> = { id: Id; label: string; count?: number }

type Props<Id extends string> = {
  label: string
  tabs: readonly Tab<Id>[]
  selected: Id
  onSelect: (id: Id) => void
  /** 36 px high, for panels. */
  small?: boolean
  /** What the selected tab shows. */
  children: ReactNode
}

/** Arrow keys move and select. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, small = false, children }: Props<Id>) {
  const prefix = useId()
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const index = tabs.findIndex((tab) => tab.id === selected)
    const forth = import.meta.env.VITE_DIRECTION === 'rtl' ? -1 : 1
    const step = { ArrowRight: forth, ArrowLeft: -forth }[event.key]
    const next = step === undefined ? undefined : tabs[(index + step + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onSelect(next.id)
    document.getElementById(`${prefix}-${next.id}`)?.focus()
  }
  return (
    <>
      <div role="tablist" aria-label={label} className={cx(styles.tabs, small && styles.sm)}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${prefix}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={tab.id === selected ? `${prefix}-panel` : undefined}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
            onKeyDown={move}
          >
            {tab.label}
            {tab.count !== undefined && <span className={`${styles.count} num`}>{tab.count.toLocaleString()}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${prefix}-panel`} aria-labelledby={`${prefix}-${selected}`}>
        {children}
      </div>
    </>
  )
}
