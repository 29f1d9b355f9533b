import { announce } from '../../lib/announce.ts'
import { items } from '../../lib/items.ts'
import { nameText } from '../../lib/nameText.ts'
import type { Failure } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'

/** Shows a toast and announces it to screen readers. */
export function tell(title: string): void {
  announce(title)
  toast.success(title)
}

const NAMED = 3

/** Shows what failed and why, with the first names. */
export function tellFailures(title: string, failures: readonly Failure[], nameOf: (id: string) => string): void {
  const ids = failures.flatMap((failure) => failure.ids)
  const first = failures[0]
  if (!first) return
  const named = ids.slice(0, NAMED).map((id) => `“${nameText(nameOf(id))}”`)
  const more = ids.length - named.length
  const list = more > 0 ? `${named.join(', ')} and ${items(more)} more` : named.join(', ')
  announce(`${title} ${list}. ${first.reason}`)
  toast.error(`${title} ${list}`, { description: first.reason, duration: 8000 })
}
