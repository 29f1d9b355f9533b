import { Info } from 'lucide-react'
import { Suspense, useEffect } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { SearchNoticeQuery } from '../../../__generated__/SearchNoticeQuery.graphql.ts'
import { accountLabel } from '../../../lib/accountLabel.ts'
import { nameText } from '../../../lib/nameText.ts'
import { rememberSearch } from '../../../lib/recentSearches.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { type AccountChoice, useFileManager } from '../FilesContext.ts'
import matchesStyles from '../search/Matches.module.css'
import { messages } from '../search/messages.ts'
import styles from './List.module.css'

/** A search whose results are looked at for this long is one that people may want to repeat. */
const LOOKED_AT_MS = 1_500

/**
 * Above the results of a search: what it looks at, and whether results may be missing, because an account is still being
 * listed or has to be connected again. Remembers the search.
 */
export function SearchNotice() {
  const { accounts, url, view } = useFileManager()
  const asked = accounts.filter(({ id, index }) => index && (url.account === null || url.account === id))
  const reasons = url.home === 'POOL' ? [] : asked.flatMap(reasonOf)
  return (
    <>
      {reasons.length > 0 && (
        <p className={`${styles.searchNotice} meta muted num`} role="status">
          <Icon icon={Info} size={14} />
          <span>{reasons.join('; ')}, so results may be missing.</span>
        </p>
      )}
      {url.query !== '' && view !== 'TRASH' && <SearchIn />}
      {/* By itself, so that the rows are not moved when the answer arrives. */}
      <Suspense>
        <RememberedSearch text={url.query} />
      </Suspense>
    </>
  )
}

/** Chooses what a search looks at: names, or the text inside files. */
function SearchIn() {
  const { url, setUrl } = useFileManager()
  const choice = (label: string, isInside: boolean) => (
    <button
      type="button"
      aria-pressed={url.isInside === isInside}
      className={matchesStyles.choice}
      onClick={() => setUrl({ isInside }, { replace: true })}
    >
      {label}
    </button>
  )
  return (
    <div className={matchesStyles.choices} role="group" aria-label={messages.searchIn}>
      {choice(messages.name, false)}
      {choice(messages.textInside, true)}
    </div>
  )
}

function reasonOf({ index, status, ...account }: AccountChoice): string[] {
  const name = nameText(accountLabel(account))
  if (status === 'EXPIRED') return [`${name} needs to be connected again`]
  if (index?.phase !== 'FIRST_PASS') return []
  if (index.entries === 0) return [`${name} is still being listed`]
  return [`${name} is still being listed: ${index.entries.toLocaleString()} found so far`]
}

function RememberedSearch({ text }: { text: string }) {
  const { viewer } = useLazyLoadQuery<SearchNoticeQuery>(
    graphql`
      query SearchNoticeQuery {
        viewer { id }
      }
    `,
    {},
    { fetchPolicy: 'store-or-network' },
  )
  const userId = viewer?.id
  useEffect(() => {
    if (userId === undefined || text === '') return
    const timer = setTimeout(() => rememberSearch(userId, text), LOOKED_AT_MS)
    return () => clearTimeout(timer)
  }, [userId, text])
  return null
}
