import { useEffect } from 'react'
import { fetchQuery, type GraphQLTaggedNode, useRelayEnvironment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { onLiveAgain } from '../../relay/liveAgain.ts'
import { accessChanges } from './liveEvents.ts'

/**
 * Fetches the page's query again when keys or sessions have changed, in any browser. A failed refresh is ignored: the
 * next one repairs it.
 */
export function useAccessRefresh<Query extends OperationType & { variables: Record<string, never> }>(
  query: GraphQLTaggedNode,
): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    const look = () => void fetchQuery<Query>(environment, query, {}).subscribe({ error: () => undefined })
    const stops = [accessChanges.listen(look), onLiveAgain(look)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [environment, query])
}
