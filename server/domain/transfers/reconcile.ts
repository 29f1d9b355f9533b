import type { PoolClient } from 'pg'
import { transaction } from '../../db/transaction.ts'
import { dropPieces, wakeRemovals } from '../files/content/removals.ts'
import { presentSql } from '../files/content/states.ts'
import { lockAccounts } from '../files/tree/change.ts'
import { planCopies } from '../groupClouds/placement.ts'
import type { Plan } from '../groupClouds/plan.ts'
import { enqueueSettle, type SettleScope } from '../jobs.ts'
import type { RowDeps } from './deps.ts'
import { insertPlannedCopies, loadPools, type PlannedItem, type PlanningPool, withReserved } from './planning.ts'
import {
  type CopyFacts,
  type FileToSettle,
  GONE_AFTER,
  loadFiles,
  nextFileIds,
  SETTLE_BATCH,
  settle,
} from './reconcileRules.ts'
import { type CopiesChange, changeCopies, tellFiles } from './states.ts'
import { wakeStopped } from './wake.ts'

/** One batch of a scope; the next one is queued in the same transaction. */
export async function settleBatch(deps: RowDeps, scope: SettleScope): Promise<void> {
  const { changedIds, left } = await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts({ tx, userId: scope.userId })
    const ids = await nextFileIds(tx, scope)
    const files = await loadFiles(tx, ids, new Date(deps.clock.now()))
    const touched = await settleAll(deps, change, scope.userId, files)
    for (const id of ids) change.fileIds.add(id)
    const last = ids.at(-1)
    if (ids.length === SETTLE_BATCH && last) await enqueueSettle(tx, deps.enqueue, { ...scope, after: last })
    else for (const id of await wakeStopped(deps, tx, scope.userId, scope.accountId)) change.fileIds.add(id)
    return { changedIds: touched, left: await leaveDrained(tx, scope) }
  })
  tellFiles(deps, scope.userId, changedIds)
  if (left.length > 0) deps.events.publish('accountsChanged', scope.userId, { accountIds: left })
}

/** @returns ids of files whose copies are others now */
async function settleAll(
  deps: RowDeps,
  change: CopiesChange,
  userId: string,
  files: readonly FileToSettle[],
): Promise<string[]> {
  const pools = await loadPools(
    change.tx,
    files.map(({ groupCloudId }) => groupCloudId),
  )
  const dropped: CopyFacts[] = []
  const items: PlannedItem[] = []
  for (const file of files) {
    const pool = pools.get(file.groupCloudId)
    if (!pool) continue
    const { drop, plan } = settle(file)
    dropped.push(...drop)
    const copies = plan ? planned(pools, file, pool, plan) : []
    if (plan && copies.length > 0) items.push({ userId, fileId: file.id, kind: plan.kind, copies })
  }
  await dropCopies(deps, change, dropped)
  await insertPlannedCopies(change.tx, deps.enqueue, items)
  const droppedIds = new Set(dropped.map(({ id }) => id))
  const lighter = files.filter(({ copies }) => copies.some(({ id }) => droppedIds.has(id)))
  return [...new Set([...lighter.map(({ id }) => id), ...items.map(({ fileId }) => fileId)])]
}

type Wish = { readonly count: number; readonly exclude: ReadonlySet<string> }

/** As many as there is room for; they take their room in all group clouds that share the accounts. */
function planned(
  pools: Map<string, PlanningPool>,
  { size }: FileToSettle,
  { members, rules }: PlanningPool,
  { count, exclude }: Wish,
): Extract<Plan, { placed: true }>['copies'] {
  const plan = planCopies(members, size, { ...rules, copies: count, exclude })
  if (!plan.placed) return []
  const pieces = plan.copies.flatMap((copy) => copy.pieces)
  for (const [id, pool] of pools) pools.set(id, { ...pool, members: withReserved(pool.members, pieces) })
  return plan.copies
}

const GIVE_UP = `update transfers set state = 'CANCELLED', error = 'It is not needed any more.', next_try_at = null, ended_at = $2
  where copy_id = any($1::uuid[]) and state not in ('DONE', 'CANCELLED')`

/** Copies with all that is stored of them, and the transfers that make them. The caller has locked accounts and files. */
export async function dropCopies(
  deps: Pick<RowDeps, 'enqueue' | 'clock'>,
  { tx, localRefs }: { tx: PoolClient; localRefs: Set<string> },
  copies: readonly Pick<CopyFacts, 'id' | 'pieceIds'>[],
): Promise<void> {
  if (copies.length === 0) return
  const ids = copies.map(({ id }) => id)
  await tx.query(GIVE_UP, [ids, new Date(deps.clock.now())])
  const refs = await dropPieces(
    tx,
    deps.enqueue,
    copies.flatMap(({ pieceIds }) => pieceIds),
  )
  for (const ref of refs) localRefs.add(ref)
  await tx.query('delete from copies where id = any($1::uuid[])', [ids])
}

const LEAVE = `delete from group_cloud_members m using group_clouds g
  where g.id = m.group_cloud_id and g.user_id = $1 and m.draining
    and ($2::uuid is null or m.group_cloud_id = $2) and ($3::uuid is null or m.account_id = $3)
    and not exists (
      select from files f join copies c on c.file_id = f.id join pieces p on p.copy_id = c.id
      where f.group_cloud_id = m.group_cloud_id and p.account_id = m.account_id and f.purged_at is null)
  returning m.account_id`

