import { Check, RotateCw, X } from 'lucide-react'
import { useSpeed } from '../../features/Transfers/useSpeed.ts'
import { fileCategory } from '../../lib/fileCategory.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { durationText, secondsLeft } from '../../lib/speed.ts'
import { type Transfer, transferPercent } from '../../lib/uploadQueue.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { messages } from './messages.ts'
import styles from './SendFiles.module.css'
import type { Sending } from './useSender.ts'

/** More rows than this are not useful: a dropped folder can hold thousands of files. */
const MOST_ROWS = 200

/** This visitor's files; those of others are never shown. */
export function SentList({ sending }: { sending: Sending }) {
  const { transfers } = sending
  if (transfers.length === 0) return null
  return (
    <ul className={styles.list} aria-label={messages.list}>
      {transfers.slice(-MOST_ROWS).map((transfer) => (
        <Row key={transfer.id} transfer={transfer} sending={sending} />
      ))}
    </ul>
  )
}

function Row({ transfer, sending }: { transfer: Transfer; sending: Sending }) {
  const { id, name, mimeType, state, error } = transfer
  return (
    <li className={styles.row}>
      <FileIcon category={fileCategory(mimeType)} size={32} />
      <div className="grow min-w-0">
        <div className="hstack justify-between gap-3">
          <span className="min-w-0 font-medium">
            <FileName name={name} />
          </span>
          <State transfer={transfer} />
        </div>
        {state === 'running' && <Progress value={transferPercent(transfer)} label={messages.progressOf(name)} />}
        {state === 'failed' && <p className="meta t-danger">{error}</p>}
        {state === 'offline' && <p className="meta subtle">{messages.offline}</p>}
        <Amount transfer={transfer} />
      </div>
      {(state === 'offline' || (state === 'failed' && !transfer.isFinal)) && (
        <IconButton size="sm" icon={RotateCw} label={messages.retry(name)} onClick={() => sending.retry(id)} />
      )}
      {state !== 'done' && (
        <IconButton
          size="sm"
          icon={X}
          label={state === 'failed' ? messages.remove(name) : messages.cancel(name)}
          onClick={() => sending.cancel(id)}
        />
      )}
    </li>
  )
}

function State({ transfer }: { transfer: Transfer }) {
  if (transfer.state === 'done') {
    return (
      <span className="meta num t-success hstack flex-none gap-1">
        <Icon icon={Check} size={12} />
        {messages.arrived}
      </span>
    )
  }
  const texts = {
    running: `${transferPercent(transfer)}%`,
    failed: messages.failed,
    paused: messages.paused,
    offline: messages.waiting,
  }
  const text = texts[transfer.state as keyof typeof texts] ?? messages.waiting
  return <span className="meta num subtle flex-none">{text}</span>
}

function Amount({ transfer }: { transfer: Transfer }) {
  const { sent, size, state } = transfer
  const isRunning = state === 'running'
  const speed = useSpeed(sent, isRunning)
  if (!isRunning) return <p className="meta subtle num">{formatBytes(size)}</p>
  const seconds = secondsLeft(speed, size - sent)
  const parts = [
    messages.sent(formatBytes(sent), formatBytes(size)),
    ...(speed?.perSecond ? [messages.perSecond(formatBytes(speed.perSecond))] : []),
    ...(seconds === null ? [] : [messages.left(durationText(seconds))]),
  ]
  return <p className="meta subtle num mt-1">{parts.join(' · ')}</p>
}
