import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { fetchQuery, graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { useStoring_viewer$data, useStoring_viewer$key } from '../../__generated__/useStoring_viewer.graphql.ts'
import type { useStoringRefreshQuery } from '../../__generated__/useStoringRefreshQuery.graphql.ts'
import { onConnected } from '../../relay/liveAgain.ts'
import { type JobsChange, jobsChanges, transfersChanges } from '../Live/liveEvents.ts'

/** Many transfers start and end together: one refresh in this time is enough. */
const EVERY_MS = 300

const refresh = graphql`
  query useStoringRefreshQuery {
    viewer {
      ...useStoring_viewer
    }
  }
`

export type Storing = useStoring_viewer$data['transfers']

type Background = {
  readonly storing: Storing
  /** Files were copied or moved by a job within a day, or are now: only then the code for jobs is loaded. */
  readonly hasJobs: boolean
  /** What has changed until that code is loaded, which takes it and sets null. */
  readonly earlyJobs: RefObject<JobsChange[number][] | null>
}

/** The transfers from this server to the accounts, updated live, and whether there are jobs. */
export function useStoring(viewer: useStoring_viewer$key): Background {
  const environment = useRelayEnvironment()
  const { transfers, jobs } = useFragment(
    graphql`
      fragment useStoring_viewer on User {
        id
        transfers(open: true) {
          id
          state
          ...StoringList_transfer
        }
        jobs {
          id
        }
      }
    `,
    viewer,
  )
  const [isStarted, setStarted] = useState(false)
  const earlyJobs = useRef<JobsChange[number][] | null>([])
  const known = useRef(transfers)
  useEffect(() => {
    known.current = transfers
  }, [transfers])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      fetchQuery<useStoringRefreshQuery>(environment, refresh, {}).subscribe({ error: () => undefined })
    }
    const soon = () => {
      timer ??= setTimeout(look, EVERY_MS)
    }
    const stops = [
      // Neither the page's query nor the first connection says what ended between them.
      onConnected((isFirst) => (!isFirst || known.current.length > 0) && soon()),
      jobsChanges.listen((changed) => {
        earlyJobs.current?.push(...changed)
        setStarted(true)
      }),
      transfersChanges.listen((changed) => {
        const ids = new Set(known.current.map(({ id }) => id))
        if (changed.some(({ id, state }) => isOpen(state) !== ids.has(id))) soon()
      }),
    ]
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [environment])
  // Ended transfers are announced before the list is fetched again.
  const storing = useMemo(() => transfers.filter(({ state }) => isOpen(state)), [transfers])
  return { storing, hasJobs: isStarted || jobs.length > 0, earlyJobs }
}

const isOpen = (state: string) => state !== 'DONE' && state !== 'CANCELLED'
