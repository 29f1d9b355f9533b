import { Suspense, useState } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import { Link } from 'react-router'
import type {
  AddToPoolDialogQuery,
  AddToPoolDialogQuery$data,
} from '../../__generated__/AddToPoolDialogQuery.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Dialog } from '../../ui/Dialog.tsx'
import pickerStyles from '../../ui/Picker.module.css'
import { PoolBar, PoolMini } from '../../ui/PoolBar.tsx'
import { describePool, type PoolSegment } from '../../ui/poolText.ts'
import radioStyles from '../../ui/Radio.module.css'
import reasonStyles from '../../ui/Reason.module.css'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { addToPool } from './addToPool.ts'
import { messages } from './messages.ts'

type Props = {
  accountId: string
  /** The account's. */
  name: string
  /** Whether it has just been connected. */
  isNew: boolean
  onClose: () => void
}

/** Offers to add an account to a group cloud and shows the space gained. Import it lazily, like Dialog. */
export function AddToPoolDialog(props: Props) {
  return (
    <RetryBoundary fallback={(error) => <Frame {...props}>{error}</Frame>}>
      <Suspense fallback={<Waiting {...props} />}>
        <Offer {...props} />
      </Suspense>
    </RetryBoundary>
  )
}

type FrameProps = Pick<Props, 'name' | 'isNew' | 'onClose'> & {
  mark?: React.ReactNode
  footer?: React.ReactNode
  children: React.ReactNode
}

function Frame({ isNew, onClose, name, mark, footer, children }: FrameProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? messages.pool.isConnected(name) : messages.pool.addAccount(name)}
      description={isNew ? messages.pool.step : undefined}
      mark={mark}
      footer={footer}
    >
      {children}
    </Dialog>
  )
}

const Waiting = (props: Props) => (
  <Frame {...props}>
    <Skeleton width={180} />
    <Skeleton height={160} className="mt-4" />
  </Frame>
)

type Viewer = NonNullable<AddToPoolDialogQuery$data['viewer']>
type Pool = Viewer['groupClouds'][number]
type Account = Viewer['accounts'][number]

