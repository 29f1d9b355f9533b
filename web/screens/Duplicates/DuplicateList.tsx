import { Check, ChevronDown, CopyCheck } from 'lucide-react'
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type {
  DuplicateList_viewer$data,
  DuplicateList_viewer$key,
} from '../../__generated__/DuplicateList_viewer.graphql.ts'
import type { DuplicatesQuery } from '../../__generated__/DuplicatesQuery.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay } from '../../lib/formatDate.ts'
import { onServerChange } from '../../relay/changes.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/MenuSurface.tsx'
import pageStyles from '../../ui/Page.module.css'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/toast.ts'
import { AllGroups } from './AllGroups.tsx'
import { ChoiceBar, type Outcome } from './ChoiceBar.tsx'
import { Comparisons } from './Comparisons.tsx'
import {
  type Choice,
  type ChoiceGroup,
  goingOf,
  isSelected,
  keepByHand,
  keptIn,
  NOTHING,
  POOL,
  select,
  selectAll,
  selectShown,
} from './choice.ts'
import { compareDuplicates } from './compareDuplicates.ts'
import { DuplicateGroup } from './DuplicateGroup.tsx'
import styles from './Duplicates.module.css'
import { messages } from './messages.ts'
import { ReclaimableBar } from './ReclaimableBar.tsx'
import { SelectAll } from './SelectAll.tsx'
import { useTrash } from './useTrash.ts'

const fragment = graphql`
  fragment DuplicateList_viewer on User
  @argumentDefinitions(
    first: { type: "Int!" }
    after: { type: "String" }
    filter: { type: "DuplicateFilter" }
    scope: { type: "DuplicateFilter" }
  ) {
    accounts {
      id
      name
      provider
      providerName
      hue
    }
    duplicateSummary(filter: $scope) {
      certainGroups
      certainBytes
      likelyGroups
      likelyBytes
      isComplete
      checkedAt
    }
    duplicateComparisons {
      id
      state
      fileIds
      ...Comparisons_comparison
    }
    duplicates(filter: $filter, first: $first, after: $after) {
      edges {
        node {
          id
          certainty
          size
          files {
            id
            name
            updatedAt
            account {
              id
            }
            rights {
              delete
            }
            parent {
              id
              name
            }
            path {
              id
            }
          }
          ...DuplicateGroup_group
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`

type Certainty = 'ALL' | 'CERTAIN' | 'LIKELY'
type Category = keyof typeof messages.types
type Filters = {
  readonly certainty: Certainty
  /** An account, or POOL. */
  readonly where: string | null
  readonly type: Category | null
  readonly minSize: number | null
}

const NO_FILTERS: Filters = { certainty: 'ALL', where: null, type: null, minSize: null }
const SIZES = [1_000_000, 10_000_000, 100_000_000, 1_000_000_000]

/** While files are checked or compared, the list is read again after this time. */
const AGAIN_MS = 2_000
/** Many changes are many events: one refresh in this time is enough. */
const EVERY_MS = 1_000

/** Which groups are asked for. `scope`: of which groups are counted, whatever their certainty. */
export type Reading = Pick<DuplicatesQuery['variables'], 'filter' | 'scope' | 'after'>

type Props = {
  viewer: DuplicateList_viewer$key
  folder: string | null
  intro: ReactNode
  read: (wanted: Reading) => void
}

