import type { ReactNode } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { ActivityPageQuery, ActivityPageQuery$data } from '../../__generated__/ActivityPageQuery.graphql.ts'
import { formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { quotedNames } from '../../lib/nameText.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { serverText } from '../../lib/serverText.ts'
import { Tooltip } from '../../ui/Tooltip.tsx'
import styles from './Activity.module.css'

export type ActivityFilter = Omit<ActivityPageQuery['variables'], 'first' | 'after'>

/** `after`: null for the newest. Each `version` is fetched again. */
export type AskedPage = { readonly after: string | null; readonly first: number; readonly version: number }

type Props = AskedPage & {
  filter: ActivityFilter
  /** Shown when there are no entries. */
  empty: string
  /** Shown at the end when there are more entries, from this cursor on. */
  more: (cursor: string) => ReactNode
}

export function ActivityPage({ filter, after, first, version, empty, more }: Props) {
  const { viewer } = useLazyLoadQuery<ActivityPageQuery>(
    graphql`
      query ActivityPageQuery($first: Int!, $after: String, $query: String, $actions: [Action!], $fileId: ID) {
        viewer {
          id
          activities(first: $first, after: $after, query: $query, actions: $actions, fileId: $fileId) {
            edges {
              node {
                id
                at
                sentence
                actorKind
                actorName
                address
              }
            }
            pageInfo {
              endCursor
              hasNextPage
            }
          }
        }
      }
    `,
    { first, after, ...filter },
    { fetchPolicy: 'store-and-network', fetchKey: `${useRetryKey()} ${version}` },
  )
  const page = viewer?.activities
  if (!page) return null
  const { endCursor, hasNextPage } = page.pageInfo
  if (page.edges.length === 0 && after === null) return <li className={`${styles.item} muted`}>{empty}</li>
  return (
    <>
      {page.edges.map(({ node }) => (
        <Entry key={node.id} activity={node} />
      ))}
      {hasNextPage && endCursor && more(endCursor)}
    </>
  )
}

type Activity = NonNullable<ActivityPageQuery$data['viewer']>['activities']['edges'][number]['node']

function Entry({ activity: { at, sentence, actorName, address } }: { activity: Activity }) {
  return (
    <li className={styles.item}>
      <p className="wrap-anywhere">{quotedNames(sentence)}</p>
      <p className="meta subtle">
        <Tooltip text={formatFullDate(at)} describes>
          <time dateTime={at}>{formatRelative(at)}</time>
        </Tooltip>
        {' · '}
        {[serverText(actorName), address].filter(Boolean).join(' · ')}
      </p>
    </li>
  )
}
