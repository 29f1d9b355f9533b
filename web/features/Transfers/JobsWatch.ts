import { type RefObject, useEffect, useRef } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import { createOperationDescriptor, getRequest } from 'relay-runtime'
import type { JobsWatchQuery, JobsWatchQuery$data } from '../../__generated__/JobsWatchQuery.graphql.ts'
import { announce } from '../../lib/announce.ts'
import { nameText } from '../../lib/nameText.ts'
import { onConnected } from '../../relay/liveAgain.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { type JobsChange, jobsChanges } from '../Live/liveEvents.ts'
import { changeJob } from './changeJob.ts'
import { isDismissed, onDismissed } from './dismissedJobs.ts'

/** Many changes come together: one refresh in this time is enough. */
const EVERY_MS = 300

const query = graphql`
  query JobsWatchQuery {
    viewer {
      jobs {
        id
        kind
        state
        name
        done
        undone
        endedAt
        ...JobsList_job
      }
    }
  }
`

export type Jobs = NonNullable<JobsWatchQuery$data['viewer']>['jobs']

type Props = {
  readonly onJobs: (jobs: Jobs) => void
  /** Changes that arrived while this code was loading; taken once, then null. */
  readonly early: RefObject<JobsChange[number][] | null>
}

/**
 * Jobs that copy, move or change files and have not ended, or failed, or can be undone. Renders nothing. Import it lazily.
 */
export function JobsWatch({ onJobs, early }: Props) {
  const environment = useRelayEnvironment()
  const latest = useRef(onJobs)
  useEffect(() => {
    latest.current = onJobs
  }, [onJobs])
  useEffect(() => {
    const states = new Map<string, string>()
    let hasLooked = false
    let known: Jobs = []
    const show = () => latest.current(known.filter(isShown))
    const undo = (id: string) => {
      changeJob(environment, id, 'undo').catch((reason: unknown) => {
        toast.error('Could not restore', { description: reasonOf(reason) })
      })
    }
    /** Says that a job has ended: once, whether an event or a response tells it first. @returns whether its state is new */
    const note = ({ id, state, kind, name }: Noted, isNews: boolean): boolean => {
      if (states.get(id) === state) return false
      states.set(id, state)
      if (isNews && (state === 'DONE' || state === 'FAILED')) say({ id, kind, name, state }, undo)
      return true
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const retained = environment.retain(createOperationDescriptor(getRequest(query), {}))
    const look = () => {
      timer = undefined
      fetchQuery<JobsWatchQuery>(environment, query, {}).subscribe({
        next: ({ viewer }) => {
          const jobs = viewer?.jobs ?? []
          for (const job of jobs) {
            const before = states.get(job.id)
            // The response may be older than the last event.
            if (before !== undefined && hasEnded(before)) continue
            note(job, before !== undefined || hasLooked)
          }
          hasLooked = true
          known = jobs
          show()
        },
        error: () => undefined,
      })
    }
    const soon = () => {
      timer ??= setTimeout(look, EVERY_MS)
    }
    const hear = (changed: JobsChange) => {
      if (changed.filter((job) => note(job, true)).length > 0) soon()
    }
    look()
    const stops = [onConnected(soon), jobsChanges.listen(hear), onDismissed(show)]
    hear(early.current ?? [])
    early.current = null
    return () => {
      clearTimeout(timer)
      retained.dispose()
      for (const stop of stops) stop()
    }
  }, [environment, early])
  return null
}

type Noted = Pick<JobsChange[number], 'id' | 'state' | 'kind' | 'name'>

const hasEnded = (state: string) => state === 'DONE' || state === 'FAILED' || state === 'CANCELLED'

/** How long an ended job that can be undone is shown. */
const UNDO_MS = 60 * 60 * 1000

function isShown({ id, kind, state, done, undone, endedAt }: Jobs[number]): boolean {
  if (isDismissed(id)) return false
  if (state !== 'DONE' && state !== 'CANCELLED') return true
  if (kind !== 'TRASH' || undone || done === 0) return false
  return endedAt != null && Date.now() - Date.parse(endedAt) < UNDO_MS
}

/** Jobs that change many entries of accounts: the name of one of them says little. */
const MANY: Readonly<Record<string, { readonly done: string; readonly failed: string }>> = {
  TRASH: { done: 'Files moved to Trash', failed: 'Some files could not be moved to Trash' },
  RESTORE: { done: 'Files restored', failed: 'Some files could not be restored' },
  DELETE: { done: 'Files deleted', failed: 'Some files could not be deleted' },
}

function say({ id, kind, name, state }: Noted, undo: (id: string) => void): void {
  // Every change in a protected folder is such a job: only what failed is announced.
  if (kind === 'PROTECT' && state === 'DONE') return
  const title = titleOf(kind, name, state)
  announce(title)
  if (state !== 'DONE') toast.error(title, { description: 'The transfers panel says what stays where it was.' })
  else if (kind === 'TRASH') toast.undo(title, () => undo(id))
  else toast.success(title)
}

function titleOf(kind: string, name: string, state: string): string {
  const many = MANY[kind]
  if (many) return state === 'DONE' ? many.done : many.failed
  return state === 'DONE'
    ? `${kind === 'MOVE' ? 'Moved' : kind === 'PROTECT' ? 'Protected' : 'Copied'} “${nameText(name)}”`
    : `${kind === 'MOVE' ? 'Moved' : kind === 'PROTECT' ? 'Protected' : 'Copied'} not all of “${nameText(name)}”`
}
