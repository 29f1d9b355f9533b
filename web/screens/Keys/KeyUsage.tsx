import { formatDay } from '../../lib/formatDate.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import styles from './Keys.module.css'
import { messages } from './messages.ts'
import type { Usage } from './UsageReader.tsx'

const DAYS = 30
const DAY_MS = 86_400_000

type Props = {
  lastUsedAt: string | null | undefined /** Undefined while it is being read. */
  usage: Usage | undefined
}

/** When the key was last used and how often in 30 days; in the same place the shape of it while that is read. */
export function KeyUsage({ lastUsedAt, usage }: Props) {
  if (!usage) return <Skeleton width={200} className="my-0.75" />
  const total = usage.reduce((sum, { calls }) => sum + calls, 0)
  if (!lastUsedAt && total === 0) return <p>{messages.neverUsed}</p>
  return (
    <>
      <p>
        {lastUsedAt && `${messages.lastUsed(formatDay(lastUsedAt))} · `}
        {messages.callsInMonth(total)}
      </p>
      {total > 0 && <UsageBars usage={usage} total={total} />}
    </>
  )
}

/** One bar per day, today's at the end. The numbers are in the text next to it and in its label. */
function UsageBars({ usage, total }: { usage: Usage; total: number }) {
  const days = lastDays()
  const calls = new Map(usage.map((entry) => [entry.day, entry.calls]))
  const busiest = usage.reduce((most, entry) => (entry.calls > most.calls ? entry : most), { day: '', calls: 0 })
  return (
    <div
      role="img"
      className={styles.spark}
      aria-label={messages.usageChart(total, formatDay(`${busiest.day}T12:00`), busiest.calls)}
    >
      {days.map((day) => (
        <span
          key={day}
          className={calls.has(day) ? undefined : styles.none}
          style={{ height: `${((calls.get(day) ?? 0) / busiest.calls) * 100}%` }}
        />
      ))}
    </div>
  )
}

/** As the server counts them: by UTC, "2026-11-21". */
function lastDays(): string[] {
  return Array.from({ length: DAYS }, (_, index) =>
    new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}
