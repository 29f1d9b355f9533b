import type { PoolClient } from 'pg'
import { transaction } from '../../db/pool.ts'
import { dropPieces, wakeRemovals } from '../files/content/removals.ts'
import { presentSql } from '../files/content/states.ts'
import type { Copy } from '../files/contract.ts'
import { lockAccounts } from '../files/tree/change.ts'
import { EXTRA_ONLY } from '../groupClouds/members.ts'
import { type Plan, planCopies } from '../groupClouds/placement.ts'
import { enqueueReconcile, type ReconcileScope } from '../jobs.ts'
import type { RowDeps, TransferKind } from './contract.ts'
import { insertPlannedCopies, loadPools, type PlannedItem, type PlanningPool, withReserved } from './planning.ts'
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

/** Copies on a disconnected account are kept as long as the trash keeps files; after that they are dropped once others replace them. */
const GONE_AFTER = '30 days'
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

/** What reconciling needs to know about a copy. */
export type CopyFacts = {
  readonly id: string
  readonly state: Copy['state']
  /** Reading it repeatedly returned wrong bytes: it counts as lost until it is read correctly. */
  readonly suspect: boolean
  /** Its transfer has not ended; it may be stopped. */
  readonly open: boolean
  /** The object was edited in its account: the copy stays listed so that the user can keep that version. */
  readonly changed: boolean
  readonly pieceIds: readonly string[]
  /** Accounts of its pieces, each once. */
  readonly accounts: readonly {
    readonly id: string
    readonly lost: boolean
    /** Disconnected longer than GONE_AFTER ago. */
    readonly gone: boolean
    readonly place: 'MEMBER' | 'DRAINING' | 'FOREIGN'
    /** It may not hold the only copy of a file. */
    readonly extraOnly?: boolean
  }[]
}

export type FileFacts = {
  readonly wanted: number
  /** The account that takes none of its copies, because they protect its files. */
  readonly protectedAccountId?: string | null
  /** The uploaded bytes are still staged on this server. */
  readonly staged: boolean
  /** Number of copies whose transfers the user cancelled recently. */
  readonly cancelledCopies: number
  /** Number of moves and drains that the user cancelled: such a copy stays where it is, and is still repaired. */
  readonly cancelledMoves: number
  /** Oldest first. */
  readonly copies: readonly CopyFacts[]
}

type Reconciliation = {
  readonly drop: readonly CopyFacts[]
  /** How many copies to plan, and the accounts that may hold none of them. `hasMainCopy` as in PlacementRules. */
  readonly plan: {
    readonly count: number
    readonly kind: TransferKind
    readonly exclude: ReadonlySet<string>
    readonly hasMainCopy: boolean
  } | null
}

/**
 * Decides which copies to drop and how many to plan, so that a file matches its group cloud. Copies are dropped only when enough
 * others can be read from members of the group cloud. Copies on accounts that are lost for now stay: they count again when the
 * accounts are back. One copy is always on accounts that may hold the only one.
 */
export function planReconciliation({
  wanted,
  protectedAccountId,
  staged,
  cancelledCopies,
  cancelledMoves,
  copies,
}: FileFacts): Reconciliation {
  const readable = copies.filter(
    (copy) => copy.state === 'STORED' && !copy.suspect && copy.accounts.every(({ lost }) => !lost),
  )
  const good = readable.filter(isPlaced)
  if (good.length >= wanted && (good.length === 0 || good.some(isMain))) {
    return { drop: surplus(copies, good, wanted), plan: null }
  }
  const open = copies.filter((copy) => copy.state === 'STORING' && copy.open)
  const kind = kindOf(readable)
  const isMove = kind === 'MOVE' || kind === 'DRAIN'
  const hasMainCopy = [...good, ...open].some(isMain)
  const lacking = wanted - good.length - open.length
  const asked = good.length > 0 && !hasMainCopy ? Math.max(lacking, 1) : lacking
  const count = asked - cancelledCopies - (isMove ? cancelledMoves : 0)
  if (count <= 0 || (!staged && readable.length === 0)) return { drop: [], plan: null }
  const exclude = new Set([...good, ...open].flatMap(({ accounts }) => accounts.map(({ id }) => id)))
  if (protectedAccountId) exclude.add(protectedAccountId)
  return { drop: [], plan: { count, kind, exclude, hasMainCopy } }
}

function isMain({ accounts }: CopyFacts): boolean {
  return accounts.every(({ extraOnly = false }) => !extraOnly)
}

function isPlaced({ accounts }: CopyFacts): boolean {
  return accounts.every(({ place }) => place === 'MEMBER')
}

function kindOf(readable: readonly CopyFacts[]): TransferKind {
  const places = new Set(readable.flatMap(({ accounts }) => accounts.map(({ place }) => place)))
  if (readable.length === 0) return 'STORE'
  if (places.has('FOREIGN')) return 'MOVE'
  return places.has('DRAINING') ? 'DRAIN' : 'REPAIR'
}

