import type { ClientBase, Pool } from 'pg'
import type { EventMap } from '../domain/events.ts'
import type { Envelope, Topic } from './events.ts'

/** Topics that are stored. Progress reports are only valid for a moment. */
const KEPT = ['filesChanged', 'tagsChanged', 'accountsChanged', 'accessChanged'] as const
export type KeptTopic = (typeof KEPT)[number]

/** One change of one user. `position` is a decimal number that increases in commit order. */
export type LoggedChange = {
  [Name in KeptTopic]: {
    readonly position: string
    readonly topic: Name
    readonly event: EventMap[Name]
    readonly at: Date
  }
}[KeptTopic]

/** Retention: readers that were away longer must reload everything. */
const RETENTION = '7 days'
/** Lock taken before a position is assigned and held until the commit, so that positions become visible in order. */
const IN_TURN = `turn as materialized (select pg_advisory_xact_lock(${0x5b31}))`

const ADD_AND_NOTIFY = `with ${IN_TURN},
  given as (select * from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as i(user_id, topic, event, number)),
  added as (insert into changes (user_id, topic, event)
    select g.user_id, g.topic, g.event::jsonb from given g join users u on u.id = g.user_id cross join turn order by g.number)
  select pg_notify($4, payload) from unnest($5::text[]) payload`

/** Sends notifications and stores the events of stored topics, in one statement. */
export async function addAndNotify(
  pool: Pool,
  channel: string,
  envelopes: readonly Envelope[],
  payloads: readonly string[],
): Promise<void> {
  const kept = envelopes.filter(({ topic }) => isKept(topic))
  if (kept.length === 0) {
    await pool.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [channel, payloads])
    return
  }
  const values = [
    kept.map(({ userId }) => userId),
    kept.map(({ topic }) => topic),
    kept.map(({ event }) => JSON.stringify(event)),
    channel,
    payloads,
  ]
  await pool.query({ name: 'changes-add', text: ADD_AND_NOTIFY, values })
}

function isKept(topic: Topic): topic is KeptTopic {
  return (KEPT as readonly Topic[]).includes(topic)
}

/**
 * Marks all positions up to now as incomplete, so that readers at them reload everything. For events that may have been lost, because
 * a server stopped before it sent them or a statement failed.
 */
export async function raiseFloor(sql: Pick<ClientBase, 'query'>): Promise<void> {
  await sql.query(
    `with ${IN_TURN} update change_floor set position = nextval('changes_position_seq') from turn where id = 1`,
  )
}

/** @returns the current position: everything committed so far is at or below it */
export async function lastPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>(
    `select greatest(f.position, (select max(position) from changes))::text as position from change_floor f where f.id = 1`,
  )
  return rows[0]?.position ?? '0'
}

/** Between the first query of a page and its subscription, on a slow line. */
const RECENT = '30 seconds'

/** @returns a position before the changes of a user in the last 30 seconds, or the current one if there are none */
export async function recentPosition(pool: Pool, userId: string): Promise<string> {
  const last = await lastPosition(pool)
  // Not min() of the table: PostgreSQL would search the user's whole log for it, from its beginning.
  const { rows } = await pool.query<{ position: string | null }>(
    `with recent as materialized (select position from changes where user_id = $1 and at > now() - interval '${RECENT}')
     select greatest(min(r.position) - 1, f.position)::text as position from change_floor f left join recent r on true
     where f.id = 1 group by f.position having count(r.position) > 0`,
    [userId],
  )
  return rows[0]?.position ?? last
}

const READ = {
  name: 'changes-read',
  // Ordered by the column, not by the text of the same name.
  text: `select c.position::text as position, c.topic, c.event, c.at from changes c
    where c.user_id = $1 and c.position > $2::bigint order by c.position limit $3`,
}

/**
 * The changes of a user after a position, oldest first, at most `limit`.
 * @returns null when some may be missing because the position is older than the stored changes
 */
export async function readChanges(
  pool: Pool,
  userId: string,
  after: string,
  limit: number,
): Promise<LoggedChange[] | null> {
  const { rows } = await pool.query<LoggedChange>({ ...READ, values: [userId, after, limit] })
  // Checked after reading, so that changes deleted before the read are noticed.
  const floor = await pool.query<{ missed: boolean }>(
    'select position > $1::bigint as missed from change_floor where id = 1',
    [after],
  )
  return floor.rows[0]?.missed === false ? rows : null
}

/** Deletes changes older than a week. */
export async function forgetChanges(pool: Pool): Promise<void> {
  await pool.query(
    `with old as (select max(position) as position from changes where at < now() - interval '${RETENTION}')
     update change_floor f set position = greatest(f.position, old.position) from old where f.id = 1 and old.position is not null`,
  )
  await pool.query(
    `delete from changes c using change_floor f where c.position <= f.position and c.at < now() - interval '${RETENTION}'`,
  )
}
