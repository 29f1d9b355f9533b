import type { Pool } from 'pg'
import { type LoggedChange, lastPosition, readChanges } from '../../db/changeLog.ts'
import { InvalidInputError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

export type Change = LoggedChange

export type ChangesSince = {
  /** Oldest first. */
  readonly changes: readonly Change[]
  /** Go on from here. */
  readonly position: string
  /** Ask again at once with `position`. */
  readonly hasMore: boolean
  /** What changed since then is not known any more: read again what you show, then go on from `position`. */
  readonly reset: boolean
}

/** What changed for a user, in order, as ids: whoever comes back after a gap misses nothing. Kept for a week. */
export interface ChangesService {
  /** The present position: everything committed before this call is at or below it. */
  position(): Promise<string>
  /** The viewer's changes after a position that was given out before, at most `limit`. @throws InvalidInputError */
  since(viewer: Pick<Viewer, 'userId'>, position: string, limit: number): Promise<ChangesSince>
}

/** PostgreSQL's bigint. */
const MOST_DIGITS = 19
const LARGEST = 2n ** 63n - 1n

export function createChangesService(pool: Pool): ChangesService {
  return {
    position: () => lastPosition(pool),
    async since({ userId }, position, limit) {
      const found = await readChanges(pool, userId, parsePosition(position), limit + 1)
      const last = found?.at(-1)?.position ?? (await lastPosition(pool))
      // One that was never given out comes from another database, or from before a backup was restored.
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
