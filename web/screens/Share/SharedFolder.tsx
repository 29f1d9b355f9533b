import { Download } from 'lucide-react'
import { Suspense, useCallback, useRef, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import { useSearchParams } from 'react-router'
import type { SharedFolder_share$key } from '../../__generated__/SharedFolder_share.graphql.ts'
import { Button } from '../../ui/Button.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { shareUrl } from './addresses.ts'
import { DownloadNotice } from './DownloadNotice.tsx'
import { FolderSkeleton } from './FolderStates.tsx'
import { FolderView } from './FolderView.tsx'
import { limitText, messages } from './messages.ts'
import { ShareFrame } from './ShareFrame.tsx'
import { useShareDownload } from './useShareDownload.ts'

type Props = { readonly share: SharedFolder_share$key; readonly takesFocus: boolean }

/**
 * A folder: what is in it, each of it to be had alone or all of it as one ZIP. The address names the folder that is
 * open.
 */
export function SharedFolder({ share: key, takesFocus }: Props) {
  const share = useFragment(
    graphql`
      fragment SharedFolder_share on PublicShare {
        shareId
        name
        sharedBy
        expiresAt
        downloadsLeft
      }
    `,
    key,
  )
  const [params] = useSearchParams()
  const folderId = params.get('folder')
  const [taken, setTaken] = useState(0)
  const download = useShareDownload(useCallback(() => setTaken((count) => count + 1), []))
  const left = share.downloadsLeft == null ? null : Math.max(0, share.downloadsLeft - taken)
  const name = share.name ?? ''
  const isFirst = useRef(true)
  /** The link that led here is gone, and the focus with it. */
  const takeFocus = useCallback((view: HTMLElement) => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (!isFirst.current && isLost) view.focus({ preventScroll: true })
    isFirst.current = false
  }, [])
  const all = (
    <Button
      variant="primary"
      icon={Download}
      disabled={left === 0}
      busy={download.state.kind === 'running'}
      onClick={() => void download.start({ url: shareUrl(share.shareId), name, size: null })}
    >
      {messages.downloadAll}
    </Button>
  )
  return (
    <ShareFrame
      reportId={share.shareId}
      isList
      pageTitle={messages.pageTitle(name)}
      head={{ name, facts: messages.sharedBy(share.sharedBy ?? ''), actions: all, takesFocus }}
      limits={limitText(share.expiresAt, left)}
      notice={<DownloadNotice download={download} />}
    >
      <RetryBoundary about={folderId ?? ''}>
        <Suspense fallback={<FolderSkeleton />}>
          <FolderView
            key={folderId}
            share={{ id: share.shareId, name, isLimited: left !== null }}
            folderId={folderId}
            isUsedUp={left === 0}
            download={download}
            onShown={takeFocus}
          />
        </Suspense>
      </RetryBoundary>
    </ShareFrame>
  )
}
