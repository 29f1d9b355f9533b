import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { FairSemaphore } from '../../lib/concurrency.ts'
import { NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { File, FileCategory } from '../files/contract.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import type { SearchService } from './contract.ts'
import { findContents } from './find.ts'
import { enqueueReading } from './read.ts'

export type SearchDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly events: Pick<Events, 'publish'>
  /** Limits reads that may take long, per user. */
  readonly turns: FairSemaphore
}

const SET = `update accounts set search_contents = $3, updated_at = now()
  where id = $1 and user_id = $2 and disconnected_at is null`

export function createSearchService({ pool, enqueue, events, turns }: SearchDeps): SearchService {
  return {
    find: (viewer, options) => turns(viewer.userId, () => findContents(pool, viewer, options)),
    async setAccount({ userId }, accountId, isOn) {
      await transaction(pool, async (tx) => {
        const { rowCount } = await tx.query(SET, [accountId, userId, isOn])
        if (rowCount === 0) throw new NotFoundError()
        await enqueue(tx, 'followSearch', { userId, accountId }, { key: `search ${accountId}` })
      })
      events.publish('accountsChanged', userId, { accountIds: [accountId] })
    },
  }
}

const DOCUMENTS: ReadonlySet<FileCategory> = new Set(['TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION'])

/** New files are read this long after the first of them, all together. */
const PAUSE_MS = 500

/**
 * Has the documents of a user read soon after one was stored. What is missed, because this process ends, is found by a job every
 * minute.
 */
export function createReadingWake({
  pool,
  enqueue,
  onError,
}: Pick<SearchDeps, 'pool' | 'enqueue'> & { readonly onError: (error: unknown) => void }) {
  const waiting = new Set<string>()
  return ({ userId }: Pick<Viewer, 'userId'>, { category }: Pick<File, 'category'>): void => {
    if (!DOCUMENTS.has(category) || waiting.has(userId)) return
    waiting.add(userId)
    setTimeout(() => {
      waiting.delete(userId)
      if (pool.ending) return
      transaction(pool, (tx) => enqueueReading(tx, enqueue, userId)).catch(onError)
    }, PAUSE_MS).unref()
  }
}
