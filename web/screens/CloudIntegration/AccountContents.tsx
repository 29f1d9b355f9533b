import { Suspense, useEffect, useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import { Link } from 'react-router'
import type { IEnvironment } from 'relay-runtime'
import type {
  AccountContents_account$data,
  AccountContents_account$key,
} from '../../__generated__/AccountContents_account.graphql.ts'
import { refreshAccountIndex, setShown } from '../../features/Connect/accountIndex.ts'
import { HeldNotice } from '../../features/Connect/HeldNotice.tsx'
import { timeLeft } from '../../features/Connect/timeLeft.ts'
import { formatRelative } from '../../lib/formatDate.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { toast } from '../../ui/toast.ts'
import styles from './CloudIntegration.module.css'
import { messages } from './messages.ts'

const IndexSettingsDialog = lateDialog(() =>
  import('../../features/Connect/IndexSettingsDialog.tsx').then((file) => file.IndexSettingsDialog),
)

/** What is shown of an account: everything that it holds, or only what Skypool stores there. */
export function AccountContents({ account }: { account: AccountContents_account$key }) {
  const data = useFragment(
    graphql`
      fragment AccountContents_account on Account {
        id
        name
        status
        canShowEverything
        connectsBy
        index {
          phase
          entries
          expected
          startedAt
          asOf
          problem
          heldDeletions
          rootFileId
        }
      }
    `,
    account,
  )
  const { id, name, index } = data
  const [isOpen, setOpen] = useState(false)
  const { busy, run, expectChange, box } = useAction(`${index !== null} ${(index?.heldDeletions ?? 0) > 0}`)
  if (!index) {
    // The storage of this server has nothing else.
    if (!data.connectsBy) return null
    return (
      <div ref={box} className="hstack mt-3 justify-between">
        <span className="meta muted">{messages.showsOwn}</span>
        {data.canShowEverything && (
          <Button
            size="sm"
            busy={busy}
            aria-label={messages.showEverythingLabel(name)}
            onClick={() => run((environment) => setShown(environment, id, { scope: 'EVERYTHING' }))}
          >
            {messages.showEverything}
          </Button>
        )}
      </div>
    )
  }
  return (
    <div ref={box} className="grid gap-2 mt-3">
      <div className="hstack justify-between">
        <span className="meta muted num" role="status">
          {stateText(index)}
        </span>
        <Link className="link meta" to={`/file-manager/my-drive?folder=${index.rootFileId}`}>
          {messages.openContents}
        </Link>
      </div>
      {index.heldDeletions > 0 && <HeldNotice accountId={id} count={index.heldDeletions} onDecided={expectChange} />}
      <div className={`hstack ${styles.textButtons}`}>
        {data.status === 'CONNECTED' && (
          <Button
            size="sm"
            variant="ghost"
            busy={busy}
            aria-label={messages.lookAgainLabel(name)}
            onClick={() => run((environment) => refreshAccountIndex(environment, id))}
          >
            {messages.lookAgain}
          </Button>
        )}
        <Button
          size="sm"
          variant="ghost"
          busy={busy}
          aria-label={messages.settingsLabel(name)}
          onClick={() => setOpen(true)}
        >
          {messages.settings}
        </Button>
        {isOpen && (
          <Suspense>
            <IndexSettingsDialog accountId={id} name={name} onClose={() => setOpen(false)} />
          </Suspense>
        )}
      </div>
    </div>
  )
}

type Index = NonNullable<AccountContents_account$data['index']>

function stateText(index: Index): string {
  const { phase, entries, asOf, problem } = index
  const count = entries.toLocaleString()
  if (problem) return asOf === null && entries === 0 ? messages.notListed : messages.asBefore(count)
  if (phase === 'FIRST_PASS' && entries === 0) return messages.listing
  if (phase === 'FIRST_PASS') return messages.foundSoFar(count, timeLeft(index, Date.now()))
  if (phase === 'WALK' && asOf) return messages.listed(count, formatRelative(asOf))
  return asOf ? messages.upToDate(count, formatRelative(asOf)) : messages.entries(count)
}

/**
 * Runs one action at a time; a failure is shown as a toast. An action can replace the button that started it: when `shown`, which
 * names what is displayed, has changed, the first control in `box` gets the focus.
 */
function useAction(shown: string) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const before = useRef<string | null>(null)
  useEffect(() => {
    if (busy || before.current === null || before.current === shown) return
    before.current = null
    box.current?.querySelector<HTMLElement>('a, button')?.focus()
  }, [busy, shown])
  const expectChange = () => {
    before.current = shown
  }
  const run = async (act: (environment: IEnvironment) => Promise<void>) => {
    expectChange()
    setBusy(true)
    try {
      await act(environment)
    } catch (error) {
      toast.error(messages.scopeFailed, { description: reasonOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return { busy, run, expectChange, box }
}
