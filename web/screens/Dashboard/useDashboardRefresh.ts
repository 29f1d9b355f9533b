import { useEffect } from 'react'
import { fetchQuery, useRelayEnvironment } from 'react-relay'
import query, { type DashboardQuery } from '../../__generated__/DashboardQuery.graphql.ts'
import { onServerChange } from '../../relay/changes.ts'

/** A thousand uploads are a thousand events: one refresh in this time is enough. */
const EVERY_MS = 1000

/** Fetches the dashboard again soon after a change. A failed refresh is ignored: the next one repairs it. */
export function useDashboardRefresh(): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      fetchQuery<DashboardQuery>(environment, query, {}).subscribe({ error: () => undefined })
    }
    const stop = onServerChange(() => {
      timer ??= setTimeout(look, EVERY_MS)
    })
    // The cached data may be older than the page.
    look()
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [environment])
}
