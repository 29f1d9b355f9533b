import pg from 'pg'
import type { Connection } from './embedded/embeddedPostgres.ts'
import { TYPE_PARSERS } from './timestamps.ts'

/** A PostgreSQL address (DATABASE_URL) or the embedded server's socket. */
export type DatabaseAddress = string | Connection

export type PoolOptions = {
  /** What the connections are called in pg_stat_activity. */
  readonly name?: string
  readonly max?: number
  /**
   * Time limit of a statement (ms), kept by PostgreSQL, and by us a second later in case it stands still; the wait for a connection
   * is limited too. None where it is absent: work in the background takes as long as it takes.
   */
  readonly statementMs?: number
  /** Told about connections that broke; the pool replaces them by itself. */
  readonly onError?: (error: Error) => void
}

/** A connection is there by then, or the database is not. */
const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
/** What PostgreSQL says when its own limit is over should arrive before ours. */
const GRACE_MS = 1_000

/** The caller ends it. */
export function createPool(
  address: DatabaseAddress,
  { name = 'skypool', max = 16, statementMs, onError = () => {} }: PoolOptions = {},
): pg.Pool {
  const limits = statementMs === undefined ? {} : limitsOf(statementMs)
  const alive = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS }
  const own = { max, idleTimeoutMillis: 60_000, application_name: name, types: TYPE_PARSERS, ...alive, ...limits }
  const pool = new pg.Pool({ ...connectionOf(address), ...own })
  pool.on('error', onError)
  // A connection that breaks while it is checked out has no listener of the pool's: without this one it ends the process.
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}

function limitsOf(statementMs: number): pg.PoolConfig {
  return {
    statement_timeout: statementMs,
    query_timeout: statementMs + GRACE_MS,
    connectionTimeoutMillis: CONNECT_MS,
  }
}

export function connectionOf(address: DatabaseAddress): pg.ClientConfig {
  return typeof address === 'string' ? { connectionString: address } : { ...address }
}
