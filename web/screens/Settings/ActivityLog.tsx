import { Search } from 'lucide-react'
import { Suspense, useEffect, useState, useTransition } from 'react'
import type { ActivityFilter } from '../../features/Activity/ActivityPage.tsx'
import { ActivityPages } from '../../features/Activity/ActivityPages.tsx'
import { ActivitySkeleton } from '../../features/Activity/ActivitySkeleton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Input } from '../../ui/Input.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import searchStyles from '../../ui/Search.module.css'
import { Select } from '../../ui/Select.tsx'
import { ACTIONS_OF, KINDS, type Kind } from './activityKinds.ts'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const { activity } = messages
const PAUSE_MS = 250

type Filter = { readonly query: string; readonly kind: Kind | 'all' }

/** What has happened, newest first; searched as one types. */
export function ActivityLog() {
  const [query, setQuery] = useState('')
  const [kind, setKind] = useState<Kind | 'all'>('all')
  const [filter, setFilter] = useState<Filter>({ query: '', kind: 'all' })
  const [isPending, startTransition] = useTransition()
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setFilter({ query: query.trim(), kind })), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [query, kind])
  return (
    <Section anchor="activity" title={activity.title} text={activity.text}>
      <div className={styles.logTools}>
        <search className={`${searchStyles.search} grow`}>
          <Icon icon={Search} />
          <Input
            type="search"
            aria-label={activity.search}
            placeholder={activity.search}
            value={query}
            maxLength={100}
            autoComplete="off"
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
        </search>
        <span className={styles.logKind}>
          <Select
            hideLabel
            className="small"
            label={activity.kind}
            value={kind}
            options={[
              { value: 'all', label: activity.all },
              ...KINDS.map((known) => ({ value: known, label: activity.kinds[known] })),
            ]}
            onChange={(value) => setKind(KINDS.find((known) => known === value) ?? 'all')}
          />
        </span>
      </div>
      <div className={styles.log} aria-busy={isPending}>
        <RetryBoundary about={`${filter.kind} ${filter.query}`}>
          <Suspense fallback={<ActivitySkeleton />}>
            <ActivityPages
              key={`${filter.kind} ${filter.query}`}
              filter={asAsked(filter)}
              empty={filter.query === '' && filter.kind === 'all' ? activity.empty : activity.noResult}
            />
          </Suspense>
        </RetryBoundary>
      </div>
    </Section>
  )
}

function asAsked({ query, kind }: Filter): ActivityFilter {
  return { query: query === '' ? null : query, actions: kind === 'all' ? null : [...ACTIONS_OF[kind]] }
}
