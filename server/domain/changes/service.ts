import type { Pool } from 'pg'
import { type LoggedChange, lastPosition, readChanges, recentPosition } from '../../db/events.ts'
import { InvalidInputError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

export type Change = LoggedChange

export type ChangesSince = {
  /** Oldest first. */
  readonly changes: readonly Change[]
  /** The position to continue from. */
  readonly position: string
  /** There are more: call again with `position`. */
  readonly hasMore: boolean
  /** The changes since then are no longer available: reload everything, then continue from `position`. */
  readonly reset: boolean
}

/** The changes of a user, in order, as ids: a client that reconnects after a gap misses nothing. Kept for a week. */
export interface ChangesService {
  /** The current position: everything committed before this call is at or below it. */
  position(): Promise<string>
  /** A position before the viewer's changes of the last 30 seconds. */
  recentPosition(viewer: Pick<Viewer, 'userId'>): Promise<string>
  /** The viewer's changes after an earlier position, at most `limit`; after `NOW` there are none yet. @throws InvalidInputError */
  since(viewer: Pick<Viewer, 'userId'>, position: string, limit: number): Promise<ChangesSince>
}

/** Position of a client that starts. */
export const NOW = 'now'

/** Digits of PostgreSQL's bigint. */
const MOST_DIGITS = 19
const LARGEST = 2n ** 63n - 1n

export function createChangesService(pool: Pool): ChangesService {
  return {
    position: () => lastPosition(pool),
    recentPosition: ({ userId }) => recentPosition(pool, userId),
    async since({ userId }, position, limit) {
      if (position === NOW) return { changes: [], position: await lastPosition(pool), hasMore: false, reset: false }
      const found = await readChanges(pool, userId, parsePosition(position), limit + 1)
      const last = found?.at(-1)?.position ?? (await lastPosition(pool))
      // An unknown position comes from another database, or from before a backup was restored.
      if (!found || (found.length === 0 && BigInt(position) > BigInt(last))) {
        return { changes: [], position: await lastPosition(pool), hasMore: false, reset: true }
      }
      const changes = found.slice(0, limit)
      return { changes, position: changes.at(-1)?.position ?? position, hasMore: found.length > limit, reset: false }
    },
  }
}

function parsePosition(text: string): string {
  if (/^\d+$/.test(text) && text.length <= MOST_DIGITS && BigInt(text) <= LARGEST) return text
  throw new InvalidInputError([
    { path: 'since', message: 'This is not a position that a list of changes has returned.' },
  ])
}
