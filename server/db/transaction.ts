import type pg from 'pg'

/** The connection broke while the commit was under way: whether it happened must be looked up. */
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
    // Nobody knows whether it has begun: given back, the connection might carry it on, with the locks of whoever comes next.
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
    // A connection in doubt is closed instead of going back to the pool.
    client.release(broken)
  }
}

/**
 * Runs one statement that changes rows, on a connection of the pool; it is its own transaction.
 * @throws UnknownOutcomeError, and what PostgreSQL refuses
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

/** PostgreSQL said no, so nothing was committed; anything else (a lost connection, a shutdown) leaves it open. */
export function isRefusal(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return /^[0-9A-Z]{5}$/.test(error.code) && !/^(08|57P|58|XX)/.test(error.code)
}

/** Deadlock, serialization failure, unique violation: another transaction was faster, and a fresh try will see it. */
const LOST_RACE = new Set(['40P01', '40001', '23505'])
const ATTEMPTS = 5

/** Runs `work`, a whole transaction, again when it lost a race against another one; at most five times. */
export async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isRefusal(error) || !LOST_RACE.has(error.code)) throw error
    }
  }
}
