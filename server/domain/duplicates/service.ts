import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { InvalidInputError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import { hashStored } from '../files/content/hashes.ts'
import type { DuplicatesHousekeeping } from '../housekeeping.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import { checkSome } from './check.ts'
import { compareNext, forgetComparisons, listComparisons, requireGroups, startComparisons } from './compare.ts'
import type { DuplicatesService } from './contract.ts'
import { getGroups, listGroups, requireFolder, requirePlaces, sumGroups, sumReclaimable } from './listing.ts'

export type DuplicatesDeps = { readonly pool: Pool; readonly enqueue: Enqueue }

/** Changes that a reader waits for: few enough for a fast answer, and more than a person makes at once. */
const CHECKED_BY_READERS = 300
/** Changes per transaction of the job. */
const CHECKED_BY_JOBS = 2_000
const MOST_COMPARED = 100

export function createDuplicatesService(deps: DuplicatesDeps): DuplicatesService {
  const { pool } = deps
  return {
    async list(viewer, options) {
      await requirePlaces(pool, viewer, options)
      await catchUp(deps, viewer)
      return listGroups(pool, viewer, options)
    },
    getMany: (viewer, ids) => getGroups(pool, viewer, ids),
    async summary(viewer, filter) {
      await requirePlaces(pool, viewer, filter)
      const isComplete = await catchUp(deps, viewer)
      const sums = await sumGroups(pool, viewer, filter)
      return { ...sums, isComplete, checkedAt: isComplete ? new Date() : await lastCheck(pool, viewer) }
    },
    async reclaimable(viewer, filter, rule) {
      await requirePlaces(pool, viewer, filter)
      if (rule.keep === 'FOLDER') await requireFolder(pool, viewer, rule.folderId)
      if (rule.keep === 'ACCOUNT') await requirePlaces(pool, viewer, rule)
      return sumReclaimable(pool, viewer, filter, rule)
    },
    async compare(viewer, groupIds) {
      if (groupIds.length > MOST_COMPARED) {
        const message = `At most ${MOST_COMPARED} groups can be compared at once.`
        throw new InvalidInputError([{ path: 'ids', message }])
      }
      return startComparisons(deps, viewer, requireGroups(await getGroups(pool, viewer, [...new Set(groupIds)])))
    },
    comparisons: (viewer) => listComparisons(pool, viewer),
  }
}

const PENDING = {
  name: 'duplicates pending',
  text: 'select exists (select from unchecked_sizes where user_id = $1) as pending',
}

/** Includes what has just changed; after many changes a job does the rest. @returns whether everything is included */
async function catchUp(deps: DuplicatesDeps, { userId }: Viewer): Promise<boolean> {
  const { rows } = await deps.pool.query<{ pending: boolean }>({ ...PENDING, values: [userId] })
  if (!rows[0]?.pending) return true
  const outcome = await checkSome(deps, userId, CHECKED_BY_READERS)
  if (outcome === 'DONE') return true
  if (outcome === 'MORE') await transaction(deps.pool, (tx) => enqueueCheck(tx, deps.enqueue, userId))
  return false
}

const enqueueCheck = (tx: Parameters<Enqueue>[0], enqueue: Enqueue, userId: string) =>
  enqueue(tx, 'checkDuplicates', { userId }, { key: `duplicates ${userId}` })

const LAST_CHECK = 'select checked_at as "checkedAt" from duplicate_checks where user_id = $1'

async function lastCheck(pool: Pool, { userId }: Viewer): Promise<Date | null> {
  const { rows } = await pool.query<{ checkedAt: Date | null }>(LAST_CHECK, [userId])
  return rows[0]?.checkedAt ?? null
}

const WAITING = `select u.id as "userId" from users u
  where u.deleted_at is null and exists (select from unchecked_sizes s where s.user_id = u.id)`

export function createDuplicatesHousekeeping(
  deps: DuplicatesDeps & { readonly contents: Pick<Contents, 'source'> },
): DuplicatesHousekeeping {
  const { pool, enqueue } = deps
  return {
    async checkAll() {
      await forgetComparisons(pool)
      const { rows } = await pool.query<{ userId: string }>(WAITING)
      await transaction(pool, async (tx) => {
        for (const { userId } of rows) await enqueueCheck(tx, enqueue, userId)
      })
    },
    async check(userId, signal) {
      for (let outcome = await checkSome(deps, userId, CHECKED_BY_JOBS); outcome === 'MORE'; ) {
        signal.throwIfAborted()
        outcome = await checkSome(deps, userId, CHECKED_BY_JOBS)
      }
    },
    hash: (fileIds, signal) => hashStored(deps, fileIds, signal),
    compare: (comparisonId, signal) => compareNext(deps, comparisonId, signal),
  }
}
