import type { useLiveSubscription$data } from '../../__generated__/useLiveSubscription.graphql.ts'

export type FilesChange = NonNullable<useLiveSubscription$data['changes']['files']>
export type TransfersChange = useLiveSubscription$data['changes']['transfers']

/** What was heard on the one live line, for whoever is on the page. */
function createTopic<Event>() {
  const listeners = new Set<(event: Event) => void>()
  return {
    /** Returns the way to stop. */
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
/** API keys or sessions are not as they were; which, is read again by who shows them. */
export const accessChanges = createTopic<void>()
