import { useEffect } from 'react'
import { fetchQuery, type GraphQLTaggedNode, useRelayEnvironment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { onLiveAgain } from '../../relay/liveAgain.ts'
import { filesChanges } from '../Live/liveEvents.ts'

/** While a file is being stored its changes come in bursts: one look in this time is enough. */
const EVERY_MS = 300

/** Reads the details of a file again when the file has changed, be it elsewhere. A look that fails is made good by the next. */
export function useFileRefresh<Query extends OperationType & { variables: { id: string } }>(
  query: GraphQLTaggedNode,
  id: string,
): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      fetchQuery<Query>(environment, query, { id }).subscribe({ error: () => undefined })
    }
    const soon = () => {
      timer ??= setTimeout(look, EVERY_MS)
    }
    const stops = [
      onLiveAgain(soon),
      filesChanges.listen(({ files, removedIds, truncated }) => {
        if (truncated || removedIds.includes(id) || files.some((file) => file.id === id)) soon()
      }),
    ]
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [environment, query, id])
}
