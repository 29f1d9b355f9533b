import { type RefObject, useEffect, useRef } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import { createOperationDescriptor, getRequest } from 'relay-runtime'
import type { JobsWatchQuery, JobsWatchQuery$data } from '../../__generated__/JobsWatchQuery.graphql.ts'
import { announce } from '../../lib/announce.ts'
import { nameText } from '../../lib/nameText.ts'
import { onReconnected } from '../../relay/liveAgain.ts'
import { toast } from '../../ui/toast.ts'
import { type JobsChange, jobsChanges } from '../Live/liveEvents.ts'

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

/** Jobs that copy or move files and have not ended, or failed. Renders nothing. Import it lazily. */
export function JobsWatch({ onJobs, early }: Props) {
  const environment = useRelayEnvironment()
  const latest = useRef(onJobs)
  useEffect(() => {
    latest.current = onJobs
  }, [onJobs])
  useEffect(() => {
    const states = new Map<string, string>()
    let hasLooked = false
    /** Says that a job has ended: once, whether an event or a response tells it first. @returns whether its state is new */
    const note = ({ id, state, kind, name }: Noted, isNews: boolean): boolean => {
      if (states.get(id) === state) return false
      states.set(id, state)
      if (isNews && (state === 'DONE' || state === 'FAILED')) say(kind, name, state)
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
          latest.current(jobs.filter(({ state }) => isShown(state)))
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
    const stops = [onReconnected(soon), jobsChanges.listen(hear)]
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
const isShown = (state: string) => state !== 'DONE' && state !== 'CANCELLED'

function say(kind: string, name: string, state: string): void {
  // Every change in a protected folder is such a job: only what failed is announced.
  if (kind === 'PROTECT' && state === 'DONE') return
  const verb = kind === 'MOVE' ? 'Moved' : kind === 'PROTECT' ? 'Protected' : 'Copied'
  const title = state === 'DONE' ? `${verb} “${nameText(name)}”` : `${verb} not all of “${nameText(name)}”`
  announce(title)
  if (state === 'DONE') toast.success(title)
  else toast.error(title, { description: 'The transfers panel says what stays where it was.' })
}
