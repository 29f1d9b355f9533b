import { Link2 } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type {
  Administration_viewer$data,
  Administration_viewer$key,
} from '../../__generated__/Administration_viewer.graphql.ts'
import { announce } from '../../lib/announce.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { toast } from '../../ui/toast.ts'
import { revokeInvitation } from './invitations.ts'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const InviteDialog = lateDialog(() => import('./InviteDialog.tsx').then((file) => file.InviteDialog))

const { server: texts } = messages

type Shown = NonNullable<Administration_viewer$data['administration']>
type Invitation = Shown['invitations'][number]

/** Server settings for the administrator; nothing for other users. */
export function Administration({ viewer }: { viewer: Administration_viewer$key }) {
  const { administration } = useFragment(
    graphql`
      fragment Administration_viewer on User {
        administration {
          registration
          users
          usedBytes
          totalBytes
          invitations {
            id
            email
            state
            createdAt
            expiresAt
            usedAt
            usedBy
          }
        }
      }
    `,
    viewer,
  )
  const [inviting, setInviting] = useState(false)
  if (!administration) return null
  const { registration, invitations } = administration
  return (
    <Section title={texts.title} text={texts.text}>
      <Storage administration={administration} />
      <div className={styles.row}>
        <div className="grow">
          <p className="strong">{texts.registration}</p>
          <p className="muted">{texts.modes[registration === '%future added value' ? 'OPEN' : registration]}</p>
        </div>
        {registration !== 'CLOSED' && <Button onClick={() => setInviting(true)}>{texts.invite}</Button>}
      </div>
      {invitations.length > 0 && <Invitations invitations={invitations} />}
      <Suspense fallback={null}>{inviting && <InviteDialog onClose={() => setInviting(false)} />}</Suspense>
    </Section>
  )
}

function Storage({ administration }: { administration: Shown }) {
  const { users, usedBytes } = administration
  const totalBytes = administration.totalBytes ?? null
  return (
    <div className={styles.row}>
      <div className="grow">
        <p className="strong">{texts.storage}</p>
        <p className="muted num">
          {totalBytes === null
            ? texts.used(formatBytes(usedBytes))
            : texts.usedOf(formatBytes(usedBytes), formatBytes(totalBytes))}
          {' · '}
          {texts.users(users)}
        </p>
        {totalBytes !== null && (
          <Progress
            className="mt-2"
            label={texts.storage}
            value={usedBytes}
            max={totalBytes}
            tone={usedBytes >= totalBytes ? 'failed' : 'active'}
          />
        )}
      </div>
    </div>
  )
}

function Invitations({ invitations }: { invitations: readonly Invitation[] }) {
  const environment = useRelayEnvironment()
  const list = useRef<HTMLUListElement>(null)
  const [revoking, setRevoking] = useState<string | null>(null)
  const revoke = async ({ id }: Invitation) => {
    if (revoking) return
    setRevoking(id)
    try {
      await revokeInvitation(environment, id)
      announce(texts.revoked)
      list.current?.focus()
    } catch (error) {
      toast.error(texts.revokeFailed, { description: reasonOf(error) })
    } finally {
      setRevoking(null)
    }
  }
  return (
    <div className={styles.row}>
      <ul ref={list} tabIndex={-1} className="grow" aria-label={texts.invitations}>
        {invitations.map((invitation) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            busy={revoking === invitation.id}
            onRevoke={() => void revoke(invitation)}
          />
        ))}
      </ul>
    </div>
  )
}

type RowProps = { invitation: Invitation; busy: boolean; onRevoke: () => void }

function InvitationRow({ invitation: { email, state, expiresAt, usedAt, usedBy }, busy, onRevoke }: RowProps) {
  const name = email ?? texts.anybody
  const when = usedAt ?? expiresAt
  return (
    <li className={styles.row}>
      <Icon icon={Link2} className="subtle mt-0.5" />
      <div className="grow">
        <p className="hstack flex-wrap gap-y-1">
          <span className="strong wrap-anywhere">{name}</span>
          {state !== 'OPEN' && <Badge>{state === 'USED' ? texts.usedUp : texts.expired}</Badge>}
        </p>
        <p className="muted">
          <Tooltip text={formatFullDate(when)} describes>
            <time dateTime={when}>
              {usedAt
                ? texts.usedBy(usedBy ?? null, formatRelative(usedAt))
                : texts.expires(formatRelative(expiresAt), state === 'EXPIRED')}
            </time>
          </Tooltip>
        </p>
      </div>
      {state === 'OPEN' && (
        <Button size="sm" busy={busy} aria-label={texts.revokeOf(name)} onClick={onRevoke}>
          {texts.revoke}
        </Button>
      )}
    </li>
  )
}
