import type pg from 'pg'
import { isRefusal } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import type { ActivityEntry, ActivityLog } from '../services/activity.ts'
import type { Viewer } from '../viewer.ts'
import { createActorNames } from './actors.ts'
import { gather } from './gather.ts'
import { insertEntries, type Recorded } from './insert.ts'

export type ActivityLogDeps = {
  readonly pool: pg.Pool
  /** Told what could not be written down; nobody else would hear of it. */
  readonly onError: (error: unknown) => void
}

export type ActivityRecorder = ActivityLog & {
  /** Remembers who they are, for when their session is gone. */
  learn(viewers: readonly Viewer[]): Promise<void>
}

const GATHER_MS = 1_000
const RETRY_MS = 5_000
/** Most entries of one statement. */
const BATCH = 500
/** While the database is away, no more than these wait: the oldest are given up. */
const MOST_WAITING = 10_000

/** Gathers for a second and writes all in one statement; what the database cannot take now is tried again. */
export function createActivityLog({ pool, onError }: ActivityLogDeps): ActivityRecorder {
  const names = createActorNames(pool)
  let waiting: Recorded[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function schedule(delay: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void flush()
    }, delay).unref()
  }

  function flush(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const entries = gather(waiting)
    waiting = []
    while (entries.length > 0) {
      const batch = entries.splice(0, BATCH)
      const kept = await write(batch).catch((error: unknown) => {
        onError(error)
        return [...batch, ...entries]
      })
      if (kept.length === 0) continue
      waiting = [...kept, ...waiting]
      schedule(RETRY_MS)
      return
    }
  }

  /** Resolves with what shall be tried again. What PostgreSQL refuses is looked for one by one and given up. */
  async function write(batch: readonly Recorded[]): Promise<readonly Recorded[]> {
    try {
      await insertEntries(pool, names, batch)
    } catch (error) {
      if (!isRefusal(error)) throw error
      onError(error)
      if (batch.length > 1) for (const one of batch) await write([one])
    }
    return []
  }

  return {
    record(actor, entry) {
      const at = new Date()
      const id = newId(at.getTime())
      waiting.push({ id, at, actor, entry, fileIds: filesOf(entry), names: entry.names ?? [] })
      if (waiting.length > MOST_WAITING) {
        waiting.splice(0, MOST_WAITING / 10)
        onError(new Error('The activity log cannot be written: its oldest entries were given up.'))
      }
      schedule(GATHER_MS)
    },
    flush,
    learn: (viewers) => names.learn(viewers),
  }
}

function filesOf({ fileIds, subject }: ActivityEntry): readonly string[] {
  return fileIds ?? (subject?.type === 'File' ? [subject.id] : [])
}
