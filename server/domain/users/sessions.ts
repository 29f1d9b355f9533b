import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import { clientName } from '../../lib/clientName.ts'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import { newId } from '../../lib/ids.ts'
import { NotFoundError, UnauthenticatedError } from '../errors.ts'
import type { Events } from '../events.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import type { Client, Session } from './contract.ts'
import type { PeopleDeps } from './passwords.ts'

const TOKEN_BYTES = 32

export type Sessions = {
  /**
   * Starts a session after this password was verified. The token is returned only here; the database stores its hash.
   * `expiresAt`: absolute expiry. Null when the password has changed in the meantime: ending all sessions must not miss a new one.
   */
  start(user: Proven, remember: boolean, client: Client): Promise<{ token: string; expiresAt: Date } | null>
  viewerOf(token: string): Promise<Viewer | null>
  /** Whether the session is valid; does not count as activity, so the idle timeout is not extended. */
  isLive(sessionId: string): Promise<boolean>
  end(sessionId: string): Promise<void>
}

export type Proven = { readonly id: string; readonly passwordHash: string }

/** The lock waits for a concurrent change of the password. */
const START = `insert into sessions (id, user_id, token_hash, remember, user_agent, address, expires_at)
  select $1::uuid, u.id, $3::bytea, $4::boolean, $5, $6, now() + case when $4 then interval '90 days' else interval '7 days' end
  from users u where u.id = $2 and u.password_hash = $7 and u.deleted_at is null for share
  returning expires_at`

/** SQL condition for a valid row of `sessions`. */
const LIVE_SESSION = `expires_at > now()
    and last_seen_at > now() - case when remember then interval '30 days' else interval '24 hours' end`

/**
 * Runs for every request; `at` is the index of the hash. The condition on the hash length is for the planner: it estimates one row
 * for it whatever the number of hashes, so the generic plan is kept. Without it PostgreSQL would plan each execution, which is
 * most of the work.
 */
const VIEWERS_OF = {
  name: 'viewers-of-sessions',
  text: `select at, id, user_id, last_seen_at < now() - interval '1 minute' as stale
    from unnest($1::bytea[]) with ordinality as asked(hash, at) join sessions on token_hash = hash
    where octet_length(hash) = 32 and ${LIVE_SESSION}`,
}
/** Maximum number of sessions per statement. */
const BATCH = 100

const IS_LIVE = `select 1 from sessions where id = $1 and ${LIVE_SESSION}`

const SEEN = `update sessions set last_seen_at = now() where id = $1 and last_seen_at < now() - interval '1 minute'`

/** Beyond this, the least recently used session of a user ends. */
const MOST_SESSIONS = 100

const END_OLDEST = `delete from sessions where id in (
    select id from sessions where user_id = $1 order by last_seen_at desc, id desc offset ${MOST_SESSIONS} for update skip locked)`

const SWEEP = `delete from sessions where id in (select id from sessions where expires_at < now() limit 20 for update skip locked)`

/** Sessions are rows, checked by the database's clock: ending one takes effect immediately in all processes. */
export function createSessions(pool: pg.Pool, events: Pick<Events, 'publish'>): Sessions {
  const find = createBatcher({ limit: BATCH, run: (hashes: readonly Buffer[]) => findSessions(pool, hashes) })
  return {
    async start({ id, passwordHash }, remember, { userAgent, address }) {
      await pool.query(SWEEP)
      const token = newToken()
      const values = [newId(), id, hashOf(token), remember, storable(userAgent), address, passwordHash]
      const { rows } = await pool.query<{ expires_at: Date }>(START, values)
      if (!rows[0]) return null
      await pool.query(END_OLDEST, [id])
      events.publish('accessChanged', id, {})
      return { token, expiresAt: rows[0].expires_at }
    },
    async viewerOf(token) {
      const session = await find(hashOf(token))
      if (!session) return null
      if (session.stale) await pool.query(SEEN, [session.id])
      return { userId: session.user_id, sessionId: session.id }
    },
    async isLive(sessionId) {
      const { rowCount } = await pool.query({ name: 'is-session-live', text: IS_LIVE, values: [sessionId] })
      return rowCount === 1
    },
    async end(sessionId) {
      const text = 'delete from sessions where id = $1 returning user_id'
      const { rows } = await pool.query<{ user_id: string }>(text, [sessionId])
      for (const { user_id } of rows) events.publish('accessChanged', user_id, {})
    },
  }
}

/** Replaces the token of a session; the old one is invalid. @throws UnauthenticatedError when it has ended */
export async function renewSession(
  tx: ClientBase,
  sessionId: string,
): Promise<{ token: string; expiresAt: Date | null }> {
  const token = newToken()
  const { rows } = await tx.query<{ remember: boolean; expires_at: Date }>(
    `update sessions set token_hash = $2 where id = $1 and ${LIVE_SESSION} returning remember, expires_at`,
    [sessionId, hashOf(token)],
  )
  if (!rows[0]) throw new UnauthenticatedError()
  return { token, expiresAt: rows[0].remember ? rows[0].expires_at : null }
}

type Found = { at: string; id: string; user_id: string; stale: boolean }

/** The valid session of each hash, null for none. One statement for all requests that arrived in the meantime. */
async function findSessions(pool: pg.Pool, hashes: readonly Buffer[]): Promise<Outcome<Found | null>[]> {
  const { rows } = await pool.query<Found>({ ...VIEWERS_OF, values: [hashes] })
  const found = new Map(rows.map((row) => [Number(row.at), row]))
  return hashes.map((_, index) => ({ ok: true, value: found.get(index + 1) ?? null }))
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Removes control characters: PostgreSQL refuses NUL, and logs should not contain any of them. */
function storable(text: string): string {
  return text.replace(/\p{Cc}/gu, '').slice(0, 500)
}

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
