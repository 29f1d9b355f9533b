import { connect, Socket } from 'node:net'
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
  /**
   * The address is one of PgBouncer in transaction mode: each transaction has another session. Statements have no names, and a time
   * limit is enforced from here, by the request to cancel that PgBouncer passes on: it accepts no parameters of a session.
   */
  readonly pooled?: boolean
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
  { name = 'skypool', max = 16, statementMs, pooled = false, onError = () => {} }: PoolOptions = {},
): pg.Pool {
  const limits = statementMs === undefined ? {} : limitsOf(statementMs, pooled)
  const alive = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS }
  const own = { max, idleTimeoutMillis: 60_000, application_name: name, types: TYPE_PARSERS, ...alive, ...limits }
  const pool = new pg.Pool({ ...connectionOf(address), ...own, ...(pooled && { Client: UnnamedClient }) })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    // The pool does not listen for errors of checked-out connections; unhandled, they would end the process.
    client.on('error', onError)
    if (statementMs === undefined) return
    if (pooled) cancelWhenUnanswered(client, statementMs)
    else closeWhenUnanswered(client, statementMs + GRACE_MS)
  })
  return pool
}

/** @throws Error when the database does not respond */
export async function ping(pool: pg.Pool): Promise<void> {
  await pool.query('select 1')
}

function limitsOf(statementMs: number, pooled: boolean): pg.PoolConfig {
  return {
    ...(!pooled && { statement_timeout: statementMs }),
    connectionTimeoutMillis: CONNECT_MS,
  }
}

/**
 * Closes a connection that has been silent for `ms` although PostgreSQL owes it an answer. This is the timer of the socket and not
 * pg's `query_timeout`: a timer per query, next to the one that limits the wait for a connection, keeps 2 KB of each query in memory
 * until a full garbage collection, which 100,000 queries in a row do not bring about.
 */
function closeWhenUnanswered(client: pg.PoolClient, ms: number): void {
  whenUnanswered(client, ms, (socket) => socket.destroy(new Error(NO_ANSWER)))
}

/** The same, but the statement is cancelled first, as PostgreSQL would do it, and the connection is used on. */
function cancelWhenUnanswered(client: pg.PoolClient, ms: number): void {
  let isCancelled = false
  const onAnswer = (socket: Socket) => {
    if (isCancelled) socket.setTimeout(ms)
    isCancelled = false
  }
  const onSilence = (socket: Socket) => {
    if (isCancelled) return socket.destroy(new Error(NO_ANSWER))
    isCancelled = true
    requestCancel(client, socket)
    // From now on it has this long.
    socket.setTimeout(GRACE_MS)
  }
  whenUnanswered(client, ms, onSilence, onAnswer)
}

/** Calls `onSilence` when PostgreSQL has owed an answer for `ms`, and `onAnswer` after each answer. */
function whenUnanswered(
  client: pg.PoolClient,
  ms: number,
  onSilence: (socket: Socket) => void,
  onAnswer?: (socket: Socket) => void,
): void {
  if (!(client instanceof pg.Client && client.connection.stream instanceof Socket)) return
  const { connection } = client
  const socket = client.connection.stream
  let sentBefore = socket.bytesWritten
  connection.on('readyForQuery', () => {
    sentBefore = socket.bytesWritten
    onAnswer?.(socket)
  })
  socket.on('timeout', () => {
    if (socket.bytesWritten > sentBefore) onSilence(socket)
  })
  socket.setTimeout(ms)
}

const CANCEL_REQUEST = 80_877_102

/** Asks for the end of the client's statement, on a separate connection (PostgreSQL's protocol, "Canceling Requests in Progress"). */
function requestCancel(client: pg.PoolClient, { remoteAddress, remotePort }: Socket): void {
  const { processID, secretKey } = client as unknown as { processID: number | null; secretKey: number | null }
  if (processID === null || secretKey === null || remoteAddress === undefined || remotePort === undefined) return
  const request = Buffer.alloc(16)
  for (const [index, value] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(value | 0, 4 * index)
  // PgBouncer closes the connection when it has passed the request on. A client that closes it earlier makes PgBouncer 1.18 end itself.
  const canceller: Socket = connect(remotePort, remoteAddress, () => canceller.write(request))
  // If it fails, the connection of the statement is closed soon.
  canceller.on('error', () => {})
  canceller.unref()
}

/** A prepared statement belongs to one session, which the next transaction may not get. */
class UnnamedClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: all overloads of pg
  override query(query: any, ...more: any[]): any {
    if (typeof query !== 'object' || query === null || !('name' in query) || 'submit' in query)
      return Reflect.apply(super.query, this, [query, ...more])
    const { name: _name, ...unnamed } = query
    return Reflect.apply(super.query, this, [unnamed, ...more])
  }
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
