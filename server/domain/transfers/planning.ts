import { randomUUID } from 'node:crypto'
import type { ClientBase, PoolClient } from 'pg'
import { currentCause, keepCause } from '../../lib/cause.ts'
import { newId } from '../../lib/ids.ts'
import { ProviderError } from '../../providers/errors.ts'
import { dropPieces } from '../files/content/removals.ts'
import { lockAccounts } from '../files/tree/change.ts'
import { type AccountLabel, byName, EXTRA_ONLY, mainCopySql, QUOTA_BYTES, QUOTA_STATE } from '../groupClouds/members.ts'
import { type Candidate, type PlacementRules, type Plan, planCopies } from '../groupClouds/placement.ts'
import type { Enqueue } from '../jobs.ts'
import type { RowDeps, TransferKind } from './contract.ts'
import { MoveRefused, type PieceFailure, reasonToMove } from './failures.ts'
import { changeCopies, lockFileOf, type PieceWork, type TransferWork } from './work.ts'

/** The rules and members of a group cloud, for planning. */
export type PlanningPool = {
  readonly rules: Pick<PlacementRules, 'placement' | 'copies' | 'spanning'>
  readonly members: readonly Candidate[]
}

const LOAD = {
  name: 'transfers-load-members',
  text: `select g.id, g.placement, g.copies, g.spanning, coalesce(json_agg(json_build_object(
      'accountId', a.id, 'provider', a.provider, 'name', a.name, 'position', m.position, 'status', a.status,
      'unreachable', a.unreachable_since is not null, 'draining', m.draining, 'quotaState', ${QUOTA_STATE},
      'quotaBytes', ${QUOTA_BYTES}, 'usedBytes', a.used_bytes, 'reservedBytes', a.reserved_bytes,
      'keepFreeBytes', m.keep_free_bytes, 'extraOnly', ${EXTRA_ONLY}) order by m.position) filter (where a.id is not null), '[]') as members
    from group_clouds g left join group_cloud_members m on m.group_cloud_id = g.id
      left join accounts a on a.id = m.account_id and a.disconnected_at is null
    where g.id = any($1::uuid[]) group by g.id`,
}

type Row = PlanningPool['rules'] & {
  readonly id: string
  readonly members: readonly (Candidate & { readonly provider: string })[]
}

/** Group clouds by id; unknown ids are absent. The caller has locked the accounts. */
export async function loadPools(
  tx: PoolClient,
  ids: readonly string[],
  label: AccountLabel = byName,
): Promise<Map<string, PlanningPool>> {
  const { rows } = await tx.query<Row>({ ...LOAD, values: [[...new Set(ids)]] })
  return new Map(
    rows.map(({ id, members, placement, copies, spanning }) => [
      id,
      { rules: { placement, copies, spanning }, members: members.map((one) => ({ ...one, name: label(one) })) },
    ]),
  )
}

/** The members with the bytes of `pieces` reserved. */
export function withReserved(
  members: readonly Candidate[],
  pieces: readonly { readonly accountId: string; readonly size: number }[],
): Candidate[] {
  return members.map((member) => {
    const planned = pieces.filter(({ accountId }) => accountId === member.accountId)
    return { ...member, reservedBytes: planned.reduce((sum, { size }) => sum + size, member.reservedBytes) }
  })
}

/** A copy as placement planned it. */
export type PlannedCopy = {
  readonly pieces: readonly { readonly accountId: string; readonly offset: number; readonly size: number }[]
  readonly why: string
}

export type PlannedItem = {
  readonly userId: string
  readonly fileId: string
  readonly kind: TransferKind
  readonly copies: readonly PlannedCopy[]
}

export type InsertedCopies = {
  readonly fileId: string
  readonly copyIds: readonly string[]
  readonly transferIds: readonly string[]
}

/** Copies, pieces, transfers and reserved bytes of all items. Foreign keys are checked at the end of the statement. */
const INSERT = {
  name: 'transfers-insert-planned',
  text: `with copy as (
      insert into copies (id, file_id, state, why)
      select id, file_id, 'STORING', why from unnest($1::uuid[], $2::uuid[], $3::text[]) as i(id, file_id, why)
    ), transfer as (
      insert into transfers (id, user_id, file_id, copy_id, kind, total_bytes)
      select id, user_id, file_id, copy_id, kind::"TransferKind", total
      from unnest($4::uuid[], $5::uuid[], $2::uuid[], $1::uuid[], $6::text[], $7::bigint[])
        as i(id, user_id, file_id, copy_id, kind, total)
    ), piece as (
      insert into pieces (id, copy_id, account_id, index, "offset", size, state)
      select id, copy_id, account_id, index, start, size, 'PLANNED'
      from unnest($8::uuid[], $9::uuid[], $10::uuid[], $11::int[], $12::bigint[], $13::bigint[])
        as i(id, copy_id, account_id, index, start, size)
    )
    update accounts a set reserved_bytes = a.reserved_bytes + r.bytes, updated_at = now()
    from (
      select account_id, sum(size)::bigint as bytes from unnest($10::uuid[], $13::bigint[]) as i(account_id, size)
      group by account_id
    ) r where a.id = r.account_id`,
}

