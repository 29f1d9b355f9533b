import { Copy, KeyRound, RefreshCw } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import type { KeyCard_apiKey$data, KeyCard_apiKey$key } from '../../__generated__/KeyCard_apiKey.graphql.ts'
import { formatDay, formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { copyText } from '../../ui/copyText.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import type { KeyChange } from './changeApiKey.ts'
import styles from './Keys.module.css'
import { KeyUsage } from './KeyUsage.tsx'
import { messages } from './messages.ts'
import type { Usage } from './UsageReader.tsx'

type Props = {
  apiKey: KeyCard_apiKey$key
  /** Undefined while it is being read. */
  usage: Usage | undefined
  onChange: (change: KeyChange) => void
}

/** One key: its name, status, value, and actions. */
export function KeyCard({ apiKey, usage, onChange }: Props) {
  const data = useFragment(
    graphql`
      fragment KeyCard_apiKey on ApiKey {
        id
        name
        key
        status
        scopes
        expiresAt
        lastUsedAt
        revokedAt
        createdAt
      }
    `,
    apiKey,
  )
  const { id, name, status } = data
  const ask = (kind: KeyChange['kind']) => () => onChange({ kind, id, name })
  return (
    <article className={`${cardStyles.card} ${styles.key}`} aria-label={name} data-id={id} tabIndex={-1}>
      <div className={styles.keyHead}>
        <h2 className="h2">{name}</h2>
        <Badge tone="line" icon={KeyRound}>
          {messages.badge}
        </Badge>
        <Badge tone={status === 'ACTIVE' ? 'success' : 'danger'} dot>
          {messages.status[status] ?? status}
        </Badge>
      </div>
      <KeyValue apiKey={data} />
      <div className={`${styles.keyMeta} meta subtle num`}>
        <KeyDates apiKey={data} />
        {status === 'ACTIVE' && <KeyUsage lastUsedAt={data.lastUsedAt} usage={usage} />}
      </div>
      <div className={styles.keyActions}>
        <Button size="sm" icon={RefreshCw} disabled={status !== 'ACTIVE'} onClick={ask('REGENERATE')}>
          {messages.regenerate}
        </Button>
        <Button size="sm" variant="danger" disabled={status === 'REVOKED'} onClick={ask('REVOKE')}>
          {messages.revoke}
        </Button>
      </div>
    </article>
  )
}

type Data = KeyCard_apiKey$data

function KeyValue({ apiKey: { name, key, status } }: { apiKey: Data }) {
  const isDead = status !== 'ACTIVE'
  return (
    <div className={styles.keyValue}>
      <code className={isDead ? `mono ell ${styles.off}` : 'mono ell'} title={key}>
        {key}
      </code>
      <IconButton
        variant="default"
        label={messages.copy(name)}
        icon={Copy}
        disabled={isDead}
        onClick={() => void copyText(key)}
      />
    </div>
  )
}

function KeyDates({ apiKey: { createdAt, revokedAt, expiresAt, status, scopes } }: { apiKey: Data }) {
  const isLimited = scopes.length < Object.keys(messages.scopeVerbs).length
  return (
    <>
      <p>
        <Moment iso={createdAt} text={messages.created(formatRelative(createdAt))} />
      </p>
      {status === 'REVOKED' && revokedAt && (
        <p>
          <Moment iso={revokedAt} text={messages.revokedAt(formatDay(revokedAt))} />
        </p>
      )}
      {status === 'EXPIRED' && expiresAt && (
        <p>
          <Moment iso={expiresAt} text={messages.expiredAt(formatDay(expiresAt))} />
        </p>
      )}
      {status === 'ACTIVE' && (isLimited || expiresAt) && (
        <p>
          {isLimited && messages.only(scopes.map((scope) => messages.scopeVerbs[scope] ?? scope))}
          {isLimited && expiresAt && ' · '}
          {expiresAt && <Moment iso={expiresAt} text={messages.expiresAt(formatRelative(expiresAt))} />}
        </p>
      )}
    </>
  )
}

const Moment = ({ iso, text }: { iso: string; text: string }) => (
  <Tooltip text={formatFullDate(iso)} describes>
    <time dateTime={iso}>{text}</time>
  </Tooltip>
)
