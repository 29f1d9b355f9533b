import { useEffect, useMemo } from 'react'
import { graphql, useRelayEnvironment, useSubscription } from 'react-relay'
import type { GraphQLSubscriptionConfig } from 'relay-runtime'
import type {
  useFilesChangedSubscription,
  useFilesChangedSubscription$data,
} from '../../__generated__/useFilesChangedSubscription.graphql.ts'
import { useUploadsFinished } from '../../features/Transfers/transfersContext.ts'
import { onLiveAgain } from '../../relay/liveAgain.ts'
import { distrustLists, keptLists } from './listCache.ts'

/** Changes come in bursts; the lists are read again once a burst is over. */
const QUIET_MS = 350

const subscription = graphql`
  subscription useFilesChangedSubscription {
    filesChanged {
      files {
        id
        ...FileRow_file
        ...FileTile_file
      }
      removedIds
      parentIds
      truncated
    }
  }
`

type Event = useFilesChangedSubscription$data['filesChanged']

/**
 * Keeps the lists true while they are shown: rows that are gone vanish at once, everything else is read again after a
 * short quiet. `onRemoved` hears the ids, for the selection.
 */
export function useFilesChanged(onRemoved: (ids: readonly string[]) => void): void {
  const environment = useRelayEnvironment()
  const refreshSoon = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = () => distrustLists(environment)
    return {
      ask: () => {
        clearTimeout(timer)
        timer = setTimeout(run, QUIET_MS)
      },
      stop: () => clearTimeout(timer),
    }
  }, [environment])
  useEffect(() => refreshSoon.stop, [refreshSoon])
  useUploadsFinished(refreshSoon.ask)
  // What happened while the line was down is unknown, so everything is read again.
  useEffect(() => onLiveAgain(refreshSoon.ask), [refreshSoon])

  const config = useMemo<GraphQLSubscriptionConfig<useFilesChangedSubscription>>(
    () => ({
      subscription,
      variables: {},
      onNext: (data) => {
        const event: Event | undefined = data?.filesChanged
        if (!event) return
        if (event.removedIds.length > 0) {
          for (const list of keptLists(environment)) list.model.remove(event.removedIds)
          onRemoved(event.removedIds)
        }
        refreshSoon.ask()
      },
    }),
    [environment, refreshSoon, onRemoved],
  )
  useSubscription(config)
}
