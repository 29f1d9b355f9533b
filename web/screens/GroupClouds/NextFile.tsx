import { Suspense, useDeferredValue, useState } from 'react'
import { graphql, useFragment, useLazyLoadQuery } from 'react-relay'
import type { NextFile_groupCloud$key } from '../../__generated__/NextFile_groupCloud.graphql.ts'
import type { NextFileQuery } from '../../__generated__/NextFileQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import reasonStyles from '../../ui/Reason.module.css'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { messages } from './messages.ts'

const { sizes } = messages.next

type Props = { groupCloud: NextFile_groupCloud$key; label: string }

/** Shows where a file of a size would go now, and why. */
export function NextFile({ groupCloud, label }: Props) {
  const { id, ...rules } = useFragment(
    graphql`
      fragment NextFile_groupCloud on GroupCloud {
        id
        placement
        copies
        spanning
        members {
          keepFreeBytes
          draining
          allowOnlyCopy
          account {
            id
            status
            unreachableSince
            quota { state }
          }
        }
      }
    `,
    groupCloud,
  )
  const [size, setSize] = useState(Object.keys(sizes)[0] ?? '1')
  const asked = useDeferredValue(size)
  // Another answer is due when an account has come, is lost, or is used otherwise: also by a change in another tab.
  const asOf = useDeferredValue(JSON.stringify(rules))
  return (
    <footer className="border-t border-line-subtle px-5 py-3">
      <div className="hstack flex-wrap">
        <h3 className="h3">{label}</h3>
        <span className="grow" />
        <span className="hstack">
          <span className="meta muted" aria-hidden>
            {messages.next.size}
          </span>
          <span className="w-32">
            <Select
              hideLabel
              className="small"
              label={messages.next.size}
              value={size}
              options={Object.entries(sizes).map(([value, text]) => ({ value, label: text }))}
              onChange={setSize}
            />
          </span>
        </span>
      </div>
      <RetryBoundary about={size}>
        <Suspense fallback={<Skeleton width="60%" className="mt-3 mb-1.5" />}>
          <Answer id={id} size={Number(asked)} asOf={asOf} />
        </Suspense>
      </RetryBoundary>
    </footer>
  )
}

function Answer({ id, size, asOf }: { id: string; size: number; asOf: string }) {
  const { node } = useLazyLoadQuery<NextFileQuery>(
    graphql`
      query NextFileQuery($id: ID!, $bytes: BigInt!) {
        node(id: $id) {
          ... on GroupCloud {
            placementPreview(bytes: $bytes) {
              why
            }
          }
        }
      }
    `,
    { id, bytes: size },
    { fetchPolicy: 'store-and-network', fetchKey: `${useRetryKey()} ${asOf}` },
  )
  return (
    <p className={`${reasonStyles.reason} mt-2`} role="status">
      {node?.placementPreview?.why}
    </p>
  )
}
