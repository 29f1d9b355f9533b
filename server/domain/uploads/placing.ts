import type { Pool as PgPool } from 'pg'
import { createBatcher, type Outcome } from '../../lib/batcher.ts'
import { NotFoundError, StorageFullError } from '../errors.ts'
import type { Copy, FileState } from '../files/contract.ts'
import {
  bytesByAccount,
  findMembers,
  type GroupCloudMembers,
  type Member,
  type Question,
  withReserved,
} from '../groupClouds/members.ts'
import { planCopies, roomBytes } from '../groupClouds/placement.ts'
import type { Plan, PlannedCopy } from '../groupClouds/plan.ts'

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

/** How a file begins that is placed so: what the received object is already, and what is still to be sent. */
export type Layout = {
  readonly plan: Placed
  /** The copy that the received object itself becomes: a whole one on this server. Storing it is no second write. */
  readonly adopted: PlannedCopy | null
  /** Copies that transfers make of it; it is kept as a whole until then. */
  readonly sent: readonly PlannedCopy[]
  readonly state: FileState
  readonly stateReason: string | null
  readonly providers: ReadonlyMap<string, string>
}

export function layoutOf(plan: Placed, members: readonly Member[]): Layout {
  const providers = new Map(members.map(({ accountId, provider }) => [accountId, provider]))
  const isWhole = ({ pieces: [piece, ...more] }: PlannedCopy) =>
    more.length === 0 && piece !== undefined && providers.get(piece.accountId) === 'local'
  const adopted = plan.copies.find(isWhole) ?? null
  const sent = plan.copies.filter((copy) => copy !== adopted)
  return { plan, adopted, sent, providers, ...stateOf(plan, sent) }
}

function stateOf({ missingWhy }: Placed, sent: readonly PlannedCopy[]): Pick<Layout, 'state' | 'stateReason'> {
  if (sent.length > 0) return { state: 'RECEIVED', stateReason: null }
  return missingWhy === null ? { state: 'STORED', stateReason: null } : { state: 'AT_RISK', stateReason: missingWhy }
}

/** The copies as their owner sees them, in the order of the plan. `idOf` tells the ids that their rows got, at `createdAt`. */
export function copiesOf(
  { plan, adopted, providers }: Layout,
  createdAt: Date,
  idOf: (copy: PlannedCopy) => string,
): Copy[] {
  return plan.copies.map((copy) => ({
    id: idOf(copy),
    state: copy === adopted ? 'STORED' : 'STORING',
    why: copy.why,
    changedAt: null,
    checkedAt: copy === adopted ? createdAt : null,
    pieces: copy.pieces.map((piece, index) => ({
      ...piece,
      provider: providers.get(piece.accountId) ?? '',
      index,
      state: copy === adopted ? 'STORED' : 'PLANNED',
    })),
  }))
}

/** What was found this long ago is not worth trying any more. */
const KEPT_MS = 1000
const MOST_KEPT = 1000
/** To refuse what is longer only when all of it has come would cost its sender too much. */
const MOST_BYTES = 1024 * 1024

/** A group cloud that is one account of this server and one copy. */
export type SingleAccount = {
  readonly groupCloud: GroupCloudMembers
  /** It was found as the user's default one, and counts only as long as it is. */
  readonly asDefault: boolean
  /** An earlier upload found it: true only if the statement that makes the file says so too. */
  readonly recalled: boolean
}

/** Group clouds of a single account, as the last uploads found them. */
export type SingleAccountGroupClouds = {
  /** Null when nothing is known, when so many bytes had no room then, or when they are more than 1 MiB. */
  recall(question: Question, bytes: number): SingleAccount | null
  /** Null: what the question asks for is not a group cloud of a single account. */
  note(question: Question, found: SingleAccount | null): void
}

/**
 * Spares small uploads that follow each other the look-up of their group cloud, which is a tenth of their work. What is
 * recalled may be outdated; nothing is refused, placed or promised by it: the statement that makes the file judges it.
 */
export function createSingleAccountGroupClouds(now: () => number = () => performance.now()): SingleAccountGroupClouds {
  const kept = new Map<string, { readonly singleAccount: SingleAccount; readonly until: number }>()
  return {
    recall(question, bytes) {
      const found = kept.get(keyOf(question))
      if (!found || found.until <= now() || bytes > MOST_BYTES) return null
      const { groupCloud } = found.singleAccount
      return roomBytes(groupCloud.members, groupCloud) >= bytes ? found.singleAccount : null
    },
    note(question, found) {
      const key = keyOf(question)
      kept.delete(key)
      if (!found) return
      kept.set(key, { singleAccount: { ...found, recalled: true }, until: now() + KEPT_MS })
      const [oldest] = kept.keys()
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    },
  }
}

function keyOf({ userId, id }: Question): string {
  return `${userId} ${id ?? ''}`
}
