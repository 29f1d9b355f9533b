import { type ReactNode, useEffect, useState } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { OneDetailsQuery } from '../../__generated__/OneDetailsQuery.graphql.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useRetryKey } from '../../ui/RetryBoundary.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { DetailsHead } from './DetailsHead.tsx'
import { detailPolicy, markRead } from './detailFreshness.ts'
import { FileProperties } from './FileProperties.tsx'
import { StorageMap } from './StorageMap.tsx'
import { useFileRefresh } from './useFileRefresh.ts'

const query = graphql`
  query OneDetailsQuery($id: ID!) {
    viewer {
      file(id: $id) {
        kind
        ...DetailsHead_file
        ...StorageMap_file
        ...FileProperties_file
      }
    }
  }
`

/** One file or folder: what it is and, for a file, where it is stored; true while the file changes. */
export function OneDetails({ id, close }: { id: string; close: ReactNode }) {
  const [fetchPolicy] = useState(() => detailPolicy(id))
  const { viewer } = useLazyLoadQuery<OneDetailsQuery>(query, { id }, { fetchPolicy, fetchKey: useRetryKey() })
  useFileRefresh<OneDetailsQuery>(query, id)
  useEffect(() => markRead(id), [id])
  const file = viewer?.file
  if (!file) {
    return (
      <>
        <header className="d-head justify-end">{close}</header>
        <div className="d-sec">
          <EmptyState title="This file is gone" text="It was deleted for good in the meantime." />
        </div>
      </>
    )
  }
  return (
    <>
      <DetailsHead file={file} close={close} />
      <Tabs
        small
        label="Details"
        tabs={[{ id: 'details', label: 'Details' }]}
        selected="details"
        onSelect={() => undefined}
      >
        {file.kind === 'FILE' && <StorageMap file={file} />}
        <FileProperties file={file} />
      </Tabs>
    </>
  )
}
