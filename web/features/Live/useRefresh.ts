import { useEffect } from 'react'
import { fetchQuery, type GraphQLTaggedNode, type PreloadedQuery, useRelayEnvironment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { onServerChange } from '../../relay/changes.ts'

/** A thousand uploads are a thousand events: one refresh in this time is enough. */
const EVERY_MS = 1000

/** Pages whose answer from the network was shown: it is fresh only once. */
const used = new WeakSet<object>()

/**
 * Fetches a query soon after each change on the server: for figures that no event brings, such as how many files are at risk.
 * `isNeeded` false: not now. A failed refresh is ignored: the next one repairs it. `page`: the query of the page that shows them; where it
 * was answered from the cache, they are fetched at once, too.
 */
export function useRefresh<Query extends OperationType & { variables: Record<string, never> }>(
  page: PreloadedQuery<OperationType>,
  query: GraphQLTaggedNode,
  isNeeded = true,
): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    const isFresh = page.source != null && !used.has(page)
    used.add(page)
    if (!isNeeded) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      fetchQuery<Query>(environment, query, {}).subscribe({ error: () => undefined })
    }
    const stop = onServerChange(() => {
      timer ??= setTimeout(look, EVERY_MS)
    })
    if (!isFresh) look()
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [environment, query, isNeeded, page])
}
