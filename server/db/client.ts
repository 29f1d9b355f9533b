import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/prisma/client.ts'

export type Db = PrismaClient

/** An open transaction of Prisma, or of a checked-out connection. */
export type Transaction = Prisma.TransactionClient | pg.ClientBase

/**
 * Prisma ends transactions of more than five seconds by a timer, returns the connection to the pool and still sends the rest of a statement
 * that it was sending in several: outside the transaction, or inside that of the connection's next user. The limits of the pool,
 * which PostgreSQL enforces, end each statement and the wait for a connection instead.
 */
const NO_TIMER_MS = 24 * 60 * 60 * 1000

/** Prisma on top of our pool. Disconnecting it leaves the pool open. */
export function createDb(pool: pg.Pool): Db {
  const transactionOptions = { maxWait: NO_TIMER_MS, timeout: NO_TIMER_MS }
  return new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions })
}