/** All copies but the oldest good ones, of which at least one may be the only one, those that may recover and those whose edited version is offered. */
function surplus(copies: readonly CopyFacts[], good: readonly CopyFacts[], wanted: number): CopyFacts[] {
  const oldest = good.slice(0, wanted)
  const main = oldest.some(isMain) ? undefined : good.find(isMain)
  const kept = new Set(main ? [...oldest.slice(0, -1), main] : oldest)
  const mayRecover = ({ state, accounts }: CopyFacts) =>
    state === 'STORED' && accounts.some(({ lost }) => lost) && !accounts.some(({ gone }) => gone)
  const isOffered = (copy: CopyFacts) => copy.changed && isPlaced(copy) && !copy.accounts.some(({ gone }) => gone)
  return copies.filter((copy) => !kept.has(copy) && !mayRecover(copy) && !isOffered(copy))
}

/** For this long a copy whose transfer the user cancelled is not planned again. The cancelled transfer is listed for the same time. */
const CANCELLED_FOR = '24 hours'

/** Files of one transaction. */
const RECONCILE_BATCH = 200

type FileToReconcile = FileFacts & { readonly id: string; readonly groupCloudId: string; readonly size: number }

const NIL = '00000000-0000-0000-0000-000000000000'

/** Files that the account holds, and files at risk that may find room on it again. */
const OF_ACCOUNT = `select f.id from files f where f.user_id = $1 and f.id > $2 and f.purged_at is null and (
    f.id in (select c.file_id from pieces p join copies c on c.id = p.copy_id where p.account_id = $3)
    or f.state = 'AT_RISK' and f.group_cloud_id in (select group_cloud_id from group_cloud_members where account_id = $3))
  order by f.id limit $4`
const OF_GROUP_CLOUD = `select id from files where user_id = $1 and id > $2 and purged_at is null and kind = 'FILE'
  and group_cloud_id = $3 order by id limit $4`
/** Files that lack a copy and may find room for it. */
const LACKING_COPIES = `select id from files where user_id = $1 and id > $2 and purged_at is null and state = 'AT_RISK'
  and group_cloud_id is not null and $3::boolean order by id limit $4`
const OF_IDS = `select id from files where user_id = $1 and id > $2 and purged_at is null and kind = 'FILE'
  and id = any($3::uuid[]) order by id limit $4`

/** The next files of a scope, in the order of their ids. */
async function nextFileIds(tx: PoolClient, scope: ReconcileScope): Promise<string[]> {
  const { userId, accountId, groupCloudId, fileIds, room, after = NIL } = scope
  const [text, what] =
    accountId !== undefined
      ? ([OF_ACCOUNT, accountId] as const)
      : groupCloudId !== undefined
        ? ([OF_GROUP_CLOUD, groupCloudId] as const)
        : room === true
          ? ([LACKING_COPIES, true] as const)
          : ([OF_IDS, fileIds ?? []] as const)
  const { rows } = await tx.query<{ id: string }>(text, [userId, after, what, RECONCILE_BATCH])
  return rows.map(({ id }) => id)
}

const LOAD = {
  name: 'transfers-load-settle',
  text: `select f.id, f.group_cloud_id as "groupCloudId", f.size::float8 as size, coalesce(f.wanted_copies, g.copies) as wanted,
      f.protected_account_id as "protectedAccountId",
      f.staged_ref is not null as staged,
      (select count(*)::int from transfers t
        where t.file_id = f.id and t.state = 'CANCELLED' and t.error is null and t.kind in ('STORE', 'REPAIR')
          and t.ended_at > $2::timestamptz - interval '${CANCELLED_FOR}') as "cancelledCopies",
      (select count(*)::int from transfers t
        where t.file_id = f.id and t.state = 'CANCELLED' and t.error is null and t.kind in ('MOVE', 'DRAIN')) as "cancelledMoves",
      coalesce((select json_agg(json_build_object('id', c.id, 'state', c.state, 'suspect', c.suspect_reads > 0,
          'open', exists (select from transfers t where t.copy_id = c.id and t.state not in ('DONE', 'CANCELLED')),
          'changed', exists (select from pieces p where p.copy_id = c.id and p.changed_at is not null),
          'pieceIds', (select coalesce(json_agg(p.id), '[]') from pieces p where p.copy_id = c.id),
          'accounts', (select coalesce(json_agg(json_build_object('id', a.id, 'lost', not ${presentSql('a')},
              'gone', coalesce(a.disconnected_at < $2::timestamptz - interval '${GONE_AFTER}', false), 'place',
              case when m.account_id is null then 'FOREIGN' when m.draining then 'DRAINING' else 'MEMBER' end,
              'extraOnly', ${EXTRA_ONLY})), '[]')
            from accounts a
              left join group_cloud_members m on m.account_id = a.id and m.group_cloud_id = f.group_cloud_id
            where a.id in (select p.account_id from pieces p where p.copy_id = c.id)))
          order by c.created_at, c.id)
        from copies c where c.file_id = f.id), '[]') as copies
    from files f join group_clouds g on g.id = f.group_cloud_id
    where f.id = any($1::uuid[]) and f.purged_at is null order by f.id`,
}

/** Locks and loads files; the caller has locked the accounts. Files without a group cloud are left out. */
async function loadFiles(tx: PoolClient, ids: readonly string[], now: Date): Promise<FileToReconcile[]> {
  await tx.query('select from files where id = any($1::uuid[]) order by id for update', [ids])
  const { rows } = await tx.query<FileToReconcile>({ ...LOAD, values: [ids, now] })
  return rows
}
