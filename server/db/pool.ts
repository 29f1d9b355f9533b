import pg from 'pg'
import type { Connection } from './embedded/embeddedPostgres.ts'
import { TYPE_PARSERS } from './timestamps.ts'

/** A PostgreSQL address (DATABASE_URL) or the embedded server's socket. */
export type DatabaseAddress = string | Connection

export type PoolOptions = {
  /** What the connections are called in pg_stat_activity. */
  readonly name?: string
  readonly max?: number
  /** Told about connections that broke; the pool replaces them by itself. */
  readonly onError?: (error: Error) => void
}

/** The one pool of a process: hot paths, Prisma, jobs and events share it. The caller ends it. */
export function createPool(
  address: DatabaseAddress,
  { name = 'skypool', max = 16, onError = () => {} }: PoolOptions = {},
): pg.Pool {
  const own = { max, idleTimeoutMillis: 60_000, application_name: name, types: TYPE_PARSERS }
  const pool = new pg.Pool({ ...connectionOf(address), ...own })
  pool.on('error', onError)
  // A connection that breaks while it is checked out has no listener of the pool's: without this one it ends the process.
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}

export function connectionOf(address: DatabaseAddress): pg.ClientConfig {
  return typeof address === 'string' ? { connectionString: address } : { ...address }
}
