import { ChevronLeft, ChevronRight, Download, Info, X } from 'lucide-react'
import { type KeyboardEvent, Suspense, useRef } from 'react'
import { createPortal } from 'react-dom'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { PreviewOverlayQuery } from '../../__generated__/PreviewOverlayQuery.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { isTyping } from '../../lib/keyboard.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { RetryBoundary, useRetryKey } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useTransfers } from '../Transfers/transfersContext.ts'
import { PreviewStage } from './PreviewStage.tsx'
import { useModal } from './useModal.ts'
import { usePrefetchImages } from './usePrefetchImages.ts'

type Props = {
  readonly fileId: string
  readonly prevId: string | null
  readonly nextId: string | null
  readonly onNavigate: (id: string) => void
  readonly onDetails: (id: string) => void
  /** Escape, Space or the cross. The focus goes back to where it was, unless `onClose` puts it elsewhere. */
  readonly onClose: () => void
}

/** One file over the whole window; left and right go through its neighbours. */
export function PreviewOverlay(props: Props) {
  const { fileId, prevId, nextId, onNavigate, onClose } = props
  const root = useRef<HTMLDivElement>(null)
  const keepFocus = useModal(root)
  usePrefetchImages([nextId, prevId])
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys that bubble to the page below would act on its list.
    event.stopPropagation()
    keepFocus(event)
    act(event, { onClose, onPrevious: () => prevId && onNavigate(prevId), onNext: () => nextId && onNavigate(nextId) })
  }
  return createPortal(
    <div ref={root} className="pv" role="dialog" aria-modal aria-label="Preview" tabIndex={-1} onKeyDown={onKeyDown}>
      <RetryBoundary key={fileId} fallback={(error) => <Frame onClose={onClose}>{error}</Frame>}>
        <Suspense fallback={<Waiting onClose={onClose} />}>
          <LoadedFile {...props} />
        </Suspense>
      </RetryBoundary>
      <Neighbour label="Previous file" id={prevId} side="start" onNavigate={onNavigate} />
      <Neighbour label="Next file" id={nextId} side="end" onNavigate={onNavigate} />
    </div>,
    document.body,
  )
}

type Acts = { onClose: () => void; onPrevious: () => void; onNext: () => void }

/** Players, scrolled text and buttons keep the keys that are theirs. */
function act(event: KeyboardEvent, acts: Acts): void {
  const target = event.target as HTMLElement
  const isTheirs = isTyping(target) || target.matches('video, audio') || event.ctrlKey || event.metaKey || event.altKey
  if (event.key === 'Escape') acts.onClose()
  else if (isTheirs) return
  else if (event.key === 'ArrowLeft' && !isScrollable(target)) acts.onPrevious()
  else if (event.key === 'ArrowRight' && !isScrollable(target)) acts.onNext()
  else if (event.key === ' ' && !target.matches('button, a')) {
    event.preventDefault()
    acts.onClose()
  }
}

const isScrollable = (element: HTMLElement): boolean => element.scrollWidth > element.clientWidth + 1

function LoadedFile({ fileId, onDetails, onClose }: Props) {
  const { download } = useTransfers()
  const { viewer } = useLazyLoadQuery<PreviewOverlayQuery>(
    graphql`
      query PreviewOverlayQuery($id: ID!) {
        viewer {
          file(id: $id) {
            id
            name
            kind
            size
            mimeType
            downloadUrl
            ...PreviewStage_file
          }
        }
      }
    `,
    { id: fileId },
    { fetchPolicy: 'store-or-network', fetchKey: useRetryKey() },
  )
  const file = viewer?.file
  if (!file) {
    return (
      <Frame onClose={onClose}>
        <EmptyState title="This file is gone" text="It was moved, renamed or deleted in the meantime." />
      </Frame>
    )
  }
  return (
    <>
      <header className="pv-head">
        <h2 className="min-w-0 font-medium">
          <FileName name={file.name} />
        </h2>
        <span className="meta subtle num grow">{formatBytes(file.size)}</span>
        <IconButton label="Download" icon={Download} onClick={() => download(file)} />
        <IconButton label="Details" icon={Info} onClick={() => onDetails(file.id)} />
        <IconButton label="Close preview" keys="Esc" icon={X} onClick={onClose} />
      </header>
      <div className="pv-stage">
        <PreviewStage file={file} onDownload={() => download(file)} />
      </div>
    </>
  )
}

function Frame({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  return (
    <>
      <header className="pv-head">
        <span className="grow" />
        <IconButton label="Close preview" keys="Esc" icon={X} onClick={onClose} />
      </header>
      <div className="pv-stage">{children}</div>
    </>
  )
}

const Waiting = ({ onClose }: { onClose: () => void }) => (
  <Frame onClose={onClose}>
    <Skeleton width={320} height={240} />
  </Frame>
)

type NeighbourProps = {
  readonly label: string
  readonly id: string | null
  readonly side: 'start' | 'end'
  readonly onNavigate: (id: string) => void
}

function Neighbour({ label, id, side, onNavigate }: NeighbourProps) {
  if (!id) return null
  return (
    <span className={`pv-side ${side}`}>
      <IconButton
        variant="default"
        label={label}
        icon={side === 'start' ? ChevronLeft : ChevronRight}
        iconSize={20}
        onClick={() => onNavigate(id)}
      />
    </span>
  )
}
