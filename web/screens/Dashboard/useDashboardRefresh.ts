import { useEffect } from 'react'
import { fetchQuery, useRelayEnvironment } from 'react-relay'
import query, { type DashboardQuery } from '../../__generated__/DashboardQuery.graphql.ts'
import { onServerChange } from '../../relay/changes.ts'

/** A thousand uploads are a thousand events: one look at all figures in this time is enough. */
const EVERY_MS = 1000

/** Reads the dashboard again soon after something has changed. A look that fails is made good by the next. */
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
    // What the store held when the page was opened may be older than the page.
    look()
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [environment])
}
