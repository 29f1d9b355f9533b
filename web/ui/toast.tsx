import { CircleAlert, CircleCheck, Info, type LucideIcon, X } from 'lucide-react'
import { toast as sonner } from 'sonner'
import { messages } from '../lib/messages.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'

/** Longer than the usual 3 s, so that there is time to change one's mind. */
const UNDO_MS = 8000

export type ToastOptions = {
  description?: string
  action?: { label: string; onClick: () => void }
  /** Milliseconds; else the Toaster's default. Infinity stays until dismissed. */
  duration?: number
  /** A later toast of the same id takes the place of the first. */
  id?: string
  icon?: LucideIcon
}

type Tone = 'subtle' | 't-success' | 't-danger'

/** Short messages at the top right. Not for what the screen shows anyway. Each returns the id for `dismiss`. */
export const toast = {
  info: (title: string, options: ToastOptions = {}) => show('subtle', Info, title, options),
  success: (title: string, options: ToastOptions = {}) => show('t-success', CircleCheck, title, options),
  error: (title: string, options: ToastOptions = {}) => show('t-danger', CircleAlert, title, options),
  /** "3 items moved to Trash", with Undo for 8 s. */
  undo: (title: string, onUndo: () => void, options: ToastOptions = {}) =>
    show('subtle', Info, title, {
      duration: UNDO_MS,
      ...options,
      action: { label: messages.common.undo, onClick: onUndo },
    }),
  dismiss: (id?: string | number) => {
    sonner.dismiss(id)
  },
}

function show(tone: Tone, icon: LucideIcon, title: string, { duration, id, ...options }: ToastOptions) {
  const timing = { ...(duration !== undefined && { duration }), ...(id !== undefined && { id }) }
  return sonner.custom(
    (toastId) => (
      <ToastCard
        {...options}
        tone={tone}
        icon={options.icon ?? icon}
        title={title}
        onClose={() => sonner.dismiss(toastId)}
      />
    ),
    timing,
  )
}

type CardProps = Pick<ToastOptions, 'description' | 'action'> & {
  tone: Tone
  icon: LucideIcon
  title: string
  onClose: () => void
}

function ToastCard({ tone, icon, title, description, action, onClose }: CardProps) {
  return (
    <div className="toast">
      <Icon icon={icon} className={tone} />
      <div className="grow">
        <b>{title}</b>
        {description && <p>{description}</p>}
      </div>
      <div className="act">
        {action && (
          <Button
            variant="accent"
            size="sm"
            onClick={() => {
              onClose()
              action.onClick()
            }}
          >
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
