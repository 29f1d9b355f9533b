import type { Pool } from 'pg'
import { clientName } from '../../lib/clientName.ts'
import { NotFoundError } from '../errors.ts'
import type { Session } from '../services/people.ts'
import { LIVE_SESSION } from '../users/sessions.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import type { PeopleDeps } from './deps.ts'

const MOST_LISTED = 200

const LIST = `select id, user_agent, address, remember, created_at, last_seen_at, id = $2 as current
  from sessions where user_id = $1 and ${LIVE_SESSION} order by id = $2 desc, last_seen_at desc, id desc limit ${MOST_LISTED}`

type Row = {
  readonly id: string
  readonly user_agent: string
  readonly address: string
  readonly remember: boolean
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly current: boolean
}

export async function listSessions(pool: Pool, viewer: Viewer): Promise<Session[]> {
  const { rows } = await pool.query<Row>(LIST, [viewer.userId, sessionOf(viewer)])
  return rows.map(toSession)
}

/** @throws NotFoundError */
export async function endSession({ pool, activity, events }: PeopleDeps, viewer: Viewer, id: string): Promise<void> {
  sessionOf(viewer)
  const { rows } = await pool.query<{ user_agent: string }>(
    `delete from sessions where id = $1 and user_id = $2 and ${LIVE_SESSION} returning user_agent`,
    [id, viewer.userId],
  )
  const ended = rows[0]
  if (!ended) throw new NotFoundError()
  const subject = { type: 'Session', id, name: clientName(ended.user_agent) } as const
  activity.record({ kind: 'VIEWER', viewer }, { action: 'SESSION_ENDED', subject })
  events.publish('accessChanged', viewer.userId, {})
}

export async function endOtherSessions({ pool, activity, events }: PeopleDeps, viewer: Viewer): Promise<number> {
  const { rows } = await pool.query<{ live: boolean }>(
    `delete from sessions where user_id = $1 and id <> $2 returning ${LIVE_SESSION} as live`,
    [viewer.userId, sessionOf(viewer)],
  )
  const ended = rows.filter(({ live }) => live).length
  if (ended > 0) {
    activity.record({ kind: 'VIEWER', viewer }, { action: 'SESSION_ENDED', count: ended })
    events.publish('accessChanged', viewer.userId, {})
  }
  return ended
}

function toSession(row: Row): Session {
  const { id, address, current, remember, created_at: createdAt, last_seen_at: lastSeenAt } = row
  return { id, name: clientName(row.user_agent), address, current, remember, createdAt, lastSeenAt }
}
