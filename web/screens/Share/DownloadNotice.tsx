import { formatBytes } from '../../lib/formatBytes.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Progress } from '../../ui/Progress.tsx'
import type { ShareDownload } from './useShareDownload.ts'
import { words } from './words.ts'

/** How the download fares, under the bar: its progress, or why it failed. */
export function DownloadNotice({ download }: { download: ShareDownload }) {
  const { state, start, cancel } = download
  if (state.kind === 'failed') {
    const retry = (
      <Button size="sm" onClick={() => void start(state.file)}>
        {words.retry}
      </Button>
    )
    return (
      <div className="share-notice">
        <Notice tone="danger" action={retry}>
          {state.error}
        </Notice>
      </div>
    )
  }
  if (state.kind !== 'running' || state.file.size === null) return null
  const { size, name } = state.file
  return (
    <div className="share-progress">
      <Progress value={state.sent} max={size} label={words.downloadingLabel(name)} />
      <span className="meta subtle num">{words.downloading(formatBytes(state.sent), formatBytes(size))}</span>
      <Button size="sm" variant="ghost" onClick={cancel}>
        {words.cancel}
      </Button>
    </div>
  )
}
