import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/prisma/client.ts'

export type Db = PrismaClient

/** An open transaction of Prisma, or of a checked-out connection. */
export type Transaction = Prisma.TransactionClient | pg.ClientBase

/** Prisma on top of our pool. Disconnecting it leaves the pool open. */
export function createDb(pool: pg.Pool): Db {
  return new PrismaClient({ adapter: new PrismaPg(pool) })
}
