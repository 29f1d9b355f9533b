import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Logger } from '../lib/logger.ts'
import { raiseFloor } from './events.ts'
import { connectionOf, type DatabaseAddress, transaction } from './pool.ts'

/** Milliseconds; shorter in tests. */
export type RegisterTimes = {
  /** Interval of heartbeats. */
  readonly beat: number
  /** A server without a heartbeat for this long is declared dead. */
  readonly silence: number
  /** How long a server's own heartbeat must have been regular before it declares others dead: a database outage silences all. */
  readonly steady: number
}
const TIMES: RegisterTimes = { beat: 4_000, silence: 20_000, steady: 12_000 }

/**
 * How long (ms) a server can rely on an answer of the database that nothing was taken over from it, even if it is suspended right after:
 * its last heartbeat can be one interval older than the answer, and one more is left for effects that are still on their way.
 */
export function reliedMs(times: Partial<RegisterTimes> = {}): number {
  const { silence, beat } = { ...TIMES, ...times }
  return silence - 2 * beat
}

/** After this time (ms) without an answer, the next heartbeat uses another connection. */
const TIMEOUT_MS = 8_000
/** Before the one heartbeat that follows a failed one at once. */
const HURRY_MS = 100

export type RegisterDeps = {
  readonly address: DatabaseAddress
  readonly logger: Logger
  /** No other server can use this database, so all existing rows are left over. */
  readonly alone: boolean
  /** Ids of staged objects that this server is writing and no row refers to. */
  readonly receiving: () => readonly string[]
  /** Unlocks the jobs of dead workers, in the transaction that removes their servers. */
  readonly unlock: (client: pg.ClientBase, workers: readonly string[]) => Promise<void>
  /** Called regularly: unlocks jobs of workers that are not in the register. */
  readonly unlockUnregistered: (pool: pg.Pool, silenceMs: number) => Promise<void>
  /** Called when other servers have declared this one dead and taken over its work. */
  readonly onDeclaredDead: () => Promise<void>
  /** The two storages of a server that uses two. */
  readonly storages?: string | null
  readonly times?: Partial<RegisterTimes>
}

export type Register = {
  /** Id of this server, which is part of the names of its database connections. */
  readonly id: string
  /** Sets the name that locks this server's jobs, from the next heartbeat on. */
  setWorker(worker: string): void
  /**
   * Whether others cannot have taken over this server's work yet, by the time of its last heartbeat: asks no one, so that it can stand
   * directly before an effect that cannot be undone.
   */
  isCurrent(): boolean
  /** Resolves when the server is in the register. */
  start(): Promise<void>
  /** Number of running servers, this one included, as of the last heartbeat. */
  servers(): number
  /** Takes the server out of the register. Idempotent. */
  close(): Promise<void>
}

/** Name of a connection; the connections of a dead server are found by it. */
export function connectionName(purpose: string, serverId: string): string {
  return `${purpose} ${serverId}`
}

const BEAT = `update servers set heartbeat_at = now(), worker = $2, receiving = $3::uuid[],
    steady_since = case when heartbeat_at < now() - make_interval(secs => $4) then now() else steady_since end
  where id = $1 returning steady_since <= now() - make_interval(secs => $5) as steady,
    (select count(*)::int from servers) as servers`

const REGISTER = `insert into servers (id, worker, receiving, storages) values ($1, $2, $3::uuid[], $4)
  on conflict (id) do nothing`

const FIND_DEAD = `select id, worker from servers where heartbeat_at < now() - make_interval(secs => $1) and id <> $2
  order by id for update skip locked`

