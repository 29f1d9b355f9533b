import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Logger } from '../lib/logger.ts'
import { raiseFloor } from './changeLog.ts'
import { connectionOf, type DatabaseAddress } from './pool.ts'
import { transaction } from './transaction.ts'

/** Milliseconds. Tests have less patience. */
export type RegisterTimes = {
  /** Between two heartbeats. */
  readonly beat: number
  /** Who was silent for so long is dead. */
  readonly silence: number
  /** Who judges must have been heard without a gap for so long: after an outage of the database everybody was silent. */
  readonly steady: number
}
const TIMES: RegisterTimes = { beat: 5_000, silence: 30_000, steady: 15_000 }
/** A database that does not answer for so long is asked again over another connection. */
const PATIENCE_MS = 10_000

export type RegisterDeps = {
  readonly address: DatabaseAddress
  readonly logger: Logger
  /** No other server can be on this database: whoever is in the register has died. */
  readonly alone: boolean
  /** Staged objects that this server writes and no row refers to. */
  readonly receiving: () => readonly string[]
  /** Part of burying the dead, in the same transaction: gives back what these workers had locked. */
  readonly unlock: (client: pg.ClientBase, workers: readonly string[]) => Promise<void>
  /** Every half minute or so: gives back what is locked by workers that are in no register. */
  readonly unlockStrangers: (pool: pg.Pool, silenceMs: number) => Promise<void>
  /** This server was silent so long that others have declared it dead, and go on with its work. */
  readonly onBuried: () => void
  readonly times?: Partial<RegisterTimes>
}

export type Register = {
  /** Of this server; its database connections carry it in their names. */
  readonly id: string
  /** By this name the jobs of this server are locked, from the next heartbeat on. */
  setWorker(worker: string): void
  /** Resolves when the server is in the register. */
  start(): Promise<void>
  /** Takes the server out of the register. Idempotent. */
  close(): Promise<void>
}

/** Name of a connection: who declares a server dead ends its connections by it. */
export function connectionName(purpose: string, serverId: string): string {
  return `${purpose} ${serverId}`
}

const BEAT = `update servers set heartbeat_at = now(), worker = $2, receiving = $3::uuid[],
    steady_since = case when heartbeat_at < now() - make_interval(secs => $4) then now() else steady_since end
  where id = $1 returning steady_since <= now() - make_interval(secs => $5) as steady`

const ENTER = `insert into servers (id, worker, receiving) values ($1, $2, $3::uuid[]) on conflict (id) do nothing`

const FIND_DEAD = `select id, worker from servers where heartbeat_at < now() - make_interval(secs => $1) and id <> $2
  order by id for update skip locked`

/** A server may end the connections of its own role; what another role has is not a server's. */
const END_CONNECTIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
    and right(application_name, 36) = any($1::text[])`

type Dead = { readonly id: string; readonly worker: string | null }

/**
 * The running servers of one database, each with a heartbeat by the database's clock. One that is silent for half a minute is dead,
 * also when it is only frozen: another one ends its connections (and with them its locks and transactions), gives back its jobs and
 * takes it out. A frozen one that wakes up finds its connections closed, enters itself again and is told by `onBuried`.
 */
export function createRegister(deps: RegisterDeps): Register {
  const { address, logger, receiving } = deps
  const times = { ...TIMES, ...deps.times }
  const id = randomUUID()
  // A connection of its own: a heartbeat must not wait for requests.
  const pool = new pg.Pool({
    ...connectionOf(address),
    max: 1,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: connectionName('skypool-register', id),
  })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let worker: string | null = null
  let rounds = 0
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function enter(): Promise<void> {
    await pool.query(ENTER, [id, worker, [...receiving()]])
  }

  async function round(): Promise<void> {
    const values = [id, worker, [...receiving()], (3 * times.beat) / 1000, times.steady / 1000]
    const { rows } = await pool.query<{ steady: boolean }>(BEAT, values)
    const [own] = rows
    if (!own) {
      await enter()
      logger.warn('This server was silent for so long that others went on with its work; it takes part again')
      return deps.onBuried()
    }
    if (!own.steady) return
    await buryDead()
    rounds += 1
    if (rounds % Math.ceil(times.silence / times.beat) === 1) await deps.unlockStrangers(pool, times.silence)
  }

  async function buryDead(): Promise<void> {
    const dead = await transaction(pool, async (client) => {
      const { rows } = await client.query<Dead>(FIND_DEAD, [times.silence / 1000, id])
      if (rows.length > 0) await bury(client, rows)
      return rows
    })
    for (const server of dead)
      logger.warn({ server: server.id }, 'A server was silent for too long: others go on with its work')
  }

  async function bury(client: pg.ClientBase, dead: readonly Dead[]): Promise<void> {
    const ids = dead.map((server) => server.id)
    await client.query(END_CONNECTIONS, [ids])
    await deps.unlock(
      client,
      dead.flatMap((server) => server.worker ?? []),
    )
    await client.query('delete from servers where id = any($1::uuid[])', [ids])
    // What they had still to tell is lost.
    await raiseFloor(client)
  }

  function next(): void {
    if (closed) return
    timer = setTimeout(() => {
      running = round()
        .catch((error: unknown) => {
          if (!closed)
            logger.warn(
              { reason: error instanceof Error ? error.message : error },
              'The heartbeat of this server failed',
            )
        })
        .finally(next)
    }, times.beat).unref()
  }

  return {
    id,
    setWorker(name) {
      worker = name
    },
    async start() {
      if (deps.alone) await pool.query('delete from servers')
      await enter()
      // Nobody is there who could miss it.
      if (!deps.alone) next()
    },
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
