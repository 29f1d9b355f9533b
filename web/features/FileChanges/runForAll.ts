import { announce } from '../../lib/announce.ts'
import { items } from '../../lib/items.ts'
import { nameText } from '../../lib/nameText.ts'
import { MutationRefused, reasonOf } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'

/** As many ids as one request carries. */
export const CHUNK = 500

/** The id of a failed entry that the server does not name. */
export const FAILED_MORE = ''

export type Failure = { readonly ids: readonly string[]; readonly reason: string }

/** The failures of a change of many entries. */
export function failuresOf({
  failures = [],
}: {
  readonly failures?: readonly { readonly id: string; readonly message: string }[]
}): Failure[] {
  return failures.map(({ id, message }) => ({ ids: [id], reason: message }))
}

/**
 * Runs `act` for many ids, a chunk at a time; it may return those that it could not change. A chunk that is refused is
 * tried id by id, so that one bad file does not stop the others; what could not be done is in the answer, nothing is
 * thrown.
 */
export async function runForAll(
  ids: readonly string[],
  act: (ids: readonly string[]) => Promise<unknown>,
): Promise<{ done: string[]; failures: Failure[] }> {
  const done: string[] = []
  const failures: Failure[] = []
  const tryOne = async (part: readonly string[]): Promise<void> => {
    try {
      const refused = await act(part)
      if (!Array.isArray(refused)) return void done.push(...part)
      failures.push(...refused)
      const stayed = new Set(refused.flatMap((failure: Failure) => failure.ids))
      done.push(...part.filter((id) => !stayed.has(id)))
    } catch (error) {
      const isSplittable = error instanceof MutationRefused && part.length > 1
      if (!isSplittable) return void failures.push({ ids: part, reason: reasonOf(error) })
      for (const id of part) await tryOne([id])
    }
  }
  for (let start = 0; start < ids.length; start += CHUNK) await tryOne(ids.slice(start, start + CHUNK))
  return { done, failures }
}

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
