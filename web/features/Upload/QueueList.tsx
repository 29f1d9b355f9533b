import { Check, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fileCategory } from '../../lib/fileCategory.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { nameText } from '../../lib/nameText.ts'
import { transferPercent } from '../../lib/uploadQueue.ts'
import { Badge } from '../../ui/Badge.tsx'
import fileIconStyles from '../../ui/FileIcon.module.css'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Progress } from '../../ui/Progress.tsx'
import styles from './QueueList.module.css'
import type { QueueRow } from './uploadRules.ts'

/** A folder may contain thousands; more rows than this are not useful. */
const MOST_ROWS = 200
/** Larger pictures would cost more to shrink than a 32 px thumbnail is worth. */
const THUMB_BYTES = 20 * 1024 * 1024

type Props = {
  readonly rows: readonly QueueRow[]
  readonly onRemove: (id: string) => void
  readonly disabled: boolean
}

export function QueueList({ rows, onRemove, disabled }: Props) {
  const hidden = rows.length - MOST_ROWS
  return (
    <>
      <h3 className="mt-5 mb-1 h3">Files to upload ({rows.length})</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ul className="max-h-40 overflow-y-auto md:max-h-60" tabIndex={0} aria-label="Files to upload">
        {rows.slice(0, MOST_ROWS).map((row) => (
          <Row key={row.id} row={row} onRemove={() => onRemove(row.id)} disabled={disabled} />
        ))}
        {hidden > 0 && <li className={`${styles.row} meta subtle`}>and {hidden.toLocaleString()} more</li>}
      </ul>
    </>
  )
}

type RowProps = { readonly row: QueueRow; readonly onRemove: () => void; readonly disabled: boolean }

function Row({ row: { file, transfer }, onRemove, disabled }: RowProps) {
  const percent = transfer ? transferPercent(transfer) : 0
  const isMoving = transfer?.state === 'running'
  return (
    <li className={styles.row}>
      <Thumbnail file={file} />
      <span className="grow">
        <span className="block font-medium">
          <FileName name={file.name} />
        </span>
        <span className="meta subtle num">
          {formatBytes(file.size)}
          {isMoving && ` · ${percent}%`}
        </span>
        {transfer?.state === 'offline' && (
          <span className="meta subtle block">Resumes by itself when you are back online.</span>
        )}
        {transfer?.state === 'failed' && <span className="meta t-danger block">{transfer.error}</span>}
        {isMoving && <Progress value={percent} label={`Progress of ${nameText(file.name)}`} />}
      </span>
      {transfer?.state === 'done' && (
        <Badge tone="success" icon={Check}>
          Uploaded
        </Badge>
      )}
      {transfer?.state === 'skipped' && <Badge>Skipped</Badge>}
      {transfer?.state !== 'done' && transfer?.state !== 'skipped' && (
        <IconButton
          size="sm"
          icon={X}
          iconSize={14}
          label={`Remove ${nameText(file.name)}`}
          disabled={disabled}
          onClick={onRemove}
        />
      )}
    </li>
  )
}

function Thumbnail({ file }: { file: File }) {
  const url = useObjectUrl(file)
  const [isBroken, setBroken] = useState(false)
  if (!url || isBroken) return <FileIcon category={fileCategory(file.type)} size={32} />
  return (
    <span className={`${fileIconStyles.icon} ${fileIconStyles.thumb} ${fileIconStyles.size32}`}>
      <img src={url} alt="" className="size-full object-cover" onError={() => setBroken(true)} />
    </span>
  )
}

/** An object URL for a small picture, revoked when the row is removed; null for other files. */
function useObjectUrl(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file.type.startsWith('image/') || file.size > THUMB_BYTES) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