function Offer({ accountId, name, isNew, onClose }: Props) {
  const environment = useRelayEnvironment()
  const { viewer } = useLazyLoadQuery<AddToPoolDialogQuery>(
    graphql`
      query AddToPoolDialogQuery($accountId: ID!) {
        viewer {
          id
          accounts {
            id
            name
            provider
            providerName
            glyph
            hue
            status
            poolUse
            poolReason
            quota { usedBytes reservedBytes totalBytes freeBytes }
          }
          groupClouds {
            id
            name
            copies
            defaultUploadGroup
            quota { totalBytes freeBytes }
            freeBytesWith(accountId: $accountId)
            members { account { id } }
          }
        }
      }
    `,
    { accountId },
    { fetchPolicy: 'network-only', fetchKey: useRetryKey() },
  )
  const accounts = viewer?.accounts ?? []
  const account = accounts.find(({ id }) => id === accountId)
  const pools = viewer?.groupClouds.filter(({ members }) => members.every((one) => one.account.id !== accountId)) ?? []
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const pool =
    pools.find(({ id }) => id === chosenId) ?? pools.find(({ defaultUploadGroup }) => defaultUploadGroup) ?? pools[0]
  const end = (
    <Button variant="primary" className="ms-auto" onClick={onClose}>
      {messages.pool.done}
    </Button>
  )
  if (account?.poolUse === 'NONE')
    return (
      <Frame isNew={isNew} onClose={onClose} name={name} footer={end}>
        {[messages.poolUse.NONE, account.poolReason].filter(Boolean).join(' ')}
      </Frame>
    )
  if (!account || !pool)
    return (
      <Frame isNew={isNew} onClose={onClose} name={name} footer={end}>
        {messages.pool.everywhere}
      </Frame>
    )
  const add = async () => {
    setBusy(true)
    try {
      await addToPool(environment, pool.id, [...pool.members.map((member) => member.account.id), accountId])
      toast.success(messages.pool.added(name, pool.name))
      onClose()
    } catch (error) {
      toast.error(messages.pool.failed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{messages.pool.notNow}</Button>
      <Button variant="primary" busy={busy} onClick={add}>
        {messages.pool.addTo(pool.name)}
      </Button>
    </>
  )
  const mark = <AccountMark glyph={account.glyph} hue={account.hue} size={40} />
  return (
    <Frame isNew={isNew} onClose={onClose} name={name} mark={mark} footer={footer}>
      <h3 className="h3">{messages.pool.question}</h3>
      <p className="muted">{messages.pool.text}</p>
      {account.poolUse === 'EXTRA_COPIES' && (
        <p className="muted mt-2">{[messages.pool.extraOnly, account.poolReason].filter(Boolean).join(' ')}</p>
      )}
      <Gain pool={pool} accounts={accounts} account={account} />
      <fieldset className="mt-3" aria-label={messages.pool.choose}>
        {pools.map((choice) => (
          <label key={choice.id} className={pickerStyles.row}>
            <input
              type="radio"
              className={radioStyles.radio}
              name="pool"
              checked={choice.id === pool.id}
              disabled={busy}
              onChange={() => setChosenId(choice.id)}
            />
            <PoolMini hues={membersOf(choice, accounts).map(({ hue }) => hue)} />
            <span className="grow ell">
              {choice.name}
              {choice.defaultUploadGroup && <span className="subtle"> (Default)</span>}
            </span>
            <span className="meta subtle num">{messages.pool.copies(choice.copies)}</span>
          </label>
        ))}
      </fieldset>
      <Link className="link meta" to="/group-cloud" onClick={onClose}>
        {messages.pool.makeNew}
      </Link>
    </Frame>
  )
}

/** The group cloud without and with the account. */
function Gain({ pool, accounts, account }: { pool: Pool; accounts: readonly Account[]; account: Account }) {
  const members = membersOf(pool, accounts)
  const now = members.map(segmentOf)
  const then = [...now, { ...segmentOf(account), isNew: true }]
  const { freeBytes: free, totalBytes: total } = pool.quota
  const after = pool.freeBytesWith
  const gain = free == null || after == null ? null : after - free
  return (
    <div className={`${cardStyles.card} mt-4`}>
      <div className={cardStyles.padded}>
        <p className="hstack justify-between">
          <span className="muted ell">{messages.pool.now(pool.name)}</span>
          <span className="subtle num flex-none">
            {messages.pool.freeOf(sizeText(free), total == null ? null : formatBytes(total))}
          </span>
        </p>
        <div className="mt-2">
          <PoolBar segments={now} label={describePool(now)} />
        </div>
        <p className="hstack mt-4 mb-2">
          <b className="h2 num">{sizeText(after)}</b>
          <span className="muted grow ell">{messages.pool.with(account.name)}</span>
          {gain === null ? (
            <Badge>{messages.pool.unknownGain}</Badge>
          ) : (
            <Badge tone="success">{messages.pool.gain(formatBytes(gain))}</Badge>
          )}
        </p>
        <PoolBar size={28} segments={then} label={describePool(then)} />
        {pool.copies > 1 && <p className={reasonStyles.reason}>{messages.pool.copiesText(pool.copies)}</p>}
      </div>
    </div>
  )
}

const sizeText = (bytes: number | null | undefined) => (bytes == null ? messages.pool.unknown : formatBytes(bytes))

function membersOf({ members }: Pool, accounts: readonly Account[]): Account[] {
  const ids = new Set(members.map(({ account }) => account.id))
  return accounts.filter(({ id }) => ids.has(id))
}

function segmentOf(account: Account): PoolSegment {
  const { id, hue, status, quota } = account
  const { usedBytes, reservedBytes, totalBytes } = quota
  const segment = { id, name: accountLabel(account), hue, usedBytes, reservedBytes, totalBytes }
  return status === 'EXPIRED' ? { ...segment, state: 'expired' } : segment
}
