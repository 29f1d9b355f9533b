import { X } from 'lucide-react'
import { messages } from '../lib/messages.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import type { ToastSpec } from './toastQueue.ts'

type Props = { spec: ToastSpec; onClose: () => void }

export function ToastCard({ spec: { tone, icon, title, description, action }, onClose }: Props) {
  const act = () => {
    onClose()
    action?.onClick()
  }
  return (
    <div className="toast">
      <Icon icon={icon} className={tone} />
      <div className="grow">
        <b>{title}</b>
        {description && <p>{description}</p>}
      </div>
      <div className="act">
        {action && (
          <Button variant="accent" size="sm" onClick={act}>
            {action.label}
          </Button>
        )}
        <button type="button" className="btn ghost icon sm" aria-label={messages.common.dismiss} onClick={onClose}>
          <Icon icon={X} size={14} />
        </button>
      </div>
    </div>
  )
}
