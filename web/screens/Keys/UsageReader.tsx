import { useEffect } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { UsageReaderQuery, UsageReaderQuery$data } from '../../__generated__/UsageReaderQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'

type ReadKey = NonNullable<UsageReaderQuery$data['viewer']>['apiKeys'][number]
export type Usage = ReadKey['usage']
export type UsageByKey = ReadonlyMap<string, Usage>

/**
 * Reads what changes by itself: how often and when each key was used. Draws nothing; suspends until the first answer.
 */
export function UsageReader({ onRead }: { onRead: (usage: UsageByKey) => void }) {
  const { viewer } = useLazyLoadQuery<UsageReaderQuery>(
    graphql`
      query UsageReaderQuery {
        viewer {
          id
          apiKeys {
            id
            usage {
              day
              calls
            }
            ...KeyCard_apiKey
          }
        }
      }
    `,
    {},
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const keys = viewer?.apiKeys
  useEffect(() => {
    if (keys) onRead(new Map(keys.map(({ id, usage }) => [id, usage])))
  }, [keys, onRead])
  return null
}
