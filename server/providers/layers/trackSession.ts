import type { PutProgress } from '../driver.ts'

/** Progress for the next try of a put: it goes on from what the tries before have saved. */
export function trackSession(progress: PutProgress): () => PutProgress {
  let { session } = progress
  return () => ({
    ...progress,
    session,
    async save(saved) {
      await progress.save(saved)
      session = saved
    },
  })
}
