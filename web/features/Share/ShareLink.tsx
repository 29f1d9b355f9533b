import { Copy } from 'lucide-react'
import { useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { ShareLink_share$data, ShareLink_share$key } from '../../__generated__/ShareLink_share.graphql.ts'
import { formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copyText.ts'
import { ChangeLink } from './ChangeLink.tsx'
import { EndLink } from './EndLink.tsx'
import { messages } from './messages.ts'
import { revokeShare } from './revokeShare.ts'
import styles from './ShareDialog.module.css'

/** One link: its address, terms, usage and actions. */
export function ShareLink({ share: key }: { share: ShareLink_share$key }) {
  const share = useFragment(
    graphql`
      fragment ShareLink_share on Share {
        id
        url
        state
        hasPassword
        expiresAt
        maxDownloads
        downloads
        providerUrl
        providerName
      }
    `,
    key,
  )
  const environment = useRelayEnvironment()
  const { open, setOpen, close, opener } = useLinkPart()
  return (
    <>
      <LinkLine label={messages.linkLabel} copyLabel={messages.copy} url={share.url} />
      {share.providerUrl && (
        <div className="mt-2">
          <LinkLine
            label={messages.providerLabel(share.providerName ?? messages.providerLink)}
            copyLabel={messages.copyProvider(share.providerName ?? messages.providerLink)}
            url={share.providerUrl}
          />
        </div>
      )}
      {open === null && (
        <div className={styles.facts}>
          <Facts share={share} />
          <Button ref={opener('change')} size="sm" variant="ghost" onClick={() => setOpen('change')}>
            {messages.change}
          </Button>
          <Button ref={opener('end')} size="sm" variant="danger" onClick={() => setOpen('end')}>
            {messages.end}
          </Button>
        </div>
      )}
      {open === 'change' && <ChangeLink share={share} onClose={close} />}
      {open === 'end' && (
        <EndLink question={messages.endQuestion} end={() => revokeShare(environment, share.id)} onClose={close} />
      )}
    </>
  )
}

type LinkPart = 'change' | 'end'

/** Which part of a link is open in place of its facts. Closed, it gives the focus back to the button that has opened it. */
export function useLinkPart() {
  const [open, setOpen] = useState<LinkPart | null>(null)
  const [left, setLeft] = useState<LinkPart | null>(null)
  const close = () => {
    setLeft(open)
    setOpen(null)
  }
  const opener = (part: LinkPart) => (part === left ? focus : null)
  return { open, setOpen, close, opener }
}

const focus = (button: HTMLButtonElement | null) => button?.focus()

type LineProps = { readonly label: string; readonly copyLabel: string; readonly url: string }

/** An address with a button that copies it. */
export function LinkLine({ label, copyLabel, url }: LineProps) {
  return (
    <div className={styles.line}>
      <input
        className={styles.url}
        readOnly
        value={url}
        aria-label={label}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button icon={Copy} aria-label={copyLabel} onClick={() => void copyText(url)}>
        Copy
      </Button>
    </div>
  )
}

function Facts({ share }: { share: ShareLink_share$data }) {
  const { hasPassword, expiresAt, maxDownloads, downloads, state } = share
  const facts = [
    ...(hasPassword ? [messages.hasPassword] : []),
    ...(expiresAt ? [messages.expiresAt(formatRelative(expiresAt))] : []),
    maxDownloads ? messages.downloadsOf(downloads, maxDownloads) : messages.downloads(downloads),
  ]
  return (
    <span className="meta subtle num grow" title={expiresAt ? formatFullDate(expiresAt) : undefined}>
      {state === 'PAUSED' && (
        <>
          <Badge tone="warning" dot>
            {messages.paused}
          </Badge>{' '}
        </>
      )}
      {facts.join(' · ')}
    </span>
  )
}
