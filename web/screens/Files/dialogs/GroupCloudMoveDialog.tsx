import { Suspense, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import pickerStyles from '../../../ui/Picker.module.css'
import { RetryBoundary } from '../../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useFileManager } from '../FilesContext.ts'
import { items } from '../messages.ts'
import { GroupCloudPicker } from './GroupCloudPicker.tsx'

/** Picks the group cloud whose accounts should store the rows. Import it lazily, like Dialog. */
export function GroupCloudMoveDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const { actions } = useFileManager()
  const [target, setTarget] = useState<{ readonly id: string; readonly name: string } | null>(null)
  const move = () => {
    if (!target) return
    onClose()
    void actions.moveToGroupCloud(ids, target)
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" disabled={target === null} onClick={move}>
        Move
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={`Move ${items(ids.length)} to a group cloud`}
      description="Names and folders stay as they are. Files move in the background and stay available."
      footer={footer}
    >
      <RetryBoundary>
        <Suspense fallback={<Waiting />}>
          <GroupCloudPicker chosen={target?.id ?? null} onChoose={setTarget} />
        </Suspense>
      </RetryBoundary>
    </Dialog>
  )
}

function Waiting() {
  return (
    <div className={pickerStyles.picker} aria-hidden>
      <div className={pickerStyles.row}>
        <Skeleton width={20} height={8} />
        <Skeleton width={140} />
      </div>
    </div>
  )
}
