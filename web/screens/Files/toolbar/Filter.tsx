import { ChevronDown, X } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { cx } from '../../../lib/cx.ts'
import { useIsMobile } from '../../../lib/useMediaQuery.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import { useFileManager } from '../FilesContext.ts'
import type { UrlState } from '../urlState.ts'
import styles from './Toolbar.module.css'

type FilterProps = {
  readonly name: string
  /** The choice as text; empty: none. */
  readonly value: string | null
  readonly items: MenuEntry[]
  /** What removes it. */
  readonly none: Partial<UrlState>
  readonly isOpened: boolean
}

/** One filter: a button with its choices, and one that removes the choice. */
export function Filter({ name, value, items, none, isOpened }: FilterProps) {
  const { setUrl } = useFileManager()
  const isNarrow = useIsMobile()
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (!isOpened) return
    // The focus returns to it when the menu is closed.
    button.current?.focus()
    button.current?.click()
  }, [isOpened])
  const remove = () => {
    button.current?.focus()
    setUrl(none, { replace: true })
  }
  // With and without a choice it is one button, which keeps the focus.
  return (
    <span className={value ? styles.chip : 'contents'}>
      <Menu
        label={name}
        items={items}
        trigger={(props) => (
          <Button {...props} ref={button} size="sm" active={!!value} aria-label={value ? `${name}: ${value}` : name}>
            <span className={styles.filterText}>{value ? `${isNarrow ? '' : `${name}: `}${value}` : name}</span>
            {!value && <Icon icon={ChevronDown} size={12} />}
          </Button>
        )}
      />
      {value && (
        <Button
          size="sm"
          active
          className={cx(styles.chipEnd)}
          aria-label={`Remove filter ${name}: ${value}`}
          onClick={remove}
        >
          <Icon icon={X} size={12} />
        </Button>
      )}
    </span>
  )
}
