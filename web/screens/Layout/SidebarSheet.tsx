import { Dialog, DialogBackdrop, DialogPanel } from '@headlessui/react'
import type { ReactNode } from 'react'
import { messages } from '../../lib/messages.ts'

type Props = { onClose: () => void; children: ReactNode }

/** The sidebar of a narrow screen: modal, from the start edge. */
export function SidebarSheet({ onClose, children }: Props) {
  return (
    <Dialog open onClose={onClose} aria-label={messages.sidebar.label}>
      <DialogBackdrop transition className="scrim-back" />
      <DialogPanel transition className="sidebar sheetside">
        {children}
      </DialogPanel>
    </Dialog>
  )
}
