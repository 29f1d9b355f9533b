import { Check, Upload } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { fileCategory } from '../../lib/fileCategory.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import type { Transfer } from '../../lib/uploadQueue.ts'
import { Button } from '../../ui/Button.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { messages } from './messages.ts'
import styles from './SendFiles.module.css'

type Props = {
  readonly transfers: readonly Transfer[]
  /** The visitor's; empty if the link does not ask for it. */
  readonly name: string
  readonly owner: string
  readonly onMore: () => void
}

/** All files have arrived. The heading takes the focus, so that screen readers say it. */
export function Thanks({ transfers, name, owner, onMore }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const size = formatBytes(transfers.reduce((sum, transfer) => sum + transfer.size, 0))
  return (
    <>
      <div className={styles.inside}>
        <span className={styles.mark} aria-hidden>
          <Icon icon={Check} size={20} />
        </span>
        <h1 ref={heading} className={`h1 mt-4 wrap-anywhere ${styles.thanks}`} tabIndex={-1}>
          {messages.thanks(name.trim())}
        </h1>
        <p className="muted text-body num mt-1">{messages.thanksText(transfers.length, size, owner)}</p>
        <ul className={styles.arrived}>
          {transfers.map((transfer) => (
            <li key={transfer.id}>
              <FileIcon category={fileCategory(transfer.mimeType)} size={32} />
              <span className="grow min-w-0">
                <FileName name={transfer.name} />
              </span>
              <span className="meta subtle num">{formatBytes(transfer.size)}</span>
              <Icon icon={Check} size={14} className="t-success" />
              <span className="sr-only">{messages.arrived}</span>
            </li>
          ))}
        </ul>
      </div>
      <footer className={styles.summary}>
        <span className="grow only-d" />
        <Button icon={Upload} onClick={onMore}>
          {messages.more}
        </Button>
      </footer>
    </>
  )
}
