import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/prisma/client.ts'

export type Db = PrismaClient

/** A transaction under way, of Prisma's or of a checked-out connection. */
export type Transaction = Prisma.TransactionClient | pg.ClientBase

/** Prisma over our pool. Disconnecting it leaves the pool open. */
export function createDb(pool: pg.Pool): Db {
  return new PrismaClient({ adapter: new PrismaPg(pool) })
}
