import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { ConflictError, ContentUnavailableError, DomainError, NotFoundError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import { CONTENT_VERSION, HASHES_OF_FILE, hashContent, saveHashes } from '../files/content/hashes.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import type { Comparison, ComparisonState, DuplicateGroup } from './contract.ts'

// Reads files of the same size to find out which of them are equal. What was read is kept as hashes, so that a comparison continues after
// a restart with the first file that was not read completely.

export type CompareDeps = { readonly pool: Pool; readonly enqueue: Enqueue }

const COLUMNS = `id, name, file_ids::text[] as "fileIds", state, total_bytes::float8 as "totalBytes", done_bytes::float8 as "doneBytes", error,
  created_at as "createdAt", ended_at as "endedAt"`

const LIST = `select ${COLUMNS} from duplicate_comparisons
  where user_id = $1 and (ended_at is null or ended_at > now() - interval '1 day') order by created_at desc, id desc limit 100`

/** Those that run, and those that ended within a day; newest first. */
export async function listComparisons(pool: Pool, { userId }: Viewer): Promise<Comparison[]> {
  const { rows } = await pool.query<Comparison>(LIST, [userId])
  return rows
}

const RUNNING = `select ${COLUMNS} from duplicate_comparisons
  where user_id = $1 and state = 'RUNNING' and file_ids @> $2::uuid[] and file_ids <@ $2::uuid[]`
const START = `insert into duplicate_comparisons (id, user_id, name, file_ids, total_bytes) values ($1, $2, $3, $4, $5) returning ${COLUMNS}`

/** Starts to compare the files of each group; one that is being compared already is not started again. @throws ConflictError for CERTAIN groups */
export async function startComparisons(
  { pool, enqueue }: CompareDeps,
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
export async function compareNext(
  deps: CompareDeps & { readonly contents: Pick<Contents, 'source'> },
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

export async function forgetComparisons(pool: Pool): Promise<void> {
  await pool.query(FORGET)
}

/** @throws NotFoundError when one of them is missing */
export function requireGroups(groups: readonly (DuplicateGroup | null)[]): DuplicateGroup[] {
  return groups.map((group) => {
    if (!group) throw new NotFoundError('These files are not duplicates any more, or one of them was changed.')
    return group
  })
}
