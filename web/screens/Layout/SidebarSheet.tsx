import { Dialog, DialogBackdrop, DialogPanel } from '@headlessui/react'
import type { ReactNode } from 'react'
import sheetStyles from '../../ui/Sheet.module.css'
import styles from './Layout.module.css'
import { messages } from './messages.ts'

type Props = { onClose: () => void; children: ReactNode }

/** The sidebar of a narrow screen: modal, from the start edge. */
export function SidebarSheet({ onClose, children }: Props) {
  return (
    <Dialog open onClose={onClose} aria-label={messages.label}>
      <DialogBackdrop transition className={sheetStyles.backdrop} />
      <DialogPanel transition className={`${styles.sidebar} ${styles.sheet}`} data-testid="sidebar-sheet">
        {children}
      </DialogPanel>
    </Dialog>
  )
}