/** Members that were to be emptied and are empty leave their group clouds. @returns their accounts */
async function leaveDrained(
  tx: PoolClient,
  {
    userId,
    groupCloudId = null,
    accountId = null,
  }: { [Key in keyof SettleScope]: SettleScope[Key] | null } & { userId: string },
): Promise<string[]> {
  const { rows } = await tx.query<{ account_id: string }>(LEAVE, [userId, groupCloudId, accountId])
  return rows.map((row) => row.account_id)
}

/** How long what is over can be looked up. A move or drain that its user gave up is what keeps the file where it is. */
const FORGET = `delete from transfers where state in ('DONE', 'CANCELLED') and ended_at < $1::timestamptz - interval '7 days'
  and (state = 'DONE' or error is not null or kind in ('STORE', 'REPAIR'))`

const FAILED = `select id, user_id as "userId", file_id as "fileId", copy_id as "copyId",
    array(select p.id::text from pieces p where p.copy_id = t.copy_id) as "pieceIds"
  from transfers t where state = 'FAILED' and ended_at < $1::timestamptz - interval '7 days'`
const BATCH = 500

type Failed = {
  readonly id: string
  readonly userId: string
  readonly fileId: string
  readonly copyId: string | null
  readonly pieceIds: readonly string[]
}

/** Transfers that are over for a week. What those that failed have begun is removed, and their files are planned anew. */
async function forgetOver(deps: RowDeps): Promise<void> {
  const now = new Date(deps.clock.now())
  await deps.pool.query(FORGET, [now])
  const { rows } = await deps.pool.query<Failed>(`${FAILED} order by ended_at limit ${BATCH}`, [now])
  for (const userId of new Set(rows.map((row) => row.userId))) {
    const ids = rows.filter((row) => row.userId === userId).map(({ id }) => id)
    await giveUp(deps, userId, ids, now)
  }
}

async function giveUp(deps: RowDeps, userId: string, ids: readonly string[], now: Date): Promise<void> {
  await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts({ tx, userId })
    await tx.query(
      `select from files where id in (select file_id from transfers where id = any($1::uuid[])) order by id for update`,
      [ids],
    )
    // Read again: one of them may have been tried again meanwhile.
    const { rows } = await tx.query<Failed>(`${FAILED} and id = any($2::uuid[]) order by id for update`, [now, ids])
    const copies = rows.flatMap(({ copyId, pieceIds }) => (copyId === null ? [] : [{ id: copyId, pieceIds }]))
    await dropCopies(deps, change, copies)
    await tx.query('delete from transfers where id = any($1::uuid[])', [rows.map(({ id }) => id)])
    const fileIds = [...new Set(rows.map(({ fileId }) => fileId))]
    for (const id of fileIds) change.fileIds.add(id)
    if (fileIds.length > 0) await enqueueSettle(tx, deps.enqueue, { userId, fileIds })
  })
}

/** Its copy went with the account or the file that it belonged to. */
const END_EMPTY = `update transfers set state = 'CANCELLED', error = 'It is not needed any more.', ended_at = $1
  where copy_id is null and state in ('WAITING', 'RUNNING', 'PARKED')`

const AT_RISK = `select distinct user_id as "userId", group_cloud_id as "groupCloudId" from files
  where state = 'AT_RISK' and group_cloud_id is not null and purged_at is null`

const LOST_LATELY = `select user_id as "userId", id as "accountId" from accounts a
  where not ${presentSql('a')} and a.updated_at > now() - interval '1 day'
    or a.disconnected_at between $1::timestamptz - interval '${GONE_AFTER}' - interval '1 day' and $1::timestamptz - interval '${GONE_AFTER}'`

async function settleAtRisk({ pool, enqueue }: Pick<RowDeps, 'pool' | 'enqueue'>, now: Date): Promise<void> {
  const { rows: atRisk } = await pool.query<{ userId: string; groupCloudId: string }>(AT_RISK)
  const { rows: lost } = await pool.query<{ userId: string; accountId: string }>(LOST_LATELY, [now])
  for (const scope of [...atRisk, ...lost]) await transaction(pool, (tx) => enqueueSettle(tx, enqueue, scope))
}

/** Of each user by a transaction of its own: their accounts are locked meanwhile. */
async function wakeEverybody(deps: RowDeps): Promise<void> {
  const { rows } = await deps.pool.query<{ userId: string }>(
    `select distinct user_id as "userId" from transfers where state = 'PARKED'`,
  )
  for (const { userId } of rows) {
    await changeCopies(deps, async ({ tx, fileIds }) => {
      await lockAccounts({ tx, userId })
      for (const id of await wakeStopped(deps, tx, userId)) fileIds.add(id)
    })
  }
}

/** What a crash, or a missed message, has left waiting. */
export async function wakeAll(deps: RowDeps): Promise<void> {
  const now = new Date(deps.clock.now())
  await wakeEverybody(deps)
  await deps.pool.query(END_EMPTY, [now])
  await transaction(deps.pool, (tx) => wakeRemovals(tx, deps.enqueue))
}

/**
 * Forgets finished transfers, and queues reconciling of every group cloud with files at risk and of every account lost within
 * a day: room can return without any event, and a crash can come between a loss and the work that follows from it.
 */
export async function reconcileAll(deps: RowDeps): Promise<void> {
  await forgetOver(deps)
  await settleAtRisk(deps, new Date(deps.clock.now()))
}
