import { Check, Download, Maximize } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { SharedFile_share$data, SharedFile_share$key } from '../../__generated__/SharedFile_share.graphql.ts'
import { FilePreview } from '../../features/Preview/FilePreview.tsx'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { shareUrl } from './addresses.ts'
import { DownloadNotice } from './DownloadNotice.tsx'
import { limitText, messages } from './messages.ts'
import { previewedFile } from './previewedFile.ts'
import styles from './Share.module.css'
import { ShareFrame } from './ShareFrame.tsx'
import { useShareDownload } from './useShareDownload.ts'

type Props = { readonly share: SharedFile_share$key; readonly takesFocus: boolean }

/** One file: what it is, what it looks like, and the way to have it. */
export function SharedFile({ share: key, takesFocus }: Props) {
  const share = useFragment(
    graphql`
      fragment SharedFile_share on PublicShare {
        shareId
        name
        category
        mimeType
        size
        sharedBy
        expiresAt
        downloadsLeft
      }
    `,
    key,
  )
  const { name, size, fetchIt, download, left } = useSharedFile(share)
  const stage = useRef<HTMLDivElement>(null)
  const isRunning = download.state.kind === 'running'
  const isUsedUp = left === 0
  const actions = (
    <>
      {document.fullscreenEnabled && left === null && (
        <span className="only-d">
          <IconButton
            label={messages.fullScreen}
            icon={Maximize}
            onClick={() => void stage.current?.requestFullscreen()}
          />
        </span>
      )}
      <Button
        variant="primary"
        icon={download.state.kind === 'done' ? Check : Download}
        busy={isRunning}
        disabled={isUsedUp}
        onClick={fetchIt}
      >
        {download.state.kind === 'done' ? messages.downloaded : messages.download}
      </Button>
    </>
  )
  const facts = (
    <span title={formatExactBytes(size)}>
      {[formatBytes(size), messages.sharedBy(share.sharedBy ?? '')].join(' · ')}
    </span>
  )
  return (
    <ShareFrame
      reportId={share.shareId}
      pageTitle={messages.pageTitle(name)}
      head={{ name, facts, actions, takesFocus }}
      limits={limitText(share.expiresAt, left)}
      notice={<DownloadNotice download={download} />}
    >
      <div className={styles.shareStage} ref={stage}>
        <FilePreview
          file={previewedFile({ ...share, kind: 'FILE', name, size }, shareUrl(share.shareId), left !== null)}
          noPreviewText={left === null ? undefined : messages.noPreviewLimited}
        />
      </div>
    </ShareFrame>
  )
}

/** The download, and how many are left: counted here, for the link may have ended with the last. */
function useSharedFile({ shareId, name: known, size: bytes, downloadsLeft }: SharedFile_share$data) {
  const name = known ?? ''
  const size = bytes ?? 0
  const [taken, setTaken] = useState(0)
  const download = useShareDownload(useCallback(() => setTaken((count) => count + 1), []))
  const left = downloadsLeft == null ? null : Math.max(0, downloadsLeft - taken)
  const fetchIt = () => void download.start({ url: shareUrl(shareId), name, size })
  return { name, size, fetchIt, download, left }
}
