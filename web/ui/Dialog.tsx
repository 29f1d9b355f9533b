import { DialogBackdrop, DialogPanel, DialogTitle, Dialog as HeadlessDialog } from '@headlessui/react'
import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { cx } from '../lib/cx.ts'
import { sharedMessages } from '../lib/messages.ts'
import styles from './Dialog.module.css'
import { IconButton } from './IconButton.tsx'
import { keepFocusInside, useReturnOfFocus } from './keepFocus.ts'
import sheetStyles from './Sheet.module.css'

export type DialogProps = {
  open: boolean
  /** Escape, the cross, or a press outside. */
  onClose: () => void
  title: string
  description?: ReactNode
  /** In front of the title: an account's mark. */
  mark?: ReactNode
  /** 480, 560 or 720 px wide; on a narrow screen every dialog is a sheet from below. */
  size?: 'sm' | 'md' | 'lg'
  /** Buttons, the primary one last. An element of class "push" goes to the start edge. */
  footer?: ReactNode
  /** What gets the focus first; else the first field or button. */
  initialFocus?: RefObject<HTMLElement | null>
  role?: 'dialog' | 'alertdialog'
  className?: string | undefined
  children?: ReactNode
}

const WIDTH = { sm: styles.narrow, md: '', lg: styles.wide }

/** Modal. Focus stays inside, goes to the first error of a form, and returns to where it was. Import it lazily: it brings Headless UI along. */
export function Dialog({
  open: isOpen,
  onClose,
  title,
  description,
  mark,
  size = 'md',
  footer,
  children,
  ...props
}: DialogProps) {
  const { initialFocus, role = 'dialog', className } = props
  useReturnOfFocus()
  return (
    <HeadlessDialog open={isOpen} onClose={onClose} role={role} {...(initialFocus && { initialFocus })}>
      <DialogBackdrop transition className={sheetStyles.backdrop} />
      <div className={styles.scrim} ref={keepFocusInside}>
        <DialogPanel transition className={cx(styles.dialog, WIDTH[size], className)}>
          <header className={styles.head}>
            {mark}
            <div className="grow">
              <DialogTitle>{title}</DialogTitle>
              {description && <p>{description}</p>}
            </div>
            <IconButton label={sharedMessages.common.close} icon={X} onClick={onClose} />
          </header>
          <div className={styles.body}>{children}</div>
          {footer && <footer className={styles.foot}>{footer}</footer>}
        </DialogPanel>
      </div>
    </HeadlessDialog>
  )
}
