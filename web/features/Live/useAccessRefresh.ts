import { useEffect } from 'react'
import { fetchQuery, type GraphQLTaggedNode, useRelayEnvironment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { onLiveAgain } from '../../relay/liveAgain.ts'
import { accessChanges } from './liveEvents.ts'

/**
 * Reads the page's query again when keys or sessions have changed, in whatever browser. A look that fails is made good by
 * the next.
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
