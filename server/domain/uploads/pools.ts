import type { Pool as PgPool } from 'pg'
import { createBatcher, type Outcome } from '../../lib/batcher.ts'
import { NotFoundError, StorageFullError } from '../errors.ts'
import {
  bytesByAccount,
  findMembers,
  type GroupCloudMembers,
  type Question,
  withReserved,
} from '../groupClouds/members.ts'
import { type Plan, planCopies } from '../groupClouds/placement.ts'

/** Most uploads that are looked up at once. */
const GATHERED = 100

/** The user's group cloud of that id, or their default one. @throws NotFoundError */
export type FindGroupCloud = (question: Question) => Promise<GroupCloudMembers>

/** Uploads that begin meanwhile are looked up together, in one statement. */
export function createFindGroupCloud(pool: PgPool): FindGroupCloud {
  return createBatcher({ limit: GATHERED, run: (questions: readonly Question[]) => findGroupClouds(pool, questions) })
}

async function findGroupClouds(pool: PgPool, questions: readonly Question[]): Promise<Outcome<GroupCloudMembers>[]> {
  return (await findMembers(pool, questions)).map((value) => {
    if (value) return { ok: true, value }
    return { ok: false, error: new NotFoundError('This group cloud does not exist. Please choose another one.') }
  })
}

export type Placed = Extract<Plan, { placed: true }>

/** Where the copies of `size` bytes go. @throws StorageFullError with the reason, and `needed` bytes */
export function place(pool: GroupCloudMembers, size: number, needed = size): Placed {
  const plan = planCopies(pool.members, size, pool)
  if (!plan.placed) throw new StorageFullError(needed, plan.freeBytes, plan.why)
  return plan
}

/**
 * Places an item in one of several group clouds, which may share accounts, and counts its bytes in all of them for the items
 * after it. `released` are bytes that the item itself has reserved until now. @throws NotFoundError, StorageFullError
 */
export function placeAmong(
  pools: Map<string, GroupCloudMembers>,
  { groupCloudId, size }: { readonly groupCloudId: string; readonly size: number },
  released: ReadonlyMap<string, number> = new Map(),
): Placed {
  const pool = pools.get(groupCloudId)
  if (!pool) throw new NotFoundError('This group cloud has no account that can take files. Please choose another one.')
  const plan = place(withReserved(pool, negative(released)), size)
  const change = sumOf(bytesByAccount(plan.copies), negative(released))
  for (const [id, other] of pools) pools.set(id, withReserved(other, change))
  const turned = plan.copies.at(-1)?.pieces.at(-1)?.accountId ?? null
  const counted = pools.get(groupCloudId)
  if (counted) pools.set(groupCloudId, { ...counted, previousAccountId: turned })
  return plan
}

function negative(bytes: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...bytes].map(([id, count]) => [id, -count]))
}

function sumOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, number> {
  const sum = new Map(a)
  for (const [id, count] of b) sum.set(id, (sum.get(id) ?? 0) + count)
  return sum
}
