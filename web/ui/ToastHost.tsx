import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { Toaster as SonnerToaster, toast as sonner } from 'sonner'
import { sharedMessages } from '../lib/messages.ts'
import { ToastCard } from './ToastCard.tsx'
import { handleToasts, type ToastSpec } from './toastQueue.ts'

/**
 * At the top, where lines end; 3 at most, gone after 3 s unless the pointer is over them or the tab is hidden; swiped away; Alt+T focuses
 * them. It is attached to the body, outside the page, because an open dialog makes the page inert.
 */
export function ToastHost() {
  // sonner listens from its own effect on, which runs before this one.
  useEffect(() => handleToasts({ show, dismiss: (id) => void sonner.dismiss(id) }), [])
  return createPortal(
    <SonnerToaster
      position={import.meta.env.VITE_DIRECTION === 'rtl' ? 'top-left' : 'top-right'}
      visibleToasts={3}
      gap={14}
      duration={3000}
      offset={import.meta.env.VITE_DIRECTION === 'rtl' ? { top: 8, left: 16 } : { top: 8, right: 16 }}
      mobileOffset={{ top: 8, left: 16, right: 16 }}
      hotkey={['altKey', 'KeyT']}
      containerAriaLabel={sharedMessages.common.notifications}
    />,
    document.body,
  )
}

function show(spec: ToastSpec): void {
  const { id, duration } = spec
  sonner.custom(() => <ToastCard spec={spec} onClose={() => sonner.dismiss(id)} />, {
    id,
    ...(duration !== undefined && { duration }),
  })
}
