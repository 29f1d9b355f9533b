import type { PoolClient } from 'pg'
import { transaction } from '../../db/pool.ts'
import { dropPieces, wakeRemovals } from '../files/content/removals.ts'
import { presentSql } from '../files/content/states.ts'
import { lockAccounts } from '../files/tree/change.ts'
import { type Plan, planCopies } from '../groupClouds/placement.ts'
import { enqueueReconcile, type ReconcileScope } from '../jobs.ts'
import type { RowDeps } from './contract.ts'
import { insertPlannedCopies, loadPools, type PlannedItem, type PlanningPool, withReserved } from './planning.ts'
import {
  type CopyFacts,
  type FileToReconcile,
  GONE_AFTER,
  loadFiles,
  nextFileIds,
  planReconciliation,
  RECONCILE_BATCH,
  type Reconciliation,
} from './reconcileRules.ts'
import { resumeStopped } from './resumeStopped.ts'
import { type CopiesChange, changeCopies, publishFiles } from './work.ts'

/** Reconciles one batch of a scope, and queues the next one in the same transaction. */
export async function reconcileBatch(deps: RowDeps, scope: ReconcileScope): Promise<void> {
  const { changedIds, removedIds } = await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts({ tx, userId: scope.userId })
    const ids = await nextFileIds(tx, scope)
    const files = await loadFiles(tx, ids, new Date(deps.clock.now()))
    const touched = await reconcileFiles(deps, change, scope.userId, files)
    for (const id of ids) change.fileIds.add(id)
    const last = ids.at(-1)
    if (ids.length === RECONCILE_BATCH && last) await enqueueReconcile(tx, deps.enqueue, { ...scope, after: last })
    else for (const id of await resumeStopped(deps, tx, scope.userId, scope.accountId)) change.fileIds.add(id)
    return { changedIds: touched, removedIds: await removeDrained(tx, scope) }
  })
  publishFiles(deps, scope.userId, changedIds)
  if (removedIds.length > 0) deps.events.publish('accountsChanged', scope.userId, { accountIds: removedIds })
}

/** @returns ids of the files whose copies have changed */
async function reconcileFiles(
  deps: RowDeps,
  change: CopiesChange,
  userId: string,
  files: readonly FileToReconcile[],
): Promise<string[]> {
  const pools = await loadPools(
    change.tx,
    files.map(({ groupCloudId }) => groupCloudId),
    deps.accountLabel,
  )
  const dropped: CopyFacts[] = []
  const items: PlannedItem[] = []
  for (const file of files) {
    const pool = pools.get(file.groupCloudId)
    if (!pool) continue
    const { drop, plan } = planReconciliation(file)
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

type Wanted = Pick<NonNullable<Reconciliation['plan']>, 'count' | 'exclude' | 'hasMainCopy'>

/** Plans as many copies as there is room for, and reserves their bytes in all group clouds that share the accounts. */
function planned(
  pools: Map<string, PlanningPool>,
  { size }: FileToReconcile,
  { members, rules }: PlanningPool,
  { count, exclude, hasMainCopy }: Wanted,
): Extract<Plan, { placed: true }>['copies'] {
  const plan = planCopies(members, size, { ...rules, copies: count, exclude, hasMainCopy })
  if (!plan.placed) return []
  const pieces = plan.copies.flatMap((copy) => copy.pieces)
  for (const [id, pool] of pools) pools.set(id, { ...pool, members: withReserved(pool.members, pieces) })
  return plan.copies
}

const CANCEL = `update transfers set state = 'CANCELLED', error = 'It is not needed any more.', next_try_at = null, ended_at = $2
  where copy_id = any($1::uuid[]) and state not in ('DONE', 'CANCELLED')`

/** Deletes copies with what was stored of them, and cancels the transfers that make them. The caller has locked accounts and files. */
export async function dropCopies(
  deps: Pick<RowDeps, 'enqueue' | 'clock'>,
  { tx, localRefs }: { tx: PoolClient; localRefs: Set<string> },
  copies: readonly Pick<CopyFacts, 'id' | 'pieceIds'>[],
): Promise<void> {
  if (copies.length === 0) return
  const ids = copies.map(({ id }) => id)
  await tx.query(CANCEL, [ids, new Date(deps.clock.now())])
  const refs = await dropPieces(
    tx,
    deps.enqueue,
    copies.flatMap(({ pieceIds }) => pieceIds),
  )
  for (const ref of refs) localRefs.add(ref)
  await tx.query('delete from copies where id = any($1::uuid[])', [ids])
}

const REMOVE_DRAINED = `delete from group_cloud_members m using group_clouds g
  where g.id = m.group_cloud_id and g.user_id = $1 and m.draining
    and ($2::uuid is null or m.group_cloud_id = $2) and ($3::uuid is null or m.account_id = $3)
    and not exists (
      select from files f join copies c on c.file_id = f.id join pieces p on p.copy_id = c.id
      where f.group_cloud_id = m.group_cloud_id and p.account_id = m.account_id and f.purged_at is null)
  returning m.account_id`

/** Removes draining members that hold no more files from their group clouds. @returns ids of their accounts */
async function removeDrained(
  tx: PoolClient,
  {
    userId,
    groupCloudId = null,
    accountId = null,
  }: { [Key in keyof ReconcileScope]: ReconcileScope[Key] | null } & { userId: string },
): Promise<string[]> {
  const { rows } = await tx.query<{ account_id: string }>(REMOVE_DRAINED, [userId, groupCloudId, accountId])
  return rows.map((row) => row.account_id)
}

/** Ended transfers are kept for a week. Moves and drains that a user cancelled are kept longer: they record that the copy stays where it is. */
const DELETE_ENDED = `delete from transfers where state in ('DONE', 'CANCELLED') and ended_at < $1::timestamptz - interval '7 days'
  and (state = 'DONE' or error is not null or kind in ('STORE', 'REPAIR'))`

const FAILED = `select id, user_id as "userId", file_id as "fileId", copy_id as "copyId",
    array(select p.id::text from pieces p where p.copy_id = t.copy_id) as "pieceIds"
  from transfers t where state = 'FAILED' and ended_at < $1::timestamptz - interval '7 days'`
const BATCH_SIZE = 500

type Failed = {
  readonly id: string
  readonly userId: string
  readonly fileId: string
  readonly copyId: string | null
  readonly pieceIds: readonly string[]
}

/** Deletes transfers that ended a week ago. For failed ones, their unfinished copies are removed and their files reconciled. */
async function deleteEnded(deps: RowDeps): Promise<void> {
  const now = new Date(deps.clock.now())
  await deps.pool.query(DELETE_ENDED, [now])
  const { rows } = await deps.pool.query<Failed>(`${FAILED} order by ended_at limit ${BATCH_SIZE}`, [now])
  for (const userId of new Set(rows.map((row) => row.userId))) {
    const ids = rows.filter((row) => row.userId === userId).map(({ id }) => id)
    await deleteFailed(deps, userId, ids, now)
  }
}

async function deleteFailed(deps: RowDeps, userId: string, ids: readonly string[], now: Date): Promise<void> {
  await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts({ tx, userId })
    await tx.query(
      `select from files where id in (select file_id from transfers where id = any($1::uuid[])) order by id for update`,
      [ids],
    )
    // Read again under the lock: one of them may have been retried meanwhile.
    const { rows } = await tx.query<Failed>(`${FAILED} and id = any($2::uuid[]) order by id for update`, [now, ids])
    const copies = rows.flatMap(({ copyId, pieceIds }) => (copyId === null ? [] : [{ id: copyId, pieceIds }]))
    await dropCopies(deps, change, copies)
    await tx.query('delete from transfers where id = any($1::uuid[])', [rows.map(({ id }) => id)])
    const fileIds = [...new Set(rows.map(({ fileId }) => fileId))]
    for (const id of fileIds) change.fileIds.add(id)
    if (fileIds.length > 0) await enqueueReconcile(tx, deps.enqueue, { userId, fileIds })
  })
}

