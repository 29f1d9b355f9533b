import { useEffect, useMemo, useRef } from 'react'
import { fetchQuery, graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { useStoring_viewer$data, useStoring_viewer$key } from '../../__generated__/useStoring_viewer.graphql.ts'
import type { useStoringRefreshQuery } from '../../__generated__/useStoringRefreshQuery.graphql.ts'
import { onReconnected } from '../../relay/liveAgain.ts'
import { transfersChanges } from '../Live/liveEvents.ts'

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

/** The transfers from this server to the accounts; updated live. */
export function useStoring(viewer: useStoring_viewer$key): Storing {
  const environment = useRelayEnvironment()
  const { transfers } = useFragment(
    graphql`
      fragment useStoring_viewer on User {
        id
        transfers(open: true) {
          id
          state
          ...StoringList_transfer
        }
      }
    `,
    viewer,
  )
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
      onReconnected(soon),
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
  return useMemo(() => transfers.filter(({ state }) => isOpen(state)), [transfers])
}

const isOpen = (state: string) => state !== 'DONE' && state !== 'CANCELLED'
