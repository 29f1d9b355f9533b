import { useEffect } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import type { usePoolRefreshQuery } from '../../__generated__/usePoolRefreshQuery.graphql.ts'
import { onServerChange } from '../../relay/changes.ts'

/** A thousand uploads are a thousand events: one refresh in this time is enough. */
const EVERY_MS = 2000

const query = graphql`
  query usePoolRefreshQuery {
    viewer {
      ...PoolSummary_viewer
    }
  }
`

/** Fetches the quotas again soon after a change. A failed refresh is ignored: the next one repairs it. */
export function usePoolRefresh(): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      fetchQuery<usePoolRefreshQuery>(environment, query, {}).subscribe({ error: () => undefined })
    }
    const stop = onServerChange(() => {
      timer ??= setTimeout(look, EVERY_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [environment])
}
