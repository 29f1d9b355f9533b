import { RefreshCw, TriangleAlert } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type {
  AccountCard_account$data,
  AccountCard_account$key,
} from '../../__generated__/AccountCard_account.graphql.ts'
import { useReconnect } from '../../features/Connect/useConnect.ts'
import { formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { AccountContents } from './AccountContents.tsx'
import { AccountUsage } from './AccountUsage.tsx'
import { messages } from './messages.ts'

const ReconnectDialog = lateDialog(() =>
  import('../../features/Connect/ReconnectDialog.tsx').then((file) => file.ReconnectDialog),
)

export type CardAccount = { readonly id: string; readonly name: string }

type Props = {
  account: AccountCard_account$key
  /** The provider is being asked for the figures. */
  isReading: boolean
  onDisconnect: (account: CardAccount) => void
  /** The settings of its provider are missing on this server: nothing can be read or stored. */
  isNotSetUp: boolean
  /** Whether a group cloud uses it. */
  isPooled: boolean
  onAddToPool: (account: CardAccount) => void
}

/** One connected account: provider, state, usage, and its actions. */
export function AccountCard({ account, isReading, onDisconnect, isNotSetUp, isPooled, onAddToPool }: Props) {
  const data = useFragment(
    graphql`
      fragment AccountCard_account on Account {
        id
        name
        email
        place
        provider
        providerName
        glyph
        connectsBy
        hue
        status
        statusReason
        unreachableSince
        pausedUntil
        writesPausedUntil
        createdAt @required(action: NONE)
        atRiskFiles
        capacityBytes
        poolUse
        poolReason
        capabilities
        ...AccountContents_account
        quota {
          state
          usedBytes
          reservedBytes
          totalBytes
        }
      }
    `,
    account,
  )
  const { run, cancel, busy } = useReconnect()
  const [form, setForm] = useState(false)
  // A query of another screen can add a new account to the list with fewer fields; the live update brings the others.
  if (!data) return null
  const isExpired = data.status !== 'CONNECTED'
  const name = displayName(data)
  const place = placeIn(data, name)
  return (
    <article className={`${cardStyles.card} vstack`} aria-label={name}>
      <div className={`${cardStyles.padded} grow`}>
        <div className="hstack justify-between">
          <span className="hstack">
            <AccountMark glyph={data.glyph} hue={data.hue} size={24} />
            <span className="strong">{data.providerName}</span>
          </span>
          <StatusBadge account={data} isNotSetUp={isNotSetUp} />
        </div>
        <h2 className="h2 ell mt-4" title={name}>
          {name}
        </h2>
        {place !== null && (
          <p className="meta muted ell" title={place}>
            {place}
          </p>
        )}
        <p className="meta subtle">
          <Tooltip text={formatFullDate(data.createdAt)}>
            <span>{messages.connectedAt(formatRelative(data.createdAt))}</span>
          </Tooltip>
        </p>
        <AccountUsage account={data} isReading={isReading && !isExpired} />
        {isExpired ? <Risk account={data} /> : <Paused account={data} />}
        {!isExpired && data.statusReason && <p className="meta t-warning wrap-anywhere mt-3">{data.statusReason}</p>}
        <AccountContents account={data} />
        <Facts account={data} />
        {!isPooled && !isExpired && data.poolUse !== 'NONE' && (
          <div className="hstack mt-3 justify-between">
            <span className="meta muted">{messages.inNoPool}</span>
            <Button
              size="sm"
              onClick={() => onAddToPool({ id: data.id, name: data.name })}
              aria-label={messages.addToPoolLabel(data.name)}
            >
              {messages.addToPool}
            </Button>
          </div>
        )}
      </div>
      <div className={cardStyles.foot}>
        <Button
          size="sm"
          icon={RefreshCw}
          variant={isExpired ? 'primary' : 'default'}
          busy={busy}
          onClick={() => (data.connectsBy === 'FORM' ? setForm(true) : run({ provider: data.provider, id: data.id }))}
        >
          {busy ? messages.reconnecting : messages.reconnect}
        </Button>
        {busy ? (
          <Button size="sm" variant="ghost" className="ms-auto" onClick={cancel}>
            {messages.cancel}
          </Button>
        ) : (
          <Button size="sm" variant="danger" className="ms-auto" onClick={() => onDisconnect({ id: data.id, name })}>
            {messages.disconnect}
          </Button>
        )}
      </div>
      {form && (
        <Suspense fallback={null}>
          <ReconnectDialog
            accountId={data.id}
            provider={data.provider}
            name={data.name}
            onClose={() => setForm(false)}
          />
        </Suspense>
      )}
    </article>
  )
}

type Data = NonNullable<AccountCard_account$data>

/** The account's name as in the product's pages: 'name - email' (spec 3). */
function displayName({ name, email }: Pick<Data, 'name' | 'email'>): string {
  return email ? `${name} - ${email}` : name
}

/** Where its files are; null if the shown name says it. */
function placeIn({ place }: Pick<Data, 'place'>, shown: string): string | null {
  return place && !shown.toLowerCase().includes(place.toLowerCase()) ? place : null
}

function StatusBadge({ account, isNotSetUp }: { account: Data; isNotSetUp: boolean }) {
  if (isNotSetUp) {
    return (
      <Badge tone="warning" icon={TriangleAlert}>
        {messages.notSetUp}
      </Badge>
    )
  }
  if (account.status !== 'CONNECTED') {
    return (
      <Badge tone="warning" icon={TriangleAlert}>
        {messages.expired}
      </Badge>
    )
  }
  if (account.unreachableSince) {
    return (
      <Badge tone="warning" icon={TriangleAlert}>
        {messages.unreachable}
      </Badge>
    )
  }
  return (
    <Badge tone="success" dot>
      {messages.connected}
    </Badge>
  )
}

/** What the provider can do and what not; absent while another screen's query has brought only a part of the account. */
function Facts({ account: { capabilities = [], poolUse, poolReason } }: { account: Data }) {
  const pool = poolUse === 'NONE' ? messages.notPooled : poolUse === 'EXTRA_COPIES' ? messages.extraOnly : null
  if (capabilities.length === 0 && pool === null) return null
  return (
    <div className="mt-3 grid gap-2">
      {pool !== null && <p className="meta muted">{[pool, poolReason].filter(Boolean).join(' ')}</p>}
      {capabilities.length > 0 && (
        <details className="meta muted">
          <summary>{messages.capabilities}</summary>
          <ul className="mt-1 grid list-disc gap-1 ps-5">
            {capabilities.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Risk({ account }: { account: Data }) {
  const { atRiskFiles, statusReason } = account
  const text = atRiskFiles > 0 ? messages.atRisk(atRiskFiles) : statusReason
  return text ? <p className="meta t-warning wrap-anywhere mt-3">{text}</p> : null
}

function Paused({ account: { pausedUntil, writesPausedUntil } }: { account: Data }) {
  const say = pausedUntil ? messages.paused : messages.writesPaused
  const until = pausedUntil ?? writesPausedUntil
  return until ? <p className="meta t-warning mt-3">{say(formatFullDate(until))}</p> : null
}
