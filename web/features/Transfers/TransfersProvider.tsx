import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { summarise } from '../../lib/uploadQueue.ts'
import { createTransfers } from './createTransfers.ts'
import { TransfersContext, type UploadFolder } from './transfersContext.ts'
import { TransfersDockContext } from './transfersDock.ts'
import { useLeaveWarning, useSpokenResults, useTitleProgress } from './usePageSigns.ts'
import { useResumables } from './useResumables.ts'

const TransfersPanel = lazy(() => import('./TransfersPanel.tsx').then((m) => ({ default: m.TransfersPanel })))
const ConflictDialog = lazy(() => import('./ConflictDialog.tsx').then((m) => ({ default: m.ConflictDialog })))
const UploadDialog = lazy(() => import('../Upload/UploadDialog.tsx').then((m) => ({ default: m.UploadDialog })))

type Props = {
  /** Whose transfers they are; another user starts with none. */
  readonly userId: string
  readonly children: ReactNode
}

/** Mount it once, above everything that comes and goes: uploads and downloads live here, with their panel and dialogs. */
export function TransfersProvider({ userId, children }: Props) {
  return (
    <UserTransfers key={userId} userId={userId}>
      {children}
    </UserTransfers>
  )
}

function UserTransfers({ userId, children }: Props) {
  const environment = useRelayEnvironment()
  const [core] = useState(() => createTransfers(environment, userId))
  const [isDialogOpen, setDialogOpen] = useState(false)
  const [folder, setUploadFolder] = useState<UploadFolder | null>(null)
  const [dock, setDock] = useState<HTMLElement | null>(null)
  useEffect(() => {
    window.addEventListener('online', core.engine.retryOffline)
    return () => {
      window.removeEventListener('online', core.engine.retryOffline)
      core.stop()
    }
  }, [core])
  const value = useMemo(() => {
    const { upload, download, control } = core
    return { upload, download, control, setUploadFolder, openUploadDialog: () => setDialogOpen(true) }
  }, [core])

  return (
    <TransfersContext value={value}>
      <TransfersDockContext value={{ dock, setDock }}>
        {children}
        <Transferring core={core} />
        {isDialogOpen && (
          <Suspense>
            <UploadDialog folder={folder} onClose={() => setDialogOpen(false)} />
          </Suspense>
        )}
      </TransfersDockContext>
    </TransfersContext>
  )
}

/** Apart from the provider, so that progress draws nothing anew but itself. */
function Transferring({ core }: { core: ReturnType<typeof createTransfers> }) {
  const { control } = core
  const transfers = useSyncExternalStore(control.subscribe, control.getSnapshot)
  const summary = summarise(transfers)
  const resumables = useResumables(core)
  const [unanswered, setUnanswered] = useState<readonly string[]>([])
  useTitleProgress(summary)
  useLeaveWarning(summary.running > 0)
  useSpokenResults(control)

  const asking = transfers.filter(({ state }) => state === 'asking')
  const question = asking.find(({ id }) => !unanswered.includes(id))
  const hasPanel = transfers.length > 0 || resumables.left.length > 0
  return (
    <Suspense>
      {hasPanel && (
        <TransfersPanel
          transfers={transfers}
          resumables={resumables}
          onAsk={(id) => setUnanswered(unanswered.filter((other) => other !== id))}
        />
      )}
      {question && (
        <ConflictDialog
          key={question.id}
          transfer={question}
          others={asking.length - 1}
          onAnswer={(answer, forAll) => control.answerConflict(question.id, answer, forAll)}
          onClose={() => setUnanswered(asking.map(({ id }) => id))}
        />
      )}
    </Suspense>
  )
}
