import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** What exactly one of the servers does, and for how long no server did it. */
export type Duties = {
  /** By duty: how often it changed hands, and the longest time without any server (s). */
  readonly gaps: Readonly<Record<string, { readonly moves: number; readonly longest: number }>>
  /** The longest time since the last minute in which jobs by the clock were queued (s). */
  readonly cronBehind: number
}

const EVERY_MS = 100

/** The connections that hold the advisory locks of the account probe ("prob") and of the Telegram bot ("telg"). */
const HOLDERS = `select l.objid::bigint as key, a.application_name as holder from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = any(array[${0x70726f62}, ${0x74656c67}]::oid[])
    and l.database = (select oid from pg_database where datname = current_database())`
const NAMES: Readonly<Record<string, string>> = { [String(0x70726f62)]: 'probe', [String(0x74656c67)]: 'bot' }

/** When the feeds of accounts are read next: it moves on with each read. */
const FEEDS = 'select max(next_at)::text as at from account_feeds'
const CRON = `select extract(epoch from now() - max(last_execution))::float8 as behind
  from graphile_worker._private_known_crontabs where last_execution is not null`

type Duty = { holder: string; since: number; moves: number; longest: number }

/**
 * Looks at the database ten times a second for who has which duty. No server has the duty `feeds` for as long as no feed is read, and
 * none has any while the database is away.
 */
export function watchDuties(connection: pg.ClientConfig): { stop(): Promise<Duties> } {
  const duties = new Map<string, Duty>()
  const stopping = new AbortController()
  let cronBehind = 0

  /** `holder`: null when no server has it. */
  function see(name: string, holder: string | null): void {
    const now = performance.now()
    const duty = duties.get(name)
    // It begins with its first holder.
    if (holder === null) return
    if (!duty) {
      duties.set(name, { holder, since: now, moves: 0, longest: 0 })
      return
    }
    duty.longest = Math.max(duty.longest, now - duty.since)
    if (duty.holder !== holder) duty.moves += 1
    duty.holder = holder
    duty.since = now
  }

  async function look(database: pg.Client): Promise<void> {
    const { rows } = await database.query<{ key: string; holder: string }>(HOLDERS)
    for (const { key, holder } of rows) see(NAMES[key] ?? key, holder)
    const feeds = await database.query<{ at: string | null }>(FEEDS)
    const at = feeds.rows[0]?.at ?? null
    if (at !== duties.get('feeds')?.holder) see('feeds', at)
    const cron = await database.query<{ behind: number | null }>(CRON)
    cronBehind = Math.max(cronBehind, cron.rows[0]?.behind ?? 0)
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const database = new pg.Client(connection)
      database.on('error', () => undefined)
      try {
        await database.connect()
        while (!stopping.signal.aborted) {
          await look(database)
          await sleep(EVERY_MS)
        }
      } catch {
        // It is away, as planned: what lasts too long shows in the figures.
        await sleep(EVERY_MS)
      } finally {
        await database.end().catch(() => undefined)
      }
    }
  }

  const watching = watch()
  return {
    async stop() {
      stopping.abort()
      await watching
      const gaps = Object.fromEntries(
        [...duties].map(([name, { moves, longest, since }]) => [
          name,
          { moves, longest: seconds(Math.max(longest, performance.now() - since)) },
        ]),
      )
      return { gaps, cronBehind: Math.round(cronBehind) }
    },
  }
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10
