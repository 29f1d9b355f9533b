import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import type { AccountChoice } from './FilesContext.ts'

type AccountState = {
  readonly text: string
  /** More about it, for a tooltip. */
  readonly detail: string | undefined
  /** Warning: it is not current. Accent: it is being listed. */
  readonly tone: 't-warning' | 't-accent' | 'subtle'
}

type Listed = Pick<AccountChoice, 'status' | 'statusReason' | 'unreachableSince' | 'index'>

/** How complete and current what is shown of an account is; null if nothing of it is shown. */
export function accountState({ status, statusReason, unreachableSince, index }: Listed): AccountState | null {
  if (!index) return null
  const warning = (text: string, detail: string | null | undefined): AccountState => ({
    text,
    detail: detail ?? undefined,
    tone: 't-warning',
  })
  const { phase, entries, asOf, problem, heldDeletions } = index
  if (status === 'EXPIRED') return warning('Expired', statusReason)
  if (heldDeletions > 0) return warning(`${heldDeletions.toLocaleString()} seem to be gone`, null)
  if (unreachableSince || problem) return warning('Not reachable', problem)
  if (phase === 'FIRST_PASS') {
    const text = entries === 0 ? 'Listing…' : `${entries.toLocaleString()} found so far`
    return { text, detail: 'What was found can be opened already.', tone: 't-accent' }
  }
  if (phase === 'WALK') return { text: asOf ? asOfText(asOf) : 'Listed', detail: WALK_DETAIL, tone: 'subtle' }
  const detail = asOf ? `Changes last read on ${formatFullDate(asOf)}` : undefined
  return { text: 'Up to date', detail, tone: 'subtle' }
}

const WALK_DETAIL =
  'This account reports no changes. A folder is read again when you open it, and everything each night.'

const asOfText = (time: string) => `As of ${formatDay(time).replace(/^(Today|Yesterday)/, (day) => day.toLowerCase())}`
