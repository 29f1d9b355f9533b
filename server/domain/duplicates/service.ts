import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { ConflictError, ContentUnavailableError, DomainError, InvalidInputError, NotFoundError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import { CONTENT_VERSION, HASHES_OF_FILE, hashContent, hashStored, saveHashes } from '../files/content/hashes.ts'
import type { DuplicatesHousekeeping, Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import { checkSome } from './check.ts'
import type { Comparison, ComparisonState, DuplicateGroup, DuplicatesService } from './contract.ts'
import { getGroups, listGroups, requirePlaces, requireRulePlaces, sumGroups, sumReclaimable } from './listing.ts'

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
      await requireRulePlaces(pool, viewer, filter, rule)
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
export async function catchUp(deps: DuplicatesDeps, { userId }: Pick<Viewer, 'userId'>): Promise<boolean> {
  const { rows } = await deps.pool.query<{ pending: boolean }>({ ...PENDING, values: [userId] })
  if (!rows[0]?.pending) return true
  const outcome = await checkSome(deps, userId, { limit: CHECKED_BY_READERS, leaveLarge: true })
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
      for (let outcome = await checkSome(deps, userId, { limit: CHECKED_BY_JOBS }); outcome === 'MORE'; ) {
        signal.throwIfAborted()
        outcome = await checkSome(deps, userId, { limit: CHECKED_BY_JOBS })
      }
    },
    hash: (fileIds, signal) => hashStored(deps, fileIds, signal),
    compare: (comparisonId, signal) => compareNext(deps, comparisonId, signal),
  }
}

// Reads files of the same size to find out which of them are equal. What was read is kept as hashes, so that a comparison continues after
// a restart with the first file that was not read completely.

const COLUMNS = `id, name, file_ids::text[] as "fileIds", state, total_bytes::float8 as "totalBytes", done_bytes::float8 as "doneBytes", error,
  created_at as "createdAt", ended_at as "endedAt"`

const LIST = `select ${COLUMNS} from duplicate_comparisons
  where user_id = $1 and (ended_at is null or ended_at > now() - interval '1 day') order by created_at desc, id desc limit 100`

/** Those that run, and those that ended within a day; newest first. */
async function listComparisons(pool: Pool, { userId }: Viewer): Promise<Comparison[]> {
  const { rows } = await pool.query<Comparison>(LIST, [userId])
  return rows
}

const RUNNING = `select ${COLUMNS} from duplicate_comparisons
  where user_id = $1 and state = 'RUNNING' and file_ids @> $2::uuid[] and file_ids <@ $2::uuid[]`
const START = `insert into duplicate_comparisons (id, user_id, name, file_ids, total_bytes) values ($1, $2, $3, $4, $5) returning ${COLUMNS}`

/** Starts to compare the files of each group; one that is being compared already is not started again. @throws ConflictError for CERTAIN groups */
async function startComparisons(
  { pool, enqueue }: DuplicatesDeps,
  { userId }: Viewer,
  groups: readonly DuplicateGroup[],
): Promise<Comparison[]> {
  const certain = groups.find(({ certainty }) => certainty === 'CERTAIN')
  if (certain) throw new ConflictError(`The files of “${nameOf(certain)}” are known to be equal.`)
  return transaction(pool, async (tx) => {
    const started: Comparison[] = []
    for (const group of groups) {
      const fileIds = group.files.map(({ id }) => id)
      const running = await tx.query<Comparison>(RUNNING, [userId, fileIds])
      const values = [newId(), userId, nameOf(group), fileIds, group.compareBytes]
      const [comparison] = running.rows[0] ? running.rows : (await tx.query<Comparison>(START, values)).rows
      if (!comparison) continue
      started.push(comparison)
      await enqueueCompare(tx, enqueue, comparison.id)
    }
    return started
  })
}

const nameOf = ({ files }: DuplicateGroup) => files[0]?.name ?? ''

const enqueueCompare = (tx: Parameters<Enqueue>[0], enqueue: Enqueue, comparisonId: string) =>
  enqueue(tx, 'compareFiles', { comparisonId }, { key: `compare ${comparisonId}` })

type Job = { readonly userId: string; readonly fileIds: readonly string[]; readonly totalBytes: number }

const JOB = `select user_id as "userId", file_ids::text[] as "fileIds", total_bytes::float8 as "totalBytes"
  from duplicate_comparisons where id = $1 and state = 'RUNNING'`