/** Transfers that a job names, so that the server that runs them can log what led to them. */
const MOST_NAMED = 100

/**
 * Inserts copies, pieces and transfers, reserves their bytes and queues the job that sends them, in two statements for any number
 * of items. The caller has locked the accounts, in the order of their ids. One result per item, in their order.
 */
export async function insertPlannedCopies(
  client: ClientBase,
  enqueue: Enqueue,
  items: readonly PlannedItem[],
): Promise<InsertedCopies[]> {
  const planned = items.map((item) => item.copies.map((copy) => withIds(item, copy)))
  const rows = planned.flat()
  const [first] = rows
  if (first) {
    await client.query({ ...INSERT, values: columns(rows) })
    // One job is enough: the dispatcher that it wakes starts all due transfers.
    const { transferId } = first
    const ids = rows.slice(0, MOST_NAMED).map((row) => row.transferId)
    for (const id of ids) keepCause(id)
    await enqueue(client, 'runTransfer', currentCause() ? { transferId, ids } : { transferId })
    // While the bytes are still here.
    await enqueue(client, 'hashFiles', { fileIds: [...new Set(rows.map(({ fileId }) => fileId))] })
  }
  return items.map(({ fileId }, index) => ({
    fileId,
    copyIds: (planned[index] ?? []).map(({ copyId }) => copyId),
    transferIds: (planned[index] ?? []).map(({ transferId }) => transferId),
  }))
}

type Planned = Omit<PlannedItem, 'copies'> & PlannedCopy & { readonly copyId: string; readonly transferId: string }

function withIds({ userId, fileId, kind }: PlannedItem, { pieces, why }: PlannedCopy): Planned {
  return { userId, fileId, kind, pieces, why, copyId: randomUUID(), transferId: newId() }
}

function columns(rows: readonly Planned[]): unknown[][] {
  const pieces = rows.flatMap(({ copyId, pieces }) => pieces.map((piece, index) => ({ ...piece, copyId, index })))
  return [
    rows.map(({ copyId }) => copyId),
    rows.map(({ fileId }) => fileId),
    rows.map(({ why }) => why),
    rows.map(({ transferId }) => transferId),
    rows.map(({ userId }) => userId),
    rows.map(({ kind }) => kind),
    rows.map(({ pieces }) => pieces.reduce((sum, { size }) => sum + size, 0)),
    pieces.map(() => randomUUID()),
    pieces.map(({ copyId }) => copyId),
    pieces.map(({ accountId }) => accountId),
    pieces.map(({ index }) => index),
    pieces.map(({ offset }) => offset),
    pieces.map(({ size }) => size),
  ]
}

const INSERT_COPY = `with copy as (insert into copies (id, file_id, state, why) values ($1, $2, 'STORING', $3)),
  piece as (
    insert into pieces (id, copy_id, account_id, index, "offset", size, state)
    select id, $1, account_id, index, start, size, 'PLANNED'
    from unnest($4::uuid[], $5::uuid[], $6::int[], $7::bigint[], $8::bigint[]) as i(id, account_id, index, start, size))
  update accounts a set reserved_bytes = a.reserved_bytes + r.bytes, updated_at = now()
  from (
    select account_id, sum(size)::bigint as bytes from unnest($5::uuid[], $8::bigint[]) as i(account_id, size)
    group by account_id
  ) r where a.id = r.account_id`

/** Inserts a planned copy and reserves its bytes, for an existing transfer. */
export async function insertCopy(
  client: ClientBase,
  copy: PlannedCopy & { id: string; fileId: string },
): Promise<void> {
  const { id, fileId, why, pieces } = copy
  await client.query(INSERT_COPY, [
    id,
    fileId,
    why,
    pieces.map(() => randomUUID()),
    pieces.map(({ accountId }) => accountId),
    pieces.map((_, index) => index),
    pieces.map(({ offset }) => offset),
    pieces.map(({ size }) => size),
  ])
}

/** `moved`: number of pieces with a new plan. `refused`: those that no account accepts. */
export type Replanned = { readonly moved: number; readonly refused: readonly PieceFailure[] }

/**
 * Moves unsent pieces to other members of the group cloud that hold no other copy of the file and are not in `refusing`. What the
 * old accounts have received of them is removed.
 */
