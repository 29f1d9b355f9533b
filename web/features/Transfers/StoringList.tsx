import { type LucideIcon, Pause, Play, RotateCw, X } from 'lucide-react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type {
  StoringList_transfer$data,
  StoringList_transfer$key,
} from '../../__generated__/StoringList_transfer.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { nameText } from '../../lib/nameText.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { toast } from '../../ui/toast.ts'
import { changeTransfer, type TransferChange } from './changeTransfer.ts'
import { detailText, percentOf, stateText } from './storingText.ts'
import styles from './Transfers.module.css'

type Props = { readonly transfers: StoringList_transfer$key }

/** Transfers from this server to the accounts: progress, destination, reason, and actions. */
export function StoringList({ transfers }: Props) {
  const rows = useFragment(
    graphql`
      fragment StoringList_transfer on Transfer @relay(plural: true) {
        id
        kind
        state
        totalBytes
        sentBytes
        bytesPerSecond
        why
        error
        fileName
        file {
          id
          category
        }
        accounts {
          id
          name
        }
      }
    `,
    transfers,
  )
  if (rows.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <ul className={styles.list} tabIndex={0} aria-label="Storing in your accounts">
      {rows.map((transfer) => (
        <Row key={transfer.id} transfer={transfer} />
      ))}
    </ul>
  )
}

type Row = StoringList_transfer$data[number]

function Row({ transfer }: { transfer: Row }) {
  const environment = useRelayEnvironment()
  const { id, fileName, file, state, why } = transfer
  const isStuck = state === 'FAILED' || state === 'PARKED'
  const hasBar = state === 'RUNNING' || state === 'WAITING' || state === 'PAUSED'
  const act = (change: TransferChange) => {
    changeTransfer(environment, id, change).catch((error: unknown) => {
      toast.error(`“${nameText(fileName)}” could not be changed`, { description: reasonOf(error) })
    })
  }
  return (
    <li className={styles.row}>
      <FileIcon category={file?.category ?? 'OTHER'} />
      <span className="grow">
        <span className="hstack justify-between">
          <span className={styles.name}>
            <FileName name={fileName} />
          </span>
          <span className={cx('meta num', isStuck ? 't-warning' : 'subtle')}>{stateText(transfer)}</span>
        </span>
        {hasBar && <Progress value={percentOf(transfer)} label={`Storing ${nameText(fileName)}`} />}
        <span className={cx(`meta num ${styles.note}`, isStuck ? 't-warning' : 'subtle ell')} title={why}>
          {detailText(transfer)}
        </span>
      </span>
      {actionsOf(state).map(({ label, icon, change }) => (
        <IconButton
          key={slotOf(change)}
          size="sm"
          label={`${label} ${nameText(fileName)}`}
          icon={icon}
          iconSize={14}
          onClick={() => act(change)}
        />
      ))}
    </li>
  )
}

/** An action that takes the place of another keeps its button, and the focus. */
const slotOf = (change: TransferChange) => (change === 'cancel' ? 'end' : 'first')

type Action = { readonly label: string; readonly icon: LucideIcon; readonly change: TransferChange }

function actionsOf(state: string): Action[] {
  const cancel: Action = { label: 'Cancel storing', icon: X, change: 'cancel' }
  if (state === 'RUNNING' || state === 'WAITING') return [{ label: 'Pause', icon: Pause, change: 'pause' }, cancel]
  if (state === 'PAUSED') return [{ label: 'Resume', icon: Play, change: 'resume' }, cancel]
  if (state === 'PARKED' || state === 'FAILED') return [{ label: 'Retry', icon: RotateCw, change: 'retry' }, cancel]
  return state === 'CANCELLED' ? [{ label: 'Retry', icon: RotateCw, change: 'retry' }] : []
}
