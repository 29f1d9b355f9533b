import { X } from 'lucide-react'
import type { MouseEvent } from 'react'
import { sharedMessages } from '../lib/messages.ts'
import buttonStyles from './Button.module.css'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import toastStyles from './Toast.module.css'
import type { ToastSpec } from './toastQueue.ts'

type Props = { spec: ToastSpec; onClose: () => void }

export function ToastCard({ spec: { tone, icon, title, description, action }, onClose }: Props) {
  /** The focus leaves before the toast does: of an element that is taken away, not every browser says that it had it. */
  const close = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    currentTarget.blur()
    onClose()
  }
  const act = (event: MouseEvent<HTMLButtonElement>) => {
    close(event)
    action?.onClick()
  }
  return (
    <div className={toastStyles.toast}>
      <Icon icon={icon} className={tone} />
      <div className="grow">
        <b>{title}</b>
        {description && <p>{description}</p>}
      </div>
      <div className={toastStyles.action}>
        {action && (
          <Button variant="accent" size="sm" onClick={act}>
            {action.label}
          </Button>
        )}
        <button
          type="button"
          className={`${buttonStyles.btn} ${buttonStyles.ghost} ${buttonStyles.icon} ${buttonStyles.sm}`}
          aria-label={sharedMessages.common.dismiss}
          onClick={close}
        >
          <Icon icon={X} size={14} />
        </button>
      </div>
    </div>
  )
}
