import type pg from 'pg'
import { createLockSession, type LockSession } from './locks.ts'
import { createPool, type DatabaseAddress } from './pool.ts'
import { connectionName } from './servers.ts'

export type PoolsOptions = {
  readonly address: DatabaseAddress
  /** A way past PgBouncer; null: `address` is one. */
  readonly direct: DatabaseAddress | null
  /**
   * Connections of this server in all its pools. Five more listen, hold locks and send heartbeats. null: the numbers for a server that
   * has PostgreSQL to itself.
   */
  readonly most: number | null
  /** Id of the server in the names of its connections. */
  readonly serverId: string
  readonly onError: (error: Error) => void
}

/**
 * The connections of a server to its database. Waiting for one can never become a deadlock: code that holds a connection takes no
 * other one from the same pool, only work takes one of `pool` in addition, and a refresh of credentials, which holds its connection
 * while a provider answers, takes none at all. All leases and locks of duties share one connection.
 */
export type Pools = {
  /** For requests: with a time limit for statements. */
  readonly pool: pg.Pool
  /** For jobs and what follows changes of accounts: without time limits. */
  readonly workPool: pg.Pool
  /** One connection for each credential that is being refreshed. */
  readonly refreshPool: pg.Pool
  /** For the queue of jobs: one of its connections listens. */
  readonly queuePool: pg.Pool
  readonly leases: LockSession
  /** Some of the pools are ending: their last connections may break. */
  isEnding(): boolean
  end(): Promise<void>
}

/** Timeout of statements for requests: long ones are paged or moved to jobs. */
const STATEMENT_MS = 15_000
/** When no number is set. */
const UNSHARED = { requests: 16, work: 6, refreshes: 24 }
/** One connection for each pool. */
export const FEWEST_CONNECTIONS = 4

/** Shares of one number of connections: half for requests, the rest for work, refreshes and the queue (one). */
export function shareConnections(most: number) {
  const work = Math.max(1, Math.floor(most / 5))
  const refreshes = Math.max(1, Math.floor(most / 5))
  return { requests: Math.max(1, most - work - refreshes - 1), work, refreshes }
}

/** Opens no connection yet. The caller ends them. */
export function createPools({ address, direct, most, serverId, onError }: PoolsOptions): Pools {
  const { requests, work, refreshes } = most === null ? UNSHARED : shareConnections(most)
  const name = connectionName('skypool', serverId)
  const pooled = direct !== null
  const pool = createPool(address, { name, max: requests, statementMs: STATEMENT_MS, pooled, onError })
  const workPool = createPool(address, { name, max: work, pooled, onError })
  const refreshPool = createPool(address, { name, max: refreshes, pooled, onError })
  const locks = createPool(direct ?? address, { name: connectionName('skypool-locks', serverId), max: 1, onError })
  const queueName = connectionName('skypool-queue', serverId)
  // Without a number, the queue uses those of requests.
  const queuePool = most === null ? pool : createPool(direct ?? address, { name: queueName, max: 2, onError })
  const all = new Set([locks, refreshPool, workPool, queuePool, pool])
  return {
    pool,
    workPool,
    refreshPool,
    queuePool,
    leases: createLockSession(locks),
    isEnding: () => [...all].some(({ ending }) => ending),
    async end() {
      for (const each of all) await each.end()
    },
  }
}
