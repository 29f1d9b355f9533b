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
import { limitWords } from './limitWords.ts'
import { previewedFile } from './previewedFile.ts'
import { ShareFrame } from './ShareFrame.tsx'
import { useShareDownload } from './useShareDownload.ts'
import { words } from './words.ts'

/** One file: what it is, what it looks like, and the way to have it. */
export function SharedFile({ share: key }: { share: SharedFile_share$key }) {
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
            label={words.fullScreen}
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
        {download.state.kind === 'done' ? words.downloaded : words.download}
      </Button>
    </>
  )
  const facts = (
    <span title={formatExactBytes(size)}>{[formatBytes(size), words.sharedBy(share.sharedBy ?? '')].join(' · ')}</span>
  )
  return (
    <ShareFrame
      reportId={share.shareId}
      pageTitle={words.pageTitle(name)}
      head={{ name, facts, actions }}
      limits={limitWords(share.expiresAt, left)}
      notice={<DownloadNotice download={download} />}
    >
      <div className="share-stage" ref={stage}>
        <FilePreview
          file={previewedFile({ ...share, kind: 'FILE', name, size }, shareUrl(share.shareId), left !== null)}
          noPreviewText={left === null ? undefined : words.noPreviewLimited}
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
