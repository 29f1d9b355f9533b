import { Check, ChevronRight, Copy, ExternalLink, RefreshCw, TriangleAlert, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fetchQuery, graphql, useFragment, useRelayEnvironment } from 'react-relay'
import { Link } from 'react-router'
import type {
  ProviderSetup_provider$data,
  ProviderSetup_provider$key,
} from '../../__generated__/ProviderSetup_provider.graphql.ts'
import type { ProviderSetupQuery } from '../../__generated__/ProviderSetupQuery.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { formatFullDate } from '../../lib/formatDate.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { copyText } from '../../ui/copyText.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import pageStyles from '../../ui/Page.module.css'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import styles from './ProviderSetup.module.css'

const { setup } = messages

type Provider = ProviderSetup_provider$data

type Props = { provider: ProviderSetup_provider$key; isAdministrator: boolean; onConnect: () => void }

/** How the administrator sets a provider up, with what to copy, and whether it is done. Others read whom to ask. */
export function ProviderSetup({ provider: key, isAdministrator, onConnect }: Props) {
  const provider = useFragment(
    graphql`
      fragment ProviderSetup_provider on Provider {
        id
        name
        hue
        glyph
        availability
        settings
        requiredSettings
        setupSteps
      }
    `,
    key,
  )
  const { name, glyph, hue, setupSteps, requiredSettings, availability } = provider
  const isReady = availability === 'READY'
  return (
    <>
      <nav className={cx(styles.crumbs, 'only-d')} aria-label={setup.crumbs}>
        <Link to="/cloud-integration">{messages.title}</Link>
        <Icon icon={ChevronRight} size={14} />
        <span className="muted">{setup.title(name)}</span>
      </nav>
      <div className={pageStyles.head}>
        <div className="grow">
          <h1 className="hstack gap-3">
            <AccountMark glyph={glyph} hue={hue} size={32} />
            {setup.title(name)}
          </h1>
          <p>{isAdministrator || isReady ? setup.intro(name) : setup.ask(name)}</p>
        </div>
      </div>
      {(isAdministrator || isReady) && (
        <div className={styles.columns}>
          <div className="min-w-0">
            <AddressWarning />
            <ol className={styles.steps}>
              {setupSteps.map((step) => (
                <Step key={step} text={step} settings={requiredSettings} />
              ))}
            </ol>
          </div>
          <State provider={provider} onConnect={onConnect} />
        </div>
      )}
    </>
  )
}

const PUBLIC_URL = '<PUBLIC_URL>'
const LINK = /\s?\((https:\/\/[^\s)]+)\)/
const ADDRESS = /\s<PUBLIC_URL>[^\s,]*[^\s,.]/
const LINES = /\s`([^`]+)`/g

/**
 * A step: its first sentence is the heading. The page that it links to, the redirect address, lines in backquotes and the lines of
 * settings that it names follow the text, in separate boxes what is to be copied.
 */
function Step({ text, settings }: { text: string; settings: readonly string[] }) {
  const [, link] = LINK.exec(text) ?? []
  const plain = text.replace(LINK, '')
  const [address] = ADDRESS.exec(plain) ?? []
  const [, heading = plain, rest = ''] = /^(.*?)\.\s+(.*)$/s.exec(plain.replace(ADDRESS, '').replace(LINES, '')) ?? []
  const lines = [...plain.matchAll(LINES)].map(([, line]) => line).join('\n')
  const named = settings.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  return (
    <li>
      <div className="min-w-0" data-one-text>
        <h2 className="h3">{heading}</h2>
        <p>
          {rest} {link !== undefined && <StepLink address={link} />}
        </p>
        {address !== undefined && (
          <>
            <CodeBox text={address.trim().replace(PUBLIC_URL, window.location.origin)} label={setup.copyAddress} />
            {isLoopback() && <p className="meta t-warning mt-2">{setup.loopbackRedirect(window.location.hostname)}</p>}
          </>
        )}
        {lines !== '' && <CodeBox text={lines} label={setup.copyLines} />}
        {named.length > 0 && (
          <>
            <CodeBox text={named.map((name) => `${name}=`).join('\n')} label={setup.copySettings} />
            <p className="meta subtle mt-2">{setup.restart}</p>
          </>
        )}
      </div>
    </li>
  )
}

/** A link can fill in a form with the address of this server. That part is not shown. */
function StepLink({ address }: { address: string }) {
  return (
    <a
      className="link hstack inline-flex gap-1"
      href={address.replaceAll(PUBLIC_URL, encodeURIComponent(window.location.origin))}
      target="_blank"
      rel="noreferrer"
    >
      {setup.open(address.replace(/^https:\/\//, '').replace(/\?.*/, ''))}
      <Icon icon={ExternalLink} size={14} />
    </a>
  )
}

/** Providers send people back only to https, or to localhost; a plain address in a network is refused by their consoles. */
function AddressWarning() {
  const { protocol, hostname, origin } = window.location
  if (protocol === 'https:' || hostname === 'localhost') return null
  return (
    <div className="mb-5">
      <Notice tone="warning">
        {isLoopback() ? (
          <>
            {setup.loopbackAddress(origin)}{' '}
            <a className="link" href={localhost()}>
              {setup.openLocalhost}
            </a>
          </>
        ) : (
          setup.insecureAddress(origin)
        )}
      </Notice>
    </div>
  )
}

/** This computer by its number: providers compare addresses by their text. */
const isLoopback = () => window.location.protocol === 'http:' && /^(?:127\.|\[::1\])/.test(window.location.hostname)

/** This page at `localhost`. */
function localhost(): string {
  const address = new URL(window.location.href)
  address.hostname = 'localhost'
  return address.href
}

const COPIED_MS = 2_000

function CodeBox({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <div className={styles.code}>
      <code>{text}</code>
      <Button
        size="sm"
        icon={copied ? Check : Copy}
        aria-label={copied ? undefined : label}
        onClick={() => void copyText(text).then(setCopied)}
      >
        {copied ? setup.copied : setup.copy}
      </Button>
    </div>
  )
}

const query = graphql`
  query ProviderSetupQuery {
    viewer {
      id
      providers {
        id
        availability
        ...ProviderSetup_provider
        ...ProviderRows_provider
      }
    }
  }
