import {
  ArrowRightLeft,
  Copy,
  type LucideIcon,
  Pause,
  Play,
  RotateCw,
  ShieldCheck,
  Trash2,
  Undo2,
  X,
} from 'lucide-react'
import { Suspense, useId, useState } from 'react'
import { graphql, useFragment, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { JobsList_job$data, JobsList_job$key } from '../../__generated__/JobsList_job.graphql.ts'
import type { JobsListItemsQuery } from '../../__generated__/JobsListItemsQuery.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { nameText } from '../../lib/nameText.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { durationText } from '../../lib/speed.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { toast } from '../../ui/toast.ts'
import { changeJob, type JobChange } from './changeJob.ts'
import { dismissJob } from './dismissedJobs.ts'
import styles from './Transfers.module.css'

/** Copying and moving between accounts and group clouds: progress, actions, and what could not be done. */
export function JobsList({ jobs }: { jobs: JobsList_job$key }) {
  const rows = useFragment(
    graphql`
      fragment JobsList_job on Job @relay(plural: true) {
        id
        kind
        state
        name
        done
        total
        failed
        doneBytes
        totalBytes
        bytesPerSecond
        error
        undone
      }
    `,
    jobs,
  )
  if (rows.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <ul className={styles.list} tabIndex={0} aria-label="Copying and moving">
      {rows.map((job) => (
        <Row key={job.id} job={job} />
      ))}
    </ul>
  )
}

type Job = JobsList_job$data[number]

function Row({ job }: { job: Job }) {
  const environment = useRelayEnvironment()
  const [isOpen, setOpen] = useState(false)
  const itemsId = useId()
  const { id, kind, name, state, error } = job
  const isStuck = state === 'FAILED' || (state === 'WAITING' && error !== null)
  const isOver = state === 'DONE' || state === 'CANCELLED'
  const act = (change: JobChange | 'dismiss') => {
    if (change === 'dismiss') dismissJob(id)
    if (change === 'dismiss' && isOver) return
    changeJob(environment, id, change === 'dismiss' ? 'cancel' : change).catch((reason: unknown) => {
      toast.error(`“${nameText(name)}” could not be changed`, { description: reasonOf(reason) })
    })
  }
  return (
    <li className={styles.row}>
      <Icon icon={ICONS[kind] ?? Copy} />
      <span className="grow">
        <span className="hstack justify-between">
          <span className={styles.name}>
            <FileName name={name} />
          </span>
          <span className={cx('meta num', isStuck ? 't-warning' : 'subtle')}>{stateText(job)}</span>
        </span>
        {state !== 'FAILED' && !isOver && (
          <Progress value={percentOf(job)} label={`${verbOf(job)} ${nameText(name)}`} />
        )}
        <span className={cx(`meta num ${styles.note}`, isStuck && 't-warning')}>{detailText(job)}</span>
        {isStuck && (
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={isOpen}
            aria-controls={itemsId}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide details' : 'Show details'}
          </Button>
        )}
        {isOpen && isStuck && (
          <div id={itemsId}>
            <RetryBoundary>
              <Suspense>
                <Items id={id} />
              </Suspense>
            </RetryBoundary>
          </div>
        )}
      </span>
      {actionsOf(job).map(({ label, icon, change }) => (
        <IconButton
          key={slotOf(change)}
          size="sm"
          label={`${label} ${nameText(name)}`}
          icon={icon}
          iconSize={14}
          onClick={() => act(change)}
        />
      ))}
    </li>
  )
}

/** The first items with a message. */
function Items({ id }: { id: string }) {
  const fetchKey = useRetryKey()
  const { node } = useLazyLoadQuery<JobsListItemsQuery>(
    graphql`
      query JobsListItemsQuery($id: ID!) {
        node(id: $id) {
          ... on Job {
            items {
              name
              detail
            }
          }
        }
      }
    `,
    { id },
    { fetchKey, fetchPolicy: 'store-and-network' },
  )
  const items = node?.items ?? []
  return (
    <ul className="meta subtle">
      {items.map(({ name, detail }, index) => (
        <li key={index}>
          <b>{nameText(name)}</b>: {detail}
        </li>
      ))}
    </ul>
  )
}

/** An action that takes the place of another keeps its button, and the focus. */
const slotOf = (change: Action['change']) => (change === 'undo' ? 'undo' : CLOSING.includes(change) ? 'end' : 'first')
const CLOSING: readonly Action['change'][] = ['cancel', 'dismiss']

type Action = { readonly label: string; readonly icon: LucideIcon; readonly change: JobChange | 'dismiss' }

const CANCEL: Action = { label: 'Cancel', icon: X, change: 'cancel' }
const DISMISS: Action = { label: 'Dismiss', icon: X, change: 'dismiss' }
const UNDO: Action = { label: 'Undo', icon: Undo2, change: 'undo' }

function actionsOf({ state, kind, done, undone }: Job): Action[] {
  const undo = kind === 'TRASH' && !undone && done > 0 ? [UNDO] : []
  if (state === 'PAUSED') return [{ label: 'Resume', icon: Play, change: 'resume' }, ...undo, CANCEL]
  if (state === 'FAILED') return [{ label: 'Retry', icon: RotateCw, change: 'retry' }, ...undo, DISMISS]
  if (state === 'DONE' || state === 'CANCELLED') return [...undo, DISMISS]
  return [{ label: 'Pause', icon: Pause, change: 'pause' }, ...undo, CANCEL]
}

/** By bytes; by items while there are none. */
function percentOf({ doneBytes, totalBytes, done, total }: Job): number {
  const [part, whole] = totalBytes > 0 ? [doneBytes, totalBytes] : [done, total]
  return whole === 0 ? 0 : Math.min(100, Math.floor((part / whole) * 100))
}

const STATE_TEXT: Record<string, string> = {
  WAITING: 'Waiting',
  PAUSED: 'Paused',
  FAILED: 'Not complete',
  DONE: 'Done',
  CANCELLED: 'Cancelled',
}

function stateText(job: Job): string {
  return STATE_TEXT[job.state] ?? `${percentOf(job)}%`
}

const ICONS: Record<string, LucideIcon> = {
  MOVE: ArrowRightLeft,
  PROTECT: ShieldCheck,
  TRASH: Trash2,
  RESTORE: Undo2,
  DELETE: Trash2,
}
const VERBS: Record<string, string> = {
  MOVE: 'Moving',
  PROTECT: 'Protecting',
  TRASH: 'Moving to the trash',
  RESTORE: 'Restoring',
  DELETE: 'Deleting',
}

function verbOf({ kind }: Job): string {
  return VERBS[kind] ?? 'Copying'
}

/** What it does and how far it is, or what it waits for. */
function detailText(job: Job): string {
  const { state, error, done, total, doneBytes, totalBytes, bytesPerSecond } = job
  if (error && state !== 'RUNNING') return error
  if (state === 'DONE' || state === 'CANCELLED') {
    return `Moved to Trash: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  }
  const left = bytesPerSecond ? Math.ceil((totalBytes - doneBytes) / bytesPerSecond) : null
  const parts = [
    `${verbOf(job)} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`,
    totalBytes > 0 && `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`,
    left !== null && durationText(left),
  ]
  return parts.filter(Boolean).join(' · ')
}

const ENDED = ['FAILED', 'DONE', 'CANCELLED']

/** "2 jobs in progress", for the head of the panel. */
export function jobsTitle(jobs: readonly { readonly state: string }[]): string {
  const open = jobs.filter(({ state }) => !ENDED.includes(state)).length
  if (open > 0) return open === 1 ? '1 job in progress' : `${open} jobs in progress`
  const failed = jobs.filter(({ state }) => state === 'FAILED').length
  if (failed > 0) return failed === 1 ? '1 job needs attention' : `${failed} jobs need attention`
  return jobs.length === 1 ? '1 job has ended' : `${jobs.length} jobs have ended`
}
