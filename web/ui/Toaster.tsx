import { createPortal } from 'react-dom'
import { Toaster as SonnerToaster } from 'sonner'
import { messages } from '../lib/messages.ts'

/**
 * Where toasts appear: top right, 3 at most, gone after 3 s unless the pointer is over them or the tab is hidden;
 * swiped away; Alt+T focuses them. Mount it once. It hangs on the body, beside the page, because an open dialog makes the page inert.
 */
export function Toaster() {
  return createPortal(
    <SonnerToaster
      position="top-right"
      visibleToasts={3}
      gap={14}
      duration={3000}
      offset={{ top: 8, right: 16 }}
      mobileOffset={{ top: 8, left: 16, right: 16 }}
      hotkey={['altKey', 'KeyT']}
      containerAriaLabel={messages.common.notifications}
    />,
    document.body,
  )
}
