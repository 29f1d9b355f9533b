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
/** API keys or sessions have changed; the screens that show them fetch them again. */
export const accessChanges = createTopic<void>()
