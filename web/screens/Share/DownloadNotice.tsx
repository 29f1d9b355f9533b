import { formatBytes } from '../../lib/formatBytes.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import type { ShareDownload } from './useShareDownload.ts'

/** The state of the download, under the bar: its progress, or why it failed. */
export function DownloadNotice({ download }: { download: ShareDownload }) {
  const { state, start, cancel } = download
  if (state.kind === 'failed') {
    const retry = (
      <Button size="sm" onClick={() => void start(state.file)}>
        {messages.retry}
      </Button>
    )
    return (
      <div className={styles.notice}>
        <Notice tone="danger" action={retry}>
          {state.error}
        </Notice>
      </div>
    )
  }
  if (state.kind !== 'running' || state.file.size === null) return null
  const { size, name } = state.file
  return (
    <div className={styles.progressPlace}>
      <Progress value={state.sent} max={size} label={messages.downloadingLabel(name)} />
      <span className="meta subtle num">{messages.downloading(formatBytes(state.sent), formatBytes(size))}</span>
      <Button size="sm" variant="ghost" onClick={cancel}>
        {messages.cancel}
      </Button>
    </div>
  )
}
