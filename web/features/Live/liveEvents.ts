import type { useLiveSubscription$data } from '../../__generated__/useLiveSubscription.graphql.ts'

export type FilesChange = NonNullable<useLiveSubscription$data['changes']['files']>
export type TransfersChange = useLiveSubscription$data['changes']['transfers']
export type JobsChange = useLiveSubscription$data['changes']['jobs']

/** Events of the live subscription, for all parts of the page. */
function createTopic<Event>() {
  const listeners = new Set<(event: Event) => void>()
  return {
    /** Returns a function that unsubscribes. */
    listen(listener: (event: Event) => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    say(event: Event): void {
      for (const listener of listeners) listener(event)
    },
  }
}

export const filesChanges = createTopic<FilesChange>()
export const transfersChanges = createTopic<TransfersChange>()
export const jobsChanges = createTopic<JobsChange>()

/** How long changes are remembered for what is being fetched when they arrive (ms). */
const REMEMBERED_MS = 15_000
const recent: { readonly at: number; readonly change: FilesChange }[] = []

filesChanges.listen((change) => {
  const now = performance.now()
  while (recent[0] && recent[0].at < now - REMEMBERED_MS) recent.shift()
  recent.push({ at: now, change })
})

/**
 * The changes that arrived since `time` (`performance.now()`), at most those of the last 15 s: an answer that was on its way then may
 * not contain them.
 */
export function filesChangesSince(time: number): readonly FilesChange[] {
  return recent.flatMap(({ at, change }) => (at >= time ? [change] : []))
}

/** API keys or sessions have changed; the screens that show them fetch them again. */
export const accessChanges = createTopic<void>()