export function DuplicateList({ viewer, folder, intro, read }: Props) {
  const environment = useRelayEnvironment()
  const data = useFragment(fragment, viewer)
  const [filters, setFilters] = useState(NO_FILTERS)
  /** Ends of the pages before this one. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const [choice, setChoice] = useState<Choice>(NOTHING)
  const scope = scopeOf(filters, folder)

  const readPage = useCallback(
    (wanted: Filters, before: readonly string[]) => {
      const scope = scopeOf(wanted, folder)
      const filter = wanted.certainty === 'ALL' ? scope : { ...scope, certainty: wanted.certainty }
      read({ filter, scope, after: before.at(-1) ?? null })
    },
    [read, folder],
  )
  const refresh = useCallback(() => readPage(filters, cursors), [readPage, filters, cursors])
  const filterBy = (change: Partial<Filters>) => {
    const next = { ...filters, ...change }
    setFilters(next)
    setCursors([])
    readPage(next, [])
  }
  const turnTo = (before: readonly string[]) => {
    setCursors(before)
    readPage(filters, before)
    page.current?.scrollTo({ top: 0 })
  }
  const page = useRef<HTMLDivElement>(null)
  const { duplicateSummary: summary, duplicateComparisons: comparisons, accounts } = data
  const isWorking = !summary.isComplete || comparisons.some(({ state }) => state === 'RUNNING')
  useRefresh(refresh, isWorking)
  const trash = useTrash(refresh)

  // What is not there any more cannot be changed: after an action of another tab, for example.
  const { edges, pageInfo } = data.duplicates
  const groups = edges.map(({ node }) => node).filter(({ files }) => files.length > 1)
  const chosen = groups.filter((group) => isSelected(group, choice))
  const isAll = choice.all && summary.certainGroups > 0
  const bar = { groups: chosen, choice, accounts, onChange: setChoice, onClear: () => setChoice(NOTHING) }

  async function compare(groupId: string) {
    try {
      await compareDuplicates(environment, groupId)
    } catch (error) {
      toast.error(messages.compareFailed, { description: reasonOf(error) })
    }
    refresh()
  }

  return (
    <div className={styles.frame}>
      <div className={`${pageStyles.page} ${styles.page}`} data-testid="page" ref={page}>
        <div className={pageStyles.inner} ref={keepFocusInside}>
          <Head intro={intro} summary={summary} />
          <p className={`num ${styles.figure}`}>
            <span>{formatBytes(summary.certainBytes)}</span>{' '}
            <span className="muted">
              {messages.toReclaim(summary.certainGroups, summary.likelyBytes, summary.likelyGroups, summary.isComplete)}
            </span>
          </p>
          {choice.rule && (isAll || chosen.length > 0) && (
            <Suspense fallback={<div className={styles.barPlace} />}>
              <ReclaimableBar filter={scope} rule={choice.rule} bytes={summary.certainBytes} />
            </Suspense>
          )}
          <div className={styles.controls}>
            <Tabs
              label={messages.tabs.label}
              tabs={tabsOf(summary)}
              selected={filters.certainty}
              onSelect={(certainty) => filterBy({ certainty })}
            >
              <Filter filters={filters} accounts={accounts} onChange={filterBy} />
              <Comparisons comparisons={comparisons} />
              {groups.length === 0 && !pageInfo.hasNextPage ? (
                <None filters={filters} isComplete={summary.isComplete} onClear={() => filterBy(NO_FILTERS)} />
              ) : (
                <>
                  <SelectAll
                    count={filters.certainty === 'LIKELY' ? 0 : summary.certainGroups}
                    checked={isAll || (chosen.length > 0 && 'mixed')}
                    onChange={(all) => setChoice(all ? selectAll(choice) : NOTHING)}
                  />
                  {groups.map((group) => (
                    <DuplicateGroup
                      key={group.id}
                      group={group}
                      isSelected={isSelected(group, choice)}
                      kept={keptIn(group, choice)}
                      isComparing={comparisons.some(
                        ({ state, fileIds }) =>
                          state === 'RUNNING' && group.files.every(({ id }) => fileIds.includes(id)),
                      )}
                      onSelect={(checked) => setChoice(select(selectShown(choice, groups), group.id, checked))}
                      onKeep={(fileId) => setChoice(keepByHand(selectShown(choice, groups), group.id, fileId))}
                      onCompare={() => void compare(group.id)}
                    />
                  ))}
                </>
              )}
            </Tabs>
          </div>
          {(cursors.length > 0 || pageInfo.hasNextPage) && (
            <nav className={styles.pages} aria-label={messages.pages}>
              <Button disabled={cursors.length === 0} onClick={() => turnTo(cursors.slice(0, -1))}>
                {messages.previous}
              </Button>
              <Button
                disabled={!pageInfo.hasNextPage}
                onClick={() => pageInfo.endCursor && turnTo([...cursors, pageInfo.endCursor])}
              >
                {messages.next}
              </Button>
            </nav>
          )}
        </div>
      </div>
      {isAll ? (
        <AllGroups
          {...bar}
          filter={scope}
          count={summary.certainGroups}
          readAt={summary.checkedAt ?? null}
          refresh={refresh}
        />
      ) : (
        chosen.length > 0 && (
          <ChoiceBar
            {...bar}
            title={messages.selected(chosen.length)}
            outcome={outcomeOf(chosen, choice)}
            onTrash={async () => {
              await trash(chosen.flatMap((group) => goingOf(group, choice)))
              setChoice(NOTHING)
            }}
          />
        )
      )}
    </div>
  )
}

function outcomeOf(groups: readonly ChoiceGroup[], choice: Choice): Outcome {
  const going = groups.map((group) => ({ files: goingOf(group, choice).length, size: group.size }))
  const untouched = groups.filter((group) => keptIn(group, choice) === null).length
  return {
    files: going.reduce((sum, { files }) => sum + files, 0),
    bytes: going.reduce((sum, { files, size }) => sum + files * size, 0),
    note: untouched > 0 && choice.rule !== null ? messages.untouched(untouched) : null,
  }
}

type Summary = DuplicateList_viewer$data['duplicateSummary']
type Accounts = DuplicateList_viewer$data['accounts']

function Head({ intro, summary: { isComplete, checkedAt } }: { intro: ReactNode; summary: Summary }) {
  return (
    <div className={`${pageStyles.head} ${styles.head}`}>
      <div className="grow">
        <h1>{messages.title}</h1>
        <p>{intro}</p>
      </div>
      <p className={cx(styles.fresh, isComplete && 'only-d')} role="status">
        {isComplete && checkedAt ? (
          <>
            <Icon icon={Check} size={12} className="t-success" />
            {messages.asOf(formatDay(checkedAt))}
          </>
        ) : (
          messages.checking
        )}
      </p>
    </div>
  )
}

function tabsOf({ certainGroups, likelyGroups }: Summary) {
  const { ALL, CERTAIN, LIKELY } = messages.tabs
  return [
    { id: 'ALL' as const, label: ALL, count: certainGroups + likelyGroups },
    { id: 'CERTAIN' as const, label: CERTAIN, count: certainGroups },
    { id: 'LIKELY' as const, label: LIKELY, count: likelyGroups },
  ]
}

/** What the filters select, whatever the certainty. */
function scopeOf({ where, type, minSize }: Filters, folder: string | null) {
  return {
    ...(folder !== null && { parentId: folder }),
    ...(where === POOL && { home: 'POOL' as const }),
    ...(where !== null && where !== POOL && { accountId: where }),
    ...(type !== null && { categories: [type] }),
    ...(minSize !== null && { minSize }),
  }
}

type FilterProps = { filters: Filters; accounts: Accounts; onChange: (change: Partial<Filters>) => void }

function Filter({ filters: { where, type, minSize }, accounts, onChange }: FilterProps) {
  const places = [
    { id: POOL, label: messages.pool },
    ...accounts
      .filter(({ provider }) => provider !== 'local')
      .map((account) => ({ id: account.id, label: accountLabel(account) })),
  ]
  const choices = <Value,>(any: string, all: readonly { id: Value; label: string }[], now: Value | null) =>
    [{ id: null, label: any }, ...all].map(({ id, label }) => ({
      id: String(id),
      label,
      checked: now === id,
      value: id,
    }))
  const entries = <Value,>(given: readonly { value: Value | null }[], set: (value: Value | null) => void) =>
    given.map(({ value, ...entry }) => ({ ...entry, onSelect: () => set(value) })) as MenuEntry[]
  const types = Object.entries(messages.types).map(([id, label]) => ({ id: id as Category, label }))
  const sizes = SIZES.map((bytes) => ({ id: bytes, label: messages.atLeast(bytes) }))
  return (
    <div className={styles.filters}>
      <FilterMenu
        name={messages.where}
        value={places.find(({ id }) => id === where)?.label}
        items={entries(choices(messages.anywhere, places, where), (value) => onChange({ where: value }))}
      />
      <FilterMenu
        name={messages.type}
        value={type ? messages.types[type] : undefined}
        items={entries(choices(messages.anyType, types, type), (value) => onChange({ type: value }))}
      />
      <FilterMenu
        name={messages.size}
        value={minSize === null ? undefined : messages.atLeast(minSize)}
        items={entries(choices(messages.anySize, sizes, minSize), (value) => onChange({ minSize: value }))}
      />
    </div>
  )
}

function FilterMenu({ name, value, items }: { name: string; value: string | undefined; items: MenuEntry[] }) {
  return (
    <Menu
      label={name}
      items={items}
      align="end"
      trigger={(props) => (
        <Button {...props} size="sm" active={value !== undefined}>
          {value === undefined ? name : `${name}: ${value}`}
          <Icon icon={ChevronDown} size={12} />
        </Button>
      )}
    />
  )
}

function None({ filters, isComplete, onClear }: { filters: Filters; isComplete: boolean; onClear: () => void }) {
  const isFiltered = filters.where !== null || filters.type !== null || filters.minSize !== null
  const text = isComplete ? messages.noneText : messages.noneYet
  return (
    <EmptyState icon={CopyCheck} title={messages.none} text={isFiltered ? messages.noneHere : text}>
      {isFiltered && <Button onClick={onClear}>{messages.clear}</Button>}
    </EmptyState>
  )
}

/**
 * Reads the list again after changes, while files are checked or compared, and once after that: the groups of a response may be older
 * than its comparisons.
 */
function useRefresh(refresh: () => void, isWorking: boolean): void {
  const wasWorking = useRef(isWorking)
  useEffect(() => {
    if (wasWorking.current && !isWorking) refresh()
    wasWorking.current = isWorking
  }, [refresh, isWorking])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onServerChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        refresh()
      }, EVERY_MS)
    })
    const again = isWorking ? setInterval(refresh, AGAIN_MS) : undefined
    return () => {
      stop()
      clearTimeout(timer)
      clearInterval(again)
    }
  }, [refresh, isWorking])
}
