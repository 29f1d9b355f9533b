import { Info } from 'lucide-react'
import { useEffect } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { SearchNoticeQuery } from '../../../__generated__/SearchNoticeQuery.graphql.ts'
import { accountLabel } from '../../../lib/accountLabel.ts'
import { nameText } from '../../../lib/nameText.ts'
import { rememberSearch } from '../../../lib/recentSearches.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { type AccountChoice, useFileManager } from '../FilesContext.ts'
import { SearchIn } from '../search/SearchIn.tsx'
import styles from './List.module.css'

/** A search whose results are looked at for this long is one that people may want to repeat. */
const LOOKED_AT_MS = 1_500

/**
 * Above the results of a search: what it looks at, and whether results may be missing, because an account is still being listed or has to
 * be connected again. Remembers the search.
 */
export function SearchNotice() {
  const { accounts, url, view } = useFileManager()
  useRememberedSearch(url.query)
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
    </>
  )
}

function reasonOf({ index, status, ...account }: AccountChoice): string[] {
  const name = nameText(accountLabel(account))
  if (status === 'EXPIRED') return [`${name} needs to be connected again`]
  if (index?.phase !== 'FIRST_PASS') return []
  return [`${name} is still being listed: ${index.entries.toLocaleString()} found so far`]
}

function useRememberedSearch(text: string): void {
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
}
