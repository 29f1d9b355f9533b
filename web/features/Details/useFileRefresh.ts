import { useEffect } from 'react'
import { fetchQuery, type GraphQLTaggedNode, useRelayEnvironment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { onFileChange } from './onFileChange.ts'

/** While a file is being stored its changes come in bursts: one look in this time is enough. */
const EVERY_MS = 300

/** Reads the details of a file again when the file has changed, be it elsewhere. A look that fails is made good by the next. */
export function useFileRefresh<Query extends OperationType & { variables: { id: string } }>(
  query: GraphQLTaggedNode,
  id: string,
): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    const look = () => fetchQuery<Query>(environment, query, { id }).subscribe({ error: () => undefined })
    return onFileChange(id, EVERY_MS, look)
  }, [environment, query, id])
}
