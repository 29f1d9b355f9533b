import { KeyRound } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { KeyList_viewer$key } from '../../__generated__/KeyList_viewer.graphql.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import type { KeyChange } from './changeApiKey.ts'
import { KeyCard } from './KeyCard.tsx'
import styles from './Keys.module.css'
import { messages } from './messages.ts'
import { type UsageByKey, UsageReader } from './UsageReader.tsx'

const ChangeKeyDialog = lateDialog(() => import('./ChangeKeyDialog.tsx').then((file) => file.ChangeKeyDialog))

/** One card per key, the newest first. Their usage is fetched in the same query. */
export function KeyList({ viewer }: { viewer: KeyList_viewer$key }) {
  const { apiKeys } = useFragment(
    graphql`
      fragment KeyList_viewer on User {
        apiKeys {
          id
          ...KeyCard_apiKey
        }
      }
    `,
    viewer,
  )
  const [usage, setUsage] = useState<UsageByKey>()
  const { change, ask, close, list } = useKeyChange()
  if (apiKeys.length === 0) {
    return (
      <div className={styles.keysNone}>
        <EmptyState icon={KeyRound} title={messages.emptyTitle} text={messages.emptyText} />
      </div>
    )
  }
  return (
    <>
      <div className={styles.keys} ref={list}>
        <RetryBoundary>
          <Suspense fallback={null}>
            <UsageReader onRead={setUsage} />
          </Suspense>
        </RetryBoundary>
        {apiKeys.map((apiKey) => (
          <KeyCard key={apiKey.id} apiKey={apiKey} usage={usage && (usage.get(apiKey.id) ?? [])} onChange={ask} />
        ))}
      </div>
      <Suspense fallback={null}>{change && <ChangeKeyDialog change={change} onClose={close} />}</Suspense>
    </>
  )
}

/** The question that is open. Once it is answered the focus goes to the card: its button may be disabled by then. */
function useKeyChange() {
  const [change, setChange] = useState<KeyChange | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const answered = useRef<string>(undefined)
  useEffect(() => {
    if (change || !answered.current) return
    const card = list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(answered.current)}"]`)
    answered.current = undefined
    // After the dialog has tried to give the focus back.
    const timer = setTimeout(() => document.activeElement === document.body && card?.focus())
    return () => clearTimeout(timer)
  }, [change])
  const close = () => {
    answered.current = change?.id
    setChange(null)
  }
  return { change, ask: setChange, close, list }
}
