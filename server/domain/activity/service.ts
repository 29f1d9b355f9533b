import type pg from 'pg'
import type { FairSemaphore } from '../../lib/concurrency.ts'
import { createReadTurns, isShort, matching, wantedKey } from '../files/tree/listing.ts'
import { timeCursor } from '../timeCursor.ts'
import type { Viewer } from '../viewer.ts'
import type { Action, Activity, ActivityLog, ActivityService, ActorKind, SubjectType } from './contract.ts'
import { sentenceOf } from './sentences.ts'

type ListOptions = Parameters<ActivityService['list']>[1]

export type ActivityDeps = {
  readonly pool: pg.Pool
  readonly log: Pick<ActivityLog, 'flush'>
  /** Limits reads that may take long, per user. */
  readonly turns?: FairSemaphore
}

type Row = {
  readonly id: string
  readonly at: Date
  readonly actor_kind: ActorKind
  readonly actor_name: string
  readonly address: string
  readonly action: Action
  readonly subject_type: SubjectType | null
  readonly subject_id: string | null
  readonly subject_name: string
  readonly count: number
  readonly details: Readonly<Record<string, string>>
}

/** Exported for the tests of its plan. */
export const CURSOR = timeCursor('activity')

/**
 * Reads the entries that `log` has written; waiting ones are written first, so that users find what they have just
 * done.
 */
export function createActivityService({ pool, log, turns = createReadTurns() }: ActivityDeps): ActivityService {
  return {
    async list(viewer, options) {
      await log.flush()
      const read = () => pool.query<Row>(listStatement(viewer, options))
      const { rows } = await (options.query === undefined ? read() : turns(viewer.userId, read))
      const items = rows
        .slice(0, options.limit)
        .map((row) => ({ activity: toActivity(row), cursor: CURSOR.encode(row) }))
      return { items, hasNextPage: rows.length > items.length }
    },
  }
}

/** One row more than requested shows whether there is another page. Exported for the tests of its plan. */
export function listStatement(viewer: Viewer, options: ListOptions): { text: string; values: unknown[] } {
  const values: unknown[] = [viewer.userId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['user_id = $1', ...filtersOf(options, bind)]
  const place: string[] = []
  if (options.after !== undefined) {
    const { at, id } = CURSOR.decode(options.after)
    place.push(`(at, id) < (${bind(at)}::timestamptz, ${bind(id)}::uuid)`)
  }
  conditions.push(...place)
  const { with: first, from } = sourceOf(options, place, bind)
  const text = `${first}select id, at, actor_kind, actor_name, address, action, subject_type, subject_id, subject_name, count, details
    from ${from} where ${conditions.join(' and ')} order by at desc, id desc limit ${bind(options.limit + 1)}`
  return { text, values }
}

/** Number of newest entries read for a search of one or two letters, which the trigram index cannot find. */
const MOST_LOOKED_AT = 5_000

/**
 * For one file, its few entries are selected first. PostgreSQL has no statistics on rare array elements, does not know
 * that they are few, and would otherwise read the whole log from the newest entry.
 */
function sourceOf(
  { fileId, query }: ListOptions,
  place: readonly string[],
  bind: (value: unknown) => string,
): { with: string; from: string } {
  if (!fileId && isShort(wantedKey(query))) {
    const newest = `select * from activities where ${['user_id = $1', ...place].join(' and ')}
      order by at desc, id desc limit ${MOST_LOOKED_AT}`
    return { with: `with newest as materialized (${newest}) `, from: 'newest' }
  }
  if (!fileId) return { with: '', from: 'activities' }
  const ofFile = `select * from activities where file_ids @> array[${bind(fileId)}::uuid]`
  return { with: `with of_file as materialized (${ofFile}) `, from: 'of_file' }
}

function filtersOf({ query, actions, subjectId }: ListOptions, bind: (value: unknown) => string): string[] {
  const filters: string[] = []
  const wanted = wantedKey(query)
  if (wanted) filters.push(...matching(wanted, 'search_key', bind))
  if (actions) filters.push(`action = any(${bind(actions)}::text[])`)
  if (subjectId) filters.push(`subject_id = ${bind(subjectId)}`)
  return filters
}

function toActivity(row: Row): Activity {
  const data = {
    actorKind: row.actor_kind,
    actorName: row.actor_name,
    subjectName: row.subject_name,
    count: row.count,
    details: row.details,
  }
  return {
    ...data,
    id: row.id,
    at: row.at,
    address: row.address,
    action: row.action,
    subjectType: row.subject_type,
    subjectId: row.subject_id,
    sentence: sentenceOf(row.action, data),
  }
}

/** Rows per statement, so that the table is not locked for long. */
const BATCH = 5_000

const FORGET = `delete from activities where id in (
  select id from activities where at < now() - interval '1 year' order by at limit $1)`

/** Deletes entries older than a year. */
export async function forgetActivities(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rowCount } = await pool.query(FORGET, [BATCH])
    if ((rowCount ?? 0) < BATCH) return
  }
}