/** The files that are still there. `sha256`: of those that were read. */
type Facts = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly size: number
  readonly reported: string | null
  readonly sha256: string | null
}

const FACTS = `select f.id, f.name, ${CONTENT_VERSION} as version, f.size::float8 as size, e.hash as reported,
    case when h.quickxor is not null then encode(h.sha256, 'hex') end as sha256
  from files f left join account_entries e on e.file_id = f.id left join content_hashes h on ${HASHES_OF_FILE}
  where f.id = any($2::uuid[]) and f.user_id = $1 and f.trash_root_id is null and f.purged_at is null and f.size > 0
  order by f.id`

/**
 * Reads the next file of a comparison, and queues the job again while there is another one: other jobs get their turn. An error of an
 * account ends it with a message; when it is started again, it continues with that file.
 */
async function compareNext(
  deps: DuplicatesDeps & { readonly contents: Pick<Contents, 'source'> },
  comparisonId: string,
  signal: AbortSignal,
): Promise<void> {
  const { pool, enqueue } = deps
  const [job] = (await pool.query<Job>(JOB, [comparisonId])).rows
  if (!job) return
  const { rows: files } = await pool.query<Facts>(FACTS, [job.userId, job.fileIds])
  const next = files.find(({ sha256 }) => sha256 === null)
  if (!next || files.length < 2) return end(pool, comparisonId, resultOf(files))
  const unread = files.filter(({ sha256 }) => sha256 === null).reduce((sum, { size }) => sum + size, 0)
  try {
    await readFile(deps, { id: comparisonId, before: Math.max(job.totalBytes - unread, 0) }, next, signal)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return end(pool, comparisonId, { state: 'FAILED', error: error.message })
  }
  await transaction(pool, (tx) => enqueueCompare(tx, enqueue, comparisonId))
}

/** Between two reports of progress. */
const STEP_BYTES = 16 * 1024 * 1024
const PROGRESS = `update duplicate_comparisons set done_bytes = least($2, total_bytes) where id = $1 and state = 'RUNNING'`

/** @throws DomainError, and the signal's reason */
async function readFile(
  { pool, contents }: { readonly pool: Pool; readonly contents: Pick<Contents, 'source'> },
  { id, before }: { readonly id: string; readonly before: number },
  { id: fileId, name, version, size, reported }: Facts,
  signal: AbortSignal,
): Promise<void> {
  const source = await contents.source(fileId)
  if (source.size !== size) throw changed(name)
  let done = 0
  let told = 0
  const hashes = await hashContent(source, signal, async (bytes) => {
    done += bytes
    if (done - told < STEP_BYTES) return
    told = done
    await pool.query(PROGRESS, [id, before + done])
  })
  const [algorithm, digest] = reported?.split(':') ?? []
  const same = Object.entries(hashes).every(([one, hash]) => one !== algorithm || hash === digest)
  if (!same || !(await saveHashes(pool, fileId, version, hashes))) throw changed(name)
  await pool.query(PROGRESS, [id, before + size])
}

function changed(name: string): ContentUnavailableError {
  return new ContentUnavailableError(`“${name}” was changed while it was compared. Please compare again.`)
}

type Result = { readonly state: ComparisonState; readonly error: string | null }

function resultOf(files: readonly Facts[]): Result {
  if (files.length < 2) return { state: 'FAILED', error: 'The other files are not there any more.' }
  const contents = new Set(files.map(({ sha256, size }) => `${size} ${sha256}`)).size
  if (contents === 1) return { state: 'EQUAL', error: null }
  return { state: contents === files.length ? 'DIFFERENT' : 'PARTLY_EQUAL', error: null }
}

const END = `update duplicate_comparisons set state = $2, error = $3, ended_at = now(),
    done_bytes = case when $2 = 'FAILED' then done_bytes else total_bytes end where id = $1 and state = 'RUNNING'`

async function end(pool: Pool, id: string, { state, error }: Result): Promise<void> {
  await pool.query(END, [id, state, error])
}

const FORGET = `delete from duplicate_comparisons where ended_at < now() - interval '7 days'`

async function forgetComparisons(pool: Pool): Promise<void> {
  await pool.query(FORGET)
}

/** @throws NotFoundError when one of them is missing */
function requireGroups(groups: readonly (DuplicateGroup | null)[]): DuplicateGroup[] {
  return groups.map((group) => {
    if (!group) throw new NotFoundError('These files are not duplicates any more, or one of them was changed.')
    return group
  })
}
