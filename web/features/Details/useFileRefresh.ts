import { useEffect } from 'react'
import { fetchQuery, type GraphQLTaggedNode, useRelayEnvironment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { onFileChange } from './onFileChange.ts'

/** Changes come in bursts while a file is being stored: one refresh in this time is enough. */
const EVERY_MS = 300

/**
 * Fetches the details of a file again when the file has changed, here or elsewhere. A failed refresh is ignored: the
 * next one repairs it.
 */
export function useFileRefresh<Query extends OperationType & { variables: { id: string } }>(
  query: GraphQLTaggedNode,
  id: string,
): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    const refresh = () => fetchQuery<Query>(environment, query, { id }).subscribe({ error: () => undefined })
    return onFileChange(id, EVERY_MS, refresh)
  }, [environment, query, id])
}
