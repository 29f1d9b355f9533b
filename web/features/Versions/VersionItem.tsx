import { Download, Eye, GitCompareArrows, RotateCcw, Trash2 } from 'lucide-react'
import type { VersionsTabQuery$data } from '../../__generated__/VersionsTabQuery.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import { nameText } from '../../lib/nameText.ts'
import { Badge } from '../../ui/Badge.tsx'
import buttonStyles from '../../ui/Button.module.css'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { messages, originOf } from './messages.ts'
import styles from './Versions.module.css'

type File = NonNullable<NonNullable<VersionsTabQuery$data['viewer']>['file']>
export type Version = File['versions'][number]

type Props = {
  readonly version: Version
  /** Its actions are shown, where there is no mouse to point at it. */
  readonly open: boolean
  readonly onOpen: () => void
  /** Absent: it cannot be restored, because the file is in the trash. */
  readonly onRestore: (() => void) | undefined
  readonly onDelete: () => void
  /** Absent: it is not text. */
  readonly onCompare: (() => void) | undefined
  readonly canPreview: boolean
}

const LINK = cx(buttonStyles.btn, buttonStyles.ghost, buttonStyles.sm)

/** A version with its time, size and origin. Earlier ones can be restored and deleted, the current one cannot. */
export function VersionItem({ version, open, onOpen, onRestore, onDelete, onCompare, canPreview }: Props) {
  const { createdAt, isCurrent, size, downloadUrl } = version
  const when = formatDay(createdAt)
  const labelOf = (verb: string) => `${verb}: ${when}`
  return (
    <li className={cx(styles.version, isCurrent && styles.now)}>
      <button type="button" className={styles.title} onClick={onOpen} aria-expanded={open}>
        <span>
          <time dateTime={createdAt} title={formatFullDate(createdAt)}>
            {when}
          </time>{' '}
          {isCurrent && <Badge tone="accent">{messages.current}</Badge>}
        </span>
        <span className="num">{formatBytes(size)}</span>
      </button>
      <p className={styles.origin}>{originOf({ ...version, by: nameText(version.by) }, (iso) => formatDay(iso))}</p>
      <div className={cx(styles.actions, open && styles.open)}>
        {!isCurrent && onRestore && (
          <Button size="sm" variant="ghost" aria-label={labelOf(messages.restore)} onClick={onRestore}>
            <Icon icon={RotateCcw} size={14} />
            {messages.restore}
          </Button>
        )}
        {canPreview && (
          <a
            className={LINK}
            href={`${downloadUrl}?disposition=inline`}
            target="_blank"
            rel="noreferrer"
            aria-label={labelOf(messages.preview)}
          >
            <Icon icon={Eye} size={14} />
            {messages.preview}
          </a>
        )}
        <a className={LINK} href={downloadUrl} download="" aria-label={labelOf(messages.download)}>
          <Icon icon={Download} size={14} />
          {messages.download}
        </a>
        {!isCurrent && onCompare && (
          <Button size="sm" variant="ghost" aria-label={labelOf(messages.compare)} onClick={onCompare}>
            <Icon icon={GitCompareArrows} size={14} />
            {messages.compare}
          </Button>
        )}
        {!isCurrent && (
          <Button size="sm" variant="ghost" aria-label={labelOf(messages.delete)} onClick={onDelete}>
            <Icon icon={Trash2} size={14} />
            {messages.delete}
          </Button>
        )}
      </div>
    </li>
  )
}