export async function replanPieces(
  deps: RowDeps,
  work: TransferWork,
  failures: readonly PieceFailure[],
  refusing: ReadonlySet<string>,
): Promise<Replanned> {
  return changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts({ tx, userId: work.userId })
    const state = await lockCopy(tx, work)
    if (!state) return { moved: 0, refused: failures }
    const pools = work.groupCloudId === null ? null : await loadPools(tx, [work.groupCloudId], deps.accountLabel)
    const pool = pools?.get(work.groupCloudId ?? '')
    let members = pool?.members ?? []
    const exclude = new Set([...refusing, ...state.others])
    const refused: PieceFailure[] = []
    for (const failure of failures) {
      const { size } = failure.piece
      const plan = planCopies(members, size, {
        placement: 'MOST_FREE',
        spanning: true,
        ...pool?.rules,
        copies: 1,
        exclude,
        hasMainCopy: state.hasMainCopy,
      })
      const why = `${reasonToMove(failure) ?? `“${failure.piece.accountName}” does not accept it`}`
      const [copy] = plan.placed ? plan.copies : []
      if (!copy) {
        const { piece, error: cause } = failure
        const refusal = new MoveRefused(refusalMessage(why, plan), { cause })
        refused.push(mayRecover(failure) ? failure : { piece, error: refusal })
        continue
      }
      for (const ref of await dropPieces(tx, deps.enqueue, [failure.piece.id])) change.localRefs.add(ref)
      await insertPieces(tx, work.copyId, failure.piece, copy.pieces)
      await explain(tx, work, why, copy, members)
      members = withReserved(members, copy.pieces)
    }
    change.fileIds.add(state.fileId)
    return { moved: failures.length - refused.length, refused }
  })
}

/** Whether the piece's account may answer again at any time, so that waiting for it is better than failing. */
function mayRecover({ piece, error }: PieceFailure): boolean {
  return !piece.accountDisconnected && error instanceof ProviderError && error.code === 'Transient'
}

function refusalMessage(why: string, plan: Plan): string {
  return plan.placed ? `${why}.` : `${why}. ${plan.why}`
}

type Locked = {
  readonly fileId: string
  /** The accounts of the file's other copies, and the one that it protects. */
  readonly others: readonly string[]
  readonly hasMainCopy: boolean
}

/** Null when the transfer is no longer running. */
async function lockCopy(tx: PoolClient, { copyId, id }: TransferWork): Promise<Locked | null> {
  const fileId = await lockFileOf(tx, id)
  if (fileId === null) return null
  const { rows } = await tx.query<Locked>(
    `select f.id as "fileId", array(select distinct p.account_id::text from copies o join pieces p on p.copy_id = o.id
       where o.file_id = $1 and o.id <> $2
       union select protected_account_id::text from files where id = $1 and protected_account_id is not null) as others,
       ${mainCopySql('$2')} as "hasMainCopy"
     from transfers t join files f on f.id = t.file_id where t.id = $3 and t.copy_id = $2 and t.state = 'RUNNING'`,
    [fileId, copyId, id],
  )
  return rows[0] ?? null
}

type NewPieces = readonly { readonly accountId: string; readonly offset: number; readonly size: number }[]

/** Replaces one piece by `pieces`; the indexes of the following ones grow accordingly. */
async function insertPieces(tx: PoolClient, copyId: string, old: PieceWork, pieces: NewPieces): Promise<void> {
  const { rows } = await tx.query<{ index: number }>(
    `select count(*)::int as index from pieces where copy_id = $1 and "offset" < $2`,
    [copyId, old.offset],
  )
  const first = rows[0]?.index ?? 0
  if (pieces.length > 1) {
    // In two steps, because the order of updates within a statement is undefined and indexes are unique.
    await tx.query(`update pieces set index = -1 - index where copy_id = $1 and index > $2`, [copyId, first])
    await tx.query(`update pieces set index = -1 - index + $2 where copy_id = $1 and index < 0`, [
      copyId,
      pieces.length - 1,
    ])
  }
  await tx.query(
    `with planned as (
       insert into pieces (id, copy_id, account_id, index, "offset", size, state)
       select id, $1, account_id, index, start, size, 'PLANNED'
       from unnest($2::uuid[], $3::uuid[], $4::int[], $5::bigint[], $6::bigint[]) as i(id, account_id, index, start, size)
       returning account_id, size)
     update accounts a set reserved_bytes = a.reserved_bytes + r.bytes, updated_at = now()
     from (select account_id, sum(size)::bigint as bytes from planned group by account_id) r where a.id = r.account_id`,
    [
      copyId,
      pieces.map(() => randomUUID()),
      pieces.map(({ accountId }) => accountId),
      pieces.map((_, index) => first + index),
      pieces.map(({ offset }) => old.offset + offset),
      pieces.map(({ size }) => size),
    ],
  )
}

/** Updates the reason shown with the copy: replaced for a single piece; for several, each distinct change is appended once. */
async function explain(
  tx: PoolClient,
  work: TransferWork,
  why: string,
  copy: { readonly pieces: NewPieces; readonly why: string },
  members: readonly Candidate[],
): Promise<void> {
  const names = copy.pieces.map(({ accountId }) => members.find((member) => member.accountId === accountId)?.name ?? '')
  const added = `${why}, so a part of it is on ${[...new Set(names)].map((name) => `“${name}”`).join(', ')} instead.`
  const text = work.pieces.length === 1 ? `${copy.why}; ${why}` : ` ${added}`
  const set = work.pieces.length === 1 ? '$2' : `case when position($2::text in why) > 0 then why else why || $2 end`
  await tx.query(`update copies set why = ${set} where id = $1`, [work.copyId, text])
}
