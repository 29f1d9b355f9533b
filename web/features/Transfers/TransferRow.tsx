import { Check, CircleHelp, type LucideIcon, Pause, Play, RotateCw, X } from 'lucide-react'
import { cx } from '../../lib/cx.ts'
import { fileCategory } from '../../lib/fileCategory.ts'
import { nameText } from '../../lib/nameText.ts'
import { type Transfer, transferPercent } from '../../lib/uploadQueue.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { detailText, stateText } from './messages.ts'
import styles from './Transfers.module.css'
import { type TransfersControl, useTransfers } from './transfersContext.ts'

type Props = { readonly transfer: Transfer; readonly onAsk: (id: string) => void }

export function TransferRow({ transfer, onAsk }: Props) {
  const { control } = useTransfers()
  const { id, name, mimeType, state, movedTo } = transfer
  const hasBar = ['running', 'paused', 'queued', 'offline'].includes(state)
  return (
    <li className={styles.row}>
      <FileIcon category={fileCategory(mimeType)} />
      <span className="grow">
        <span className="hstack justify-between">
          <span className={styles.name}>
            <FileName name={name} />
          </span>
          <span className={cx('meta num', state === 'failed' ? 't-danger' : 'subtle')}>{stateText(transfer)}</span>
        </span>
        {hasBar && <Progress value={transferPercent(transfer)} label={`Progress of ${nameText(name)}`} />}
        <span
          className={cx(
            `meta num ${styles.note}`,
            state === 'failed' ? 't-danger' : state === 'offline' || movedTo ? 'subtle' : 'subtle ell',
          )}
        >
          {detailText(transfer)}
        </span>
      </span>
      {actionsOf(transfer, control, onAsk).map(({ label, icon, act }, index) => (
        <IconButton
          // An action that takes the place of another keeps its button, and the focus.
          key={index}
          size="sm"
          label={`${label} ${nameText(name)}`}
          icon={icon}
          iconSize={14}
          onClick={act}
        />
      ))}
      {state === 'done' ? (
        <span className={`${styles.done} t-success`}>
          <Icon icon={Check} />
        </span>
      ) : (
        <IconButton
          size="sm"
          label={`${state === 'failed' || state === 'skipped' ? 'Remove' : 'Cancel'} ${nameText(name)}`}
          icon={X}
          iconSize={14}
          onClick={() => control.cancel(id)}
        />
      )}
    </li>
  )
}

type Action = { readonly label: string; readonly icon: LucideIcon; readonly act: () => void }

/** The actions in addition to removing it. */
function actionsOf(
  { id, state, direction, isFinal }: Transfer,
  control: TransfersControl,
  onAsk: Props['onAsk'],
): Action[] {
  const canRetry = state === 'offline' || (state === 'failed' && !isFinal)
  if (canRetry) return [{ label: 'Retry', icon: RotateCw, act: () => control.resume(id) }]
  if (state === 'asking') return [{ label: 'Choose what to do with', icon: CircleHelp, act: () => onAsk(id) }]
  if (state === 'paused') return [{ label: 'Resume', icon: Play, act: () => control.resume(id) }]
  const canPause = direction === 'up' && (state === 'running' || state === 'queued')
  return canPause ? [{ label: 'Pause', icon: Pause, act: () => control.pause(id) }] : []
}
