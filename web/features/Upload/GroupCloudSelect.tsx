import { Suspense } from 'react'
import { graphql, useFragment, useLazyLoadQuery } from 'react-relay'
import type { GroupCloudSelect_viewer$key } from '../../__generated__/GroupCloudSelect_viewer.graphql.ts'
import type { GroupCloudSelectQuery } from '../../__generated__/GroupCloudSelectQuery.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import inputStyles from '../../ui/Input.module.css'
import { PoolMini } from '../../ui/PoolBar.tsx'
import { Select, type SelectOption } from '../../ui/Select.tsx'

type Props = {
  readonly viewer: GroupCloudSelect_viewer$key
  readonly value: string | null
  readonly onChange: (id: string) => void
  readonly disabled: boolean
}

export function GroupCloudSelect({ viewer, value, onChange, disabled }: Props) {
  const { groupClouds } = useFragment(
    graphql`
      fragment GroupCloudSelect_viewer on User {
        groupClouds {
          id
          name
          defaultUploadGroup
          quota { freeBytes }
          members { account { id hue } }
        }
      }
    `,
    viewer,
  )
  const options = groupClouds.map(
    ({ id, name, defaultUploadGroup, members, quota }): SelectOption => ({
      value: id,
      label: defaultUploadGroup ? `${name} (Default)` : name,
      mark: <PoolMini hues={members.map(({ account }) => account.hue)} />,
      note: freeText(quota.freeBytes),
    }),
  )
  const chosen = groupClouds.find(({ id }) => id === value)
  return (
    <>
      <Select
        label="Select Group Cloud"
        placeholder="Select a group cloud"
        value={value}
        options={options}
        onChange={onChange}
        disabled={disabled}
      />
      {chosen && (
        <p className={inputStyles.hint}>
          <Suspense fallback=" ">
            <Placement id={chosen.id} />
          </Suspense>
        </p>
      )}
    </>
  )
}

/** Where the files go. Asked for each choice: group clouds that are made in the meantime are listed without it. */
function Placement({ id }: { id: string }) {
  const { node } = useLazyLoadQuery<GroupCloudSelectQuery>(
    graphql`
      query GroupCloudSelectQuery($id: ID!) {
        node(id: $id) {
          ... on GroupCloud {
            placementPreview(size: 1) {
              why
            }
          }
        }
      }
    `,
    { id },
    { fetchPolicy: 'store-and-network' },
  )
  return node?.placementPreview?.why
}

function freeText(freeBytes: number | null | undefined): string {
  return freeBytes == null ? 'Free space unknown' : `${formatBytes(freeBytes)} free`
}
