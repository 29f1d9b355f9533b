import { Monitor, SquareTerminal } from 'lucide-react'
import { useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { Sessions_viewer$data, Sessions_viewer$key } from '../../__generated__/Sessions_viewer.graphql.ts'
import { announce } from '../../lib/announce.ts'
import { formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { serverText } from '../../lib/serverText.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { toast } from '../../ui/toast.ts'
import { endOtherSessions, endSession } from './endSessions.ts'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const { sessions: texts } = messages

type Session = Sessions_viewer$data['sessions'][number]

/** Where the account is signed in, and the way to end that from here. */
export function Sessions({ viewer }: { viewer: Sessions_viewer$key }) {
  const { sessions } = useFragment(
    graphql`
      fragment Sessions_viewer on User {
        id
        sessions {
          id
          name
          address
          current
          createdAt
          lastSeenAt
        }
      }
    `,
    viewer,
  )
  const environment = useRelayEnvironment()
  const list = useRef<HTMLUListElement>(null)
  const { run, ending } = useEnding(() => list.current?.focus())
  const end = (session: Session) =>
    run(session.id, async () => {
      await endSession(environment, session.id)
      return texts.ended(serverText(session.name))
    })
  const endOthers = () => run('others', async () => texts.endedMany(await endOtherSessions(environment)))
  return (
    <Section
      title={texts.title}
      text={texts.text}
      action={
        sessions.length > 1 && (
          <Button size="sm" busy={ending === 'others'} onClick={() => void endOthers()}>
            {texts.signOutOthers}
          </Button>
        )
      }
    >
      <ul ref={list} tabIndex={-1} aria-label={texts.title}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} busy={ending === session.id} onEnd={() => void end(session)} />
        ))}
      </ul>
    </Section>
  )
}

type RowProps = { session: Session; busy: boolean; onEnd: () => void }

function SessionRow({ session, busy, onEnd }: RowProps) {
  const { address, current, createdAt, lastSeenAt } = session
  const name = serverText(session.name)
  return (
    <li className={styles.row}>
      <Icon icon={session.name === 'A program' ? SquareTerminal : Monitor} className="subtle mt-0.5" />
      <div className="grow">
        <p className="hstack flex-wrap gap-y-1">
          <span className="strong">{name}</span>
          {current && <Badge tone="accent">{texts.current}</Badge>}
        </p>
        <p className="muted">
          <span className="wrap-anywhere">{address}</span>
          {' · '}
          <Tooltip text={formatFullDate(current ? createdAt : lastSeenAt)} describes>
            <time dateTime={current ? createdAt : lastSeenAt}>
              {current ? texts.signedIn(formatRelative(createdAt)) : texts.lastSeen(formatRelative(lastSeenAt))}
            </time>
          </Tooltip>
        </p>
      </div>
      {!current && (
        <Button size="sm" busy={busy} aria-label={texts.signOutOf(name, address)} onClick={onEnd}>
          {texts.signOut}
        </Button>
      )}
    </li>
  )
}

/** One at a time; how it went is read out, and a failure is shown. */
function useEnding(onEnded: () => void) {
  const [ending, setEnding] = useState<string | null>(null)
  const run = async (what: string, act: () => Promise<string>) => {
    if (ending) return
    setEnding(what)
    try {
      announce(await act())
      onEnded()
    } catch (error) {
      toast.error(texts.failed, { description: reasonOf(error) })
    } finally {
      setEnding(null)
    }
  }
  return { run, ending }
}
