import { TooManyRequestsError } from '../domain/errors.ts'

export const MAX_STREAMS_PER_USER = 5
const RETRY_AFTER_SECONDS = 10

export type StreamCount = {
  /** Counts one more live stream of a user; call the result once when it ends. @throws TooManyRequestsError */
  open(userId: string): () => void
}

export function createStreamCount(): StreamCount {
  const live = new Map<string, number>()
  return {
    open(userId) {
      const count = live.get(userId) ?? 0
      if (count >= MAX_STREAMS_PER_USER)
        throw new TooManyRequestsError(RETRY_AFTER_SECONDS, 'Too many live streams are open.')
      live.set(userId, count + 1)
      return () => {
        const left = (live.get(userId) ?? 1) - 1
        if (left === 0) live.delete(userId)
        else live.set(userId, left)
      }
    },
  }
}
