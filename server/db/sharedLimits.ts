import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { AccountLimits, RequestLimits, SharedNotes, SharedSlots } from '../lib/limits.ts'
import type { Logger } from '../lib/logger.ts'
import { createCallLeases } from './callLeases.ts'
import { listen } from './listener.ts'
import { createPauses, type PauseNews } from './pauses.ts'
import type { DatabaseAddress } from './pool.ts'
import { createSlots } from './slots.ts'

const CHANNEL = 'skypool_limits'
/** Messages are sent in batches at this interval (ms): NOTIFY takes a database-wide lock at commit, so it must be rare. */
const BATCH_MS = 20
/** PostgreSQL refuses payloads of 8,000 bytes or more; a key or note has at most some 110. */
const MOST_IN_MESSAGE = 60

const NOTE_MS = 10 * 60_000
/** Beyond this number, notes are forgotten, so that memory stays bounded. */
const MOST_NOTES = 100_000

/** What one server tells the others. */
type Message = {
  readonly from: string
  readonly noted: readonly string[]
  readonly wanted: readonly string[]
  readonly freed: readonly string[]
  readonly paused: readonly PauseNews[]
  readonly unpaused: readonly string[]
}
type News = Omit<Message, 'from'>

export type SharedLimits = RequestLimits & {
  readonly slots: SharedSlots
  readonly accounts: AccountLimits
  /** Other servers have declared this one dead and removed what it held. */
  onDeclaredDead(): void
  /** Gives back what it can. To be called before the server leaves the register. */
  close(): Promise<void>
}

export type SharedLimitsDeps = {
  readonly pool: pg.Pool
  readonly address: DatabaseAddress
  readonly logger: Logger
  /** Id in the register of servers. */
  readonly serverId: string
  /** Number of running servers. */
  readonly servers: () => number
  /** Name of the listening connection in pg_stat_activity. */
  readonly name: string
}

/** The limits that hold for all servers of one database. Resolves when it listens and knows all pauses. */
export async function createSharedLimits(deps: SharedLimitsDeps): Promise<SharedLimits> {
  const { pool, address, logger, serverId, servers, name } = deps
  const onError = (error: unknown): void => {
    logger.warn(
      { reason: error instanceof Error ? error.message : error },
      'What limits all servers could not be written',
    )
  }
  const sender = createSender(pool, serverId, onError)
  const calls = createCallLeases({ pool, servers, onError })
  const slots = createSlots({ pool, serverId, servers, tell: (what, key) => sender.send(what, key) })
  const pauses = createPauses({
    pool,
    tell: (what) => ('paused' in what ? sender.send('paused', what.paused) : sender.send('unpaused', what.unpaused)),
    onError,
  })
  const notes = createNotes((note) => sender.send('noted', note))
  const listener = await listen({
    address,
    name,
    channel: CHANNEL,
    logger,
    onPayload(payload) {
      const { from, noted, wanted, freed, paused, unpaused } = JSON.parse(payload) as Message
      if (from === serverId) return
      notes.hear(noted)
      slots.wanted(from, wanted)
      slots.freed(freed)
      pauses.hear(paused, unpaused)
    },
    onReconnected() {
      void pauses.load().catch(onError)
      // After a crash of the database the table is empty.
      slots.restore()
    },
  })
  await pauses.load()
  return {
    calls,
    notes,
    slots,
    accounts: { slots, pauses },
    onDeclaredDead: slots.restore,
    async close() {
      await calls.close()
      await slots.close()
      await pauses.close()
      await sender.drain()
      await listener.close()
    },
  }
}

/** In the memory of each server. */
function createNotes(tell: (note: string) => void): SharedNotes & { hear(noted: readonly string[]): void } {
  const known = new Map<string, number>()

  function keep(note: string): void {
    if (known.size >= MOST_NOTES) known.clear()
    known.set(note, performance.now() + NOTE_MS)
  }

  return {
    has: (note) => (known.get(note) ?? 0) > performance.now(),
    add(note) {
      // Others know it for as long, nearly.
      const isFresh = (known.get(note) ?? 0) > performance.now() + NOTE_MS / 2
      if (isFresh) return
      keep(note)
      tell(note)
    },
    hear(noted) {
      for (const note of noted) keep(note)
    },
  }
}

function createSender(pool: pg.Pool, from: string, onError: (error: unknown) => void) {
  let waiting: { [Name in keyof News]: Set<News[Name][number]> } | null = null
  let sending: Promise<void> = Promise.resolve()

  async function sendSoon(): Promise<void> {
    await sleep(BATCH_MS)
    const news = Object.entries(waiting ?? {}).flatMap(([name, set]) => [...set].map((one) => [name, one] as const))
    waiting = null
    const payloads: string[] = []
    for (let at = 0; at < news.length; at += MOST_IN_MESSAGE) {
      const part = news.slice(at, at + MOST_IN_MESSAGE)
      const of = (name: string) => part.flatMap(([one, what]) => (one === name ? [what] : []))
      payloads.push(
        JSON.stringify({
          from,
          noted: of('noted'),
          wanted: of('wanted'),
          freed: of('freed'),
          paused: of('paused'),
          unpaused: of('unpaused'),
        }),
      )
    }
    await pool.query('select pg_notify($1, p) from unnest($2::text[]) p', [CHANNEL, payloads]).catch(onError)
  }

  return {
    send<Name extends keyof News>(name: Name, what: News[Name][number]): void {
      if (!waiting) {
        waiting = { noted: new Set(), wanted: new Set(), freed: new Set(), paused: new Set(), unpaused: new Set() }
        sending = sendSoon()
      }
      // Pauses of the login before.
      if (name === 'unpaused') for (const news of waiting.paused) if (news[0] === what) waiting.paused.delete(news)
      ;(waiting[name] as Set<News[Name][number]>).add(what)
    },
    drain: () => sending,
  }
}