`

/** Which settings the running server has. */
function State({ provider, onConnect }: { provider: Provider; onConnect: () => void }) {
  const environment = useRelayEnvironment()
  const [checkedAt, setCheckedAt] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const { id, name, settings, requiredSettings, availability } = provider
  const isReady = availability === 'READY'
  const check = async () => {
    setBusy(true)
    try {
      const options = { fetchPolicy: 'network-only' } as const
      const response = await fetchQuery<ProviderSetupQuery>(environment, query, {}, options).toPromise()
      setCheckedAt(new Date().toISOString())
      const checked = response?.viewer?.providers.find((one) => one.id === id)
      if (checked?.availability !== 'READY') {
        toast.info(setup.stillMissing, { id: 'setup', description: setup.stillMissingText })
      }
    } catch (error) {
      toast.error(setup.checkFailed, { description: reasonOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className={cx(cardStyles.card, styles.state)} aria-labelledby={`setup-${id}`}>
      <div className={cardStyles.padded} role="status">
        <div className="hstack justify-between">
          <h2 className="h3" id={`setup-${id}`}>
            {setup.state}
          </h2>
          {isReady ? (
            <Badge tone="success" dot>
              {setup.ready}
            </Badge>
          ) : (
            <Badge tone="warning" icon={TriangleAlert}>
              {setup.notReady}
            </Badge>
          )}
        </div>
        <ul className={styles.checks}>
          {requiredSettings.map((setting) => {
            const isMissing = settings.includes(setting)
            return (
              <li key={setting}>
                <Icon icon={isMissing ? X : Check} size={14} className={isMissing ? 't-danger' : 't-success'} />
                <span className="grow mono ell">{setting}</span>
                <span className="subtle">{isMissing ? setup.isMissing : setup.isSet}</span>
              </li>
            )
          })}
        </ul>
        {isReady && <p className="meta muted mt-3">{setup.readyMeans}</p>}
        <p className="meta subtle num mt-3">
          {checkedAt === null ? setup.readAtStart : setup.checkedAt(formatFullDate(checkedAt))}
        </p>
      </div>
      <div className={cardStyles.foot}>
        {isReady ? (
          <Button variant="primary" className="grow" onClick={onConnect}>
            {setup.connect(name)}
          </Button>
        ) : (
          <Button variant="primary" icon={RefreshCw} className="grow" busy={busy} onClick={() => void check()}>
            {setup.checkAgain}
          </Button>
        )}
      </div>
    </section>
  )
}
