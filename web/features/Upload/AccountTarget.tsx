import { useEffect } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { AccountTargetQuery } from '../../__generated__/AccountTargetQuery.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { nameText } from '../../lib/nameText.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import inputStyles from '../../ui/Input.module.css'
import { Notice } from '../../ui/Notice.tsx'
import { PoolMini } from '../../ui/PoolBar.tsx'
import type { UploadFolder } from '../Transfers/transfersContext.ts'
import { DropArea } from './DropArea.tsx'

type Props = {
  /** In an account. */
  readonly folder: UploadFolder
  readonly onReady: (isReady: boolean) => void
  readonly onFiles: (files: readonly File[]) => void
  readonly disabled: boolean
}

/** The folder of an account as the destination, instead of a group cloud, and the drop area. */
export function AccountTarget({ folder, onReady, onFiles, disabled }: Props) {
  const { viewer, server } = useLazyLoadQuery<AccountTargetQuery>(
    graphql`
      query AccountTargetQuery($id: ID!) {
        viewer {
          file(id: $id) {
            path { name }
            account { name providerName hue status quota { freeBytes } }
          }
        }
        server { ...DropArea_server }
      }
    `,
    { id: folder.id },
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const { account, path = [] } = viewer?.file ?? {}
  const isUsable = account?.status === 'CONNECTED'
  useEffect(() => onReady(isUsable), [isUsable, onReady])
  const place = [...path.map(({ name }) => name), folder.name].map(nameText).join(' / ')
  const free = account?.quota.freeBytes
  return (
    <>
      <p className={inputStyles.label}>Upload to</p>
      <p className="hstack wrap-anywhere">
        {account && <PoolMini hues={[account.hue]} />}
        <b className="font-medium grow">{place}</b>
        <span className="meta subtle num">{free == null ? 'Free space unknown' : `${formatBytes(free)} free`}</span>
      </p>
      {account && !isUsable && (
        <Notice tone="danger">
          “{nameText(account.name)}” needs to be connected again before files can be put into it.
        </Notice>
      )}
      {isUsable && (
        <p className={inputStyles.hint}>
          Files are stored in your {account.providerName} under their own names, without other copies.
        </p>
      )}
      <DropArea server={server} onFiles={onFiles} disabled={disabled} />
    </>
  )
}
