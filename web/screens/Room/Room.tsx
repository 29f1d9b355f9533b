import { type KeyboardEvent, Suspense, useRef } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { RoomAccountsQuery } from '../../__generated__/RoomAccountsQuery.graphql.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { accountLabel } from '../../lib/accountLabel.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { BACK, FORTH } from '../../lib/keyboard.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { hueStyle } from '../../ui/hue.ts'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import pageStyles from '../../ui/Page.module.css'
import { UNKNOWN_WIDTH } from '../../ui/PoolBar.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { messages } from './messages.ts'
import styles from './Room.module.css'
import { RoomFolder } from './RoomFolder.tsx'
import { type RoomPlace, useRoomPlace } from './roomUrl.ts'

/** What fills the accounts. */
export function Room() {
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} />
      <div className={pageStyles.page} data-testid="page">
        <div className={pageStyles.inner} ref={keepFocusInside}>
          <div className={pageStyles.head}>
            <div className="grow">
              <h1>{messages.title}</h1>
              <p>{messages.intro}</p>
            </div>
          </div>
          <RetryBoundary>
            <Suspense fallback={<Loading />}>
              <Accounts />
            </Suspense>
          </RetryBoundary>
        </div>
      </div>
    </>
  )
}

function Accounts() {
  const { viewer } = useLazyLoadQuery<RoomAccountsQuery>(
    graphql`
      query RoomAccountsQuery {
        viewer {
          accounts {
            id
            name
            provider
            providerName
            glyph
            hue
            status
            statusReason
            scope
            quota {
              usedBytes
              totalBytes
            }
          }
        }
      }
    `,
    {},
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const { place, go } = useRoomPlace()
  const accounts = viewer?.accounts ?? []
  // Where something can be walked into, before what only Skypool stores.
  const first = accounts.find(({ scope }) => scope === 'EVERYTHING') ?? accounts[0]
  const account = accounts.find(({ id }) => id === place.account) ?? first
  if (!account) return null
  const here: RoomPlace =
    account.id === place.account ? place : { ...place, account: account.id, folder: null, home: null }
  return (
    <>
      <AccountTabs
        accounts={accounts}
        selected={account.id}
        onSelect={(id) => go({ account: id, view: place.view }, true)}
      />
      <div role="tabpanel" id="room-account" aria-label={accountLabel(account)}>
        <RetryBoundary about={`${here.account} ${here.folder} ${here.home}`}>
          <Suspense fallback={<Loading />}>
            <RoomFolder place={here} account={{ ...account, label: accountLabel(account) }} onGo={go} />
          </Suspense>
        </RetryBoundary>
      </div>
    </>
  )
}

type Account = NonNullable<RoomAccountsQuery['response']['viewer']>['accounts'][number]

type TabsProps = {
  readonly accounts: readonly Account[]
  readonly selected: string
  readonly onSelect: (id: string) => void
}

const STEP: Readonly<Record<string, number>> = { [FORTH]: 1, ArrowDown: 1, [BACK]: -1, ArrowUp: -1 }

/** The pool bar with a tab for each account. */
function AccountTabs({ accounts, selected, onSelect }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const at = accounts.findIndex(({ id }) => id === selected)
    const step = STEP[event.key]
    const end = { Home: 0, End: accounts.length - 1 }[event.key]
    const next = end ?? (step === undefined ? undefined : (at + step + accounts.length) % accounts.length)
    const account = next === undefined ? undefined : accounts[next]
    if (next === undefined || !account) return
    event.preventDefault()
    onSelect(account.id)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div ref={list} className={styles.accounts} role="tablist" aria-label={messages.accounts} onKeyDown={onKeyDown}>
      {accounts.map((account) => {
        const { id, hue, status, quota } = account
        const isSelected = id === selected
        const look = status === 'EXPIRED' ? styles.expired : quota.totalBytes == null && styles.unknown
        const used = quota.totalBytes ? Math.min(100, (quota.usedBytes / quota.totalBytes) * 100) : 0
        return (
          <Tooltip key={id} text={usageText(account)} describes>
            <button
              type="button"
              role="tab"
              aria-selected={isSelected}
              aria-controls="room-account"
              aria-label={accountLabel(account)}
              tabIndex={isSelected ? 0 : -1}
              className={cx(look)}
              style={hueStyle(hue, { '--u': `${used}%`, flexGrow: quota.totalBytes ?? UNKNOWN_WIDTH })}
              onClick={() => onSelect(id)}
            />
          </Tooltip>
        )
      })}
    </div>
  )
}

function usageText(account: Account): string {
  const { usedBytes, totalBytes } = account.quota
  const used = formatBytes(usedBytes)
  const text = totalBytes == null ? messages.used(used) : messages.usedOf(used, formatBytes(totalBytes))
  return `${accountLabel(account)}: ${text}`
}

function Loading() {
  return (
    <div role="status" aria-label={messages.loading}>
      <Skeleton width={280} height={20} className="my-5" />
      <Skeleton height={8} />
      <Skeleton height={336} className="mt-8" />
    </div>
  )
}
