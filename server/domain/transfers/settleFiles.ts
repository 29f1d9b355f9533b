import type { PoolClient } from 'pg'
import { dropPieces } from '../files/removals.ts'
import { type Plan, planCopies } from '../groupClouds/placement.ts'
import { type CopiesChange, changeCopies, tellFiles } from './changes.ts'
import type { RowDeps } from './deps.ts'
import { insertPlannedCopies, type PlannedItem } from './insertPlanned.ts'
import { leaveDrained } from './leaveDrained.ts'
import { loadPools, lockAccounts, type PlanningPool, withReserved } from './members.ts'
import { enqueueSettle, type SettleScope } from './settle.ts'
import { type FileToSettle, loadFiles, nextFileIds, SETTLE_BATCH } from './settleRows.ts'
import { type CopyFacts, settle } from './settleRule.ts'
import { wakeStopped } from './wake.ts'

/** One batch of a scope; the next one is queued in the same transaction. */
export async function settleBatch(deps: RowDeps, scope: SettleScope): Promise<void> {
  const { changedIds, left } = await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts(tx, scope.userId)
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
