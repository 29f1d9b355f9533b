import { Check, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import type { AccountCellsQuery } from '../../../__generated__/AccountCellsQuery.graphql.ts'
import { cx } from '../../../lib/cx.ts'
import { useIsMobile } from '../../../lib/useMediaQuery.ts'
import { AccountMark } from '../../../ui/AccountMark.tsx'
import buttonStyles from '../../../ui/Button.module.css'
import { Icon } from '../../../ui/Icon.tsx'
import { accountState } from '../accountState.ts'
import type { AccountChoice } from '../FilesContext.ts'
import styles from './List.module.css'
import { distrustLists } from './listCache.ts'

// Parts of the row of a folder that shows an account.

/** In place of the folder's icon. */
export function AccountIcon({ account }: { account: AccountChoice }) {
  const isNarrow = useIsMobile()
  return <AccountMark glyph={account.glyph} hue={account.hue} label={account.providerName} size={isNarrow ? 32 : 20} />
}

const query = graphql`
  query AccountCellsQuery($id: ID!) {
    node(id: $id) {
      ... on Account {
        status
        index { phase entries asOf problem heldDeletions rootFileId }
      }
    }
  }
`

const ASK_AGAIN_MS = 5_000

/** The end of a listing can be announced after this page has read the account and before it listens for changes. */
function useListingEnd({ id, index }: AccountChoice): void {
  const environment = useRelayEnvironment()
  const isListed = index?.phase === 'FIRST_PASS'
  useEffect(() => {
    if (!isListed) return
    const ask = () =>
      fetchQuery<AccountCellsQuery>(environment, query, { id }, { networkCacheConfig: { force: true } }).subscribe({
        // The numbers of entries are known from then on.
        next: ({ node }) => node?.index?.phase !== 'FIRST_PASS' && distrustLists(environment),
        // It is asked again.
        error: () => undefined,
      })
    const timer = setInterval(ask, ASK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [environment, id, isListed])
}

/** Whether it is up to date, or what is wrong with it. */
export function AccountStateCell({ account }: { account: AccountChoice }) {
  useListingEnd(account)
  const state = accountState(account)
  if (!state) return null
  const { text, detail, tone } = state
  const isWrong = tone === 't-warning'
  const isRunning = tone === 't-accent'
  return (
    <span className={styles.store} title={detail}>
      <span className={cx(styles.st, tone)}>
        {isRunning ? (
          <span className={buttonStyles.spin} aria-hidden />
        ) : (
          <Icon icon={isWrong ? TriangleAlert : Check} size={14} />
        )}
      </span>
      <span className={cx('ell num', (isWrong || isRunning) && `strong ${tone}`)}>{text}</span>
      {account.status === 'EXPIRED' && (
        <button type="button" className={`link ${styles.rowAction}`} tabIndex={-1} data-reconnect={account.id}>
          Re-connect
        </button>
      )}
    </span>
  )
}
