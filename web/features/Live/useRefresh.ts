import { useEffect } from 'react'
import { fetchQuery, type GraphQLTaggedNode, useRelayEnvironment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { onServerChange } from '../../relay/changes.ts'

/** A thousand uploads are a thousand events: one refresh in this time is enough. */
const EVERY_MS = 1000

/**
 * Fetches a query soon after each change on the server: for figures that no event brings, such as how many files are at risk.
 * `isNeeded` false: not now. A failed refresh is ignored: the next one repairs it.
 */
export function useRefresh<Query extends OperationType & { variables: Record<string, never> }>(
  query: GraphQLTaggedNode,
  isNeeded = true,
): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    if (!isNeeded) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      fetchQuery<Query>(environment, query, {}).subscribe({ error: () => undefined })
    }
    const stop = onServerChange(() => {
      timer ??= setTimeout(look, EVERY_MS)
    })
    // What is cached may be older than the page.
    look()
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [environment, query, isNeeded])
}
