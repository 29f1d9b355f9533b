import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { Suspense, use, useId, useState } from 'react'
import { createPortal } from 'react-dom'
import { cx } from '../../lib/cx.ts'
import { late } from '../../lib/lateCode.ts'
import { secondsLeft } from '../../lib/speed.ts'
import { summarise, type Transfer } from '../../lib/uploadQueue.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import { JobsList, jobsTitle } from './JobsList.tsx'
import type { Jobs } from './JobsWatch.ts'
import { headline, paceText } from './messages.ts'
import { PauseAllButton } from './PauseAllButton.tsx'
import { ResumeNotice } from './ResumeNotice.tsx'
import { StoringList } from './StoringList.tsx'
import { storingTitle } from './storingText.ts'
import { TransferList } from './TransferList.tsx'
import styles from './Transfers.module.css'
import { TransfersPill } from './TransfersPill.tsx'
import { TransfersDockContext } from './transfersDock.ts'
import type { Resumables } from './useResumables.ts'
import { useSpeed } from './useSpeed.ts'
import type { Storing } from './useStoring.ts'

const Sheet = late(() => import('../../ui/Sheet.tsx').then((file) => file.Sheet))

type Props = {
  readonly transfers: readonly Transfer[]
  /** Transfers from this server to the accounts. */
  readonly storing: Storing
  /** Copying and moving between accounts and group clouds. */
  readonly jobs: Jobs
  readonly resumables: Resumables
  /** Asks again about a name that is taken. */
  readonly onAsk: (id: string) => void
}

/**
 * In the side panel while details are open, otherwise floating at the bottom right; a pill with a sheet on a narrow
 * screen.
 */
export function TransfersPanel(props: Props) {
  const { transfers } = props
  const isMobile = useIsMobile()
  const { dock } = use(TransfersDockContext)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const summary = summarise(transfers)
  const speed = useSpeed(summary.sentBytes, summary.running > 0)
  const left = secondsLeft(speed, summary.totalBytes - summary.sentBytes)
  const title = titleOf(props)
  const pace = paceText(summary, speed?.perSecond ?? null, left)
  const card = (placing: CardProps['placing'], onClose?: () => void) => (
    <Card {...props} title={title} pace={pace} percent={summary.percent} placing={placing} onClose={onClose} />
  )

  if (!isMobile) return dock ? createPortal(card('docked'), dock) : card('float')
  return (
    <>
      <TransfersPill title={title} pace={pace} summary={summary} onOpen={() => setSheetOpen(true)} />
      {isSheetOpen && (
        <Suspense>
          <Sheet label="Transfers" onClose={() => setSheetOpen(false)}>
            {card('inSheet', () => setSheetOpen(false))}
          </Sheet>
        </Suspense>
      )}
    </>
  )
}

function titleOf({ transfers, jobs, storing }: Props): string {
  if (transfers.length > 0) return headline(transfers)
  if (jobs.length > 0) return jobsTitle(jobs)
  return storing.length > 0 ? storingTitle(storing) : 'Unfinished uploads'
}

type CardProps = Props & {
  readonly title: string
  readonly pace: string
  readonly percent: number
  readonly placing: 'docked' | 'float' | 'inSheet'
  /** A sheet is closed; a panel on the page is collapsed. */
  readonly onClose: (() => void) | undefined
}

function Card({ transfers, storing, jobs, resumables, onAsk, title, pace, percent, placing, onClose }: CardProps) {
  const [isCollapsed, setCollapsed] = useState(false)
  const listId = useId()
  const hasOpen = pace !== ''
  return (
    <section
      ref={keepFocusInside}
      className={cx(styles.transfers, placing !== 'docked' && styles[placing])}
      aria-label="Transfers"
    >
      <header className={styles.head}>
        <b>{title}</b>
        <span className="meta subtle num grow ell" title={pace}>
          {pace}
        </span>
        {hasOpen && <PauseAllButton transfers={transfers} />}
        {onClose ? (
          <IconButton size="sm" label="Close transfers" icon={X} onClick={onClose} />
        ) : (
          <IconButton
            size="sm"
            label={isCollapsed ? 'Expand' : 'Collapse'}
            icon={isCollapsed ? ChevronUp : ChevronDown}
            aria-expanded={!isCollapsed}
            aria-controls={listId}
            onClick={() => setCollapsed(!isCollapsed)}
          />
        )}
      </header>
      {hasOpen && (
        <div className={styles.total}>
          <i style={{ width: `${percent}%` }} />
        </div>
      )}
      <div id={listId} hidden={isCollapsed}>
        {resumables.left.length > 0 && <ResumeNotice resumables={resumables} />}
        {transfers.length > 0 && <TransferList transfers={transfers} onAsk={onAsk} />}
        {transfers.length > 0 && jobs.length > 0 && <h3 className={`${styles.sub} h-micro`}>{jobsTitle(jobs)}</h3>}
        <JobsList jobs={jobs} />
        {transfers.length + jobs.length > 0 && storing.length > 0 && (
          <h3 className={`${styles.sub} h-micro`}>{storingTitle(storing)}</h3>
        )}
        <StoringList transfers={storing} />
      </div>
    </section>
  )
}
