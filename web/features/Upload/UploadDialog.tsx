import { Suspense, useState } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { UploadDialogQuery } from '../../__generated__/UploadDialogQuery.graphql.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RetryBoundary, useRetryKey } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { UploadFolder } from '../Transfers/transfersContext.ts'
import { DropArea } from './DropArea.tsx'
import { GroupCloudSelect } from './GroupCloudSelect.tsx'
import { QueueList } from './QueueList.tsx'
import { queueState, totalWords } from './uploadRules.ts'
import { useUploadQueue } from './useUploadQueue.ts'

type Props = {
  /** Where the files go; null is the root of My Drive. */
  readonly folder: UploadFolder | null
  /** Uploads under way go on in the transfers panel. */
  readonly onClose: () => void
}

/** What was chosen last stays chosen while the page lives. */
let lastGroupCloudId: string | null = null

export function UploadDialog(props: Props) {
  return (
    <RetryBoundary fallback={(error) => <DialogShell {...props}>{error}</DialogShell>}>
      <Suspense
        fallback={
          <DialogShell {...props}>
            <Skeleton height={36} />
            <Skeleton height={112} className="mt-4" />
          </DialogShell>
        }
      >
        <LoadedDialog {...props} />
      </Suspense>
    </RetryBoundary>
  )
}

function DialogShell({ onClose, children }: Props & { children: React.ReactNode }) {
  return (
    <Dialog open onClose={onClose} title="Upload Files" footer={<Button onClick={onClose}>Cancel</Button>}>
      {children}
    </Dialog>
  )
}

function LoadedDialog({ folder, onClose }: Props) {
  const { viewer, server } = useLazyLoadQuery<UploadDialogQuery>(
    graphql`
      query UploadDialogQuery {
        viewer {
          groupClouds { id name defaultUploadGroup }
          ...GroupCloudSelect_viewer
        }
        server { ...DropArea_server }
      }
    `,
    {},
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const groupClouds = viewer?.groupClouds ?? []
  const [chosenId, setChosenId] = useState(lastGroupCloudId)
  const groupCloud =
    groupClouds.find(({ id }) => id === chosenId) ?? groupClouds.find(({ defaultUploadGroup }) => defaultUploadGroup)
  const queue = useUploadQueue()
  const { isUploading, canUpload, button } = queueState(queue.rows, groupCloud?.id ?? null)
  const choose = (id: string) => {
    lastGroupCloudId = id
    setChosenId(id)
  }
  const send = () => {
    if (!groupCloud) return
    const target = { parentId: folder?.id ?? null, groupCloudId: groupCloud.id, place: folder?.name ?? 'My Drive' }
    queue.send(target, groupCloud.name)
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Upload Files"
      footer={
        <>
          <span className="muted num push">{totalWords(queue.rows)}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={!canUpload} busy={isUploading} onClick={send}>
            {button}
          </Button>
        </>
      }
    >
      {viewer && (
        <GroupCloudSelect viewer={viewer} value={groupCloud?.id ?? null} onChange={choose} disabled={isUploading} />
      )}
      <DropArea server={server} onFiles={queue.add} disabled={isUploading} />
      {queue.rows.length > 0 && <QueueList rows={queue.rows} onRemove={queue.remove} disabled={isUploading} />}
    </Dialog>
  )
}
