import { Suspense, useEffect, useState } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { UploadDialogQuery } from '../../__generated__/UploadDialogQuery.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { nameText } from '../../lib/nameText.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { UploadFolder } from '../Transfers/transfersContext.ts'
import { AccountTarget } from './AccountTarget.tsx'
import { DropArea } from './DropArea.tsx'
import { GroupCloudSelect } from './GroupCloudSelect.tsx'
import { QueueList } from './QueueList.tsx'
import { queueState, totalText } from './uploadRules.ts'
import { useUploadQueue } from './useUploadQueue.ts'

type Props = {
  /** Where the files go; null is the root of My Drive. */
  readonly folder: UploadFolder | null
  /** Chosen before it opens. */
  readonly files?: readonly File[]
  /** Uploads in progress continue in the transfers panel. */
  readonly onClose: () => void
}

type GroupCloud = { readonly id: string; readonly name: string }

/** The last choice is kept until the page is reloaded. */
let lastGroupCloudId: string | null = null

/** Import it lazily, like Dialog. */
export function UploadDialog({ folder, files = [], onClose }: Props) {
  const queue = useUploadQueue(files)
  /** Null until it is known. */
  const [groupCloud, setGroupCloud] = useState<GroupCloud | null>(null)
  const [isAccountReady, setAccountReady] = useState(false)
  const account = folder?.isInAccount ? folder : null
  const { isUploading, canUpload, button } = queueState(queue.rows, account ? isAccountReady : groupCloud !== null)
  const send = () => {
    const target = { parentId: folder?.id ?? null, groupCloudId: null, place: folder?.name ?? 'My Drive' }
    if (account) queue.send(target, nameText(account.name))
    else if (groupCloud) queue.send({ ...target, groupCloudId: groupCloud.id }, groupCloud.name)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Upload Files"
      footer={
        <>
          <span className="muted num push">{totalText(queue.rows)}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={!canUpload} busy={isUploading} onClick={send}>
            {button}
          </Button>
        </>
      }
    >
      <RetryBoundary>
        <Suspense fallback={<Waiting />}>
          {account ? (
            <AccountTarget folder={account} onReady={setAccountReady} onFiles={queue.add} disabled={isUploading} />
          ) : (
            <Target onGroupCloud={setGroupCloud} onFiles={queue.add} disabled={isUploading} />
          )}
        </Suspense>
      </RetryBoundary>
      {queue.rows.length > 0 && <QueueList rows={queue.rows} onRemove={queue.remove} disabled={isUploading} />}
    </Dialog>
  )
}

/** As high as the loaded content, so that the layout does not shift. */
function Waiting() {
  return (
    <div role="status" aria-label={sharedMessages.common.loading}>
      <Skeleton width={128} height={20} />
      <Skeleton height={36} className="mt-1" />
      <Skeleton width={224} height={20} className="mt-1" />
      <Skeleton height={122} className="mt-4" />
    </div>
  )
}

type TargetProps = {
  readonly onGroupCloud: (groupCloud: GroupCloud | null) => void
  readonly onFiles: (files: readonly File[]) => void
  readonly disabled: boolean
}

/** The destination of the files and the drop area. */
function Target({ onGroupCloud, onFiles, disabled }: TargetProps) {
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
  useEffect(() => onGroupCloud(groupCloud ?? null), [groupCloud, onGroupCloud])
  const choose = (id: string) => {
    lastGroupCloudId = id
    setChosenId(id)
  }
  return (
    <>
      {viewer && (
        <GroupCloudSelect viewer={viewer} value={groupCloud?.id ?? null} onChange={choose} disabled={disabled} />
      )}
      <DropArea server={server} onFiles={onFiles} disabled={disabled} />
    </>
  )
}