/** Transfers whose copies were deleted with their account or file. */
const CANCEL_EMPTY = `update transfers set state = 'CANCELLED', error = 'It is not needed any more.', ended_at = $1
  where copy_id is null and state in ('WAITING', 'RUNNING', 'PARKED')`

const AT_RISK = `select distinct user_id as "userId", group_cloud_id as "groupCloudId" from files
  where state = 'AT_RISK' and group_cloud_id is not null and purged_at is null`

const LOST_RECENTLY = `select user_id as "userId", id as "accountId" from accounts a
  where not ${presentSql('a')} and a.updated_at > now() - interval '1 day'
    or a.disconnected_at between $1::timestamptz - interval '${GONE_AFTER}' - interval '1 day' and $1::timestamptz - interval '${GONE_AFTER}'`

async function enqueueAtRisk({ pool, enqueue }: Pick<RowDeps, 'pool' | 'enqueue'>, now: Date): Promise<void> {
  const { rows: atRisk } = await pool.query<{ userId: string; groupCloudId: string }>(AT_RISK)
  const { rows: lost } = await pool.query<{ userId: string; accountId: string }>(LOST_RECENTLY, [now])
  for (const scope of [...atRisk, ...lost]) await transaction(pool, (tx) => enqueueReconcile(tx, enqueue, scope))
}

/** One transaction per user, because it locks the user's accounts. */
async function resumeParked(deps: RowDeps): Promise<void> {
  const { rows } = await deps.pool.query<{ userId: string }>(
    `select distinct user_id as "userId" from transfers where state = 'PARKED'`,
  )
  for (const { userId } of rows) {
    await changeCopies(deps, async ({ tx, fileIds }) => {
      await lockAccounts({ tx, userId })
      for (const id of await resumeStopped(deps, tx, userId)) fileIds.add(id)
    })
  }
}

/** Resumes what a crash or a missed event left waiting: parked transfers, removals of objects. */
export async function resumeInterrupted(deps: RowDeps): Promise<void> {
  const now = new Date(deps.clock.now())
  await resumeParked(deps)
  await deps.pool.query(CANCEL_EMPTY, [now])
  await transaction(deps.pool, (tx) => wakeRemovals(tx, deps.enqueue))
}

/**
 * Deletes ended transfers, and queues reconciling of every group cloud with files at risk and of every account lost within a day:
 * free space can return without an event, and the server can crash between the loss of an account and the work that follows it.
 */
export async function reconcileAll(deps: RowDeps): Promise<void> {
  await deleteEnded(deps)
  await enqueueAtRisk(deps, new Date(deps.clock.now()))
}
