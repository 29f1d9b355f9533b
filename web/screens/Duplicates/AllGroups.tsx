import { useEffect, useState } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import type { AllGroupsQuery } from '../../__generated__/AllGroupsQuery.graphql.ts'
import type { DuplicateFilter } from '../../__generated__/trashDuplicatesMutation.graphql.ts'
import { announce } from '../../lib/announce.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { ChoiceBar, type Outcome } from './ChoiceBar.tsx'
import { NOTHING, type Rule, ruleInput } from './choice.ts'
import { messages } from './messages.ts'
import { trashDuplicates, undoTrash } from './trashDuplicates.ts'

const query = graphql`
  query AllGroupsQuery($filter: DuplicateFilter!, $keep: DuplicateRule!, $keepIn: ID) {
    viewer {
      id
      duplicateSummary(filter: $filter) {
        reclaimable(keep: $keep, keepIn: $keepIn) {
          bytes
          files
        }
      }
    }
  }
`

type Props = Omit<Parameters<typeof ChoiceBar>[0], 'title' | 'outcome' | 'onTrash'> & {
  /** Of which groups. */
  filter: DuplicateFilter
  /** The number of certain groups. */
  count: number
  /** When the groups were read: they are counted again after each time, also if their number is the same. */
  readAt: string | null
  refresh: () => void
}

/** The choice for all certain groups, which the server carries out in one job. */
export function AllGroups({ filter, count, readAt, refresh, ...bar }: Props) {
  const environment = useRelayEnvironment()
  const { choice, onChange } = bar
  const outcome = useOutcome(filter, choice.rule, `${count} ${readAt}`)

  async function undo(jobId: string) {
    try {
      await undoTrash(environment, jobId)
      announce(messages.undoing)
      toast.info(messages.undoing)
    } catch (error) {
      toast.error(messages.couldNotRestore, { description: reasonOf(error) })
    }
  }

  async function trash() {
    if (choice.rule === null) return
    try {
      const job = await trashDuplicates(environment, { filter, ...ruleInput(choice.rule) })
      onChange(NOTHING)
      announce(messages.moving(job.total))
      toast.undo(messages.moving(job.total), () => void undo(job.id))
    } catch (error) {
      toast.error(messages.couldNotTrash, { description: reasonOf(error) })
    }
    refresh()
  }

  return <ChoiceBar {...bar} title={messages.allSelected(count)} outcome={outcome} onTrash={trash} />
}

const NONE: Outcome = { files: 0, bytes: 0, note: null }

/**
 * What a rule does to all groups, as the server counts it; null until it has. `version`: changes when the groups may have changed; what
 * was counted before is shown until the next answer.
 */
function useOutcome(filter: DuplicateFilter, rule: Rule | null, version: string): Outcome | null {
  const environment = useRelayEnvironment()
  const key = JSON.stringify([filter, rule])
  const [counted, setCounted] = useState<{ readonly key: string; readonly outcome: Outcome } | null>(null)
  const variables = rule === null ? null : JSON.stringify({ filter, ...ruleInput(rule) })
  const isPartial = rule !== null && 'id' in rule
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` is when to count again
  useEffect(() => {
    if (variables === null) return
    const subscription = fetchQuery<AllGroupsQuery>(environment, query, JSON.parse(variables)).subscribe({
      next: ({ viewer }) => {
        const places = viewer?.duplicateSummary.reclaimable ?? []
        const files = places.reduce((sum, place) => sum + place.files, 0)
        const bytes = places.reduce((sum, place) => sum + place.bytes, 0)
        setCounted({ key, outcome: { files, bytes, note: isPartial ? messages.allUntouched : null } })
      },
      error: (error: unknown) => {
        setCounted({ key, outcome: NONE })
        toast.error(messages.couldNotCount, { description: reasonOf(error) })
      },
    })
    return () => subscription.unsubscribe()
  }, [environment, variables, key, isPartial, version])
  if (rule === null) return NONE
  return counted?.key === key ? counted.outcome : null
}