/** A role may end its own connections; those of other roles do not belong to servers. */
const END_CONNECTIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
    and right(application_name, 36) = any($1::text[])`

const COUNT = 'select count(*)::int as servers from servers'

type Dead = { readonly id: string; readonly worker: string | null }

/**
 * The running servers of one database, each with a heartbeat by the database's clock. A server without one for 20 seconds is declared
 * dead, even if it is only suspended: another server ends its connections (and so its locks and transactions), unlocks its jobs and
 * removes its row. A suspended server that resumes finds its connections closed, registers again and calls `onDeclaredDead`.
 */
export function createRegister(deps: RegisterDeps): Register {
  const { address, logger, receiving } = deps
  const times = { ...TIMES, ...deps.times }
  const id = randomUUID()
  // A dedicated connection: a heartbeat must not wait for requests.
  const pool = new pg.Pool({
    ...connectionOf(address),
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: connectionName('skypool-register', id),
  })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let worker: string | null = null
  let rounds = 0
  let hurries = false
  /** When the last heartbeat that was stored was sent; this clock continues while the process is suspended. */
  let sentAt = Number.POSITIVE_INFINITY
  let servers = 1
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function register(): Promise<void> {
    await pool.query(REGISTER, [id, worker, [...receiving()], deps.storages ?? null])
  }

  async function beat(): Promise<void> {
    const now = performance.now()
    const values = [id, worker, [...receiving()], (3 * times.beat) / 1000, times.steady / 1000]
    const { rows } = await pool.query<{ steady: boolean; servers: number }>(BEAT, values)
    const [own] = rows
    if (!own) {
      await register()
      logger.warn('This server sent no heartbeat for so long that others took over its work; it is registered again')
      // What it did until now must have stopped before it counts as current again.
      return deps.onDeclaredDead()
    }
    sentAt = now
    servers = own.servers
    if (!own.steady) return
    await removeDead()
    rounds += 1
    if (rounds % Math.ceil(times.silence / times.beat) === 1) await deps.unlockUnregistered(pool, times.silence)
  }

  async function removeDead(): Promise<void> {
    const dead = await transaction(pool, async (client) => {
      const { rows } = await client.query<Dead>(FIND_DEAD, [times.silence / 1000, id])
      if (rows.length > 0) await remove(client, rows)
      return rows
    })
    for (const server of dead)
      logger.warn({ server: server.id }, 'A server sent no heartbeat for too long: others take over its work')
  }

  async function remove(client: pg.ClientBase, dead: readonly Dead[]): Promise<void> {
    const ids = dead.map((server) => server.id)
    await client.query(END_CONNECTIONS, [ids])
    await deps.unlock(
      client,
      dead.flatMap((server) => server.worker ?? []),
    )
    await client.query('delete from servers where id = any($1::uuid[])', [ids])
    // Events that they had not sent yet are lost.
    await raiseFloor(client)
  }

  function isCurrent(): boolean {
    return performance.now() - sentAt < times.silence
  }

  /** After a suspension the connection is closed, and the next heartbeat must not wait. */
  function pauseAfter(failed: boolean): number {
    hurries = failed && !isCurrent() && !hurries
    return hurries ? Math.min(HURRY_MS, times.beat) : times.beat
  }

  function next(afterMs = times.beat): void {
    if (closed) return
    timer = setTimeout(() => {
      running = beat()
        .then(() => false)
        .catch((error: unknown) => {
          if (!closed)
            logger.warn(
              { reason: error instanceof Error ? error.message : error },
              'The heartbeat of this server failed',
            )
          return true
        })
        .then((failed) => next(pauseAfter(failed)))
    }, afterMs).unref()
  }

  return {
    id,
    isCurrent,
    setWorker(name) {
      worker = name
    },
    async start() {
      if (deps.alone) await pool.query('delete from servers')
      const now = performance.now()
      await register()
      // Without other servers, no heartbeat is needed.
      if (deps.alone) return
      sentAt = now
      const { rows } = await pool.query<{ servers: number }>(COUNT)
      servers = rows[0]?.servers ?? 1
      next()
    },
    servers: () => servers,
    async close() {
      if (closed) return
      closed = true
      clearTimeout(timer)
      await running
      await pool.query('delete from servers where id = $1', [id]).catch(() => undefined)
      await pool.end()
    },
  }
}
