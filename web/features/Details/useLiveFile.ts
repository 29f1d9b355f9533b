import { useEffect, useRef } from 'react'
import {
  type FetchPolicy,
  fetchQuery,
  type GraphQLTaggedNode,
  useLazyLoadQuery,
  useRelayEnvironment,
} from 'react-relay'
import type { OperationType } from 'relay-runtime'
import { useRetryKey } from '../../lib/retryKey.ts'
import { onFileChange } from './onFileChange.ts'

/** Changes come in bursts while a file is being stored: one refresh in this time is enough. */
const EVERY_MS = 300

/**
 * When the files that are being waited for were requested, by query and id. Not the state of a component: one that waits for its
 * first data keeps none.
 */
const requestedAt = new Map<string, number>()

/**
 * Details of a file, fetched again when the file has changed since they were requested, here or elsewhere. Suspends. A failed refresh
 * is ignored: the next one repairs it. `name`: of the query.
 */
export function useLiveFile<Query extends OperationType & { variables: { id: string } }>(
  query: GraphQLTaggedNode,
  { name, id, fetchPolicy }: { name: string; id: string; fetchPolicy: FetchPolicy },
): Query['response'] {
  const environment = useRelayEnvironment()
  const key = `${name} ${id}`
  const shown = useRef<string>(undefined)
  if (shown.current !== key && !requestedAt.has(key)) requestedAt.set(key, performance.now())
  const data = useLazyLoadQuery<Query>(query, { id }, { fetchPolicy, fetchKey: useRetryKey() })
  useEffect(() => {
    const since = requestedAt.get(key) ?? performance.now()
    requestedAt.delete(key)
    shown.current = key
    const refresh = () => fetchQuery<Query>(environment, query, { id }).subscribe({ error: () => undefined })
    return onFileChange(id, { everyMs: EVERY_MS, since }, refresh)
  }, [environment, query, key, id])
  return data
}
