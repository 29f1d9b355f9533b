import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { ProviderError } from '../../providers/errors.ts'
import { dropPieces } from '../files/content/removals.ts'
import { lockAccounts } from '../files/tree/change.ts'
import { mainCopySql } from '../groupClouds/members.ts'
import { type Candidate, type Plan, planCopies } from '../groupClouds/placement.ts'
import { changeCopies } from './changeCopies.ts'
import type { RowDeps } from './deps.ts'
import { MoveRefused, type PieceFailure, reasonToMove } from './failures.ts'
import { loadPools, withReserved } from './planning.ts'
import type { PieceWork, TransferWork } from './work.ts'

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
    change.fileIds.add(work.fileId)
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
  /** The accounts of the file's other copies, and the one that it protects. */
  readonly others: readonly string[]
  readonly hasMainCopy: boolean
}

/** Null when the transfer is no longer running. */
async function lockCopy(tx: PoolClient, { fileId, copyId, id }: TransferWork): Promise<Locked | null> {
  const file = await tx.query('select from files where id = $1 and purged_at is null for update', [fileId])
  if (file.rowCount === 0) return null
  const { rows } = await tx.query<Locked>(
    `select array(select distinct p.account_id::text from copies o join pieces p on p.copy_id = o.id
       where o.file_id = $1 and o.id <> $2
       union select protected_account_id::text from files where id = $1 and protected_account_id is not null) as others,
       ${mainCopySql('$2')} as "hasMainCopy"
     from transfers t join files f on f.id = t.file_id where t.id = $3 and t.copy_id = $2 and t.state = 'RUNNING'`,
    [fileId, copyId, id],
  )
  return rows[0] ?? null
}

type Planned = readonly { readonly accountId: string; readonly offset: number; readonly size: number }[]

/** Replaces one piece by `pieces`; the indexes of the following ones grow accordingly. */
async function insertPieces(tx: PoolClient, copyId: string, old: PieceWork, pieces: Planned): Promise<void> {
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
  copy: { readonly pieces: Planned; readonly why: string },
  members: readonly Candidate[],
): Promise<void> {
  const names = copy.pieces.map(({ accountId }) => members.find((member) => member.accountId === accountId)?.name ?? '')
  const added = `${why}, so a part of it is on ${[...new Set(names)].map((name) => `“${name}”`).join(', ')} instead.`
  const text = work.pieces.length === 1 ? `${copy.why}; ${why}` : ` ${added}`
  const set = work.pieces.length === 1 ? '$2' : `case when position($2::text in why) > 0 then why else why || $2 end`
  await tx.query(`update copies set why = ${set} where id = $1`, [work.copyId, text])
}
