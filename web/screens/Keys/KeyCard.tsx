import { Copy, KeyRound, RefreshCw } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import type { KeyCard_apiKey$data, KeyCard_apiKey$key } from '../../__generated__/KeyCard_apiKey.graphql.ts'
import { formatDay, formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copyText.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import type { KeyChange } from './changeApiKey.ts'
import { KeyUsage } from './KeyUsage.tsx'
import type { Usage } from './UsageReader.tsx'
import { words } from './words.ts'

type Props = {
  apiKey: KeyCard_apiKey$key
  /** Undefined while it is being read. */
  usage: Usage | undefined
  onChange: (change: KeyChange) => void
}

/** One key: what it is called, whether it works, the key itself, and the ways to end it. */
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
    <article className="card key" aria-label={name} data-id={id} tabIndex={-1}>
      <div className="key-head">
        <h2 className="h2">{name}</h2>
        <Badge tone="line" icon={KeyRound}>
          {words.badge}
        </Badge>
        <Badge tone={status === 'ACTIVE' ? 'success' : 'danger'} dot>
          {words.status[status] ?? status}
        </Badge>
      </div>
      <KeyValue apiKey={data} />
      <div className="key-meta meta subtle num">
        <KeyDates apiKey={data} />
        {status === 'ACTIVE' && <KeyUsage lastUsedAt={data.lastUsedAt} usage={usage} />}
      </div>
      <div className="key-acts">
        <Button size="sm" icon={RefreshCw} disabled={status !== 'ACTIVE'} onClick={ask('REGENERATE')}>
          {words.regenerate}
        </Button>
        <Button size="sm" variant="danger" disabled={status === 'REVOKED'} onClick={ask('REVOKE')}>
          {words.revoke}
        </Button>
      </div>
    </article>
  )
}

type Data = KeyCard_apiKey$data

function KeyValue({ apiKey: { name, key, status } }: { apiKey: Data }) {
  const isDead = status !== 'ACTIVE'
  return (
    <div className="key-value">
      <code className={isDead ? 'mono ell off' : 'mono ell'} title={key}>
        {key}
      </code>
      <IconButton
        variant="default"
        label={words.copy(name)}
        icon={Copy}
        disabled={isDead}
        onClick={() => void copyText(key)}
      />
    </div>
  )
}

function KeyDates({ apiKey: { createdAt, revokedAt, expiresAt, status, scopes } }: { apiKey: Data }) {
  const isLimited = scopes.length < Object.keys(words.scopeVerbs).length
  return (
    <>
      <p>
        <Moment iso={createdAt} text={words.created(formatRelative(createdAt))} />
      </p>
      {status === 'REVOKED' && revokedAt && (
        <p>
          <Moment iso={revokedAt} text={words.revokedAt(formatDay(revokedAt))} />
        </p>
      )}
      {status === 'EXPIRED' && expiresAt && (
        <p>
          <Moment iso={expiresAt} text={words.expiredAt(formatDay(expiresAt))} />
        </p>
      )}
      {status === 'ACTIVE' && (isLimited || expiresAt) && (
        <p>
          {isLimited && words.only(scopes.map((scope) => words.scopeVerbs[scope] ?? scope))}
          {isLimited && expiresAt && ' · '}
          {expiresAt && <Moment iso={expiresAt} text={words.expiresAt(formatRelative(expiresAt))} />}
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
