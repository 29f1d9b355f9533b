import { Download, ExternalLink, Info, X } from 'lucide-react'
import { Suspense } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { PreviewOverlayQuery } from '../../__generated__/PreviewOverlayQuery.graphql.ts'
import { exportedFile } from '../../lib/exportedFile.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { nativeName } from '../../lib/nativeName.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { DownloadAs } from '../Transfers/DownloadAs.tsx'
import { useTransfers } from '../Transfers/transfersContext.ts'
import styles from './Preview.module.css'
import { PreviewActionButtons, type PreviewActions, PreviewTitle } from './PreviewActions.tsx'
import { PreviewFrame } from './PreviewFrame.tsx'
import { PreviewStage } from './PreviewStage.tsx'
import { usePrefetchImages } from './usePrefetchImages.ts'

type Props = {
  readonly fileId: string
  readonly prevId: string | null
  readonly nextId: string | null
  readonly onNavigate: (id: string) => void
  readonly onDetails: (id: string) => void
  readonly actions: PreviewActions
  /** A dialog that belongs to the preview is open above it. */
  readonly isCovered?: boolean
  /** Escape, Space or the cross. The focus goes back to where it was, unless `onClose` puts it elsewhere. */
  readonly onClose: () => void
}

/** One file in the whole window; the arrow keys go to the next and previous file. */
export function PreviewOverlay(props: Props) {
  const { fileId, prevId, nextId, onNavigate, onClose, isCovered = false } = props
  usePrefetchImages([nextId, prevId])
  return (
    <PreviewFrame {...{ prevId, nextId, onNavigate, onClose, isCovered }}>
      <RetryBoundary key={fileId} fallback={(error) => <Frame onClose={onClose}>{error}</Frame>}>
        <Suspense fallback={<Waiting onClose={onClose} />}>
          <LoadedFile {...props} />
        </Suspense>
      </RetryBoundary>
    </PreviewFrame>
  )
}

function LoadedFile({ fileId, onDetails, onClose, actions }: Props) {
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
            nativeKind
            exportTypes
            webUrl
            account { providerName }
            rights { read }
            ...PreviewStage_file
            ...PreviewActionButtons_file
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
        <EmptyState title="This file no longer exists" text="It was moved, renamed or deleted." />
      </Frame>
    )
  }
  const [type] = file.exportTypes
  const save = () => download(type ? exportedFile(file, type) : { ...file, size: file.size ?? 0 })
  return (
    <>
      <header className={styles.head}>
        <PreviewTitle id={file.id} name={file.name} actions={actions}>
          {file.size == null ? nativeName(file) : formatBytes(file.size)}
        </PreviewTitle>
        <PreviewActionButtons file={file} actions={actions} />
        {file.nativeKind && file.webUrl && (
          <IconButton
            label={`Open in ${file.account?.providerName ?? 'its account'}`}
            icon={ExternalLink}
            onClick={() => window.open(file.webUrl ?? '', '_blank', 'noopener,noreferrer')}
          />
        )}
        {file.rights?.read !== false &&
          (file.nativeKind ? (
            <DownloadAs document={file} />
          ) : (
            <IconButton label="Download" icon={Download} onClick={save} />
          ))}
        <IconButton label="Details" icon={Info} onClick={() => onDetails(file.id)} />
        <IconButton label="Close preview" keys="Esc" icon={X} className={styles.close} onClick={onClose} />
      </header>
      <div className={styles.stage}>
        <PreviewStage file={file} onDownload={save} />
      </div>
    </>
  )
}

function Frame({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  return (
    <>
      <header className={styles.head}>
        <span className="grow" />
        <IconButton label="Close preview" keys="Esc" icon={X} className={styles.close} onClick={onClose} />
      </header>
      <div className={styles.stage}>{children}</div>
    </>
  )
}

const Waiting = ({ onClose }: { onClose: () => void }) => (
  <Frame onClose={onClose}>
    <Skeleton width={320} height={240} />
  </Frame>
)
