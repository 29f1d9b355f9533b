import { DialogBackdrop, DialogPanel, Dialog as HeadlessDialog } from '@headlessui/react'
import type { ReactNode } from 'react'
import styles from './Sheet.module.css'

type Props = {
  onClose: () => void
  /** Its accessible name. */
  label: string
  children: ReactNode
}

/** What is a panel on a wide screen, from below on a narrow one. Import it lazily: it brings Headless UI along. */
export function Sheet({ onClose, label, children }: Props) {
  return (
    <HeadlessDialog open onClose={onClose} aria-label={label}>
      <DialogBackdrop className={styles.backdrop} />
      <DialogPanel className={styles.sheet}>
        <div className={styles.grab} />
        {children}
      </DialogPanel>
    </HeadlessDialog>
  )
}
