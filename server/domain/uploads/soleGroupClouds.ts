import type { GroupCloudMembers, Question } from '../groupClouds/members.ts'
import { roomBytes } from '../groupClouds/placement.ts'

/** What was found this long ago is not worth trying any more. */
const KEPT_MS = 1000
const MOST_KEPT = 1000
/** To refuse what is longer only when all of it has come would cost its sender too much. */
const MOST_BYTES = 1024 * 1024

/** A group cloud that is one account of this server and one copy. */
export type Sole = {
  readonly groupCloud: GroupCloudMembers
  /** It was found as the user's default one, and counts only as long as it is. */
  readonly asDefault: boolean
  /** An earlier upload found it: true only if the statement that makes the file says so too. */
  readonly recalled: boolean
}

/** Sole group clouds, as the last uploads found them. */
export type SoleGroupClouds = {
  /** Null when nothing is known, when so many bytes had no room then, or when they are more than 1 MiB. */
  recall(question: Question, bytes: number): Sole | null
  /** Null: what the question asks for is not a sole group cloud. */
  note(question: Question, found: Sole | null): void
}

/**
 * Spares small uploads that follow each other the look-up of their group cloud, which is a tenth of their work. What is
 * recalled may be outdated; nothing is refused, placed or promised by it: the statement that makes the file judges it.
 */
export function createSoleGroupClouds(now: () => number = () => performance.now()): SoleGroupClouds {
  const kept = new Map<string, { readonly sole: Sole; readonly until: number }>()
  return {
    recall(question, bytes) {
      const found = kept.get(keyOf(question))
      if (!found || found.until <= now() || bytes > MOST_BYTES) return null
      const { groupCloud } = found.sole
      return roomBytes(groupCloud.members, groupCloud) >= bytes ? found.sole : null
    },
    note(question, found) {
      const key = keyOf(question)
      kept.delete(key)
      if (!found) return
      kept.set(key, { sole: { ...found, recalled: true }, until: now() + KEPT_MS })
      const [oldest] = kept.keys()
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    },
  }
}

function keyOf({ userId, id }: Question): string {
  return `${userId} ${id ?? ''}`
}
