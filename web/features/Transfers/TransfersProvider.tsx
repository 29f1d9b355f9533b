import { type ReactNode, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { useStoring_viewer$key } from '../../__generated__/useStoring_viewer.graphql.ts'
import { late, useLoadedAhead } from '../../lib/lateCode.ts'
import { summarise } from '../../lib/uploadQueue.ts'
import { createTransfers } from './createTransfers.ts'
import type { Jobs } from './JobsWatch.ts'
import { TransfersContext, type UploadFolder } from './transfersContext.ts'
import { TransfersDockContext } from './transfersDock.ts'
import { useLeaveWarning, useSpokenResults, useTitleProgress } from './usePageSigns.ts'
import { useResumables } from './useResumables.ts'
import { useStoring } from './useStoring.ts'

const JobsWatch = late(() => import('./JobsWatch.ts').then((file) => file.JobsWatch))
const loadPanel = () => import('./TransfersPanel.tsx')
const TransfersPanel = late(() => loadPanel().then((file) => file.TransfersPanel))
const ConflictDialog = late(() => import('./ConflictDialog.tsx').then((file) => file.ConflictDialog))
const loadDialog = () => import('../Upload/UploadDialog.tsx')
const UploadDialog = late(() => loadDialog().then((file) => file.UploadDialog))

/** A file that is dropped without a connection shows its row, and waits. */
const loadUploads = () => Promise.all([loadPanel(), loadDialog(), import('./tusUpload.ts')])

type Props = {
  /** The owner of the transfers; another user starts with none. */
  readonly viewer: useStoring_viewer$key & { readonly id: string }
  readonly children: ReactNode
}

/** Mount it once, above all screens: it keeps uploads and downloads, their panel and their dialogs. */
export function TransfersProvider({ viewer, children }: Props) {
  return (
    <UserTransfers key={viewer.id} viewer={viewer}>
      {children}
    </UserTransfers>
  )
}

function UserTransfers({ viewer, children }: Props) {
  const environment = useRelayEnvironment()
  const [core] = useState(() => createTransfers(environment, viewer.id))
  /** The files that the upload dialog starts with; null: it is closed. */
  const [chosen, setChosen] = useState<readonly File[] | null>(null)
  const [folder, setUploadFolder] = useState<UploadFolder | null>(null)
  const [dock, setDock] = useState<HTMLElement | null>(null)
  useLoadedAhead(loadUploads)
  useEffect(() => {
    window.addEventListener('online', core.engine.retryOffline)
    return () => {
      window.removeEventListener('online', core.engine.retryOffline)
      core.stop()
    }
  }, [core])
  const value = useMemo(() => {
    const { upload, download, control } = core
    return { upload, download, control, setUploadFolder, openUploadDialog: () => setChosen([]), offerFiles: setChosen }
  }, [core])

  return (
    <TransfersContext value={value}>
      <TransfersDockContext value={{ dock, setDock }}>
        {children}
        <Transferring core={core} viewer={viewer} />
        {chosen && (
          <Suspense>
            <UploadDialog folder={folder} files={chosen} onClose={() => setChosen(null)} />
          </Suspense>
        )}
      </TransfersDockContext>
    </TransfersContext>
  )
}

type TransferringProps = { readonly core: ReturnType<typeof createTransfers>; readonly viewer: useStoring_viewer$key }

/** Separate from the provider, so that progress re-renders only this component. */
function Transferring({ core, viewer }: TransferringProps) {
  const { control } = core
  const transfers = useSyncExternalStore(control.subscribe, control.getSnapshot)
  const summary = summarise(transfers)
  const { storing, hasJobs, earlyJobs } = useStoring(viewer)
  const resumables = useResumables(core)
  const [jobs, setJobs] = useState<Jobs>([])
  const [unanswered, setUnanswered] = useState<readonly string[]>([])
  useTitleProgress(summary)
  useLeaveWarning(summary.running + summary.offline > 0)
  useSpokenResults(control)

  const asking = transfers.filter(({ state }) => state === 'asking')
  const question = asking.find(({ id }) => !unanswered.includes(id))
  const hasPanel = transfers.length > 0 || resumables.left.length > 0 || storing.length > 0 || jobs.length > 0
  return (
    <Suspense>
      <Suspense>{hasJobs && <JobsWatch onJobs={setJobs} early={earlyJobs} />}</Suspense>
      {hasPanel && (
        <TransfersPanel
          transfers={transfers}
          storing={storing}
          jobs={jobs}
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
