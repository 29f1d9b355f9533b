import { Socket } from 'node:net'
import pg from 'pg'
import type { Connection } from './embedded/embeddedPostgres.ts'

/** A PostgreSQL URL (DATABASE_URL) or the embedded server's socket. */
export type DatabaseAddress = string | Connection

export type PoolOptions = {
  /** Name of the connections in pg_stat_activity. */
  readonly name?: string
  readonly max?: number
  /**
   * Time limit of a statement (ms), enforced by PostgreSQL, and one second later by us in case it hangs. With it the wait for a
   * connection is limited too. Absent: no limits, for background work.
   */
  readonly statementMs?: number
  /** Called for broken connections, which the pool replaces. */
  readonly onError?: (error: Error) => void
}

/** Time limit for a connection from the pool. */
const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
/** Lets PostgreSQL's own timeout error arrive before ours. */
const GRACE_MS = 1_000

/** Message of the error of a query that PostgreSQL did not answer in time. */
const NO_ANSWER = 'PostgreSQL did not answer in time'

/** Deadlock, serialization failure, unique violation: conflicts with another transaction, which a retry will see. */
const CONFLICTS = new Set(['40P01', '40001', '23505'])
const ATTEMPTS = 5

/** Type parsers as an option of a pg connection. */
type TypeParsers = NonNullable<pg.ClientConfig['types']>

const parseAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

/** Lengths of `2026-11-22 11:37:10.123+00`, as PostgreSQL sends it in UTC, with up to six decimals. */
const MIN_LENGTH = 22
const MAX_LENGTH = 29

/** Creates a pool, which the caller ends. */
export function createPool(
  address: DatabaseAddress,
  { name = 'skypool', max = 16, statementMs, onError = () => {} }: PoolOptions = {},
): pg.Pool {
  const limits = statementMs === undefined ? {} : limitsOf(statementMs)
  const alive = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS }
  const own = { max, idleTimeoutMillis: 60_000, application_name: name, types: TYPE_PARSERS, ...alive, ...limits }
  const pool = new pg.Pool({ ...connectionOf(address), ...own })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    // The pool does not listen for errors of checked-out connections; unhandled, they would end the process.
    client.on('error', onError)
    if (statementMs !== undefined) closeWhenUnanswered(client, statementMs + GRACE_MS)
  })
  return pool
}

/** @throws Error when the database does not respond */
export async function ping(pool: pg.Pool): Promise<void> {
  await pool.query('select 1')
}

function limitsOf(statementMs: number): pg.PoolConfig {
  return {
    statement_timeout: statementMs,
    connectionTimeoutMillis: CONNECT_MS,
  }
}

/**
 * Closes a connection that has been silent for `ms` although PostgreSQL owes it an answer. This is the timer of the socket and not
 * pg's `query_timeout`: a timer per query, next to the one that limits the wait for a connection, keeps 2 KB of each query in memory
 * until a full garbage collection, which 100,000 queries in a row do not bring about.
 */
function closeWhenUnanswered(client: pg.PoolClient, ms: number): void {
  if (!(client instanceof pg.Client && client.connection.stream instanceof Socket)) return
  const { connection } = client
  const socket = client.connection.stream
  let sentBefore = socket.bytesWritten
  connection.on('readyForQuery', () => {
    sentBefore = socket.bytesWritten
  })
  socket.setTimeout(ms, () => {
    if (socket.bytesWritten > sentBefore) socket.destroy(new Error(NO_ANSWER))
  })
}

export function connectionOf(address: DatabaseAddress): pg.ClientConfig {
  return typeof address === 'string' ? { connectionString: address } : { ...address }
}

/** The connection broke during a commit: whether it happened has to be checked. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError'
  constructor(cause: unknown) {
    super('The database connection broke during a commit.', { cause })
  }
}

/** Runs `work` in one transaction on one connection of the pool. A throw rolls back. @throws UnknownOutcomeError, and what `work` throws */
export async function transaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    // Whether the transaction started is unknown: back in the pool, the connection could continue it for the next user.
    await client.query('begin').catch((error: Error) => {
      broken = error
      throw error
    })
    const result = await work(client).catch(async (error: unknown) => {
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError
      })
      throw error
    })
    await client.query('commit').catch((error: unknown) => {
      throw isRefusal(error) ? error : new UnknownOutcomeError(error)
    })
    return result
  } catch (error) {
    if (error instanceof UnknownOutcomeError) broken = error
    throw error
  } finally {
    // A connection in an unknown state is closed instead of returned to the pool.
    client.release(broken)
  }
}

/**
 * Runs one statement that changes rows as its own transaction, on a connection of the pool.
 * @throws UnknownOutcomeError, and errors of PostgreSQL
 */
export async function autocommit<Result>(
  pool: pg.Pool,
  statement: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await statement(client).catch((error: unknown) => {
      if (isRefusal(error)) throw error
      broken = new UnknownOutcomeError(error)
      throw broken
    })
  } finally {
    client.release(broken)
  }
}

/** Whether PostgreSQL refused the statement, so that nothing was committed. After other errors (lost connection, shutdown) this is unknown. */
export function isRefusal(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return /^[0-9A-Z]{5}$/.test(error.code) && !/^(08|57P|58|XX)/.test(error.code)
}

/** Runs `work`, a whole transaction, and retries it after a conflict with another one; at most five attempts. */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isRefusal(error) || !CONFLICTS.has(error.code)) throw error
    }
  }
}

/** pg's parsers, except for timestamps: a page of a list has two hundred, and pg's parser takes five times as long. */
const TYPE_PARSERS: TypeParsers = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.TIMESTAMPTZ && format !== 'binary' ? parseTimestamp : pg.types.getTypeParser(oid, format),
}

/** Parses a `timestamptz` as pg does: a Date, or ±Infinity. Other time zones and eras are left to pg. */
export function parseTimestamp(text: string): Date | number {
  const isCommon = text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && text.endsWith('+00') && text[4] === '-'
  // Date.UTC maps years below 100 to 1900-1999.
  if (!isCommon || text[0] === '0') return parseAny(text)
  const day = Date.UTC(number(text, 0, 4), number(text, 5, 7) - 1, number(text, 8, 10))
  const seconds = number(text, 11, 13) * 3600 + number(text, 14, 16) * 60 + number(text, 17, 19)
  return new Date(day + seconds * 1000 + milliseconds(text))
}

/** The first three decimals; trailing zeros are not sent. */
function milliseconds(text: string): number {
  const end = Math.min(text.length - '+00'.length, 23)
  return end <= 20 ? 0 : number(text, 20, end) * 10 ** (23 - end)
}

function number(text: string, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at += 1) value = value * 10 + text.charCodeAt(at) - 48
  return value
}
