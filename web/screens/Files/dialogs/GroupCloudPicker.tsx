import { graphql, useLazyLoadQuery } from 'react-relay'
import type {
  GroupCloudPickerQuery,
  GroupCloudPickerQuery$data,
} from '../../../__generated__/GroupCloudPickerQuery.graphql.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { useRetryKey } from '../../../lib/retryKey.ts'
import pickerStyles from '../../../ui/Picker.module.css'
import { PoolMini } from '../../../ui/PoolBar.tsx'
import radioStyles from '../../../ui/Radio.module.css'

type Props = {
  chosen: string | null
  onChoose: (groupCloud: { readonly id: string; readonly name: string }) => void
}

/** The group clouds, with how much is free in each and how many copies it keeps. */
export function GroupCloudPicker({ chosen, onChoose }: Props) {
  const { viewer } = useLazyLoadQuery<GroupCloudPickerQuery>(
    graphql`
      query GroupCloudPickerQuery {
        viewer {
          id
          groupClouds {
            id
            name
            defaultUploadGroup
            copies
            quota { freeBytes }
            members { account { id hue } }
          }
        }
      }
    `,
    {},
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  return (
    <fieldset className={pickerStyles.picker} aria-label="Group clouds">
      {viewer?.groupClouds.map((groupCloud) => (
        <label key={groupCloud.id} className={pickerStyles.row}>
          <input
            type="radio"
            className={radioStyles.radio}
            name="group-cloud"
            checked={chosen === groupCloud.id}
            disabled={groupCloud.members.length === 0}
            onChange={() => onChoose(groupCloud)}
          />
          <PoolMini hues={groupCloud.members.map(({ account }) => account.hue)} />
          <span className="grow ell">
            {groupCloud.name}
            {groupCloud.defaultUploadGroup && <span className="subtle"> (Default)</span>}
          </span>
          <span className="meta subtle num">{noteOf(groupCloud)}</span>
        </label>
      ))}
    </fieldset>
  )
}

type GroupCloud = NonNullable<GroupCloudPickerQuery$data['viewer']>['groupClouds'][number]

function noteOf({ copies, members, quota }: GroupCloud): string {
  if (members.length === 0) return 'No account in it'
  const free = quota.freeBytes == null ? 'Free space unknown' : `${formatBytes(quota.freeBytes)} free`
  return copies > 1 ? `${copies} copies · ${free}` : free
}
