import { CircleCheck, Gauge, RefreshCw, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import { Link } from 'react-router'
import type { Attention_viewer$key } from '../../__generated__/Attention_viewer.graphql.ts'
import { useReconnect } from '../../features/Connect/useConnect.ts'
import { changeTransfer } from '../../features/Transfers/changeTransfer.ts'
import { cx } from '../../lib/cx.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { toast } from '../../ui/toast.ts'
import { type AttentionItem, attentionOf, type Remedy } from './attention.ts'
import styles from './Dashboard.module.css'
import { messages } from './messages.ts'

/** Problems that only the owner can fix, each with its remedy. */
export function Attention({ viewer }: { viewer: Attention_viewer$key }) {
  const data = useFragment(
    graphql`
      fragment Attention_viewer on User {
        accounts {
          id
          name
          provider
          providerName
          hue
          status
          unreachableSince
          atRiskFiles
          quota {
            state
            usedBytes
            reservedBytes
            totalBytes
          }
        }
        atRisk {
          files
          first {
            id
            name
          }
        }
        transfersConnection(open: true, first: 200) {
          edges {
            node {
              id
              state
              error
            }
          }
        }
      }
    `,
    viewer,
  )
  const items = attentionOf({ ...data, transfers: data.transfersConnection.edges.map(({ node }) => node) })
  return (
    <section className={cardStyles.card} aria-labelledby="needs-attention">
      <div className={styles.head}>
        <h2 className="h3 grow" id="needs-attention">
          {messages.attention}
        </h2>
      </div>
      {items.length === 0 ? (
        <p className={`${styles.attention} meta muted`}>
          <Icon icon={CircleCheck} className="subtle" />
          {messages.allWell}
        </p>
      ) : (
        <ul>
          {items.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Item({ item: { tone, title, text, remedy } }: { item: AttentionItem }) {
  const isWarning = tone === 'warning'
  return (
    <li className={styles.attention}>
      <Icon icon={isWarning ? TriangleAlert : Gauge} className={cx(isWarning ? 't-warning' : 'subtle')} />
      <span className="grow">
        <b>{title}</b>
        <span className="meta muted">{text}</span>
        <RemedyButton remedy={remedy} />
      </span>
    </li>
  )
}

function RemedyButton({ remedy }: { remedy: Remedy }) {
  if (remedy.kind === 'reconnect') return <Reconnect account={remedy.account} />
  if (remedy.kind === 'retry') return <Retry ids={remedy.transferIds} />
  return (
    <Link className={buttonClass('default', 'sm')} to={remedy.to}>
      {remedy.label}
    </Link>
  )
}

function Reconnect({ account }: { account: { readonly id: string; readonly provider: string } }) {
  const { run, busy } = useReconnect()
  return (
    <Button size="sm" icon={RefreshCw} busy={busy} onClick={() => run(account)}>
      {busy ? messages.reconnecting : messages.reconnect}
    </Button>
  )
}

function Retry({ ids }: { ids: readonly string[] }) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const retry = async () => {
    setBusy(true)
    try {
      await Promise.all(ids.map((id) => changeTransfer(environment, id, 'retry')))
    } catch (error) {
      toast.error(messages.retryFailed, { description: reasonOf(error) })
    }
    setBusy(false)
  }
  return (
    <Button size="sm" busy={busy} onClick={retry}>
      {messages.retry}
    </Button>
  )
}
